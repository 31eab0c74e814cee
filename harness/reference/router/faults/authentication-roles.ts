/** Accepted keys of the wrong role or in the wrong state, malformed refusals, and allowlists without effect. */

import {
  always,
  answering,
  chained,
  CHALLENGE,
  CHAT,
  each,
  errorIn,
  every,
  faultTable,
  forces,
  gathered,
  isModels,
  MESSAGES,
  on,
  onChat,
  onMessages,
  type Patch,
  refusal,
  rows,
  type When,
  withError,
} from './words.ts';
import { late, refusingLate } from './words-limits.ts';
import { headerOf, type Reply, withHeader } from '../../http.ts';
import type { KeyEntry, RequestContext } from '../model.ts';

/** True for a 401 to a key with this prefix, on a path with this prefix. */
const refusedKey =
  (key: string, path: string): When =>
  (reply, context) =>
    reply.status === 401 &&
    context.path.startsWith(path) &&
    context.headers.authorization?.startsWith(`Bearer ${key}`) === true;

/** Refuses a model that the allowlist of the key does not name, unless it is unknown. */
const forbidding = (reply: Reply): Reply =>
  errorIn(reply)['code'] === 'model_not_found' ? reply : refusal(reply, 'model_forbidden');

const hasCredential: When = (_reply, { headers }) => headers.authorization !== undefined;

/** True for an unknown key that looks like one: a single word, not a hash. */
const hasUnknownKey: When = (_reply, { headers }) =>
  /^Bearer (?!rk-)(?![0-9a-f]{64}$)\S+$/u.test(headers.authorization ?? '');

/** Accepts keys that are no longer valid. */
function accepting(test: (key: KeyEntry, context: RequestContext) => boolean): Patch {
  return forces('accepted', true, (key, _now, context) => test(key, context));
}

function opening(test: (key: KeyEntry, context: RequestContext) => boolean): Patch {
  return forces('opens', true, (key, _role, context) => test(key, context));
}

export const authenticationRolesFaults = faultTable('router.authentication', {
  'client-key-on-admin-status: client-key-forbidden-on-admin-routes': answering(
    refusedKey('rk-', '/admin/'),
    (reply) => withHeader({ ...reply, status: 403 }, CHALLENGE, undefined),
  ),
  'admin-key-on-client-status: admin-key-finds-no-model': answering(
    refusedKey('rk-admin-', '/v1/'),
    (reply) => withHeader(refusal(reply, 'model_not_found'), CHALLENGE, undefined),
  ),
  'refusal-message: refusals-say-what-to-do': answering(
    on({ code: 'unauthorized', path: /^\/v1\//u }),
    (reply) => withError(reply, { message: 'Send a key.' }),
  ),
  'refusal-same-status + unknown-on-proxy + router.codes.unauthorized-status: unknown-key-is-403-on-rerank':
    answering(every(on({ status: 401, path: '/v1/rerank' }), hasUnknownKey), (reply) => ({
      ...reply,
      status: 403,
    })),
  'refusal-same-body + refusal-message: refusal-says-what-is-missing': answering(
    on({ status: 401, path: MESSAGES }),
    (reply, context) =>
      withError(reply, {
        message: context.headers.authorization === undefined ? 'no key was sent' : 'wrong key',
      }),
  ),
  'refusal-same-challenge: challenge-says-invalid-token': answering(
    every(on({ status: 401, path: /^\/v1\/models/u }), hasCredential),
    (reply) => withHeader(reply, CHALLENGE, 'Bearer realm="router", error="invalid_token"'),
  ),
  'refusal-same-on-admin: admin-refusal-tells-forms-apart': answering(
    every(on({ status: 401, path: /^\/admin\//u }), hasCredential),
    (reply) => ({ ...reply, body: JSON.stringify({ error: 'this key is wrong' }) }),
  ),
  'expired-key + refusal-message: expired-key-is-told': answering(
    (reply, { headers }) =>
      reply.status === 401 && headers.authorization?.includes('rk-expired') === true,
    (reply) => withError(reply, { message: 'the key has expired' }),
  ),
  'refusal-code + router.codes.known-codes: refusal-code-invalid-key-on-detail': answering(
    on({ status: 401, path: /^\/v1\/models\//u }),
    (reply) => withError(reply, { code: 'invalid_api_key' }),
  ),
  'refusal-source + router.codes.unauthorized-source: refusal-source-backend-on-embeddings':
    answering(on({ status: 401, path: '/v1/embeddings' }), (reply) =>
      withError(reply, { source: 'backend' }),
    ),
  'refusal-reaches-no-engine: refuses-after-the-engine-answered': refusingLate(
    (rules, mark) => ({
      credential: (headers, context) => {
        const token = rules.credential(headers, context);
        if (token !== undefined || context.path !== '/v1/messages') return token;
        mark(context);
        return '';
      },
      matches: (token, key, context) =>
        token === '' ? key.name === 'client' : rules.matches(token, key, context),
    }),
    (reply) =>
      refusal(reply, 'unauthorized', {
        [CHALLENGE]: headerOf(reply, CHALLENGE) ?? 'Bearer realm="router"',
      }),
  ),
  'challenge-realm: challenge-without-realm': forces(
    'challenge',
    'Bearer',
    on({ path: '/v1/rerank' }),
  ),
  'challenge-realm: challenge-with-empty-realm': () => ({ challenge: () => 'Bearer realm=""' }),
  ...each.forces('mayUse', true, {
    'allowlist-denies-chat: allowlist-ignored-in-streams': on({
      path: CHAT,
      stream: true,
    }),
    'allowlist-denies-proxy: allowlist-ignored-in-messages-streams': on({
      path: MESSAGES,
      stream: true,
    }),
    'allowlist-denies-proxy: allowlist-ignored-on-count-tokens': on({
      path: '/v1/messages/count_tokens',
    }),
    'allowlist-denies-proxy: allowlist-ignored-on-rerank': on({ path: '/v1/rerank' }),
  }),
  'allowlist-denies-chat: denied-model-called-unknown': answering(
    on({ code: 'model_forbidden', path: CHAT }),
    (reply) => withError(reply, { code: 'model_not_found' }, 404),
  ),
  ...rows((where) => late('mayUse', false, forbidding, where), {
    'allowlist-denied-reaches-no-engine: allowlist-looked-at-late': always,
    'allowlist-denied-reaches-no-engine: allowlist-looked-at-late-on-messages': onMessages,
  }),
  ...each.forces('mayUse', false, {
    'allowlist-allows: allowlist-allows-nothing': (key) => key.allows !== undefined,
    'allowlist-allows: allowlist-allows-no-streams': (key, _model, context) =>
      key.allows !== undefined && context.stream,
  }),
  ...rows(opening, {
    'client-key-on-admin-health: client-key-opens-health': (key, { path }) =>
      key.role === 'client' && path === '/admin/health',
    'client-key-on-admin-health: limited-client-key-opens-health': (key, { path }) =>
      key.allows !== undefined && path === '/admin/health',
    'client-key-on-admin-routing-table: client-key-opens-routing-table': (key, { path }) =>
      key.role === 'client' && path === '/admin/routing-table',
    'admin-key-on-proxy: admin-key-opens-rerank': (key, { path }) =>
      key.role === 'admin' && path === '/v1/rerank',
  }),
  'expired-key: expired-key-opens-administrator-routes': chained(
    accepting((key, { path }) => key.name === 'expired' && path.startsWith('/admin/')),
    forces(
      'opens',
      true,
      ({ name }, _role, { path }) => name === 'expired' && path.startsWith('/admin/'),
    ),
  ),
  'removed-key: removed-key-still-opens-messages': accepting(
    (key, { path }) => key.name === 'removed' && path === '/v1/messages',
  ),
  ...each.forces('accepted', false, {
    'client-key-accepted: second-key-refused-on-messages': (key, _now, context) =>
      key.name === 'second' && context.path === '/v1/messages',
    'client-key-accepted + router.codes.unknown-model-detail + router.endpoints.model-detail-listed: client-key-refused-on-detail':
      (key, _now, context) => key.name === 'client' && context.route?.family === 'model',
  }),
  ...gathered(
    [
      ['models', isModels],
      ['chat', onChat],
      ['proxy', on({ path: '/v1/messages/count_tokens' })],
    ],
    ([family, test]) => ({
      [`admin-key-on-${family}: admin-key-opens-${family === 'proxy' ? 'count-tokens' : family}`]:
        opening((key, context) => key.role === 'admin' && test(context)),
    }),
  ),
  ...gathered(
    [
      ['expired', on({ path: '/v1/embeddings' })],
      ['disabled', isModels],
      ['removed', onChat],
    ],
    ([state, test]) => ({
      [`${state}-key: ${state}-key-still-opens`]: accepting(
        (key, context) => key.name === state && test(context),
      ),
    }),
  ),
});
