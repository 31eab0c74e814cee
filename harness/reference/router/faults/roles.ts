/** Keys of the wrong role, or no longer good, that open a door; and good ones that do not. */

import { type Fault } from '../../fault.ts';
import type { RequestContext } from '../context.ts';
import type { KeyEntry } from '../deployment.ts';
import type { RouterRules } from '../rules/rules.ts';

type RequestTest = (context: RequestContext) => boolean;

const isModels: RequestTest = ({ path }) => path.startsWith('/v1/models');
const isChat: RequestTest = ({ path }) => path === '/v1/chat/completions';

/** Accepts keys that are no longer good. */
function accepting(test: (key: KeyEntry, context: RequestContext) => boolean) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    accepted: (key, now, context) => test(key, context) || rules.accepted(key, now, context),
  });
}

function opening(test: (key: KeyEntry, context: RequestContext) => boolean) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    opens: (key, role, context) => test(key, context) || rules.opens(key, role, context),
  });
}

export const roleFaults: readonly Fault<RouterRules>[] = [
  {
    name: 'client-key-opens-health',
    summary: 'Shows fleet health to a client key.',
    breaks: ['router.authentication.client-key-on-admin-health'],
    patch: opening((key, { path }) => key.role === 'client' && path === '/admin/health'),
  },
  {
    name: 'client-key-opens-routing-table',
    summary: 'Shows the routing table to a client key.',
    breaks: ['router.authentication.client-key-on-admin-routing-table'],
    patch: opening((key, { path }) => key.role === 'client' && path === '/admin/routing-table'),
  },
  {
    name: 'limited-client-key-opens-health',
    summary: 'Takes a client key with an allowlist for one of staff where fleet health is shown.',
    breaks: ['router.authentication.client-key-on-admin-health'],
    patch: opening((key, { path }) => key.allows !== undefined && path === '/admin/health'),
  },
  ...(
    [
      ['models', isModels],
      ['chat', isChat],
      ['proxy', ({ path }: RequestContext) => path === '/v1/messages/count_tokens'],
    ] as const
  ).map(([family, test]): Fault<RouterRules> => ({
    name: `admin-key-opens-${family === 'proxy' ? 'count-tokens' : family}`,
    summary: `Lets an administrator key use ${family} routes.`,
    breaks: [`router.authentication.admin-key-on-${family}`],
    patch: opening((key, context) => key.role === 'admin' && test(context)),
  })),
  ...(
    [
      ['expired', ({ path }: RequestContext) => path === '/v1/embeddings'],
      ['disabled', isModels],
      ['removed', isChat],
    ] as const
  ).map(([state, test]): Fault<RouterRules> => ({
    name: `${state}-key-still-opens`,
    summary: `Accepts a key that is ${state}, on some routes.`,
    breaks: [`router.authentication.${state}-key`],
    patch: accepting((key, context) => key.name === state && test(context)),
  })),
  {
    name: 'removed-key-still-opens-messages',
    summary: 'Accepts a key that was removed, on the messages route alone.',
    breaks: ['router.authentication.removed-key'],
    patch: accepting((key, { path }) => key.name === 'removed' && path === '/v1/messages'),
  },
  {
    name: 'second-key-refused-on-messages',
    summary: 'Refuses the second of two good client keys on the messages route.',
    breaks: ['router.authentication.client-key-accepted'],
    patch: (rules) => ({
      ...rules,
      accepted: (key, now, context) =>
        !(key.name === 'second' && context.path === '/v1/messages') &&
        rules.accepted(key, now, context),
    }),
  },
  {
    name: 'client-key-refused-on-detail',
    summary: 'Refuses a good client key where the detail of a model is asked for.',
    breaks: [
      'router.authentication.client-key-accepted',
      'router.codes.unknown-model-detail',
      'router.endpoints.model-detail-listed',
    ],
    patch: (rules) => ({
      ...rules,
      accepted: (key, now, context) =>
        rules.accepted(key, now, context) &&
        !(key.name === 'client' && context.route?.family === 'model'),
    }),
  },
];
