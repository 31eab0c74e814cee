/** What of a request reaches its engine, and what of the answer reaches the client (router#transparent-proxy, router#overview). */

import { isDeepStrictEqual } from 'node:util';
import { isRouterCode, type RouterCode } from '../../../schemas/router/codes.ts';
import type { ErrorSource } from '../../../schemas/router/envelope.ts';
import { endOfRetries } from '../../../schemas/router/retry-behaviour.ts';
import { bodyText, isObject } from '../../exchange/body.ts';
import { type Exchange, headerValue } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, together, violated } from '../judgement.ts';
import { jsonIn } from '../reading.ts';
import { isBrokenOff } from '../whole.ts';
import { codeOf, envelopeOf, foundNoRoom } from './envelope.ts';
import {
  acceptableFinalCodes,
  endedWith,
  endsOf,
  expectOutcome,
  isSuccess,
  outcomeText,
} from './outcome.ts';

/** The codes with which a foreign error may come out. */
const wrappedEnds: readonly RouterCode[] = ['backend_error', ...endOfRetries];

function sameBytes(exchange: Exchange, message: string, expected: Uint8Array, actual: Uint8Array) {
  // Bytes that are no UTF-8 may read alike.
  const read = utf8(expected) === utf8(actual) ? hex : utf8;
  const sides = { expected: read(expected), actual: read(actual) };
  return expectThat(Buffer.compare(expected, actual) === 0, message, sides, exchange);
}

/** Whether a success of the engine reached the client with its status and bytes, to its end. */
export function passedUntouched(
  exchange: Exchange,
  answer: { readonly status: number; readonly body: Uint8Array },
): Judgement {
  const { response, ending } = exchange;
  if (response === undefined) return notObserved;
  if (response.status === answer.status && isBrokenOff(exchange)) {
    const [expected, actual] = [answer.body.length, response.body.length];
    return violated(
      'A proxied success did not come to its end.',
      { expected: `${expected} bytes`, actual: `${ending} after ${actual}` },
      exchange,
    );
  }
  if (ending !== 'complete') return notObserved;
  return together(
    expectThat(
      response.status === answer.status,
      'The status of a proxied success was changed.',
      { expected: answer.status, actual: outcomeText(exchange) },
      exchange,
    ),
    sameBytes(exchange, 'The body of a proxied success was changed.', answer.body, response.body),
  );
}

/**
 * Whether what arrived of a stream that its engine broke off is the beginning of what that had sent. A router that was
 * still waiting for more has not begun it and may answer with an error.
 */
export function beganUntouched(exchange: Exchange, sent: Uint8Array): Judgement {
  const { response } = exchange;
  if (response?.status !== 200 || exchange.ending === 'aborted') return notObserved;
  return sameBytes(
    exchange,
    'What arrived of a proxied stream that broke off is not the beginning of what the engine sent.',
    sent.subarray(0, response.body.length),
    response.body,
  );
}

/** Whether a foreign error came out as backend_error or as the end of retries. */
export function wrapped(exchange: Exchange): Judgement {
  return endedWith(exchange, wrappedEnds);
}

/** Whether an error of the engine came out without having been classified. */
export function unclassified(exchange: Exchange): Judgement {
  const code = codeOf(exchange);
  if (code === '') return notObserved;
  const isRight = code !== 'invalid_parameter' && code !== 'context_length_exceeded';
  const expected = wrappedEnds.join(' or ');
  return expectOutcome(exchange, isRight, 'A proxied error was classified.', expected);
}

/** Whether code and source of an envelope that the engine sent were kept. */
export function keptEnvelope(
  exchange: Exchange,
  sent: { readonly code: string; readonly source: ErrorSource },
): Judgement {
  if (exchange.response === undefined || exchange.ending !== 'complete') return notObserved;
  const seen = envelopeOf(exchange);
  // A code that does not stop the session may be hidden by the tries that follow.
  const ends: readonly string[] = isRouterCode(sent.code)
    ? endsOf(sent.code)
    : [sent.code, ...endOfRetries];
  const same = seen?.code === sent.code && seen.source === sent.source;
  const hidden = seen !== undefined && seen.code !== sent.code && ends.includes(seen.code);
  return expectThat(
    same || hidden,
    'Code and source of an envelope that the engine sent were not kept.',
    {
      expected: { code: sent.code, source: sent.source },
      actual: seen === undefined ? outcomeText(exchange) : { code: seen.code, source: seen.source },
    },
    exchange,
  );
}

/** A request as an engine got it. */
export interface Arrived {
  readonly path: string;
  readonly body: Uint8Array;
  /** Length of the whole body, of which less may be kept. */
  readonly bodyLength: number;
}

/** Whether each request that an engine got for this one came at the path of its route, behind any prefix. */
export function arrivedAtItsPath(exchange: Exchange, arrived: readonly Arrived[]): Judgement {
  const own = exchange.request.path.replace(/^.*?\/v1(?=\/)/u, '');
  return together(
    ...arrived.map(({ path }) =>
      expectThat(
        path.split('?', 1)[0]?.endsWith(own) === true,
        'A request reached the engine at the path of another route.',
        { expected: exchange.request.path, actual: path },
        exchange,
      ),
    ),
  );
}

/** Whether each request that an engine got for this one has its bytes. */
export function arrivedUntouched(exchange: Exchange, arrived: readonly Arrived[]): Judgement {
  const message = 'The body of a proxied request was changed.';
  const whole = arrived.filter(({ body, bodyLength }) => body.length === bodyLength);
  return together(
    ...whole.map(({ body }) => sameBytes(exchange, message, exchange.request.body, body)),
  );
}

/** Names of the maximum output: a router may write one for the other. */
const MAXIMA = ['max_tokens', 'max_completion_tokens'];

/** Whether an engine got these fields of a request with the values that they were sent with. */
export function arrivedWith(
  exchange: Exchange,
  arrived: readonly Arrived[],
  fields: Readonly<Record<string, unknown>>,
): Judgement {
  const [first] = arrived;
  const got = first === undefined ? undefined : jsonIn(utf8(first.body));
  if (!isObject(got)) return notObserved;
  return together(
    ...Object.entries(fields).map(([name, sent]) => {
      const names = MAXIMA.includes(name) ? MAXIMA : [name];
      return expectThat(
        names.some((one) => isDeepStrictEqual(got[one], sent)),
        `The field ${name} did not reach the engine as it was sent.`,
        { expected: sent, actual: got[name] ?? 'no such field' },
        exchange,
      );
    }),
  );
}

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

function hex(bytes: Uint8Array): string {
  return `bytes ${Buffer.from(bytes).toString('hex')}`;
}

/** Codes with which a router may refuse what the engines of a model are not able to do. */
const unable: ReadonlySet<string> = new Set(acceptableFinalCodes('capability-mismatch'));

/**
 * Held when a request with a field that it may carry was served. One that found no room shows nothing, and neither does a
 * refusal of a capability that was asked for: an engine may lack it.
 */
export function accepted(exchange: Exchange, asksForCapability: boolean): Judgement {
  if (foundNoRoom(exchange) || (asksForCapability && unable.has(codeOf(exchange)))) {
    return notObserved;
  }
  const message = 'A chat completion was not served for a field that it may carry.';
  return expectOutcome(exchange, isSuccess(exchange), message, 'a success, as without');
}

/**
 * Whether the beginning of `text`, a body of which the engine sent no more, does not pass for a whole answer: by its own
 * framing it must not be one. A body that ends with its connection does not tell whether it is whole.
 */
export function lostAnswerNotWhole(exchange: Exchange, text: string): Judgement {
  const { response } = exchange;
  if (response === undefined || exchange.ending === 'aborted') return notObserved;
  const framed = ['content-length', 'transfer-encoding'].some(
    (name) => headerValue(response.headers, name) !== undefined,
  );
  if (isSuccess(exchange) && exchange.ending === 'complete' && !framed) return notObserved;
  const body = bodyText(exchange);
  const isPart = body.length < text.length && text.startsWith(body);
  return expectThat(
    !(isSuccess(exchange) && exchange.ending === 'complete' && isPart),
    'The beginning of an answer whose engine was lost came as a whole answer.',
    {
      expected: 'a structured error, the answer of another agent, or an early end',
      actual: `status ${response.status}, complete: ${body}`,
    },
    exchange,
  );
}
