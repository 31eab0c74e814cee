/** Refused credentials that are told in the wrong way, and allowlists that do not hold. */

import { declareFaults } from '../../fault.ts';
import { withHeader } from '../../http/reply.ts';
import type { RequestContext } from '../context.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, errorIn, every, onPath, refusal, withCode, withError } from './answering.ts';
import type { When } from './answering.ts';

const isRefusal: When = (reply) => reply.status === 401;
const hasCredential: When = (_reply, { headers }) => headers.authorization !== undefined;
/** A key that nobody has, in the form of one: neither a hash nor several words. */
const hasUnknownKey: When = (_reply, { headers }) =>
  /^Bearer (?!rk-)(?![0-9a-f]{64}$)\S+$/u.test(headers.authorization ?? '');
const CHALLENGE = 'WWW-Authenticate';

/** Lets refused requests of the messages route through to an engine, and refuses them then. */
function refusesLate(rules: RouterRules): RouterRules {
  const late = new WeakSet<RequestContext>();
  return {
    ...rules,
    credential: (headers, context) => {
      const token = rules.credential(headers, context);
      if (token !== undefined || context.path !== '/v1/messages') return token;
      late.add(context);
      return '';
    },
    matches: (token, key, context) =>
      late.has(context) ? key.name === 'client' : rules.matches(token, key, context),
    answer: (reply, context) =>
      late.has(context)
        ? refusal(rules.answer(reply, context), 401, 'unauthorized', {
            [CHALLENGE]: rules.challenge(context) ?? '',
          })
        : rules.answer(reply, context),
  };
}

export const refusalFaults = declareFaults<RouterRules>([
  {
    name: 'unknown-key-is-403-on-rerank',
    summary: 'Answers an unknown key with 403 on the rerank route.',
    breaks: [
      'router.authentication.refusal-same-status',
      'router.authentication.unknown-on-proxy',
      'router.codes.unauthorized-status',
    ],
    patch: answering(every(isRefusal, hasUnknownKey, onPath('/v1/rerank')), (reply) => ({
      ...reply,
      status: 403,
    })),
  },
  {
    name: 'refusal-says-what-is-missing',
    summary: 'Tells a missing credential from a wrong one in the message.',
    breaks: ['router.authentication.refusal-same-body'],
    patch: answering(every(isRefusal, onPath('/v1/messages')), (reply, context) =>
      withError(reply, {
        message: context.headers.authorization === undefined ? 'no key was sent' : 'wrong key',
      }),
    ),
  },
  {
    name: 'challenge-says-invalid-token',
    summary: 'Adds an error to the challenge when a key was sent, and leaves it out otherwise.',
    breaks: ['router.authentication.refusal-same-challenge'],
    patch: answering(every(isRefusal, hasCredential, onPath(/^\/v1\/models/u)), (reply) =>
      withHeader(reply, CHALLENGE, 'Bearer realm="router", error="invalid_token"'),
    ),
  },
  {
    name: 'admin-refusal-tells-forms-apart',
    summary: 'Tells a missing credential from a wrong one on administrator routes.',
    breaks: ['router.authentication.refusal-same-on-admin'],
    patch: answering(every(isRefusal, hasCredential, onPath(/^\/admin\//u)), (reply) => ({
      ...reply,
      body: JSON.stringify({ error: 'this key is wrong' }),
    })),
  },
  {
    name: 'expired-key-is-told',
    summary: 'Says of an expired key that it has expired.',
    breaks: ['router.authentication.expired-key'],
    patch: answering(
      (reply, { headers }) =>
        reply.status === 401 && headers.authorization?.includes('rk-expired') === true,
      (reply) => withError(reply, { message: 'the key has expired' }),
    ),
  },
  {
    name: 'refusal-code-invalid-key-on-detail',
    summary: 'Gives a 401 another code where the detail of a model is asked for.',
    breaks: ['router.authentication.refusal-code', 'router.codes.known-codes'],
    patch: answering(every(isRefusal, onPath(/^\/v1\/models\//u)), (reply) =>
      withError(reply, { code: 'invalid_api_key' }),
    ),
  },
  {
    name: 'refusal-source-backend-on-embeddings',
    summary: 'Blames the engine for a 401 on the embeddings route.',
    breaks: ['router.authentication.refusal-source', 'router.codes.unauthorized-source'],
    patch: answering(every(isRefusal, onPath('/v1/embeddings')), (reply) =>
      withError(reply, { source: 'backend' }),
    ),
  },
  {
    name: 'refuses-after-the-engine-answered',
    summary: 'Asks an engine before it refuses a request without bearer credential.',
    breaks: ['router.authentication.refusal-reaches-no-engine'],
    patch: refusesLate,
  },
  {
    name: 'challenge-without-realm',
    summary: 'Names no realm in the challenge of the rerank route.',
    breaks: ['router.authentication.challenge-realm'],
    patch: (rules) => ({
      ...rules,
      challenge: (context) => (context.path === '/v1/rerank' ? 'Bearer' : rules.challenge(context)),
    }),
  },
  {
    name: 'challenge-with-empty-realm',
    summary: 'Leaves the realm of every challenge empty.',
    breaks: ['router.authentication.challenge-realm'],
    patch: (rules) => ({ ...rules, challenge: () => 'Bearer realm=""' }),
  },
  {
    name: 'allowlist-ignored-in-streams',
    summary: 'Looks at the allowlist of a key only when no stream was asked for.',
    breaks: ['router.authentication.allowlist-denies-chat'],
    patch: (rules) => ({
      ...rules,
      mayUse: (key, model, context) => context.stream || rules.mayUse(key, model, context),
    }),
  },
  {
    name: 'allowlist-ignored-on-count-tokens',
    summary: 'Looks at no allowlist where tokens are counted.',
    breaks: ['router.authentication.allowlist-denies-proxy'],
    patch: (rules) => ({
      ...rules,
      mayUse: (key, model, context) =>
        context.path === '/v1/messages/count_tokens' || rules.mayUse(key, model, context),
    }),
  },
  {
    name: 'denied-model-called-unknown',
    summary: 'Says of a model outside the allowlist that there is none, on the chat route.',
    breaks: ['router.authentication.allowlist-denies-chat'],
    patch: answering(every(withCode('model_forbidden'), onPath('/v1/chat/completions')), (reply) =>
      withError(reply, { code: 'model_not_found' }, 404),
    ),
  },
  {
    name: 'allowlist-looked-at-late',
    summary: 'Asks an engine before it refuses a model outside the allowlist.',
    breaks: ['router.authentication.allowlist-denied-reaches-no-engine'],
    patch: (rules) => {
      const denied = new WeakSet<RequestContext>();
      return {
        ...rules,
        mayUse: (key, model, context) => {
          if (!rules.mayUse(key, model, context)) denied.add(context);
          return true;
        },
        answer: (reply, context) => {
          const plain = rules.answer(reply, context);
          return denied.has(context) && errorIn(plain)['code'] !== 'model_not_found'
            ? refusal(plain, 403, 'model_forbidden')
            : plain;
        },
      };
    },
  },
  {
    name: 'allowlist-allows-nothing',
    summary: 'Refuses the models of an allowlist as well.',
    breaks: ['router.authentication.allowlist-allows'],
    patch: (rules) => ({
      ...rules,
      mayUse: (key, model, context) =>
        key.allows === undefined && rules.mayUse(key, model, context),
    }),
  },
  {
    name: 'allowlist-allows-no-streams',
    summary: 'Refuses streams of a model that the allowlist of a key names.',
    breaks: ['router.authentication.allowlist-allows'],
    patch: (rules) => ({
      ...rules,
      mayUse: (key, model, context) =>
        !(key.allows !== undefined && context.stream) && rules.mayUse(key, model, context),
    }),
  },
]);
