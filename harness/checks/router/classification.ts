/** What the native chat route must turn an engine's error into (router#backend-classification). */

import {
  CERTAIN_CHARACTERS,
  codeOfBackendType,
  contextWording,
  type KnownBackendType,
  RAW_MESSAGE_BYTES,
} from '../../../schemas/router/backend-classification.ts';
import type { RouterCode } from '../../../schemas/router/codes.ts';
import { isObject, canonicalJson, jsonIn } from '../../exchange/body.ts';
import { endedWith, endsOf, expectOutcome } from './outcome.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved } from '../judgement.ts';
import { codeOf, envelopeOf } from './envelope.ts';

interface EngineError {
  readonly status: number;
  readonly body: string;
}

/** An agent may not read a longer JSON error whole; the document does not say. */
const READ_WHOLE_BYTES = 65_536;

/** The codes that an engine's error may become in one try: one where the tables decide, none for a success. */
export function classify(error: EngineError): readonly RouterCode[] {
  if (error.status < 300 || error.status > 599) return [];
  const value = jsonIn(error.body);
  const byStatus = codesByStatus(error, value);
  const known = knownTypes(value);
  if (known === undefined) return byStatus;
  const certain = known.sure && Buffer.byteLength(error.body) <= READ_WHOLE_BYTES;
  return certain ? known.codes : unique([...known.codes, ...byStatus]);
}

/** The final codes of a session whose every try met this engine error. */
export function classifiedEnds(error: EngineError): readonly RouterCode[] {
  return unique(classify(error).flatMap((code) => endsOf(code)));
}

function unique(codes: readonly RouterCode[]): readonly RouterCode[] {
  return [...new Set(codes)];
}

/** The codes of the known types in a body; sure when all types match exactly and agree, since other cases are open. */
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

/** The code for a recognised error type of an engine, in any case and with blanks around it. */
export function codeOfType(type: unknown): RouterCode | undefined {
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
 * Whether a body mentions context with one of its companion words. `plain`: as whole words in the message, or early in a
 * body without one. `absent`: nowhere, not even as parts of words. `doubtful`: anything between.
 */
function wording(body: string, value: unknown): keyof typeof codesByWording {
  const everything = value === undefined ? body : `${body}\n${canonicalJson(value)}`;
  if (!mentions(everything, (word) => new RegExp(word, 'iu'))) return 'absent';
  const said = messageIn(value) ?? body.slice(0, CERTAIN_CHARACTERS);
  const whole = (word: string): RegExp => new RegExp(`\\b${word}s?\\b`, 'iu');
  const sure = Buffer.byteLength(body) <= READ_WHOLE_BYTES && mentions(said, whole);
  return sure ? 'plain' : 'doubtful';
}

function mentions(text: string, pattern: (word: string) => RegExp): boolean {
  return (
    pattern(contextWording.subject).test(text) &&
    contextWording.companions.some((companion) => pattern(companion).test(text))
  );
}

/** The `message` of a JSON error, at the top level or under `error`; undefined when there is none. */
export function messageIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { error, message } = value;
  if (isObject(error) && typeof error['message'] === 'string') return error['message'];
  return typeof message === 'string' ? message : undefined;
}

/** The session ended as the one code of the tables allows. Not judged where the tables allow several codes. */
export function classifiedAs(exchange: Exchange, error: EngineError): Judgement {
  return classify(error).length === 1 ? endedWith(exchange, classifiedEnds(error)) : notObserved;
}

/** A 429 of the engine does not appear as a limit of the router (router#backend-classification/status/429-503). */
export function noRateLimit(exchange: Exchange): Judgement {
  if (exchange.ending !== 'complete') return notObserved;
  const isLimit = exchange.response?.status === 429 || codeOf(exchange) === 'rate_limit_exceeded';
  const message = 'A 429 of the engine came out as a rate limit.';
  return expectOutcome(exchange, !isLimit, message, 'backend_unavailable, or the end of retries');
}

/** The message of an error contains the beginning of the engine's text. Without an envelope nothing is judged. */
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

/** The longest prefix of `raw` in `message`, in bytes of UTF-8, without an ellipsis or a replacement character. */
export function bytesKept(message: string, raw: string): number {
  // The message cannot contain a prefix that is longer than itself.
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

/** Bytes of text that the router adds after the cut that may happen to equal the rest of the body. */
const ALIKE_BYTES = 16;

/** At most 512 bytes of a raw body are kept. `raw` is longer, is not JSON with a message, and repeats no prefix. */
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
 * The message contains the beginning of a raw body: all of a short body, and of a long one three quarters of the bytes that
 * may be kept. The rest leaves room for an introduction and a mark of the cut within the bound.
 */
export function rawMessageIsBeginning(exchange: Exchange, raw: string): Judgement {
  const message = envelopeOf(exchange)?.message;
  if (message === undefined || raw.trim() === '') return notObserved;
  const length = Buffer.byteLength(raw);
  const least = Math.min(length, (3 * RAW_MESSAGE_BYTES) / 4);
  // A character of up to four bytes may straddle the bound, so three bytes less are enough.
  return expectThat(
    bytesKept(message, raw.trim()) >= Math.min(Buffer.byteLength(raw.trim()), least) - 3,
    'The message does not hold the beginning of the raw body.',
    { expected: raw.slice(0, RAW_MESSAGE_BYTES), actual: message },
    exchange,
  );
}
