/** What the native chat route must make of an engine's error (router#backend-classification). */

import {
  CERTAIN_CHARACTERS,
  codeOfBackendType,
  contextWording,
  type KnownBackendType,
} from '../../../schemas/router/backend-classification.ts';
import type { RouterCode } from '../../../schemas/router/codes.ts';
import { canonicalJson, isObject } from '../../exchange/body.ts';
import { endsOf } from './final-codes.ts';

export interface EngineError {
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
  const value = jsonOf(error.body);
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
