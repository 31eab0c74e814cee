/** Whether answers come whole: one connection may break on its way, and not each of many in a row. */

import { bodyText } from '../exchange/body.ts';
import type { Ending, Exchange } from '../exchange/exchange.ts';
import { notObserved, violated } from './judgement.ts';
import type { Fold } from './universal.ts';

/** Endings that the sender of an answer brings about: one that is reset, or stands still, may be the network's doing. */
export const brokenOff: ReadonlySet<Ending> = new Set(['cut-short', 'malformed']);

/** True for an answer whose sender ended it before its time. */
export function isBrokenOff({ ending }: Exchange): boolean {
  return brokenOff.has(ending);
}

/** Tries in a row without a whole answer that convince, and the milliseconds that they are spread over at least. */
const TRIES = 9;
const SPREAD_MS = 500;
/** Characters of what came that are shown. */
const SHOWN = 200;

/** An exchange with the documented operation that it is a try of. */
interface Tried {
  readonly exchange: Exchange;
  readonly operation: string;
}

/** The tries of an operation since its last whole success, and when the first of them began. */
interface Broken {
  readonly tries: number;
  readonly since: number;
}

/**
 * A success comes to its end; `endings` are those that count as another end. What is no success says nothing of that,
 * unless it is no HTTP at all. Held by whatever reads the bodies: this finds those that are never there to be read.
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

/** Reads the operation of an exchange, as `operation` names it; undefined where it is no documented one. */
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
