/** X-Request-ID: missing on one kind of answer, or no UUID. */

import { headerOf, withHeader } from '../../http.ts';
import {
  answering,
  every,
  faultTable,
  hasStatus,
  on,
  onPath,
  replace,
  type When,
} from './words.ts';

const REQUEST_ID = 'X-Request-ID';

const isStreamed: When = (reply) =>
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
      every(hasStatus(200), on({ path: '/v1/messages/count_tokens' })),
      'authentication.refusal-reaches-no-engine',
    ],
    ['streams', 'on-stream', isStreamed],
    ['400', 'on-error', hasStatus(400)],
    ['503', 'on-error', hasStatus(503)],
    ['504', 'on-error', hasStatus(504), 'admission.timeout-at-engine'],
    ['401-of-administrators', 'on-unauthorized', every(hasStatus(401), onPath(/^\/admin\//u))],
    ['401-of-messages', 'on-unauthorized', every(hasStatus(401), on({ path: '/v1/messages' }))],
    ['responses', 'on-not-found', on({ path: '/v1/responses' })],
    ['head-requests', 'on-not-found', isHead],
    ['404-of-administrators', 'on-not-found', every(hasStatus(404), onPath(/^\/admin\//u))],
    ['413', 'on-oversize', hasStatus(413)],
  ] satisfies readonly (readonly [string, string, When, string?])[]
).flatMap(([name, slug, when, exercisedBy]) =>
  faultTable('router.response-headers', {
    [`request-id-${slug}: request-id-missing-on-${name}`]: {
      exercisedBy: exercisedBy === undefined ? [] : [`router.${exercisedBy}`],
      patch: answering(when, (reply) => withHeader(reply, REQUEST_ID, undefined)),
    },
  }),
);

export const requestIdsFaults = [
  ...faultTable('router.response-headers', {
    'request-id-uuid: request-id-no-uuid-on-404': answering(hasStatus(404), (reply, { sequence }) =>
      withHeader(reply, REQUEST_ID, String(sequence)),
    ),
    'request-id-uuid: request-id-prefixed-in-streams': answering(
      isStreamed,
      (reply, { requestId }) => withHeader(reply, REQUEST_ID, `req-${requestId}`),
    ),
    'request-id-uuid: request-id-twice-on-errors': answering(isError, (reply, { requestId }) => ({
      ...reply,
      headers: [...reply.headers, [REQUEST_ID, requestId]],
    })),
    'request-id-uuid-despite-client + request-id-uuid: request-id-echoes-anything': replace(
      'requestId',
      (original, headers) => {
        const sent = headers['x-request-id'];
        return typeof sent === 'string' && sent !== '' ? sent : original(headers);
      },
    ),
    'request-id-fresh: request-id-the-same-for-all': (rules) => {
      let count = 0;
      const same = rules.requestId({});
      return {
        requestId: (headers) => {
          count += 1;
          return count % 3 === 0 ? same : rules.requestId(headers);
        },
      };
    },
  }),
  ...missing,
];
