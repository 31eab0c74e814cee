/** How a request ended: a success, or an error with one of the codes that the document allows (router#retry-behaviour). */

import type { RouterCode } from '../../../schemas/router/codes.ts';
import { endOfRetries, terminalCodes } from '../../../schemas/router/retry-behaviour.ts';
import { type Exchange, mediaType } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, violated } from '../judgement.ts';
import { codeOf, envelopeOf, foundNoRoom } from './envelope.ts';
import { bodyText } from '../../exchange/body.ts';
import { MODEL_ID_LENGTH } from '../../../schemas/router/limits.ts';

/**
 * What was provoked, for every try of the session alike.
 * - `agent-gone`: the only agent cannot be reached.
 * - `backend-down`: the agent is up, the engine's port is closed.
 * - `backend-dropped`: the engine took the request and the connection was lost before any answer.
 * - `provider-failed`: no agent could serve and the external provider failed too.
 * - `no-eligible-agent`: the model is registered and no agent may serve it.
 * - `slots-full`: every slot of every agent stayed taken.
 * - `pending-channel-full`: the router's pending channel stayed full.
 * - `deadline-at-engine`: the engine was silent past the deadline.
 * - `deadline-in-queue`: the request waited for a slot past the deadline.
 * - `capability-mismatch`: the engine cannot do what the route asks for.
 */
export type Provocation = keyof typeof finalCodes;

const finalCodes = {
  'agent-gone': ['agent_disconnected', ...endOfRetries],
  'backend-down': ['backend_unavailable', ...endOfRetries],
  // Whether a lost connection is an unreachable engine or an unclassified failure is not said.
  'backend-dropped': ['backend_unavailable', 'backend_error', ...endOfRetries],
  'provider-failed': ['backend_error'],
  'no-eligible-agent': ['no_agents_available'],
  'slots-full': [...endOfRetries, 'queue_full', 'request_timeout'],
  'pending-channel-full': ['queue_full', ...endOfRetries],
  'deadline-at-engine': ['request_timeout'],
  'deadline-in-queue': ['request_timeout', 'no_capacity'],
  'capability-mismatch': ['request_invalid', 'no_agents_available'],
} as const satisfies Readonly<Record<string, readonly RouterCode[]>>;

/** The codes that the document allows to come out after `provocation`. */
export function acceptableFinalCodes(provocation: Provocation): readonly RouterCode[] {
  return finalCodes[provocation];
}

/**
 * The codes that may come out of a session whose every try ended with `code`: itself alone when it stops the session,
 * itself or the end of retries otherwise (router#retry-behaviour/1, /3, /4).
 */
export function endsOf(code: RouterCode): readonly RouterCode[] {
  return terminalCodes.some((terminal) => terminal === code) ? [code] : [code, ...endOfRetries];
}

/** Whether an exchange ended with one of `codes`. One whose response did not arrive whole shows nothing. */
export function endedWith(exchange: Exchange, codes: readonly RouterCode[]): Judgement {
  if (exchange.ending !== 'complete') return notObserved;
  const isRight = codes.some((acceptable) => acceptable === codeOf(exchange));
  const message = 'The request ended with a code that the contract does not allow here.';
  return expectOutcome(exchange, isRight, message, codes.join(' or '));
}

/** Status and code of an exchange for people. */
export function outcomeText(exchange: Exchange): string {
  const status = exchange.response?.status;
  if (status === undefined) return `no response (${exchange.ending})`;
  return `${status} ${codeOf(exchange) || 'without an error code'}`;
}

/** Judges a response by what it came to; without one nothing is seen. */
export function expectOutcome(
  exchange: Exchange,
  isRight: boolean,
  message: string,
  expected: string,
): Judgement {
  if (exchange.response === undefined) return notObserved;
  return expectThat(isRight, message, { expected, actual: outcomeText(exchange) }, exchange);
}

/** True for a 2xx. */
export function isSuccess(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0;
  return status >= 200 && status < 300;
}

/** Held for a 2xx. */
export function succeeded(exchange: Exchange): Judgement {
  const message = 'A request that can be served was not.';
  return expectOutcome(exchange, isSuccess(exchange), message, 'a success');
}

/** Held for this status. */
export function hasStatus(exchange: Exchange, status: number): Judgement {
  const isRight = exchange.response?.status === status;
  return expectOutcome(exchange, isRight, `The status is not ${status}.`, String(status));
}

/** Whether the content type of a success is this one, parameters aside. Errors show nothing. */
export function hasMediaType(exchange: Exchange, expected: string): Judgement {
  if (!isSuccess(exchange)) return notObserved;
  const actual = mediaType(exchange.response?.headers ?? []);
  return expectThat(
    actual === expected,
    'A success has another content type than the engine gave it.',
    { expected, actual: actual ?? 'no Content-Type' },
    exchange,
  );
}

/** Held for a success whose body holds `text`, which needs no escaping in JSON. */
export function answeredWith(exchange: Exchange, text: string): Judgement {
  if (exchange.response === undefined || exchange.ending !== 'complete') return notObserved;
  const body = bodyText(exchange);
  const expected = `a success with ${JSON.stringify(text)}`;
  return expectThat(
    isSuccess(exchange) && body.includes(text),
    'The answer is not the one that the engine gave last.',
    { expected, actual: `${outcomeText(exchange)}: ${body}` },
    exchange,
  );
}

/** Held when nothing of `text` is in the body of an error. A success is another mistake and shows nothing of this one. */
export function discarded(exchange: Exchange, text: string): Judgement {
  if (exchange.response === undefined || isSuccess(exchange)) return notObserved;
  const body = bodyText(exchange);
  return expectThat(
    !body.includes(text),
    'Output that had to be discarded reached the client.',
    { expected: `nothing of ${JSON.stringify(text)}`, actual: body },
    exchange,
  );
}

/**
 * Held for model_not_found. A key with an allowlist may be told model_forbidden instead, since the order of the two is
 * open: `plainKey` says that the key is known to have none.
 */
export function modelNotFound(exchange: Exchange, plainKey: boolean): Judgement {
  if (!plainKey && codeOf(exchange) === 'model_forbidden') return notObserved;
  return endedWith(exchange, ['model_not_found']);
}

/**
 * Held when a route answers a request for an unknown model with the envelope, so that it exists. An answer that is no
 * error is another mistake and shows nothing of this one.
 */
export function routeAnswers(exchange: Exchange): Judgement {
  const status = exchange.response?.status ?? 0;
  if (status < 400 || exchange.ending !== 'complete') return notObserved;
  const isRight = envelopeOf(exchange) !== undefined;
  const message = 'A known route did not answer as one.';
  return expectOutcome(exchange, isRight, message, 'the error envelope');
}

/** Whether two refusals have the same status, code and source (router#endpoints/get-model). */
export function sameError(one: Exchange, other: Exchange): Judgement {
  const isRefusal = ({ ending, response }: Exchange): boolean =>
    ending === 'complete' && (response?.status ?? 0) >= 400;
  if (!isRefusal(one) || !isRefusal(other)) return notObserved;
  const [first, second] = [one, other].map((exchange) => {
    const source = envelopeOf(exchange)?.source;
    return `${outcomeText(exchange)}${source === undefined ? '' : `, source ${source}`}`;
  });
  return expectThat(
    first === second,
    'Two refusals that must look alike do not.',
    { expected: first, actual: second },
    other,
    one,
  );
}

/**
 * Whether a body that is no UTF-8 was refused as invalid, or read all the same: many JSON readers put a replacement
 * character for bytes that are no text, and hand such a request on to its engine. One that found no room was read, and
 * shows no more.
 */
export function refusedOrReadAllTheSame(exchange: Exchange): Judgement {
  if (foundNoRoom(exchange)) return notObserved;
  const wasHandedOn = isSuccess(exchange) || envelopeOf(exchange)?.source === 'backend';
  return wasHandedOn ? pass() : endedWith(exchange, ['request_invalid']);
}

/** Held for a 413, whatever its body. A server may close before everything was sent: without a status nothing is seen. */
export function refusedAsTooLarge(exchange: Exchange): Judgement {
  const message = 'A body over the size limit was not refused for its size.';
  return expectOutcome(exchange, exchange.response?.status === 413, message, '413');
}

/** Held for any answer but a 413. */
export function notTooLarge(exchange: Exchange): Judgement {
  const message = 'A body within the size limit was refused for its size.';
  return expectOutcome(exchange, exchange.response?.status !== 413, message, 'anything but 413');
}

/**
 * Held when an unknown id of a permitted length is refused like `short`, a short unknown id. Invalid it is in no case:
 * nothing but its length could make it so.
 */
export function notRefusedForLength(exchange: Exchange, short: Exchange): Judgement {
  if (exchange.ending !== 'complete' || short.ending !== 'complete') return notObserved;
  if (codeOf(short) === '') return notObserved;
  const invalid = codeOf(exchange) === 'request_invalid';
  return expectThat(
    !invalid && outcomeText(exchange) === outcomeText(short),
    'A model id of a permitted length was refused for its length.',
    { expected: 'model_not_found, as for a short id', actual: outcomeText(exchange) },
    exchange,
    short,
  );
}

/** Judges an unknown id in ASCII by the side of the bound on which its length lies. */
export function judgedByLength(exchange: Exchange, length: number, short: Exchange): Judgement {
  return length > MODEL_ID_LENGTH
    ? endedWith(exchange, ['request_invalid'])
    : notRefusedForLength(exchange, short);
}

/**
 * Whether a request is served that nothing is in the way of, where `inFlight` requests (default 0) are at the engines: a
 * refusal that is wrong then does not hold, and every other end shows nothing.
 */
export function servedUnless(isWrong: (exchange: Exchange) => boolean, message: string) {
  return (exchange: Exchange, inFlight = 0): Judgement => {
    if (isSuccess(exchange)) return pass();
    if (inFlight > 0 || !isWrong(exchange)) return notObserved;
    return violated(message, { expected: 'a success', actual: outcomeText(exchange) }, exchange);
  };
}
