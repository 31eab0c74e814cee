/** Refused credentials that are told in the wrong way, and allowlists that do not hold. */

import { withHeader } from '../../http.ts';
import type { RequestContext } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import {
  answering,
  errorIn,
  every,
  faultTable,
  onPath,
  refusal,
  unless,
  type When,
  withCode,
  withError,
} from './answering.ts';

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

export const refusalFaults = faultTable({
  'router.authentication.refusal-same-status': {
    'unknown-key-is-403-on-rerank': {
      besides: ['router.authentication.unknown-on-proxy', 'router.codes.unauthorized-status'],
      patch: answering(every(isRefusal, hasUnknownKey, onPath('/v1/rerank')), (reply) => ({
        ...reply,
        status: 403,
      })),
    },
  },
  'router.authentication.refusal-same-body': {
    'refusal-says-what-is-missing': {
      besides: ['router.authentication.refusal-message'],
      patch: answering(every(isRefusal, onPath('/v1/messages')), (reply, context) =>
        withError(reply, {
          message: context.headers.authorization === undefined ? 'no key was sent' : 'wrong key',
        }),
      ),
    },
  },
  'router.authentication.refusal-same-challenge': {
    'challenge-says-invalid-token': {
      says: 'Adds an error to the challenge when a key was sent, and leaves it out otherwise.',
      patch: answering(every(isRefusal, hasCredential, onPath(/^\/v1\/models/u)), (reply) =>
        withHeader(reply, CHALLENGE, 'Bearer realm="router", error="invalid_token"'),
      ),
    },
  },
  'router.authentication.refusal-same-on-admin': {
    'admin-refusal-tells-forms-apart': answering(
      every(isRefusal, hasCredential, onPath(/^\/admin\//u)),
      (reply) => ({
        ...reply,
        body: JSON.stringify({ error: 'this key is wrong' }),
      }),
    ),
  },
  'router.authentication.expired-key': {
    'expired-key-is-told': {
      besides: ['router.authentication.refusal-message'],
      patch: answering(
        (reply, { headers }) =>
          reply.status === 401 && headers.authorization?.includes('rk-expired') === true,
        (reply) => withError(reply, { message: 'the key has expired' }),
      ),
    },
  },
  'router.authentication.refusal-code': {
    'refusal-code-invalid-key-on-detail': {
      besides: ['router.codes.known-codes'],
      patch: answering(every(isRefusal, onPath(/^\/v1\/models\//u)), (reply) =>
        withError(reply, { code: 'invalid_api_key' }),
      ),
    },
  },
  'router.authentication.refusal-source': {
    'refusal-source-backend-on-embeddings': {
      besides: ['router.codes.unauthorized-source'],
      patch: answering(every(isRefusal, onPath('/v1/embeddings')), (reply) =>
        withError(reply, { source: 'backend' }),
      ),
    },
  },
  'router.authentication.refusal-reaches-no-engine': {
    'refuses-after-the-engine-answered': refusesLate,
  },
  'router.authentication.challenge-realm': {
    'challenge-without-realm': {
      says: 'Names no realm in the challenge of the rerank route.',
      patch: unless('challenge', (context) => context.path === '/v1/rerank', 'Bearer'),
    },
    'challenge-with-empty-realm': () => ({ challenge: () => 'Bearer realm=""' }),
  },
  'router.authentication.allowlist-denies-chat': {
    'allowlist-ignored-in-streams': unless(
      'mayUse',
      (_key, _model, context) => context.stream,
      true,
    ),
    'denied-model-called-unknown': {
      says: 'Says of a model outside the allowlist that there is none, on the chat route.',
      patch: answering(
        every(withCode('model_forbidden'), onPath('/v1/chat/completions')),
        (reply) => withError(reply, { code: 'model_not_found' }, 404),
      ),
    },
  },
  'router.authentication.allowlist-denies-proxy': {
    'allowlist-ignored-on-count-tokens': unless(
      'mayUse',
      (_key, _model, context) => context.path === '/v1/messages/count_tokens',
      true,
    ),
  },
  'router.authentication.allowlist-denied-reaches-no-engine': {
    'allowlist-looked-at-late': {
      says: 'Asks an engine before it refuses a model outside the allowlist.',
      patch: (rules) => {
        const denied = new WeakSet<RequestContext>();
        return {
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
  },
  'router.authentication.allowlist-allows': {
    'allowlist-allows-nothing': {
      says: 'Refuses the models of an allowlist as well.',
      patch: unless('mayUse', (key) => key.allows !== undefined, false),
    },
    'allowlist-allows-no-streams': unless(
      'mayUse',
      (key, _model, context) => key.allows !== undefined && context.stream,
      false,
    ),
  },
});
