/** Request contents: texts of some length, bodies of an exact size, and parameters. */

import {
  inferenceBody,
  type InferenceOptions,
  inferencePaths,
  type InferenceRoute,
} from './api.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';
import type { RouterContext } from './session.ts';
import { complete } from '../../backend/behaviour.ts';
import { accepted, arrivedWith } from '../../checks/router/proxied.ts';
import { isSuccess } from '../../checks/router/outcome.ts';
import { provoke } from './provoke.ts';
import type { Fields } from '../../generate/answers.ts';
import { unknownIdOf } from '../../generate/ids.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { codeOf } from '../../checks/router/envelope.ts';
import { retry } from '../../runner/retry.ts';

/** The smallest body of a route, padded with blanks to `bytes` bytes. Throws a `RangeError` when it is longer. */
function sizedBody(
  bytes: number,
  route: InferenceRoute,
  model: string,
  options: InferenceOptions = {},
): Uint8Array {
  const json = Buffer.from(JSON.stringify(inferenceBody(route, model, options)));
  if (json.length > bytes) {
    throw new RangeError(`a ${route} request has ${json.length} bytes at least, not ${bytes}`);
  }
  return Buffer.concat([json, Buffer.alloc(bytes - json.length, ' ')]);
}

/** The same with two-byte characters in place of most blanks, so that it has about half as many characters as bytes. */
function wideBody(
  bytes: number,
  route: InferenceRoute,
  model: string,
  options: InferenceOptions = {},
): Uint8Array {
  const bare = Buffer.byteLength(
    JSON.stringify(inferenceBody(route, model, { ...options, text: '' })),
  );
  const text = 'é'.repeat(Math.max(1, Math.floor((bytes - bare) / 2)));
  return sizedBody(bytes, route, model, { ...options, text });
}

const CHUNK_BYTES = 16_384;

/** A body as the chunks of a chunked transfer (RFC 9112 section 7.1), to be written one after the other. */
function chunked(body: Uint8Array): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    const chunk = body.subarray(at, at + CHUNK_BYTES);
    const size = Buffer.from(`${chunk.length.toString(16)}\r\n`);
    pieces.push(Buffer.concat([size, chunk, Buffer.from('\r\n')]));
  }
  return [...pieces, Buffer.from('0\r\n\r\n')];
}

function inPieces(body: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(body.length / CHUNK_BYTES) }, (_, index) =>
    body.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  );
}

/** Messages, each with its role and content. */
export const conversation = (...said: readonly (readonly [role: string, content: unknown])[]) => ({
  extra: { messages: said.map(([role, content]) => ({ role, content })) },
});

/** A conversation with a user message of so many images for each number; nothing exists at their addresses. */
export function linkedImages(...images: readonly number[]): InferenceOptions {
  const image = { type: 'image_url', image_url: { url: 'https://images.invalid/pixel.png' } };
  return conversation(
    ...images.flatMap((count) => {
      const content = [
        { type: 'text', text: 'Hi.' },
        ...Array.from({ length: count }, () => image),
      ];
      return [['user', content] as const, ['assistant', 'Hello.'] as const];
    }),
    ['user', 'Go on.'],
  );
}

/** Factor on a bound by which a text must be longer, so that every estimate exceeds the bound. */
const FAR = 8;
const BYTES_PER_WORD = 5;
/** Bytes of the largest request that the suite sends when bodies have a higher limit or none. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Bytes that usually pass when the limit is unknown, so that no 413 hides another refusal. */
const SAFE_BYTES = 512 * 1024;
/** Bytes of a request without its text. */
const REST_BYTES = 4_096;

type Sizes = Pick<RouterContext, 'limits'>;

/** The most words that fit into a request. */
export function mostWords({ limits: { maxRequestBytes: limit = SAFE_BYTES } }: Sizes): number {
  const room = Math.min(limit === 0 ? MAX_BYTES : limit, MAX_BYTES) - REST_BYTES;
  return Math.max(0, Math.floor(room / BYTES_PER_WORD));
}

/**
 * A text of `count` short words: about as many tokens for a tokenizer, and a few more for a count of characters. Throws
 * `NotExercised` when it does not fit into a request.
 */
export function words(t: Sizes, count: number): string {
  if (count > mostWords(t)) {
    throw new NotExercised(
      `an input of ${Math.round(count)} words does not fit into a request, which holds ${mostWords(t)}`,
      t.limits.maxRequestBytes === undefined ? 'limits: { maxRequestBytes: 10485760 }' : undefined,
    );
  }
  return 'word '.repeat(Math.max(1, Math.round(count)));
}

/** A text far over `tokens` tokens by any estimate. Throws `NotExercised` when it does not fit into a request. */
export function wordsBeyond(t: Sizes, tokens: number, { times = FAR } = {}): string {
  return words(t, times * (tokens + 16));
}

type Parameters = Pick<InferenceOptions, 'maxTokens' | 'maxCompletionTokens' | 'extra'>;

const ways: readonly [Parameters, ...Parameters[]] = [
  {},
  { maxTokens: 8 },
  { maxCompletionTokens: 8 },
  { extra: { temperature: 0.5 } },
  { extra: { stop: ['.'] } },
];

/** The parameters for a turn, which rotate. */
export function parametersAt(turn: number): Parameters {
  return ways[turn % ways.length] ?? ways[0];
}

/**
 * Sends a request with these fields. When it is not served, sends a plain one and then the request again: a field can be
 * blamed only while plain requests are served. A request for a capability may be refused because the engine lacks it.
 */
export async function carried(
  t: RouterContext,
  { stream = false, ...fields }: Fields & { readonly stream?: boolean },
  asksForCapability = false,
) {
  const send = async (extra: Fields) => provoke(t, complete(), { extra, stream });
  let last = await send(fields);
  if (!isSuccess(last.exchange)) {
    const plain = await send({});
    if (!isSuccess(plain.exchange)) {
      throw new Inconclusive(
        'a plain chat completion is not served, so that no field can be blamed',
      );
    }
    last = await send(fields);
  }
  const { exchange, script } = last;
  const { messages: _written, ...named } = fields;
  return {
    accepted: accepted(exchange, asksForCapability),
    forwarded: arrivedWith(exchange, await t.backend.hits(script), named),
  };
}

/** A model that nobody registers, so that an accepted body ends there and costs no engine. */
const nobody = unknownIdOf(40);

interface Sized extends InferenceOptions {
  readonly chunked?: boolean;
  /** Whether the body consists of two-byte characters. */
  readonly wide?: boolean;
  readonly model?: string;
}

/**
 * Posts a body of exactly `bytes` bytes on a socket of its own, since a server may respond before everything was sent.
 * Repeats the request when the connection was reset and the response lost, and after a rate limit, which a router may
 * check before the size.
 */
export async function post(
  t: Pick<RouterContext, 'api' | 'signal'>,
  bytes: number,
  route: InferenceRoute,
  { chunked: isChunked = false, wide = false, model = nobody, ...options }: Sized = {},
): Promise<Exchange> {
  const body = (wide ? wideBody : sizedBody)(bytes, route, model, options);
  const framing = isChunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(bytes)];
  const send = async () =>
    t.api.sendBytes({
      method: 'POST',
      path: inferencePaths[route],
      as: options.as === undefined ? 'client' : options.as,
      headers: [
        ['Content-Type', 'application/json'],
        [framing[0] ?? '', framing[1] ?? ''],
      ],
      pieces: isChunked ? chunked(body) : inPieces(body),
    });
  const isAnswered = (exchange: Exchange): boolean =>
    exchange.response !== undefined && codeOf(exchange) !== 'rate_limit_exceeded';
  return retry(t, 'bucketOfOthers', send, isAnswered);
}
