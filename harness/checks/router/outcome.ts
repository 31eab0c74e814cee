/** The outcome of a request: a success, or an error with a code that the document allows (router#retry-behaviour). */

import type { RouterCode } from '../../../schemas/router/codes.ts';
import { endOfRetries, terminalCodes } from '../../../schemas/router/retry-behaviour.ts';
import { type Exchange, mediaType } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, pass, together, violated } from '../judgement.ts';
import { codeOf, envelopeOf, foundNoRoom, hasCode } from './envelope.ts';
import { bodyText } from '../../exchange/body.ts';
import { MODEL_ID_LENGTH } from '../../../schemas/router/limits.ts';

/**
 * The condition that was brought about, the same for every try of the session.
 * - `agent-gone`: the only agent cannot be reached.
 * - `backend-down`: the agent is up, the engine's port is closed.
 * - `backend-dropped`: the engine accepted the request, and the connection was lost before any response.
 * - `provider-failed`: no agent could serve, and the external provider failed too.
 * - `no-eligible-agent`: the model is registered, but no agent may serve it.
 * - `slots-full`: every slot of every agent stayed taken.
 * - `pending-channel-full`: the router's pending channel stayed full.
 * - `deadline-at-engine`: the engine was silent past the deadline.
 * - `deadline-in-queue`: the request waited for a slot past the deadline.
 * - `capability-mismatch`: the engine lacks the capability that the route needs.
 */
export type Provocation = keyof typeof finalCodes;

const finalCodes = {
  'agent-gone': ['agent_disconnected', ...endOfRetries],
  'backend-down': ['backend_unavailable', ...endOfRetries],
  // The document does not say whether a lost connection is an unreachable engine, an unclassified failure, or an agent that
  // is lost with its engine and cannot be reached again.
  'backend-dropped': [
    'backend_unavailable',
    'backend_error',
    'agent_disconnected',
    ...endOfRetries,
  ],
  'provider-failed': ['backend_error'],
  'no-eligible-agent': ['no_agents_available'],
  'slots-full': [...endOfRetries, 'queue_full', 'request_timeout'],
  'pending-channel-full': ['queue_full', ...endOfRetries],
  'deadline-at-engine': ['request_timeout'],
  'deadline-in-queue': ['request_timeout', 'no_capacity'],
  'capability-mismatch': ['request_invalid', 'no_agents_available'],
} as const satisfies Readonly<Record<string, readonly RouterCode[]>>;

/** The final codes that the document allows after `provocation`. */
export function acceptableFinalCodes(provocation: Provocation): readonly RouterCode[] {
  return finalCodes[provocation];
}

/**
 * The final codes of a session whose every try ended with `code`: only `code` itself when it stops the session, otherwise
 * also the codes at the end of retries (router#retry-behaviour/1, /3, /4).
 */
export function endsOf(code: RouterCode): readonly RouterCode[] {
  return terminalCodes.some((terminal) => terminal === code) ? [code] : [code, ...endOfRetries];
}

/** Bytes of a request that no limit on bodies refuses. The largest body of a limit shows that larger ones are let in. */
const SMALL_BYTES = 1_024;

/** Whether a body that is not small was refused for its size, which a router may check before anything else. */
export function mayBeTooLarge({ request, response }: Exchange): boolean {
  return response?.status === 413 && request.body.length > SMALL_BYTES;
}

/**
 * The exchange ended with one of `codes`. A response that did not arrive whole is not judged, nor a large body that was
 * refused for its size, as when the target file names no limit or another.
 */
export function endedWith(exchange: Exchange, codes: readonly RouterCode[]): Judgement {
  if (exchange.ending !== 'complete' || mayBeTooLarge(exchange)) return notObserved;
  const isRight = codes.some((acceptable) => acceptable === codeOf(exchange));
  const message = 'The request ended with a code that the contract does not allow here.';
  return expectOutcome(exchange, isRight, message, codes.join(' or '));
}

/** Status and code of an exchange for a human reader. */
export function outcomeText(exchange: Exchange): string {
  const status = exchange.response?.status;
  if (status === undefined) return `no response (${exchange.ending})`;
  const code = codeOf(exchange) || (isSuccess(exchange) ? '' : 'without an error code');
  return `${status} ${code}`.trimEnd();
}

/** Judges a response by `isRight`; an exchange without a response is not judged. */
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

/** Passes on a 2xx. */
export function succeeded(exchange: Exchange): Judgement {
  const message = 'A request that can be served was not.';
  return expectOutcome(exchange, isSuccess(exchange), message, 'a success');
}

/** Passes on this status. */
export function hasStatus(exchange: Exchange, status: number): Judgement {
  const isRight = exchange.response?.status === status;
  return expectOutcome(exchange, isRight, `The status is not ${status}.`, String(status));
}

/** The content type of a success is `expected`, parameters aside. Errors are not judged. */
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

/** Passes on a success whose body contains `text`, which needs no escaping in JSON. */
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

/** The body of an error contains nothing of `text`. A success is a different violation and is not judged here. */
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

/** Passes on model_not_found, or on model_forbidden unless `plainKey` says that the key has no allowlist. */
export function modelNotFound(exchange: Exchange, plainKey: boolean): Judgement {
  if (!plainKey && codeOf(exchange) === 'model_forbidden') return notObserved;
  return endedWith(exchange, ['model_not_found']);
}

/** A route answers a request for an unknown model with the envelope, so the route exists. Successes are not judged. */
export function routeAnswers(exchange: Exchange): Judgement {
  const status = exchange.response?.status ?? 0;
  if (status < 400 || exchange.ending !== 'complete') return notObserved;
  const isRight = envelopeOf(exchange) !== undefined;
  const message = 'A known route did not answer as one.';
  return expectOutcome(exchange, isRight, message, 'the error envelope');
}

/** Two refusals have the same status, code and source (router#endpoints/get-model). */
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

/** Ends of a request that was read, and that no engine answered: the body was not refused. */
const reachedNobody = hasCode('agent_disconnected', 'request_timeout');

/** A body that is not UTF-8 was refused as invalid, or forwarded: many JSON readers replace invalid bytes. */
export function refusedOrReadAllTheSame(exchange: Exchange): Judgement {
  if (foundNoRoom(exchange) || reachedNobody(exchange)) return notObserved;
  const wasHandedOn = isSuccess(exchange) || envelopeOf(exchange)?.source === 'backend';
  return wasHandedOn ? pass() : endedWith(exchange, ['request_invalid']);
}

/** Passes on a 413 with any body. The server may close the connection early: without a status nothing is judged. */
export function refusedAsTooLarge(exchange: Exchange): Judgement {
  const message = 'A body over the size limit was not refused for its size.';
  return expectOutcome(exchange, exchange.response?.status === 413, message, '413');
}

/** Passes on any response but a 413. */
export function notTooLarge(exchange: Exchange): Judgement {
  const message = 'A body within the size limit was refused for its size.';
  return expectOutcome(exchange, exchange.response?.status !== 413, message, 'anything but 413');
}

/** A well-formed body within the size limit was read: it is neither too large nor invalid. */
export function cameIn(exchange: Exchange): Judgement {
  const message = 'A well-formed body within the size limit was refused as invalid.';
  const isRead = codeOf(exchange) !== 'request_invalid';
  return together(notTooLarge(exchange), expectOutcome(exchange, isRead, message, 'another end'));
}

/** An unknown id of a permitted length is refused like `short`, a short unknown id, and never as invalid. */
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

/** Judges a request for an unknown ASCII id of `length` characters: above the bound it is invalid. */
export function judgedByLength(exchange: Exchange, length: number, short: Exchange): Judgement {
  return length > MODEL_ID_LENGTH
    ? endedWith(exchange, ['request_invalid'])
    : notRefusedForLength(exchange, short);
}

/** Passes on a success. A refusal that `isWrong` matches is a violation unless requests are in flight (default 0). */
export function servedUnless(isWrong: (exchange: Exchange) => boolean, message: string) {
  return (exchange: Exchange, inFlight = 0): Judgement => {
    if (isSuccess(exchange)) return pass();
    if (inFlight > 0 || !isWrong(exchange)) return notObserved;
    return violated(message, { expected: 'a success', actual: outcomeText(exchange) }, exchange);
  };
}
