/** Errors of engines: bodies as engines write them, and the rows of the table that classifies them. */

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
  /** Sent in place of the body: what is no text in UTF-8 is none that could be read. */
  readonly bytes?: Uint8Array;
  /** The content type that the engine gives it; that of JSON unless told. */
  readonly label?: string;
  /** What it says, where that is not its whole body. */
  readonly message?: string;
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
const typesOfEngines = [
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
/** None that passes for a known type once it is made a text. */
const untextual: Arbitrary<unknown> = constantFrom(7, null, true, [], {}, ['other']);

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

const anyPlace = constantFrom<Place>('top', 'nested');
const anyWording = oneof(plainText, contextWording);

/** A known type, whatever the status and the wording, and with no message too: it decides. */
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

/** No known type: an unknown one, or one that is no text. Status and wording decide. */
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

/** Bodies without a form: empty, blank, HTML, cut JSON, any JSON value, very long. */
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

/** What an error says that has nothing to do with context. */
export const NEUTRAL = 'the value of `top_p` is not supported';
/** What an error says that speaks of it. */
export const CONTEXT = 'the maximum context length is 8192 tokens';

const types = ['context_length_exceeded', 'invalid_request_error', 'invalid_parameter'] as const;
const places = ['top', 'nested'] as const;

/** The same body at each status. */
export function at(statuses: readonly number[], body: unknown): readonly GeneratedError[] {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return statuses.map((status) => ({ status, body: text }));
}

/** A known type in one place. A status of its own row would hide one that is not recognised, so others are used as well. */
export function typed(place: Place, type: (typeof types)[number]): readonly GeneratedError[] {
  const body = errorBody(place, type, NEUTRAL);
  const statuses = type === 'context_length_exceeded' ? [400, 422, 500] : [418, 500];
  // At the top the message may stand beside it: in an error that has no type, or as one that is a text.
  const errors = place === 'top' ? [NEUTRAL, { message: NEUTRAL }] : [];
  return [...at(statuses, body), ...errors.flatMap((error) => at([418], { type, error }))];
}

/** Each known type in each place at each status. */
export function known(
  statuses: readonly number[],
  message: string,
  chosen: readonly string[] = types,
): readonly GeneratedError[] {
  return chosen.flatMap((type) =>
    places.flatMap((place) => at(statuses, errorBody(place, type, message))),
  );
}

/** A known type at each status, types and places in turn. */
export function knownInTurn(statuses: readonly number[], message: string) {
  return statuses.flatMap((status, turn) =>
    at([status], errorBody(places[turn % 2] ?? 'nested', types[turn % 3], message)),
  );
}

/** Bytes of errors from a line to a trace with all that was asked: below and above 512, and what a buffer of 64 KiB holds. */
export const errorSizes = [100, 600, 5 * 1_024, 70 * 1_024, 1_024 * 1_024] as const;

/** A known type in an error of so many bytes, before what fills it or behind. */
const typedOfSize = (bytes: number, isFirst: boolean): GeneratedError => {
  const type = 'invalid_parameter';
  const padding = 'x'.repeat(Math.max(0, bytes - 60));
  const error = isFirst ? { type, padding } : { padding, type };
  return { status: 500, body: JSON.stringify({ error }) };
};

/** A known type in errors that every agent reads whole, and in some that one may cut. */
export const typedOfAnySize = errorSizes.slice(0, 3).map((bytes) => typedOfSize(bytes, false));
export const typedBeyondBuffers = errorSizes
  .slice(3)
  .flatMap((bytes) => [typedOfSize(bytes, true), typedOfSize(bytes, false)]);

/** Errors of each size of which the status alone decides, as JSON and as they are. */
export const untypedOfAnySize: readonly GeneratedError[] = errorSizes.flatMap((bytes, turn) => {
  const padding = 'x'.repeat(bytes);
  return at([500], turn % 2 > 0 ? padding : { error: { message: NEUTRAL, padding } });
});

/** Known types in JSON that does not begin with a brace. */
export const spelled: readonly GeneratedError[] = [
  ...at([500], spelledWidely(errorBody('top', 'invalid_parameter', NEUTRAL))),
  ...at([404], spelledWidely(errorBody('nested', 'context_length_exceeded', NEUTRAL))),
];

/** An error with a code that would be a type if it stood there, beside another type or none. */
export function coded(type?: string): object {
  return { error: { type, code: 'context_length_exceeded', message: NEUTRAL } };
}

/** Types of engines as they nest them, in turns in errors with a type of their own at the top and in others. */
export function typedByEngines(status: number): readonly GeneratedError[] {
  return typesOfEngines.flatMap((type, turn) => {
    const ofItsOwn = { type: 'error', error: { type, message: NEUTRAL } };
    return at([status], turn % 2 > 0 ? errorBody('nested', type, NEUTRAL) : ofItsOwn);
  });
}

/** Messages of JSON errors without a type. */
export function worded(...messages: readonly string[]): readonly GeneratedError[] {
  return messages.flatMap((message) => [
    ...at([400], { error: { message } }),
    ...at([422], { message }),
  ]);
}

/** The wording behind as much as a message of a raw body may have: the message of JSON is looked for wherever it stands. */
export const wordedLate: readonly GeneratedError[] = at([400, 422], {
  error: { trace: 'x'.repeat(600), message: CONTEXT },
});

/** Unknown types, with a message that decides and with one that does not, in one place and in the other. */
export const unknownTypes: readonly GeneratedError[] = [
  'invalid_parameter_value',
  '',
  7,
  null,
  'errors.invalid_request_error',
  ['other'],
  {},
  'context-length-exceeded',
  'invalid request error',
].flatMap((type, turn) => [
  ...at([418], errorBody(places[turn % 2] ?? 'top', type, NEUTRAL)),
  ...at([400], errorBody(places[(turn + 1) % 2] ?? 'top', type, CONTEXT)),
]);

/** How engines write an error with a message, of statuses and types whose codes stop the session. */
const forms: readonly (readonly [status: number, form: (message: string) => unknown])[] = [
  [400, (message) => ({ error: { message, type: 'BadRequestError' } })],
  [422, (message) => ({ message })],
  [400, (message) => ({ error: { type: 'invalid_request_error', message }, message_id: 7 })],
];

/** An error with this message in each form. */
export function saying(message: string): readonly GeneratedError[] {
  return forms.map(([status, form]) => ({ status, body: JSON.stringify(form(message)), message }));
}

/** An error with one of these messages, in any form. */
export function anySaying(messages: Arbitrary<string>): Arbitrary<GeneratedError> {
  return messages.chain((message) => constantFrom(...saying(message)));
}

/** A type for each label that servers give to JSON by mistake. */
export const mislabelled: readonly GeneratedError[] = (
  [
    ['text/plain', 'top', 'context_length_exceeded'],
    ['text/html; charset=utf-8', 'nested', 'invalid_request_error'],
    ['application/octet-stream', 'top', 'invalid_parameter'],
  ] as const
).map(([label, place, type]) => ({ status: 500, body: errorBody(place, type, NEUTRAL), label }));

/** An error that is no text in UTF-8, which only its status classifies. */
export function noText(status: number): readonly GeneratedError[] {
  const bytes = Buffer.from([0xff, 0xfe, 0xe2, 0x82, 0x20, 0xc0, 0x80]);
  return [{ status, body: '', bytes }];
}

/** Errors of a 429 that speak of a rate limit. */
export const rateLimits: readonly GeneratedError[] = [
  ...at([429], ''),
  ...at([429], 'rate limit exceeded'),
  ...at([429], { error: { type: 'rate_limit_exceeded', message: 'slow down' } }),
];

/** An error for each way in which one is read. */
export const errorsOfAllKinds: readonly GeneratedError[] = [
  ...at([400], { error: { message: 'maximum context length exceeded' } }),
  ...at([400], 'raw'),
  ...at([422], '{}'),
  ...at([429], ''),
  ...at([500], '<html>'),
  ...at([503], { message: 'loading' }),
];
