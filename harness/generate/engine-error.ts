/** Errors of engines: JSON in the forms that engines use, raw text, HTML, nothing, very long. */

import {
  type Arbitrary,
  constant,
  constantFrom,
  integer,
  jsonValue,
  oneof,
  record,
} from 'fast-check';
import { contextWording } from './context-wording.ts';
import { plainText } from './plain-text.ts';

export interface GeneratedError {
  readonly status: number;
  readonly body: string;
}

/** Every status that is an error of HTTP/1.1, those that have a rule of their own as often as all others. */
export const errorStatus: Arbitrary<number> = oneof(
  constantFrom(400, 422, 429, 503, 500),
  integer({ min: 400, max: 599 }),
);

const knownType = constantFrom(
  'context_length_exceeded',
  'invalid_request_error',
  'invalid_parameter',
);
/** Types that engines and providers use, none of which a router is to recognise. */
export const typesOfEngines = [
  'rate_limit_error',
  'rate_limit_exceeded',
  'overloaded_error',
  'insufficient_quota',
  'tokens',
  'api_error',
  'not_found_error',
] as const;

const otherType = constantFrom(
  'server_error',
  'context',
  'invalid_request_errors',
  'BadRequestError',
  'authentication_error',
  '',
  ...typesOfEngines,
);
const noText: Arbitrary<unknown> = constantFrom(7, null, true, [], {}, ['invalid_parameter']);

/** Where a body names its type and its message. */
export type Place = 'top' | 'nested';

/** An error body in the form of an engine, with its type in one of the two places, after a `trace` if one is given. */
export function errorBody(place: Place, type: unknown, message?: string, trace?: string): string {
  return JSON.stringify(
    place === 'top'
      ? { object: 'error', trace, type, message, code: 400 }
      : { error: { trace, type, message, param: null } },
  );
}

/** How a JSON text is written: in one line as a rule, or indented, with white space about it. */
const spelling = constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text,
  spelledWidely,
);

/** The same JSON, indented, with white space before and behind. */
export function spelledWidely(text: string): string {
  return `\r\n\t ${JSON.stringify(JSON.parse(text), null, 2)}\n`;
}

/** None as a rule, or one that moves what follows it beyond the bytes that a message may keep. */
const trace = constantFrom(undefined, undefined, 'x'.repeat(600), 'x'.repeat(5_000));

const place = constantFrom<Place>('top', 'nested');
const anyWording = oneof(plainText, contextWording);

/** A known type, whatever the status and the wording, and with no message too: it decides. */
export const typedError: Arbitrary<GeneratedError> = record({
  status: errorStatus,
  place,
  type: knownType,
  message: oneof({ weight: 4, arbitrary: anyWording }, constant(undefined)),
  trace,
  spelled: spelling,
}).map(({ status, place: where, type, message, trace: before, spelled }) => ({
  status,
  body: spelled(errorBody(where, type, message, before)),
}));

/** No known type: an unknown one, or one that is no text. Status and wording decide. */
export const untypedError: Arbitrary<GeneratedError> = record({
  status: errorStatus,
  place,
  type: oneof(otherType, noText),
  message: anyWording,
  spelled: spelling,
}).map(({ status, place: where, type, message, spelled }) => ({
  status,
  body: spelled(errorBody(where, type, message)),
}));

/** The wording on context in a 400 or 422 without known type, as JSON and raw. */
export const wordedError: Arbitrary<GeneratedError> = record({
  status: constantFrom(400, 422),
  message: contextWording,
  trace,
  form: constantFrom<(message: string, trace: string | undefined) => string>(
    (message, before) => JSON.stringify({ error: { trace: before, message } }),
    (message, before) => JSON.stringify({ trace: before, message, type: 'other' }),
    // In plain sight, also for a router that knows no message of this name: early, and without escapes.
    (message, before) =>
      spelledWidely(JSON.stringify({ error: message.replaceAll(/\s+/gu, ' '), trace: before })),
    (message) => message,
  ),
}).map(({ status, message, trace: before, form }) => ({ status, body: form(message, before) }));

const HUGE = 40_000;

/** Bodies without a form: empty, blank, HTML, cut JSON, any JSON value, very long. */
export const formlessError: Arbitrary<GeneratedError> = record({
  status: errorStatus,
  body: oneof(
    constantFrom('', ' ', '\n', 'null', '[]', '"text"', '{"error":', '<html><h1>502</h1></html>'),
    jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
    anyWording,
    anyWording.map((text) => `<!doctype html><title>${text}</title>`),
    integer({ min: 1, max: HUGE }).map((length) => 'x'.repeat(length)),
  ),
});
