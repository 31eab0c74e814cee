/** What of a request reaches the engine, and what of its response reaches the client (router#transparent-proxy, #overview). */

import { isDeepStrictEqual } from 'node:util';
import { isRouterCode, type RouterCode } from '../../../schemas/router/codes.ts';
import type { ErrorSource } from '../../../schemas/router/envelope.ts';
import { endOfRetries } from '../../../schemas/router/retry-behaviour.ts';
import { bodyText, isDecodable, isObject, plainBody, jsonIn } from '../../exchange/body.ts';
import { type Exchange, headerValue } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved, together, violated } from '../judgement.ts';
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

/** The final codes for an engine error that has no envelope. */
const wrappedEnds: readonly RouterCode[] = ['backend_error', ...endOfRetries];

function sameBytes(exchange: Exchange, message: string, expected: Uint8Array, actual: Uint8Array) {
  // Two texts that are not UTF-8 may decode to the same characters.
  const read = utf8(expected) === utf8(actual) ? hex : utf8;
  const sides = { expected: read(expected), actual: read(actual) };
  return expectThat(Buffer.compare(expected, actual) === 0, message, sides, exchange);
}

/** A success of the engine reached the client whole, with its status and, below any content coding, its bytes. */
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
    sameBytes(
      exchange,
      'The body of a proxied success was changed.',
      answer.body,
      plainBody(exchange),
    ),
  );
}

/** What arrived of a success that the engine broke off is a prefix of what it sent. An error is not judged. */
export function beganUntouched(exchange: Exchange, sent: Uint8Array): Judgement {
  if (exchange.response?.status !== 200 || exchange.ending === 'aborted') return notObserved;
  if (!isDecodable(exchange)) return notObserved;
  const arrived = plainBody(exchange);
  return sameBytes(
    exchange,
    'What arrived of a proxied success that broke off is not the beginning of what the engine sent.',
    sent.subarray(0, arrived.length),
    arrived,
  );
}

/** An engine error without an envelope became backend_error or the code at the end of retries. */
export function wrapped(exchange: Exchange): Judgement {
  return endedWith(exchange, wrappedEnds);
}

/** An engine error was not classified. */
export function unclassified(exchange: Exchange): Judgement {
  const code = codeOf(exchange);
  if (code === '') return notObserved;
  const isRight = code !== 'invalid_parameter' && code !== 'context_length_exceeded';
  const expected = wrappedEnds.join(' or ');
  return expectOutcome(exchange, isRight, 'A proxied error was classified.', expected);
}

/** Code and source of the engine's envelope were kept. */
export function keptEnvelope(
  exchange: Exchange,
  sent: { readonly code: string; readonly source: ErrorSource },
): Judgement {
  if (exchange.response === undefined || exchange.ending !== 'complete') return notObserved;
  const seen = envelopeOf(exchange);
  // The tries after a code that does not stop the session may end with another code.
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

/** A request as an engine received it. */
export interface Arrived {
  readonly path: string;
  readonly body: Uint8Array;
  /** Length of the whole body; the log may keep less of it. */
  readonly bodyLength: number;
}

/** Each request at the engine came at the path of the client's route, behind any prefix. */
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

/** Each request at the engine has the bytes of the client's body. */
export function arrivedUntouched(exchange: Exchange, arrived: readonly Arrived[]): Judgement {
  const message = 'The body of a proxied request was changed.';
  const whole = arrived.filter(({ body, bodyLength }) => body.length === bodyLength);
  return together(
    ...whole.map(({ body }) => sameBytes(exchange, message, exchange.request.body, body)),
  );
}

/** The two names of the maximum output: a router may replace one by the other. */
const MAXIMA = ['max_tokens', 'max_completion_tokens'];

/** The engine got these fields of a request with the values that were sent. */
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

/** Codes with which a router may refuse a capability that the engines of a model lack. */
const unable: ReadonlySet<string> = new Set(acceptableFinalCodes('capability-mismatch'));

/** A request with a permitted field was served. Not judged without capacity, or where the engine may lack a capability. */
export function accepted(exchange: Exchange, asksForCapability: boolean): Judgement {
  if (foundNoRoom(exchange) || (asksForCapability && unable.has(codeOf(exchange)))) {
    return notObserved;
  }
  const message = 'A chat completion was not served for a field that it may carry.';
  return expectOutcome(exchange, isSuccess(exchange), message, 'a success, as without');
}

/** A prefix of `text`, of which the engine sent no more, does not arrive as a whole response by its own framing. */
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
