/** Malformed requests and unknown models that are accepted, or refused with the wrong code. */

import { isUtf8 } from 'node:buffer';
import { type RequestContext, RouterFailure } from '../model.ts';

import {
  amend,
  answering,
  CHAT,
  each,
  errorIn,
  every,
  fails,
  faultTable,
  forces,
  gathered,
  isProxy,
  MESSAGES,
  on,
  onChat,
  onMessages,
  type Patch,
  refused,
  replace,
} from './words.ts';
import { refusingLate, retelling, retoldAs } from './words-limits.ts';

/** A session that no agent served, with no slot full, ends with another code. */
function ending(
  test: (failures: number, last: string | undefined) => boolean,
  code: string,
): Patch {
  return forces(
    'finalFailure',
    () => new RouterFailure(code, 'nobody served', { source: 'backend' }),
    (journey) => !journey.full && test(journey.failures.length, journey.failures.at(-1)?.code),
  );
}

/** Accepts bodies that are malformed in one way. */
function mending(
  test: (context: RequestContext) => boolean,
  mend: (text: string) => string,
): Patch {
  return replace('parse', (original, bytes, context) => {
    try {
      return original(bytes, context);
    } catch (error) {
      if (!test(context)) throw error;
      const mended = mend(Buffer.from(bytes).toString('utf8'));
      return original(Buffer.from(mended), context);
    }
  });
}

const UNKNOWN = 'model_not_found';

const malformed = /not valid JSON/u;
const empty = /is empty/u;
const required = /is required/u;

const internal = (message: string) =>
  new RouterFailure('backend_error', message, { source: 'router', status: 500 });

export const codesFaults = faultTable('router.codes', {
  'backend_error-forwarded-status, met by router.backend-classification.status-other: forwarded-failures-are-500':
    answering(
      every(on({ code: 'backend_error' }), (reply) => errorIn(reply)['source'] === 'backend'),
      (reply) => ({ ...reply, status: 500 }),
    ),
  'capability-mismatch: capability-mismatch-is-500': amend('capable', (isCapable) => {
    if (isCapable) return true;
    throw internal('no engine for that');
  }),
  ...refused('model_not_found', {
    'capability-mismatch: chat-model-is-unknown-to-embeddings': on({
      code: 'request_invalid',
      path: '/v1/embeddings',
      model: 'scripted-chat',
    }),
    'capability-mismatch: embedding-model-streams-nothing': on({
      code: 'request_invalid',
      model: 'scripted-embedding',
      stream: true,
    }),
  }),
  ...refused('request_invalid', {
    'unknown-model-proxy: unknown-model-of-a-messages-stream-is-400': on({
      code: UNKNOWN,
      path: MESSAGES,
      stream: true,
    }),
    'unknown-model-detail: unknown-model-detail-is-invalid': every(
      on({ code: UNKNOWN, family: 'model' }),
      (_reply, { path }) => !/\/(?:scripted-hidden|plumbline-nobody-registers-this)$/u.test(path),
    ),
  }),
  ...refused('no_agents_available', {
    'unknown-model-chat: unknown-model-has-no-agents-in-streams': on({
      code: UNKNOWN,
      path: CHAT,
      stream: true,
    }),
    'unknown-model-proxy: unknown-model-has-no-agents-on-rerank': on({
      code: UNKNOWN,
      path: '/v1/rerank',
    }),
  }),
  ...refused('backend_error', {
    'no-agents-available: no-agents-is-backend-error-on-messages': on({
      code: 'no_agents_available',
      path: MESSAGES,
    }),
  }),
  'unknown-model-chat + unknown-model-proxy: unknown-model-beyond-ascii-fails': fails(
    'findModel',
    () => internal('no such name'),
    (_models, id) => /[^\x20-\x7e]/u.test(id) && id.length < 200,
  ),
  'unknown-model-proxy: unknown-model-with-slash-fails': fails(
    'findModel',
    () => internal('no such file'),
    (_models, id, context) => isProxy(context) && id.includes('/'),
  ),
  'model-id-exact: model-detail-compared-without-case': replace(
    'findModel',
    (original, models, id, context) =>
      original(models, id, context) ??
      (context.route?.family === 'model'
        ? models.find((model) => model.id.toLowerCase() === id.toLowerCase())
        : undefined),
  ),
  'no-agents-available: no-agents-called-backend-error': ending(
    (failures) => failures === 0,
    'backend_error',
  ),
  'agent-gone: lost-agent-called-backend-unavailable': ending(
    (_failures, last) => last === 'agent_disconnected',
    'backend_error',
  ),
  'dead-backend: dead-engine-called-agent-disconnected': forces(
    'lostCode',
    'agent_disconnected',
    (failed) => failed,
  ),
  'model-not-text: null-as-model-is-unknown-on-count-tokens': forces(
    'requireModel',
    'null',
    (body, context) => body['model'] === null && context.path.endsWith('/count_tokens'),
  ),
  'model-not-text: number-as-model': forces(
    'requireModel',
    (body) => String(body['model']),
    (body) => typeof body['model'] === 'number',
  ),
  'malformed-json-chat + invalid-utf-8: malformed-json-is-500': retelling(
    'parse',
    (text, context) => malformed.test(text) && onChat(context),
    internal,
  ),
  'malformed-json-chat: last-comma-is-dropped': mending(onChat, (text) =>
    text.endsWith(',}') ? `${text.slice(0, -2)}}` : '',
  ),
  'malformed-json-chat: no-number-is-read-as-one': mending(onChat, (text) =>
    text.replaceAll('NaN', '0'),
  ),
  'malformed-json-chat: ends-of-lines-are-read-in-texts': mending(onChat, (text) =>
    text.replaceAll('\n', ' '),
  ),
  'malformed-json-proxy: text-after-json-is-dropped': mending(onMessages, (text) =>
    text.slice(0, text.lastIndexOf('}') + 1),
  ),
  'malformed-json-proxy: malformed-json-is-the-backends-fault-on-rerank': retelling(
    'parse',
    (text, { path }) => malformed.test(text) && path === '/v1/rerank',
    retoldAs('invalid_parameter'),
  ),
  'empty-body-chat: empty-body-is-500-on-chat': retelling(
    'parse',
    (text, context) => empty.test(text) && onChat(context),
    internal,
  ),
  'empty-body-proxy: empty-body-is-an-empty-request-on-count-tokens': retelling(
    'parse',
    (text, { path }) => empty.test(text) && path === '/v1/messages/count_tokens',
    retoldAs('model_not_found'),
  ),
  ...each.forces('requireModel', 'scripted-chat', {
    'missing-model-chat + request-invalid-reaches-no-engine: missing-model-has-a-default': (
      body,
      context,
    ) => onChat(context) && body['model'] === undefined,
    'missing-model-chat: an-allowlist-has-a-default-model': (body, { key }) =>
      body['model'] === undefined && key?.allows !== undefined,
    'missing-model-chat: streams-have-a-default-model': (body, context) =>
      onChat(context) && body['model'] === undefined && body['stream'] === true,
  }),
  'malformed-json-chat: blank-body-is-500-on-chat': replace('parse', (original, bytes, context) => {
    const isBlank = bytes.byteLength > 0 && Buffer.from(bytes).toString().trim() === '';
    if (isBlank && onChat(context)) throw internal('nothing to read');
    return original(bytes, context);
  }),
  'missing-model-proxy: missing-model-is-unknown-on-embeddings': retelling(
    'requireModel',
    (text, { path }) => required.test(text) && path === '/v1/embeddings',
    retoldAs('model_not_found'),
  ),
  'request-invalid-reaches-no-engine: missing-model-refused-late': refusingLate(
    (rules, mark) => ({
      requireModel: (body, context) => {
        const isMeant = onChat(context) && body['model'] === undefined;
        if (!isMeant) return rules.requireModel(body, context);
        mark(context);
        return 'scripted-chat';
      },
    }),
    'request_invalid',
  ),
  'body-not-object: list-as-body-fails': retelling(
    'parse',
    (text) => /must be a JSON object/u.test(text),
    internal,
  ),
  'known-codes + invalid-utf-8: broken-utf-8-has-a-code-of-its-own': (rules) => ({
    parse: (bytes, context) => {
      if (isUtf8(bytes)) return rules.parse(bytes, context);
      throw new RouterFailure('invalid_encoding', 'not UTF-8', { source: 'router', status: 400 });
    },
    statusOf: (failure, context) =>
      failure.code === 'invalid_encoding' ? 400 : rules.statusOf(failure, context),
  }),
  ...gathered(
    [
      ['by-its-beginning', (id: string, asked: string) => asked.startsWith(id)],
      [
        'as-an-abbreviation',
        (id: string, asked: string) => asked.length > 8 && id.startsWith(asked),
      ],
      ['without-blanks-behind', (id: string, asked: string) => id === asked.trimEnd()],
    ],
    ([how, same]) => ({
      [`model-id-exact: model-id-compared-${how}`]: replace(
        'findModel',
        (original, models, id, context) =>
          original(models, id, context) ??
          (onChat(context) ? models.find((model) => same(model.id, id)) : undefined),
      ),
    }),
  ),
});
