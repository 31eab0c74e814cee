/** What an engine may answer on a proxy route: successes of any spelling, foreign errors, the envelope, and what is nearly one. */

import { type Arbitrary, constantFrom, jsonValue, oneof, record, tuple } from 'fast-check';
import { contextWording } from './context-wording.ts';
import { errorBody, errorStatus, type GeneratedError } from './engine-error.ts';
import { plainText } from './plain-text.ts';

/**
 * JSON texts as no serialiser of ours would write them: blanks, escapes, repeats, numbers that do not survive. The first
 * has members that a router knows and may be tempted to set: the name of the model is the engine's own.
 */
export const oddSpellings = [
  '{ "id" : "engine-1" ,\n\t"model":"engine-own-name","usage":{ "input_tokens" : 3 },"b":[ ] }\n',
  '{"b":1,"a":2,"b":3}',
  '{"n":1.0,"big":12345678901234567890,"tiny":1e-400,"zero":-0}',
  '{"text":"\\u00e9\\/\\u2028 é 🚀"}',
  '\r\n[1,2,3]',
  '"text"',
  'null',
  '{"error":{"code":"x","message":"y","source":"router"}}',
];

/** What is no JSON, and nothing at all: a router that looks for usage in it must not fail. */
export const noJson = ['{"line":1}\n{"line":2}\n', 'plain text', ''];

/** Bytes that are no text in UTF-8, and so do not survive being read as text. */
export const noText: Uint8Array = Buffer.from('7b22ff00fe80c3280a7d', 'hex');

/** A success as large as those of embeddings are: more than a buffer of any usual size. */
export const largeSuccess = JSON.stringify({
  object: 'list',
  data: [{ embedding: Array.from({ length: 20_000 }, (_, index) => index / 7) }],
});

/** The JSON body of a success. */
export const successBody: Arbitrary<string> = oneof(
  constantFrom(...oddSpellings),
  jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value, null, 2)),
  tuple(plainText, constantFrom(1, 200, 5_000)).map(([text, times]) =>
    JSON.stringify({ object: 'list', data: [text.repeat(times)] }),
  ),
);

/** An error that the chat route would classify by type or wording. */
export const classifiableError: Arbitrary<GeneratedError> = record({
  status: constantFrom(400, 422),
  place: constantFrom('top' as const, 'nested' as const),
  type: constantFrom('context_length_exceeded', 'invalid_request_error', 'invalid_parameter', 'x'),
  message: oneof(plainText, contextWording),
}).map(({ status, place, type, message }) => ({ status, body: errorBody(place, type, message) }));

/** An error body that is no envelope. */
export const foreignError: Arbitrary<GeneratedError> = record({
  status: errorStatus,
  body: oneof(
    constantFrom('', '<html>', 'upstream down', '[]', '{}', 'null', '{"error":null}'),
    plainText.map((message) => JSON.stringify({ error: message })),
    plainText.map((message) => JSON.stringify({ type: 'error', error: { type: 'x', message } })),
    plainText.map((message) => JSON.stringify({ detail: [{ msg: message }] })),
  ),
});

const message = 'scripted';
const code = 'invalid_parameter';
const source = 'backend';

/** Bodies that lack a part of the envelope, or have it in the wrong form or place. */
export const nearEnvelopes: readonly string[] = [
  JSON.stringify({ error: { code, message } }),
  JSON.stringify({ error: { code, source } }),
  JSON.stringify({ error: { message, source } }),
  JSON.stringify({ error: { code, message, source: 'engine' } }),
  JSON.stringify({ error: { code, message, source: null } }),
  JSON.stringify({ error: { code, message, source: [source] } }),
  JSON.stringify({ error: { code: 400, message, source } }),
  JSON.stringify({ error: { code, message: { text: message }, source } }),
  JSON.stringify({ code, message, source }),
  JSON.stringify({ error: [{ code, message, source }] }),
  JSON.stringify({ error: JSON.stringify({ code, message, source }) }),
  JSON.stringify({ detail: { error: { code, message, source } } }),
  JSON.stringify([{ error: { code, message, source } }]),
  `${JSON.stringify({ error: { code, message, source } })} trailing`,
  JSON.stringify({ error: { code, message, source } }).slice(0, -1),
];
