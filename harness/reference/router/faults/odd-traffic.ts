/** Faults that only less usual traffic shows: other methods, ids of clients and engines, chunks, and text beyond ASCII. */

import { withHeader } from '../../http.ts';
import { errorObject, memberOf, type RequestContext } from '../model.ts';
import {
  amend,
  answering,
  asStream,
  deciding,
  each,
  every,
  faultTable,
  forces,
  forwarding,
  headed,
  isError,
  isProxy,
  isSuccess,
  isWhole,
  MESSAGES,
  on,
  onChat,
  onMessages,
  refusal,
  refused,
  replace,
  REQUEST_ID,
  rows,
  TOKENS,
  typeSaid,
  type When,
  withError,
} from './words.ts';
import { without } from './words-limits.ts';

const isStreamWithCharset: When = (_reply, { engineHeaders }) =>
  engineHeaders?.['content-type']?.startsWith('text/event-stream;') === true;

const isInChunks: When = (_reply, { engineHeaders }) =>
  engineHeaders?.['transfer-encoding'] === 'chunked';

/** Headers that a client or an engine chose come back on some responses. */
const echoing = (
  name: string,
  where: When,
  sent: (context: RequestContext) => string | string[] | undefined,
) =>
  answering(where, (reply, context) => {
    const value = sent(context);
    return typeof value === 'string' ? withHeader(reply, name, value) : reply;
  });

/** A known type is recognized in another place, too. */
const alsoRecognising = (find: (json: unknown) => unknown) =>
  replace(
    'knownType',
    (original, json, context) => original(json, context) ?? original({ type: find(json) }, context),
  );

const firstOf = (json: unknown): unknown => (Array.isArray(json) ? json[0] : undefined);

const tokenOf = ({ headers }: RequestContext): string => headers.authorization ?? '';

export const oddTrafficFaults = [
  ...faultTable('router.response-headers', {
    'request-id-uuid-despite-client + request-id-uuid: client-id-comes-back-on-errors': echoing(
      REQUEST_ID,
      isError,
      ({ headers }) => headers['x-request-id'],
    ),
    'traceparent-valid: client-trace-comes-back-on-chat': echoing(
      'traceparent',
      onChat,
      ({ headers }) => headers['traceparent'],
    ),
    'request-id-uuid, met by router.endpoints.chat-completions-answer: engine-id-comes-out-on-chat':
      echoing(
        REQUEST_ID,
        every(isWhole, onChat),
        (context) => context.engineHeaders?.['x-request-id'],
      ),
    'request-id-uuid, met by router.transparent-proxy.stream-untouched: engine-id-comes-out-on-message-streams':
      echoing(
        REQUEST_ID,
        every(isSuccess, onMessages, asStream),
        (context) => context.engineHeaders?.['x-request-id'],
      ),
    ...headed(TOKENS, '99999', {
      'unlimited-omitted: unlimited-key-told-in-refusals-of-embeddings': every(
        isError,
        on({ key: 'unlimited', path: '/v1/embeddings' }),
      ),
      'unlimited-omitted: unlimited-key-told-when-limited': on({ key: 'unlimited', status: 429 }),
      'unlimited-omitted: unlimited-key-told-after-engine-errors': every(
        on({ key: 'unlimited' }),
        (_reply, { engineError }) => engineError !== undefined,
      ),
    }),
  }),
  ...faultTable('router.authentication', {
    'refusal-same-body + refusal-message: tokens-in-three-parts-are-malformed': answering(
      (reply, context) =>
        reply.status === 401 && /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/u.test(tokenOf(context)),
      (reply) => withError(reply, { message: 'the token is malformed' }),
    ),
    'unknown-on-models + unknown-on-chat + unknown-on-proxy + refusal-same-status + refusal-same-body: long-tokens-are-invalid':
      answering(
        (reply, context) => reply.status === 401 && tokenOf(context).length > 1_024,
        (reply) => refusal(reply, 'request_invalid'),
      ),
    'missing-on-models + missing-on-chat: key-passes-as-x-authorization': replace(
      'credential',
      (original, headers, context) => {
        const other = headers['x-authorization'];
        return typeof other === 'string'
          ? original({ ...headers, authorization: other }, context)
          : original(headers, context);
      },
    ),
  }),
  ...faultTable('router.limits', {
    'model-id-257-chat: model-id-length-in-16-bits': replace(
      'requireModel',
      (original, body, context) => {
        const model = body['model'];
        const isShort = typeof model === 'string' && model.length % 2 ** 16 <= 256;
        return isShort ? model : original(body, context);
      },
    ),
    'body-at-limit: chunked-bodies-are-read-as-empty': replace(
      'parse',
      (original, bytes, context) =>
        original('transfer-encoding' in context.headers ? Buffer.alloc(0) : bytes, context),
    ),
  }),
  ...faultTable('router.backend-classification', {
    ...rows(alsoRecognising, {
      'unknown-type: types-known-under-detail': (json) =>
        memberOf(memberOf(json, 'detail'), 'type'),
      'unknown-type: types-known-in-a-list': (json) => memberOf(firstOf(json), 'type'),
    }),
    'top-level-context-length + top-level-invalid-request + top-level-invalid-parameter: types-beside-a-list-overlooked':
      forces('knownType', undefined, (json) => Array.isArray(memberOf(json, 'errors'))),
    'raw-message-truncated: raw-message-whole-of-error-objects': forces(
      'truncate',
      (bytes) => Buffer.from(bytes).toString('utf8'),
      (_bytes, { engineError }) => errorObject(engineError?.json) !== undefined,
    ),
    'type-over-other-status + router.transparent-proxy.messages-envelope-kept + router.transparent-proxy.count-tokens-envelope-kept + router.transparent-proxy.embeddings-envelope-kept + router.transparent-proxy.rerank-envelope-kept: errors-in-chunks-not-read':
      forces('errorJson', undefined, (_body, headers) => 'transfer-encoding' in headers),
    'status-429-not-rate-limit: engine-429-that-says-when-is-rate-limit': deciding(
      (_type, status, _speaks, { engineError }) =>
        status === 429 && engineError?.headers['retry-after'] !== undefined
          ? 'rate_limit_exceeded'
          : undefined,
    ),
    'wording-in-raw-body: raw-text-read-line-by-line': replace(
      'speaksOfContext',
      (original, text, context) =>
        context.engineError?.json === undefined
          ? text.split('\n').some((line) => original(line, context))
          : original(text, context),
    ),
    'unknown-type + status-503 + nested-invalid-request: envelopes-kept-where-errors-are-classified':
      deciding((_type, _status, _speaks, { engineError }) => {
        const error = errorObject(engineError?.json);
        const code = memberOf(error, 'code');
        return typeof code === 'string' && memberOf(error, 'source') ? code : undefined;
      }),
    'unknown-type + router.authentication.refusal-message: engine-authentication-error-is-unauthorized':
      deciding((_type, status, _speaks, { engineError }) =>
        status === 500 && typeSaid(engineError?.json) === 'authentication_error'
          ? 'unauthorized'
          : undefined,
      ),
  }),
  ...faultTable('router.envelope', {
    'message, met by router.backend-classification.other-400: message-in-a-list-comes-out':
      answering(
        (_reply, { engineError }) =>
          Array.isArray(memberOf(errorObject(engineError?.json), 'message')),
        (reply, { engineError }) =>
          withError(reply, { message: memberOf(errorObject(engineError?.json), 'message') }),
      ),
  }),
  ...faultTable('router.rate-limit-rules', {
    'undeclared-model-reaches-no-engine: undeclared-model-served-in-message-streams': without(
      'declaration',
      on({ path: MESSAGES, stream: true }),
    ),
    'refill-continuous: bucket-loses-parts-of-seconds-when-asked': replace(
      'refill',
      (refill, bucket, now) => refill(bucket, now - ((now - bucket.at) % 1_000)),
    ),
  }),
  ...faultTable('router.admission', {
    'timeout-at-engine: no-deadline-after-the-head-on-embeddings': forces(
      'deadlineAt',
      'stops',
      (moment, { path }) => moment === 'head' && path === '/v1/embeddings',
    ),
    ...refused('backend_error', {
      'queue-full: full-channel-is-backend-error-for-plain-requests': on({
        code: 'queue_full',
        stream: false,
      }),
    }),
  }),
  ...faultTable('router.retry-behaviour', {
    ...each.amend('endsInOrder', {
      'fallback-step: streams-of-the-next-step-unfinished': (inOrder, { model }) =>
        inOrder && model !== 'scripted-fallback',
      'provider-fallback: streams-of-the-provider-unfinished': (inOrder, { agent }) =>
        inOrder && agent !== 'provider',
    }),
  }),
  ...faultTable('router.streaming', {
    ...headed('Content-Type', 'application/json', {
      'content-type: streams-with-a-character-set-labelled-as-json': every(
        isSuccess,
        isStreamWithCharset,
      ),
    }),
  }),
  ...faultTable('router.endpoints', {
    ...refused('backend_error', {
      'chat-completions-answer: answers-in-chunks-fail': every(isWhole, onChat, isInChunks),
    }),
    'parameters-accepted: chat-completions-cut-at-their-characters': forwarding(
      onChat,
      ({ body }) => ({
        body: body.subarray(0, Buffer.from(body).toString('utf8').length),
      }),
    ),
  }),
  ...faultTable('router.transparent-proxy', {
    'messages-success-untouched + count-tokens-success-untouched + embeddings-success-untouched + rerank-success-untouched: successes-in-chunks-cut':
      answering(every(isWhole, isProxy, isInChunks), (reply) => ({
        ...reply,
        body: Buffer.from(reply.body).subarray(0, -1),
      })),
    'request-untouched: message-streams-written-anew': amend(
      'forward',
      (dispatch, _sent, context) =>
        onMessages(context) && context.stream
          ? { ...dispatch, body: Buffer.from(JSON.stringify(context.body)) }
          : dispatch,
    ),
  }),
];
