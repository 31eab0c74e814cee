/** X-Request-ID: missing on one kind of answer, or no UUID. */

import type { Fault } from '../../fault.ts';
import { headerOf, withHeader } from '../../http.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, every, faultTable, onPath, replace, type When } from './answering.ts';

const ID = 'router.response-headers';
const REQUEST_ID = 'X-Request-ID';
const hasStatus =
  (status: number): When =>
  (reply) =>
    reply.status === status;
const isStream: When = (reply) =>
  reply.status === 200 && (headerOf(reply, 'Content-Type') ?? '').startsWith('text/event-stream');
const isError: When = (reply) => reply.status >= 400;
const isHead: When = (_reply, { method }) => method === 'HEAD';

/** X-Request-ID missing on one kind of answer. */
const missing = (
  [
    ['admin', 'on-success', every(hasStatus(200), onPath(/^\/admin\//u)), 'endpoints.admin-health'],
    [
      'count-tokens',
      'on-success',
      every(hasStatus(200), onPath('/v1/messages/count_tokens')),
      'authentication.refusal-reaches-no-engine',
    ],
    ['streams', 'on-stream', isStream],
    ['400', 'on-error', hasStatus(400)],
    ['429', 'on-error', hasStatus(429)],
    ['503', 'on-error', hasStatus(503)],
    ['504', 'on-error', hasStatus(504), 'admission.timeout-at-engine'],
    ['403', 'on-error', hasStatus(403), 'authentication.allowlist-denies-chat'],
    ['401-of-administrators', 'on-unauthorized', every(hasStatus(401), onPath(/^\/admin\//u))],
    ['401-of-messages', 'on-unauthorized', every(hasStatus(401), onPath('/v1/messages'))],
    ['responses', 'on-not-found', onPath('/v1/responses')],
    ['unknown-detail', 'on-not-found', every(hasStatus(404), onPath(/^\/v1\/models\//u))],
    ['head-requests', 'on-not-found', isHead],
    ['404-of-administrators', 'on-not-found', every(hasStatus(404), onPath(/^\/admin\//u))],
    ['413', 'on-oversize', hasStatus(413)],
  ] satisfies readonly (readonly [string, string, When, string?])[]
).flatMap(([name, slug, when, exercisedBy]) =>
  faultTable({
    [`${ID}.request-id-${slug}`]: {
      [`request-id-missing-on-${name}`]: {
        exercisedBy: exercisedBy === undefined ? [] : [`router.${exercisedBy}`],
        patch: answering(when, (reply) => withHeader(reply, REQUEST_ID, undefined)),
      },
    },
  }),
);

const ids = faultTable({
  'router.response-headers.request-id-uuid': {
    'request-id-no-uuid-on-404': answering(hasStatus(404), (reply, { sequence }) =>
      withHeader(reply, REQUEST_ID, String(sequence)),
    ),
    'request-id-prefixed-in-streams': answering(isStream, (reply, { requestId }) =>
      withHeader(reply, REQUEST_ID, `req-${requestId}`),
    ),
    'request-id-without-hyphens-on-errors': answering(
      every(isError, onPath('/v1/rerank')),
      (reply, { requestId }) => withHeader(reply, REQUEST_ID, requestId.replaceAll('-', '')),
    ),
    'request-id-twice-on-errors': answering(isError, (reply, { requestId }) => ({
      ...reply,
      headers: [...reply.headers, [REQUEST_ID, requestId]],
    })),
  },
  'router.response-headers.request-id-uuid-despite-client': {
    'request-id-echoes-anything': {
      besides: ['router.response-headers.request-id-uuid'],
      patch: replace('requestId', (original, headers) => {
        const sent = headers['x-request-id'];
        return typeof sent === 'string' && sent !== '' ? sent : original(headers);
      }),
    },
  },
  'router.response-headers.request-id-fresh': {
    'request-id-the-same-for-all': (rules) => {
      let count = 0;
      const same = rules.requestId({});
      return {
        requestId: (headers) => {
          count += 1;
          return count % 3 === 0 ? same : rules.requestId(headers);
        },
      };
    },
  },
});

export const requestIdFaults: readonly Fault<RouterRules>[] = [...missing, ...ids];
