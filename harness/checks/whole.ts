/** Whether responses arrive whole. One connection may break by accident, many in a row do not. */

import { bodyText } from '../exchange/body.ts';
import type { Ending, Exchange } from '../exchange/exchange.ts';
import { notObserved, violated } from './judgement.ts';
import type { Fold } from './universal.ts';

/** Endings that the sender of a response causes. A reset or a stall is not among them: the network may cause it. */
export const brokenOff: ReadonlySet<Ending> = new Set(['cut-short', 'malformed']);

/** True when the sender ended the response too early. */
export function isBrokenOff({ ending }: Exchange): boolean {
  return brokenOff.has(ending);
}

/** Consecutive tries without a whole response that are a violation, and their least spread in milliseconds. */
const TRIES = 9;
const SPREAD_MS = 500;
const SHOWN = 200;

/** An exchange with the documented operation that it called. */
interface Tried {
  readonly exchange: Exchange;
  readonly operation: string;
}

/** The broken tries of an operation since its last whole success, and when the first of them began. */
interface Broken {
  readonly tries: number;
  readonly since: number;
}

/**
 * A success arrives to its end; `endings` are those that count as broken. Other responses are not judged, unless they
 * are not HTTP at all. Checks of bodies skip broken ones: only this check notices when no body ever arrives whole.
 */
export function comesWhole<Id extends string>(
  requirement: Id,
  endings: ReadonlySet<Ending> = brokenOff,
): Fold<Tried, Id, Broken> {
  return {
    requirement,
    judge: ({ exchange, operation }, known) => {
      const { ending, response, startedAt } = exchange;
      const isSuccess = response !== undefined && response.status >= 200 && response.status < 300;
      if (isSuccess && ending === 'complete') {
        return { judgement: notObserved, learned: [[operation, undefined]] };
      }
      const isBroken = endings.has(ending) && (isSuccess || ending === 'malformed');
      if (!isBroken) return { judgement: notObserved, learned: [] };
      const { tries, since } = known.get(operation) ?? { tries: 0, since: startedAt };
      const now = { tries: tries + 1, since };
      const convinces = now.tries >= TRIES && startedAt - since >= SPREAD_MS;
      return {
        judgement: convinces ? neverWhole(exchange, now.tries) : notObserved,
        learned: [[operation, now]],
      };
    },
  };
}

/** Pairs an exchange with its operation, as `operation` names it; undefined when the operation is not documented. */
export function tried(operation: (exchange: Exchange) => string | undefined) {
  return (exchange: Exchange): Tried | undefined => {
    const name = operation(exchange);
    return name === undefined ? undefined : { exchange, operation: name };
  };
}

function neverWhole(exchange: Exchange, tries: number) {
  const { ending, cause, response } = exchange;
  const came = response === undefined ? 'nothing' : bodyText(exchange).slice(0, SHOWN);
  return violated(
    `Of ${tries} answers in a row none came whole.`,
    {
      expected: 'a success, from its head to the end of its body',
      actual: `${ending}${cause === undefined ? '' : ` (${cause})`}; of the body came: ${came}`,
    },
    exchange,
  );
}
