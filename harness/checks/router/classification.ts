/** What the native chat route must make of an error of its engine (router#backend-classification). */

import {
  CERTAIN_CHARACTERS,
  codeOfBackendType,
  contextWording,
  type KnownBackendType,
  RAW_MESSAGE_BYTES,
} from '../../../schemas/router/backend-classification.ts';
import type { RouterCode } from '../../../schemas/router/codes.ts';
import { isObject, canonicalJson } from '../../exchange/body.ts';
import { endedWith, endsOf, expectOutcome } from './outcome.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved } from '../judgement.ts';
import { jsonIn } from '../reading.ts';
import { codeOf, envelopeOf } from './envelope.ts';

interface EngineError {
  readonly status: number;
  readonly body: string;
}

/** A JSON error beyond this many bytes may not be read whole by an agent; the document does not say. */
const READ_WHOLE_BYTES = 65_536;

/**
 * The codes that an engine's error may become in one try. One code where the tables decide, more where the document
 * leaves a reading open, none for a success and what is not final.
 */
export function classify(error: EngineError): readonly RouterCode[] {
  if (error.status < 300 || error.status > 599) return [];
  const value = jsonIn(error.body);
  const byStatus = codesByStatus(error, value);
  const known = knownTypes(value);
  if (known === undefined) return byStatus;
  const certain = known.sure && Buffer.byteLength(error.body) <= READ_WHOLE_BYTES;
  return certain ? known.codes : unique([...known.codes, ...byStatus]);
}

/** The codes with which a session may end whose every try met this error of an engine. */
export function classifiedEnds(error: EngineError): readonly RouterCode[] {
  return unique(classify(error).flatMap((code) => endsOf(code)));
}

function unique(codes: readonly RouterCode[]): readonly RouterCode[] {
  return [...new Set(codes)];
}

/**
 * The codes of the known types that a body names. Sure when nothing in the other place speaks against it: which place
 * wins where both name a type is not said, and neither is whether case matters.
 */
function knownTypes(
  value: unknown,
): { readonly codes: readonly RouterCode[]; readonly sure: boolean } | undefined {
  if (!isObject(value)) return undefined;
  const nested = isObject(value['error']) ? value['error']['type'] : undefined;
  const named = [value['type'], nested].filter((type) => type !== undefined && type !== null);
  const codes = named.map(codeOfType).filter((code) => code !== undefined);
  if (codes.length === 0) return undefined;
  const exact = named.every((type) => typeof type === 'string' && isKnownType(type));
  return { codes: unique(codes), sure: exact && new Set(codes).size === 1 };
}

function isKnownType(type: string): type is KnownBackendType {
  return Object.hasOwn(codeOfBackendType, type);
}

function codeOfType(type: unknown): RouterCode | undefined {
  if (typeof type !== 'string') return undefined;
  const plain = type.trim().toLowerCase();
  return isKnownType(plain) ? codeOfBackendType[plain] : undefined;
}

const codesByWording = {
  plain: ['context_length_exceeded'],
  absent: ['invalid_parameter'],
  doubtful: ['context_length_exceeded', 'invalid_parameter'],
} as const satisfies Readonly<Record<string, readonly RouterCode[]>>;

function codesByStatus(error: EngineError, value: unknown): readonly RouterCode[] {
  if (error.status === 429 || error.status === 503) return ['backend_unavailable'];
  if (error.status !== 400 && error.status !== 422) return ['backend_error'];
  return codesByWording[wording(error.body, value)];
}

/**
 * Whether a body words context with one of its companions. `plain`: as whole words in the message, or early in a body
 * without one; `absent`: not even as parts of words anywhere; `doubtful`: anything between.
 */
function wording(body: string, value: unknown): keyof typeof codesByWording {
  const everything = value === undefined ? body : `${body}\n${canonicalJson(value)}`;
  if (!mentions(everything, (word) => new RegExp(word, 'iu'))) return 'absent';
  const said = messageIn(value) ?? body.slice(0, CERTAIN_CHARACTERS);
  const whole = (word: string): RegExp => new RegExp(`(?<![a-z])${word}s?(?![a-z])`, 'iu');
  const sure = Buffer.byteLength(body) <= READ_WHOLE_BYTES && mentions(said, whole);
  return sure ? 'plain' : 'doubtful';
}

function mentions(text: string, pattern: (word: string) => RegExp): boolean {
  return (
    pattern(contextWording.subject).test(text) &&
    contextWording.companions.some((companion) => pattern(companion).test(text))
  );
}

/** The member `message` of a JSON error, at the top or under `error`; undefined when there is none. */
function messageIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { error, message } = value;
  if (isObject(error) && typeof error['message'] === 'string') return error['message'];
  return typeof message === 'string' ? message : undefined;
}

/** Held when the session ended as the one code of the tables may end. Where they leave a reading open, nothing is seen. */
export function classifiedAs(exchange: Exchange, error: EngineError): Judgement {
  return classify(error).length === 1 ? endedWith(exchange, classifiedEnds(error)) : notObserved;
}

/** Held when a 429 of the engine is not passed off as a limit of the router (router#backend-classification/status/429-503). */
export function noRateLimit(exchange: Exchange): Judgement {
  if (exchange.ending !== 'complete') return notObserved;
  const isLimit = exchange.response?.status === 429 || codeOf(exchange) === 'rate_limit_exceeded';
  const message = 'A 429 of the engine came out as a rate limit.';
  return expectOutcome(exchange, !isLimit, message, 'backend_unavailable, or the end of retries');
}

/** Whether the message of an error holds the beginning of what the engine said. Without an envelope nothing is seen. */
export function messageHolds(exchange: Exchange, text: string): Judgement {
  const message = envelopeOf(exchange)?.message;
  const beginning = Array.from(text.trim()).slice(0, CERTAIN_CHARACTERS).join('').trim();
  if (message === undefined || beginning === '') return notObserved;
  return expectThat(
    message.includes(beginning),
    'The message does not hold what the engine said.',
    { expected: beginning, actual: message },
    exchange,
  );
}

/**
 * The longest beginning of `raw` that stands in `message`, in bytes of UTF-8. What a router adds around it, such as
 * an ellipsis or the replacement of a character that the cut went through, is no part of the body.
 */
export function bytesKept(message: string, raw: string): number {
  // No beginning that is longer than the message stands in it.
  const characters = Array.from(raw.slice(0, message.length));
  let low = 0;
  let high = characters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (message.includes(characters.slice(0, middle).join(''))) low = middle;
    else high = middle - 1;
  }
  return Buffer.byteLength(characters.slice(0, low).join(''));
}

/** What a router writes behind a cut may begin as the body goes on, for so many bytes at most. */
const ALIKE_BYTES = 16;

/**
 * Whether at most 512 bytes of a raw body were kept. `raw` is longer than that, is no JSON in which a message could stand,
 * and repeats nothing of its beginning. A message without any of it shows nothing.
 */
export function rawMessageTruncated(exchange: Exchange, raw: string): Judgement {
  const message = envelopeOf(exchange)?.message;
  if (message === undefined || Buffer.byteLength(raw) <= RAW_MESSAGE_BYTES) return notObserved;
  const kept = bytesKept(message, raw);
  if (kept === 0) return notObserved;
  const isLast = raw.includes(message.slice(-ALIKE_BYTES));
  return expectThat(
    kept <= RAW_MESSAGE_BYTES + (isLast ? 0 : ALIKE_BYTES),
    'More of a raw body became the message than may.',
    { expected: `at most ${RAW_MESSAGE_BYTES} bytes`, actual: `${kept} bytes: ${message}` },
    exchange,
  );
}

/**
 * Whether the message holds the beginning of a raw body: all of a short one, and of a long one enough to tell that it
 * is its beginning (three quarters of what may be kept, so that a router may introduce it and mark the cut within the
 * bound).
 */
export function rawMessageIsBeginning(exchange: Exchange, raw: string): Judgement {
  const message = envelopeOf(exchange)?.message;
  if (message === undefined || raw.trim() === '') return notObserved;
  const length = Buffer.byteLength(raw);
  const least = Math.min(length, (3 * RAW_MESSAGE_BYTES) / 4);
  // A character that straddles that is not asked for: none is longer than four bytes.
  return expectThat(
    bytesKept(message, raw.trim()) >= Math.min(Buffer.byteLength(raw.trim()), least) - 3,
    'The message does not hold the beginning of the raw body.',
    { expected: raw.slice(0, RAW_MESSAGE_BYTES), actual: message },
    exchange,
  );
}
