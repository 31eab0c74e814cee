/** Responses that a router passes on: completions, and any other response of an engine. */

import { type Arbitrary, constantFrom, jsonValue, oneof, record, tuple } from 'fast-check';
import type { ErrorSource } from '../../schemas/router/envelope.ts';
import type { ProxyRoute } from '../../schemas/router/endpoints.ts';
import { codeTable, type RouterCode } from '../../schemas/router/codes.ts';
import { type Behaviour, respond, type Respond } from '../backend/behaviour.ts';
import { contextWording, plainText } from './texts.ts';
import {
  at,
  CONTEXT,
  errorBody,
  errorSizes,
  errorStatus,
  type GeneratedError,
  NEUTRAL,
  spelledWidely,
} from './engine-errors.ts';

/** A completion with content that a careless rewrite would lose: line ends, quotes, other scripts, nested lists. */
export function completion(model: string) {
  return {
    id: 'chatcmpl-plumbline',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Grüße, 世界 🚀 "quoted" \\ \n', refusal: null },
        logprobs: {
          content: [{ token: 'Grüße', logprob: -0.25, bytes: [71, 114], top_logprobs: [] }],
        },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  };
}

/** The last words of a completion that is longer than any usual buffer. */
export const LAST_WORDS = 'the last of all its words';

export function longCompletion(model: string) {
  const content = `${'longer and '.repeat(16_000)}${LAST_WORDS}`;
  const message = { role: 'assistant', content };
  return { ...completion(model), choices: [{ index: 0, message, finish_reason: 'stop' }] };
}

/** A tool as clients write it, with numbers, booleans and null among the texts. */
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: {
      type: 'object',
      properties: { days: { type: 'integer', minimum: 1, default: null } },
      description: 'Wie ist das Wetter in Köln und 東京? 🌦',
      additionalProperties: false,
    },
  },
};

/** All plain roles, and content in parts. */
const conversation = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Say hello.' }] },
  { role: 'assistant', content: 'Hello.' },
  { role: 'user', content: 'Again.' },
];

/** A conversation with the roles `tool` and `developer`. */
const withTools = [
  { role: 'developer', content: 'Be brief.' },
  { role: 'user', content: 'What is the weather?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'call-1', content: 'Sunny.' },
];

export type Fields = Readonly<Record<string, unknown>>;

/** The fields that the document names, one at a time. */
export const plainFields: readonly Fields[] = [
  { temperature: 0.5 },
  { temperature: 0 },
  { messages: conversation },
  { top_p: 0.9 },
];

/** Fields that need a capability of the engine, or that only some models know. */
export const capabilityFields: readonly Fields[] = [
  { reasoning_effort: 'low' },
  { tools: [weather], tool_choice: 'auto' },
  { tools: [weather], messages: withTools },
  { response_format: { type: 'json_object' } },
  { top_k: 20 },
];

/**
 * JSON texts that our serializer would not write: blanks, escapes, repeated members, numbers that a parser changes. The
 * first one has members that a router knows and may overwrite: its model name is the engine's own.
 */
export const oddSpellings = [
  '{ "id" : "engine-1" ,\n\t"model":"engine-own-name","usage":{ "input_tokens" : 3 },"b":[ ] }\n',
  '{"b":1,"a":2,"b":3}',
  '{"n":1.0,"big":12345678901234567890,"tiny":1e-400,"zero":-0}',
  '{"text":"\\u00e9\\/\\u2028 é 🚀"}',
  '\r\n[1,2,3]',
  '"text"',
  '12345678901234567890.0',
  'null',
  '{"error":{"code":"x","message":"y","source":"router"}}',
];

/** Bodies that are not JSON, or empty: a router that searches them for usage must not fail. */
export const noJson = ['{"line":1}\n{"line":2}\n', 'plain text', ''];

/** Successes that are not a completion: status and body. */
export const oddSuccesses: readonly (readonly [status: number, body: string])[] = [
  [204, ''],
  [200, ''],
  [200, '[1,2,3]'],
  [200, '"text"'],
  [200, '7'],
];

/** Bytes that are not UTF-8, so that decoding them as text changes them, after a byte order mark; more than a buffer holds. */
export const noText: Uint8Array = Buffer.from('efbbbf7b22ff00fe80c3280a7d'.repeat(8_000), 'hex');

/** A success as large as those of embeddings, larger than any usual buffer. */
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

/** An error with context wording and an unknown type, and one with a known type; neither request asks for a stream. */
export const exampleErrors: readonly [GeneratedError, boolean][] = [
  [{ status: 400, body: errorBody('nested', 'x', CONTEXT) }, false],
  [{ status: 422, body: errorBody('top', 'invalid_parameter', NEUTRAL) }, false],
];

/** An error whose body is not the envelope. */
export const foreignError: Arbitrary<GeneratedError> = record({
  status: errorStatus,
  body: oneof(
    constantFrom(
      '',
      '<html>',
      'upstream down',
      '[]',
      '{}',
      'null',
      '7',
      '"text"',
      '{"error":null}',
    ),
    plainText.map((message) => JSON.stringify({ error: message })),
    plainText.map((message) => JSON.stringify({ type: 'error', error: { type: 'x', message } })),
    plainText.map((message) => JSON.stringify({ detail: [{ msg: message }] })),
  ),
});

const servicesForms: Readonly<Record<ProxyRoute, (type: string, message: string) => object>> = {
  messages: (type, message) => ({ type: 'error', error: { type, message }, request_id: 'req_1' }),
  countTokens: (type, message) => ({ type: 'error', error: { type, message } }),
  embeddings: (type, message) => ({ error: { message, type, param: null, code: null } }),
  rerank: (_type, message) => ({ detail: message }),
};

/** Errors in the form of the service whose interface the route has, every other one for a streaming request. */
export function errorsOfService(route: ProxyRoute): readonly [GeneratedError, boolean][] {
  const types = [
    [400, 'invalid_request_error'],
    [404, 'not_found_error'],
    // A client with a valid key must not be told that it is invalid.
    [401, 'authentication_error'],
    [500, 'api_error'],
    [529, 'overloaded_error'],
  ] as const;
  return types.map(([status, type], turn) => [
    { status, body: JSON.stringify(servicesForms[route](type, NEUTRAL)) },
    turn % 2 > 0,
  ]);
}

/** One error body of each size; at one size, each `turn` (one for each route) uses another form. */
export function foreignOfAnySize(turn: number): readonly GeneratedError[] {
  const forms: readonly ((text: string) => unknown)[] = [
    (text) => [text],
    (text) => ({ type: 'invalid_parameter', error: text }),
    (text) => text,
    (text) => ({ error: { type: 'context_length_exceeded', trace: text } }),
  ];
  return errorSizes.map((bytes, place) => ({
    status: place % 2 > 0 ? 422 : 400,
    body: JSON.stringify(forms[(turn + place) % forms.length]?.('x'.repeat(bytes))),
  }));
}

const message = 'scripted';
const code = 'invalid_parameter';
const source = 'backend';

/** Bodies that lack a part of the envelope, or have it in a wrong form or place. */
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

/**
 * Errors with an empty body. The first list is for every route: statuses that the chat route treats specially, and the most
 * common ones. The second list is distributed over the routes: other statuses that a router may take for its own.
 */
export const foreignStatuses = [
  at([403, 422, 429, 503], ''),
  at([300, 400, 401, 404, 408, 409, 413, 418, 500, 502, 504], ''),
] as const;

/** Codes that stop a session, so that no retry hides them, with status and source of the table. */
export const terminalEnvelopes = [
  [400, 'request_invalid', 'router'],
  [400, 'context_length_exceeded', 'backend'],
  [429, 'token_limit_exceeded', 'router'],
  [400, 'invalid_parameter', 'backend'],
] as const satisfies readonly (readonly [status: number, code: RouterCode, source: ErrorSource])[];

/** The members of the error envelope. */
export interface Enveloped {
  readonly code: string;
  readonly message: string;
  readonly source: ErrorSource;
}

/** A long text, such as an engine's stack trace: an envelope with it just fits into a buffer of 64 KiB. */
const MUCH_TEXT = 'scripted '.repeat(7_000);

/** Envelopes with a long text: with the source that the table does not have, and with every other code. */
export const othersOfTable: readonly (readonly [number, Enveloped])[] = [
  [400, 'invalid_parameter', 'router'] as const,
  [400, 'invalid_parameter', 'backend'] as const,
  [503, 'backend_unavailable', 'backend'] as const,
  ...Object.entries(codeTable)
    .filter(([one]) => !terminalEnvelopes.some(([, terminal]) => terminal === one))
    .map(([one, { statuses, sources }]) => [statuses[0], one, sources[0]] as const),
].map(([status, one, of]) => [status, { code: one, message: MUCH_TEXT, source: of }]);

/** A success as an engine may send it: in chunks, and with an id of its own that is no UUID. */
export function sentByEngine(status: number, json: Respond['json']): Behaviour {
  return respond(status, json, { framing: 'chunked', headers: [['X-Request-ID', 'req_engine']] });
}

/** An error written as an engine would and a router would not: in chunks, with white space around it. */
export function writtenByEngine(status: number, body: object): Behaviour {
  return {
    kind: 'respond',
    status,
    text: spelledWidely(JSON.stringify(body)),
    framing: 'chunked',
  };
}
