/** Requests that reach an engine other than they were sent, sessions that end before every step was asked, and refusals in other words. */

import { withHeader } from '../../http.ts';
import { type Dispatch, errorObject, jsonIn, type RequestContext } from '../model.ts';
import {
  amend,
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

const isChat = ({ path }: RequestContext): boolean => path === '/v1/chat/completions';

/** Sends something else than what came. */
function forwarding(
  where: (context: RequestContext) => boolean,
  change: (dispatch: Dispatch) => Partial<Dispatch>,
) {
  return amend('forward', (dispatch, _sent, context) =>
    where(context) ? { ...dispatch, ...change(dispatch) } : dispatch,
  );
}

/** The body with some of its members alone. */
function withMembers(body: Uint8Array, keeps: (name: string) => boolean): Uint8Array {
  const members = Object.entries(jsonIn(Buffer.from(body)) ?? {}).filter(([name]) => keeps(name));
  return Buffer.from(JSON.stringify(Object.fromEntries(members)));
}

const known = new Set(['model', 'messages', 'stream', 'max_tokens', 'max_completion_tokens']);

/** Numbers of members at the top and under `error`. */
const shapeOf = (json: unknown): string =>
  [json, errorObject(json)].map((value) => Object.keys(value ?? {}).length).join();

/** True for the 401 of a key that begins so, on a path that begins so. */
const refusedKey =
  (key: string, path: string): When =>
  (reply, context) =>
    reply.status === 401 &&
    context.path.startsWith(path) &&
    context.headers.authorization?.startsWith(`Bearer ${key}`) === true;

export const forwardingFaults = faultTable({
  'router.endpoints.forwarded-fields': {
    'chat-completions-forwarded-without-tools-and-sampling': forwarding(isChat, ({ body }) => ({
      body: withMembers(body, (name) => known.has(name)),
    })),
    'chat-completions-forwarded-without-max-tokens': forwarding(isChat, ({ body }) => ({
      body: withMembers(body, (name) => name !== 'max_tokens'),
    })),
  },
  'router.endpoints.forwarded-path': {
    'count-tokens-sent-to-messages': forwarding(
      ({ path }) => path === '/v1/messages/count_tokens',
      () => ({ path: '/v1/messages' }),
    ),
  },
  'router.transparent-proxy.request-untouched': {
    'proxied-requests-written-anew': forwarding(
      (context) => !isChat(context),
      ({ body }) => ({ body: withMembers(body, () => true) }),
    ),
  },
  'router.transparent-proxy.envelope-with-more-kept': {
    'envelopes-known-by-their-members': {
      says: 'Takes an error for its envelope only where it has no further members.',
      patch: unless('envelopeIn', (json) => shapeOf(json) !== '1,3', undefined),
    },
  },
  'router.retry-behaviour.more-agents-than-tries': {
    'max-tries-ignored': (rules) => ({ ...rules, mayTry: () => true }),
  },
  'router.retry-behaviour.full-step-advances': {
    'full-step-ends-the-chain': unless('advances', (_index, { full }) => full, false),
  },
  'router.retry-behaviour.failed-step-advances': {
    'failed-step-ends-the-chain': {
      says: 'Goes on to the next step for want of agents alone, and not after they failed.',
      patch: unless('advances', (_index, { failures }) => failures.length > 0, false),
    },
  },
  'router.retry-behaviour.redial-is-free': {
    'redial-costs-the-only-try': {
      says: 'Counts a lost connection as a try where a step has just one.',
      patch: unless('redials', ({ model }) => model === 'scripted-bounded', 0),
    },
  },
  'router.response-headers.retry-after-value': {
    'retry-after-is-thirty': answering(withCode('concurrency_limit_exceeded'), (reply) =>
      withHeader(reply, 'Retry-After', '30'),
    ),
    'serverless-retry-after-is-zero': {
      exercisedBy: ['router.admission.serverless-share-back'],
      patch: unless('retryAfter', ({ detail }) => detail.quota === 'serverless', '0'),
    },
  },
  'router.authentication.client-key-on-admin-status': {
    'client-key-forbidden-on-admin-routes': answering(refusedKey('rk-', '/admin/'), (reply) =>
      withHeader({ ...reply, status: 403 }, 'WWW-Authenticate', undefined),
    ),
  },
  'router.authentication.admin-key-on-client-status': {
    'admin-key-finds-no-model': answering(refusedKey('rk-admin-', '/v1/'), (reply) =>
      withHeader(refusal(reply, 404, 'model_not_found'), 'WWW-Authenticate', undefined),
    ),
  },
  'router.authentication.refusal-message': {
    'refusals-say-what-to-do': answering(
      every(withCode('unauthorized'), onPath(/^\/v1\//u)),
      (reply) => withError(reply, { message: 'Send a key.' }),
    ),
  },
  'router.codes.backend_error-forwarded-status': {
    'forwarded-failures-are-500': {
      exercisedBy: ['router.backend-classification.status-other'],
      patch: answering(
        every(withCode('backend_error'), (reply) => errorIn(reply)['source'] === 'backend'),
        (reply) => ({ ...reply, status: 500 }),
      ),
    },
  },
});
