/** Requests that reach an engine other than they were sent, and sessions that end before every step was asked. */

import { declareFaults, type Fault } from '../../fault.ts';
import { withHeader } from '../../http/reply.ts';
import type { Dispatch } from '../dispatch.ts';
import type { RequestContext } from '../context.ts';
import { errorObject, jsonIn } from '../json.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, errorIn, every, onPath, refusal, withCode, withError } from './answering.ts';

const isChat = ({ path }: RequestContext): boolean => path === '/v1/chat/completions';

/** Sends something else than what came. */
function forwarding(
  where: (context: RequestContext) => boolean,
  change: (dispatch: Dispatch) => Partial<Dispatch>,
) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    forward: (dispatch, context) => {
      const plain = rules.forward(dispatch, context);
      return where(context) ? { ...plain, ...change(plain) } : plain;
    },
  });
}

/** The body with some of its members alone. */
function withMembers(body: Uint8Array, keeps: (name: string) => boolean): Uint8Array {
  const json = jsonIn(Buffer.from(body));
  const members = Object.entries(json ?? {}).filter(([name]) => keeps(name));
  return Buffer.from(JSON.stringify(Object.fromEntries(members)));
}

const known = new Set(['model', 'messages', 'stream', 'max_tokens', 'max_completion_tokens']);

const lost = (field: string): Fault<RouterRules> => ({
  name: `${field.replaceAll('_', '-')}-not-forwarded`,
  summary: `Leaves \`${field}\` out of the chat completions that it forwards.`,
  breaks: ['router.endpoints.forwarded-fields'],
  patch: forwarding(isChat, ({ body }) => ({ body: withMembers(body, (name) => name !== field) })),
});

export const forwardingFaults = declareFaults<RouterRules>([
  {
    name: 'forwards-what-it-knows',
    summary: 'Forwards a chat completion with its model, messages and maximum alone.',
    breaks: ['router.endpoints.forwarded-fields'],
    patch: forwarding(isChat, ({ body }) => ({
      body: withMembers(body, (name) => known.has(name)),
    })),
  },
  lost('max_tokens'),
  {
    name: 'count-tokens-sent-to-messages',
    summary: 'Sends what is to be counted to the engine as a message.',
    breaks: ['router.endpoints.forwarded-path'],
    patch: forwarding(
      ({ path }) => path === '/v1/messages/count_tokens',
      () => ({ path: '/v1/messages' }),
    ),
  },
  {
    name: 'proxied-requests-written-anew',
    summary: 'Writes the body of a proxied request anew.',
    breaks: ['router.transparent-proxy.request-untouched'],
    patch: forwarding(
      (context) => !isChat(context),
      ({ body }) => ({ body: withMembers(body, () => true) }),
    ),
  },
  {
    name: 'envelopes-known-by-their-members',
    summary: 'Takes an error for its envelope only where it has no further members.',
    breaks: ['router.transparent-proxy.envelope-with-more-kept'],
    patch: (rules) => ({
      ...rules,
      envelopeIn: (json, context) => {
        const members = [json, errorObject(json)].map((value) => Object.keys(value ?? {}).length);
        return members.join() === '1,3' ? rules.envelopeIn(json, context) : undefined;
      },
    }),
  },
  {
    name: 'max-tries-ignored',
    summary: 'Tries every agent of a step.',
    breaks: ['router.retry-behaviour.more-agents-than-tries'],
    patch: (rules) => ({ ...rules, mayTry: () => true }),
  },
  {
    name: 'full-step-ends-the-chain',
    summary: 'Ends the session at a step whose slots are full.',
    breaks: ['router.retry-behaviour.full-step-advances'],
    patch: (rules) => ({
      ...rules,
      advances: (index, journey, context) =>
        !journey.full && rules.advances(index, journey, context),
    }),
  },
  {
    name: 'failed-step-ends-the-chain',
    summary: 'Goes on to the next step for want of agents alone, and not after they failed.',
    breaks: ['router.retry-behaviour.failed-step-advances'],
    patch: (rules) => ({
      ...rules,
      advances: (index, journey, context) =>
        journey.failures.length === 0 && rules.advances(index, journey, context),
    }),
  },
  {
    name: 'redial-costs-a-try',
    summary: 'Counts a lost connection as a try where a step has just one.',
    breaks: ['router.retry-behaviour.redial-is-free'],
    patch: (rules) => ({
      ...rules,
      redials: (context) => (context.model === 'scripted-bounded' ? 0 : rules.redials(context)),
    }),
  },
  {
    name: 'retry-after-is-thirty',
    summary: 'Asks to wait for half a minute where a model is at its limit.',
    breaks: ['router.response-headers.retry-after-value'],
    patch: answering(withCode('concurrency_limit_exceeded'), (reply) =>
      withHeader(reply, 'Retry-After', '30'),
    ),
  },
  {
    name: 'serverless-retry-after-is-zero',
    summary: 'Asks not to wait where a serverless limit is exceeded.',
    breaks: ['router.response-headers.retry-after-value'],
    exercisedBy: ['router.admission.serverless-share-back'],
    patch: (rules) => ({
      ...rules,
      retryAfter: (failure, context) =>
        failure.detail.quota === 'serverless' ? '0' : rules.retryAfter(failure, context),
    }),
  },
  {
    name: 'client-key-forbidden-on-admin-routes',
    summary: 'Answers 403 to a client key on administrator routes.',
    breaks: ['router.authentication.client-key-on-admin-status'],
    patch: answering(
      (reply, { path, headers }) =>
        reply.status === 401 &&
        path.startsWith('/admin/') &&
        headers.authorization?.startsWith('Bearer rk-') === true,
      (reply) => withHeader({ ...reply, status: 403 }, 'WWW-Authenticate', undefined),
    ),
  },
  {
    name: 'admin-key-finds-no-model',
    summary: 'Answers 404 to an administrator key on client routes.',
    breaks: ['router.authentication.admin-key-on-client-status'],
    patch: answering(
      (reply, { path, headers }) =>
        reply.status === 401 &&
        path.startsWith('/v1/') &&
        headers.authorization?.startsWith('Bearer rk-admin-') === true,
      (reply) => refusal(reply, 404, 'model_not_found'),
    ),
  },
  {
    name: 'refusals-have-another-message',
    summary: 'Says in a 401 what is to be done.',
    breaks: ['router.authentication.refusal-message'],
    patch: answering(every(withCode('unauthorized'), onPath(/^\/v1\//u)), (reply) =>
      withError(reply, { message: 'Send a key.' }),
    ),
  },
  {
    name: 'forwarded-failures-are-500',
    summary: 'Answers 500 for a failure of an engine.',
    breaks: ['router.codes.backend_error-forwarded-status'],
    exercisedBy: ['router.backend-classification.status-other'],
    patch: answering(
      every(withCode('backend_error'), (reply) => errorIn(reply)['source'] === 'backend'),
      (reply) => ({ ...reply, status: 500 }),
    ),
  },
]);
