/** How often and where one request was tried, by the hits of the scripted backend (router#retry-behaviour). */

import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, together } from '../judgement.ts';
import { answeredWith, endedWith, outcomeText } from './outcome.ts';
import { codeOf } from './envelope.ts';
import type { RouterCode } from '../../../schemas/router/codes.ts';
import { terminalCodes } from '../../../schemas/router/retry-behaviour.ts';

/** Whether a request that the router refuses by itself reached no engine. An exchange without response shows nothing. */
export function reachedNoEngine(exchange: Exchange, hits: number): Judgement {
  if (exchange.response === undefined) return notObserved;
  return reachedEngine(
    exchange,
    hits,
    0,
    'A request that the router must refuse by itself reached an engine.',
  );
}

/** Whether exactly `times` requests reached the engines for one request of the client. */
export function reachedEngine(
  exchange: Exchange,
  hits: number,
  times: number,
  message = 'Another number of requests than expected reached the engines.',
): Judgement {
  const sides = { expected: `${times} hits`, actual: `${hits} hits` };
  return expectThat(hits === times, message, sides, exchange);
}

/** Whether one request reached the engines. One that broke off before a response may have been lost on its way to the router. */
export function reachedOnce(exchange: Exchange, hits: number): Judgement {
  if (hits === 0 && exchange.response === undefined) return notObserved;
  return reachedEngine(exchange, hits, 1);
}

/**
 * The judgement of an engine's answer, where there was one: a request that never reached the engine says nothing
 * about what becomes of its answers.
 */
export function whenReached(hits: number, judgement: Judgement): Judgement {
  return hits === 0 ? notObserved : judgement;
}

/**
 * Whether a request was answered with `text` after failed tries: `times` hits in all, two unless told. Without any hit
 * the session never came to an engine, which shows nothing; neither does one that was cut short.
 */
export function secondAnswer(exchange: Exchange, hits: number, text: string, times = 2): Judgement {
  if (hits === 0 || wereCutShort(exchange)) return notObserved;
  return together(reachedEngine(exchange, hits, times), answeredWith(exchange, text));
}

/** The same for a second engine whose error stops the session: two hits, and the code of that error. */
export function stoppedAtSecond(exchange: Exchange, hits: number, code: RouterCode): Judgement {
  if (hits < 2 || wereCutShort(exchange)) return notObserved;
  return together(reachedEngine(exchange, hits, 2), endedWith(exchange, [code]));
}

/** First failures in a row that tell how a router takes them, and the share of them that no mishap explains. */
const FAILURES = { least: 6, wrong: 1 / 3 } as const;

/**
 * Whether first failures in a row, at each of which another agent was there to be asked, were followed by another try, by
 * the judgement of each. One or two may have met with a mishap; a good share of many did not.
 */
export function mostTriedAgain(judgements: readonly Judgement[]): Judgement {
  const shown = judgements.filter(({ seen }) => seen > 0);
  if (shown.length < FAILURES.least) return notObserved;
  const wrong = shown.filter(({ violations }) => violations.length > 0);
  if (wrong.length < FAILURES.wrong * shown.length) return pass(shown.length);
  return together(...shown);
}

/** Milliseconds that engines which answer at once leave any deadline untouched for. */
const AT_ONCE_MS = 500;

/** True when the tries ended because the slots of the other agents were taken, or because the deadline had passed. */
export function wereCutShort(exchange: Exchange): boolean {
  const code = codeOf(exchange);
  return code === 'no_capacity' || (code === 'request_timeout' && exchange.durationMs > AT_ONCE_MS);
}

/**
 * Whether a request that always fails was tried at least and at most so often. No hit at all shows nothing, and neither do
 * too few where the tries were cut short.
 */
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

/** Whether the first two tries went to different agents; `listeners` names what each try hit, in order. */
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
 * Whether the hit before the last one of a request that always failed, `most` hits in all, came from an agent: it got an
 * error now that stops a session at an agent, and says nothing of the kind at a provider. No other number of hits than
 * before shows that the same ones were asked.
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

const stopping: ReadonlySet<unknown> = new Set(terminalCodes);

/**
 * Held for one hit and a code that stops the session. One hit and another code shows nothing: then it was a provider that
 * failed, or the error was taken for another, which is judged elsewhere.
 */
export function stoppedAtOnce(exchange: Exchange, hits: number): Judgement {
  if (hits === 1 && !stopping.has(codeOf(exchange))) return notObserved;
  return reachedOnce(exchange, hits);
}
