/** How often and where one request was tried, by the hits of the scripted backend (router#retry-behaviour). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, together } from '../judgement.ts';
import { answeredWith, endedWith, outcomeText } from './outcome.ts';
import { codeOf, hasCode } from './envelope.ts';
import type { RouterCode } from '../../../schemas/router/codes.ts';
import { terminalCodes } from '../../../schemas/router/retry-behaviour.ts';

/** A request that the router must refuse by itself reached no engine. Without a response nothing is judged. */
export function reachedNoEngine(exchange: Exchange, hits: number): Judgement {
  if (exchange.response === undefined) return notObserved;
  return reachedEngine(
    exchange,
    hits,
    0,
    'A request that the router must refuse by itself reached an engine.',
  );
}

/** Exactly `times` requests reached the engines for one request of the client. */
export function reachedEngine(
  exchange: Exchange,
  hits: number,
  times: number,
  message = 'Another number of requests than expected reached the engines.',
): Judgement {
  const sides = { expected: `${times} hits`, actual: `${hits} hits` };
  return expectThat(hits === times, message, sides, exchange);
}

/** Exactly one request reached the engines. Without a hit and a response, the request may have been lost before the router. */
export function reachedOnce(exchange: Exchange, hits: number): Judgement {
  if (hits === 0 && exchange.response === undefined) return notObserved;
  return reachedEngine(exchange, hits, 1);
}

/** The judgement of an engine's response, only where the request reached the engine. */
export function whenReached(hits: number, judgement: Judgement): Judgement {
  return hits === 0 ? notObserved : judgement;
}

/** A request got `text` after failed tries, with `times` hits in all (default 2). Not judged when cut short. */
export function secondAnswer(exchange: Exchange, hits: number, text: string, times = 2): Judgement {
  if (hits === 0 || wereCutShort(exchange)) return notObserved;
  return together(reachedEngine(exchange, hits, times), answeredWith(exchange, text));
}

/** The same for a second engine whose error stops the session: two hits, and the code of that error. */
export function stoppedAtSecond(exchange: Exchange, hits: number, code: RouterCode): Judgement {
  if (hits < 2 || wereCutShort(exchange)) return notObserved;
  return together(reachedEngine(exchange, hits, 2), endedWith(exchange, [code]));
}

/** Fewest first failures that are judged, and the share of them that accidents do not explain. */
const FAILURES = { least: 6, wrong: 1 / 3 } as const;

/** Of many first failures with another agent available, most were followed by another try; accidents explain a few. */
export function mostTriedAgain(judgements: readonly Judgement[]): Judgement {
  const shown = judgements.filter(({ seen }) => seen > 0);
  if (shown.length < FAILURES.least) return notObserved;
  const wrong = shown.filter(({ violations }) => violations.length > 0);
  if (wrong.length < FAILURES.wrong * shown.length) return pass(shown.length);
  return together(...shown);
}

/** Milliseconds within which engines that answer at once stay far from any deadline. */
const AT_ONCE_MS = 500;

/** True when the tries ended because the other agents had no free slot, or because the deadline had passed. */
export function wereCutShort(exchange: Exchange): boolean {
  const code = codeOf(exchange);
  return code === 'no_capacity' || (code === 'request_timeout' && exchange.durationMs > AT_ONCE_MS);
}

/** A request that always fails was tried a permitted number of times. Too few are not judged when cut short. */
export function triesWithin(
  exchange: Exchange,
  hits: number,
  bounds: { readonly least: number; readonly most: number },
): Judgement {
  const { least, most } = bounds;
  if (hits === 0 || (hits < least && wereCutShort(exchange))) return notObserved;
  return expectThat(
    hits >= least && hits <= most,
    'A request that always fails was not tried as often as it may be.',
    {
      expected: most === Infinity ? `at least ${least} tries` : `${least} to ${most} tries`,
      actual: `${hits} tries, then ${outcomeText(exchange)}`,
    },
    exchange,
  );
}

/** The first two tries went to different agents; `listeners` names the target of each try, in order. */
export function otherAgent(exchange: Exchange, listeners: readonly string[]): Judgement {
  const [first, second] = listeners;
  if (first === undefined || second === undefined) return notObserved;
  return expectThat(
    first !== second,
    'The second try went to the agent that had just failed.',
    { expected: 'two agents', actual: listeners },
    exchange,
  );
}

/**
 * The next-to-last hit of a request that always fails (`most` hits in all) was at an agent, so the provider was asked once.
 * This time that hit got an error that stops the session at an agent, but not at a provider. Other numbers of hits are not
 * judged: other engines may have been asked.
 */
export function providerAskedOnce(exchange: Exchange, hits: number, most: number): Judgement {
  const stopped = hits === most - 1 && codeOf(exchange) === 'invalid_parameter';
  const wentOn = hits >= most && codeOf(exchange) === 'backend_error';
  if (!stopped && !wentOn) return notObserved;
  return expectThat(
    stopped,
    'A provider that had failed was asked again.',
    {
      expected: `invalid_parameter after ${most - 1} hits`,
      actual: `${outcomeText(exchange)} after ${hits} hits`,
    },
    exchange,
  );
}

/** Whether a failure of an engine has a code after which the session goes on. */
export const goesOnAfter = hasCode('backend_error', 'backend_unavailable');

/** Whether it has a code that stops the session. */
export const stopsAfter = hasCode(...terminalCodes);

/** Passes on one hit and a code that stops the session. Other codes after one hit are judged elsewhere. */
export function stoppedAtOnce(exchange: Exchange, hits: number): Judgement {
  if (hits === 1 && !stopsAfter(exchange)) return notObserved;
  return reachedOnce(exchange, hits);
}
