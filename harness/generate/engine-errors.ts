/** Errors of engines: bodies as engines write them, and rows of the table that classifies them. */

import {
  type Arbitrary,
  constant,
  constantFrom,
  integer,
  jsonValue,
  oneof,
  record,
} from 'fast-check';
import { contextWording, plainText } from './texts.ts';

export interface GeneratedError {
  readonly status: number;
  readonly body: string;
  /** Sent instead of `body`, for bytes that are not UTF-8. */
  readonly bytes?: Uint8Array;
  /** The content type (default JSON). */
  readonly label?: string;
  /** The message in the error, where it is not the whole body. */
  readonly message?: string;
}

/** All error statuses of HTTP/1.1; those with their own rule are half of the samples. */
export const errorStatus: Arbitrary<number> = oneof(
  constantFrom(400, 422, 429, 503, 500),
  integer({ min: 400, max: 599 }),
);

/** The types that a router must recognise. */
const types = ['context_length_exceeded', 'invalid_request_error', 'invalid_parameter'] as const;
const knownType = constantFrom(...types);
/** Types that engines and providers use, and that a router must not recognise. */
const typesOfEngines = [
  'rate_limit_error',
  'rate_limit_exceeded',
  'overloaded_error',
  'insufficient_quota',
  'tokens',
  'api_error',
  'not_found_error',
  'authentication_error',
] as const;

const otherType = constantFrom('server_error', 'context', 'BadRequestError', '', ...typesOfEngines);
/** Values that do not equal a known type even when converted to text. */
const untextual: Arbitrary<unknown> = constantFrom(7, null, true, [], {}, ['other']);

/** Where a body has its type: at the top level or under `error`. */
const places = ['top', 'nested'] as const;
type Place = (typeof places)[number];

/** An error body in the form of an engine, with the type in one of the two places, after an optional `trace`. */
export function errorBody(place: Place, type: unknown, message?: string, trace?: string): string {
  return JSON.stringify(
    place === 'top'
      ? { object: 'error', trace, type, message, code: 400 }
      : { error: { trace, type, message, param: null } },
  );
}

/** How a JSON text is written: usually on one line, otherwise indented with white space around it. */
const spelling = constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text,
  spelledWidely,
);

/** The same JSON, indented, with white space before and after it. */
export function spelledWidely(text: string): string {
  return `\r\n\t ${JSON.stringify(JSON.parse(text), null, 2)}\n`;
}

/** Usually none; otherwise a text that moves what follows beyond the bytes that a message may keep. */
const trace = constantFrom(undefined, undefined, 'x'.repeat(600), 'x'.repeat(5_000));

const anyPlace = constantFrom(...places);
const anyWording = oneof(plainText, contextWording);

/** A known type with any status and any message or none: the type decides. */
export const typedError: Arbitrary<GeneratedError> = record({
  status: errorStatus,
  place: anyPlace,
  type: knownType,
  message: oneof({ weight: 4, arbitrary: anyWording }, constant(undefined)),
  trace,
  spelled: spelling,
}).map(({ status, place: where, type, message, trace: before, spelled }) => ({
  status,
  body: spelled(errorBody(where, type, message, before)),
}));

/** An unknown type, or one that is not a text: status and wording decide. */
export const untypedError: Arbitrary<GeneratedError> = record({
  status: errorStatus,
  place: anyPlace,
  type: oneof(otherType, untextual),
  message: anyWording,
  spelled: spelling,
}).map(({ status, place: where, type, message, spelled }) => ({
  status,
  body: spelled(errorBody(where, type, message)),
}));

/** Context wording in a 400 or 422 without a known type, as JSON and as raw text. */
export const wordedError: Arbitrary<GeneratedError> = record({
  status: constantFrom(400, 422),
  message: contextWording,
  trace,
  form: constantFrom<(message: string, trace: string | undefined) => string>(
    (message, before) => JSON.stringify({ error: { trace: before, message } }),
    (message, before) => JSON.stringify({ trace: before, message, type: 'other' }),
    // Early and without escapes, so that a router finds the wording even if it reads no member `error`.
    (message, before) =>
      spelledWidely(JSON.stringify({ error: message.replaceAll(/\s+/gu, ' '), trace: before })),
    (message) => message,
  ),
}).map(({ status, message, trace: before, form }) => ({ status, body: form(message, before) }));

/** Bodies without a known form: empty, blank, HTML, cut JSON, any JSON value, very long. */
export const formlessError: Arbitrary<GeneratedError> = record({
  status: errorStatus,
  body: oneof(
    constantFrom('', ' ', '\n', 'null', '[]', '"text"', '{"error":', '<html><h1>502</h1></html>'),
    jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
    anyWording,
    anyWording.map((text) => `<!doctype html><title>${text}</title>`),
    integer({ min: 1, max: 40_000 }).map((length) => 'x'.repeat(length)),
  ),
});

/** A message that is not about context. */
export const NEUTRAL = 'the value of `top_p` is not supported';
/** A message about context. */
export const CONTEXT = 'the maximum context length is 8192 tokens';

/** The same body at each status. */
export function at(statuses: readonly number[], body: unknown): readonly GeneratedError[] {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return statuses.map((status) => ({ status, body: text }));
}

/** A known type in one place. Some statuses have no rule of their own: a rule would hide that the type is not recognised. */
export function typed(place: Place, type: (typeof types)[number]): readonly GeneratedError[] {
  const body = errorBody(place, type, NEUTRAL);
  const statuses = type === 'context_length_exceeded' ? [400, 422, 500] : [418, 500];
  // The type at the top level may have the message beside it: in an `error` without a type, in an `error` that is a text, or
  // with a list of what the engine found.
  const errors = [NEUTRAL, { message: NEUTRAL }].map((error) => ({ error }));
  const beside = place === 'top' ? [...errors, { message: NEUTRAL, errors: [NEUTRAL] }] : [];
  return [...at(statuses, body), ...beside.flatMap((members) => at([418], { type, ...members }))];
}

/** Each known type in each place with each status. */
export function known(
  statuses: readonly number[],
  message: string,
  chosen: readonly string[] = types,
): readonly GeneratedError[] {
  return chosen.flatMap((type) =>
    places.flatMap((place) => at(statuses, errorBody(place, type, message))),
  );
}

/** One known type for each status; types and places alternate. */
export function knownInTurn(statuses: readonly number[], message: string) {
  return statuses.flatMap((status, turn) =>
    at([status], errorBody(places[turn % 2] ?? 'nested', types[turn % 3], message)),
  );
}

/** Sizes of errors in bytes, from a line to a trace with the whole request: around 512 bytes and around 64 KiB buffers. */
export const errorSizes = [100, 600, 5 * 1_024, 70 * 1_024, 1_024 * 1_024] as const;

/** A known type in an error of this many bytes, before or after the padding. */
const typedOfSize = (bytes: number, isFirst: boolean): GeneratedError => {
  const type = 'invalid_parameter';
  const padding = 'x'.repeat(Math.max(0, bytes - 60));
  const error = isFirst ? { type, padding } : { padding, type };
  return { status: 500, body: JSON.stringify({ error }) };
};

/** A known type in errors that every agent reads whole, and in errors that an agent may cut. */
export const typedOfAnySize = errorSizes.slice(0, 3).map((bytes) => typedOfSize(bytes, false));
export const typedBeyondBuffers = errorSizes
  .slice(3)
  .flatMap((bytes) => [typedOfSize(bytes, true), typedOfSize(bytes, false)]);

/** Errors of each size that only their status classifies, as JSON and as raw text. */
export const untypedOfAnySize: readonly GeneratedError[] = errorSizes.flatMap((bytes, turn) => {
  const padding = 'x'.repeat(bytes);
  return at([500], turn % 2 > 0 ? padding : { error: { message: NEUTRAL, padding } });
});

/** Known types in JSON that does not begin with a brace. */
export const spelled: readonly GeneratedError[] = [
  ...at([500], spelledWidely(errorBody('top', 'invalid_parameter', NEUTRAL))),
  ...at([404], spelledWidely(errorBody('nested', 'context_length_exceeded', NEUTRAL))),
];

/** A whole envelope, whose code would be a known type in the place of the type, with another type or none. */
export function coded(type?: string): object {
  return { error: { type, code: 'context_length_exceeded', message: NEUTRAL, source: 'backend' } };
}

/** Types of engines, nested; every other one has a second type at the top level. */
export function typedByEngines(status: number): readonly GeneratedError[] {
  return typesOfEngines.flatMap((type, turn) => {
    const ofItsOwn = { type: 'error', error: { type, message: NEUTRAL } };
    return at([status], turn % 2 > 0 ? errorBody('nested', type, NEUTRAL) : ofItsOwn);
  });
}

/** JSON errors with these messages and without a type. */
export function worded(...messages: readonly string[]): readonly GeneratedError[] {
  return messages.flatMap((message) => [
    ...at([400], { error: { message } }),
    ...at([422], { message }),
  ]);
}

/** Wording after more bytes than a raw message may keep: a router must read the JSON message wherever it is. */
export const wordedLate: readonly GeneratedError[] = at([400, 422], {
  error: { trace: 'x'.repeat(600), message: CONTEXT },
});

/** Unknown types, each with a message that decides and with one that does not, in alternating places. */
export const unknownTypes: readonly GeneratedError[] = [
  'invalid_parameter_value',
  '',
  7,
  null,
  'errors.invalid_request_error',
  'invalid_request_errors',
  ['other'],
  {},
  'context-length-exceeded',
  'invalid request error',
].flatMap((type, turn) => [
  ...at([418], errorBody(places[turn % 2] ?? 'top', type, NEUTRAL)),
  ...at([400], errorBody(places[(turn + 1) % 2] ?? 'top', type, CONTEXT)),
]);

/** Forms in which engines write an error with a message; status and type give codes that stop the session. */
const forms: readonly (readonly [status: number, form: (message: string) => unknown])[] = [
  [400, (message) => ({ error: { message, type: 'BadRequestError' } })],
  [422, (message) => ({ message })],
  [400, (message) => ({ error: { type: 'invalid_request_error', message }, message_id: 7 })],
];

/** An error with this message in each form. */
export function saying(message: string): readonly GeneratedError[] {
  return forms.map(([status, form]) => ({ status, body: JSON.stringify(form(message)), message }));
}

/** JSON without a message: its text comes out with it, whether a router reads a member or takes the whole body. */
const detail = JSON.stringify({ detail: NEUTRAL });
export const unnamed: GeneratedError = { status: 422, body: detail, message: NEUTRAL };

/** An error with one of these messages, in any form. */
export function anySaying(messages: Arbitrary<string>): Arbitrary<GeneratedError> {
  return messages.chain((message) => constantFrom(...saying(message)));
}

/** A known type for each content type that servers give to JSON by mistake. */
export const mislabelled: readonly GeneratedError[] = (
  [
    ['text/plain', 'top', 'context_length_exceeded'],
    ['text/html; charset=utf-8', 'nested', 'invalid_request_error'],
    ['text/event-stream', 'top', 'invalid_parameter'],
  ] as const
).map(([label, place, type]) => ({ status: 500, body: errorBody(place, type, NEUTRAL), label }));

/** An error that is not UTF-8, so that only its status classifies it. */
export function noText(status: number): readonly GeneratedError[] {
  const bytes = Buffer.from([0xff, 0xfe, 0xe2, 0x82, 0x20, 0xc0, 0x80]);
  return [{ status, body: '', bytes }];
}

/** Errors with status 429 that mention a rate limit. */
export const rateLimits: readonly GeneratedError[] = [
  ...at([429], ''),
  ...at([429], 'rate limit exceeded'),
  ...at([429], { error: { type: 'rate_limit_exceeded', message: 'slow down' } }),
];

/** An error for each way in which a router may read it. */
export const errorsOfAllKinds: readonly GeneratedError[] = [
  ...at([400], { error: { message: 'maximum context length exceeded' } }),
  ...at([400], 'raw'),
  ...at([422], '{}'),
  ...at([429], ''),
  ...at([500], '<html>'),
  ...at([503], { message: 'loading' }),
];
