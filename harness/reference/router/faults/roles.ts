/** Keys of the wrong role, or no longer good, that open a door; and good ones that do not. */

import type { Fault } from '../../fault.ts';
import type { KeyEntry, RequestContext } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import { faultTable, unless } from './answering.ts';

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
  ...faultTable({
    'router.authentication.client-key-on-admin-health': {
      'client-key-opens-health': opening(
        (key, { path }) => key.role === 'client' && path === '/admin/health',
      ),
      'limited-client-key-opens-health': opening(
        (key, { path }) => key.allows !== undefined && path === '/admin/health',
      ),
    },
    'router.authentication.client-key-on-admin-routing-table': {
      'client-key-opens-routing-table': opening(
        (key, { path }) => key.role === 'client' && path === '/admin/routing-table',
      ),
    },
    'router.authentication.removed-key': {
      'removed-key-still-opens-messages': accepting(
        (key, { path }) => key.name === 'removed' && path === '/v1/messages',
      ),
    },
    'router.authentication.client-key-accepted': {
      'second-key-refused-on-messages': unless(
        'accepted',
        (key, _now, context) => key.name === 'second' && context.path === '/v1/messages',
        false,
      ),
      'client-key-refused-on-detail': {
        besides: ['router.codes.unknown-model-detail', 'router.endpoints.model-detail-listed'],
        patch: unless(
          'accepted',
          (key, _now, context) => key.name === 'client' && context.route?.family === 'model',
          false,
        ),
      },
    },
  }),
  ...(
    [
      ['models', isModels],
      ['chat', isChat],
      ['proxy', ({ path }: RequestContext) => path === '/v1/messages/count_tokens'],
    ] as const
  ).flatMap(([family, test]) =>
    faultTable({
      [`router.authentication.admin-key-on-${family}`]: {
        [`admin-key-opens-${family === 'proxy' ? 'count-tokens' : family}`]: opening(
          (key, context) => key.role === 'admin' && test(context),
        ),
      },
    }),
  ),
  ...(
    [
      ['expired', ({ path }: RequestContext) => path === '/v1/embeddings'],
      ['disabled', isModels],
      ['removed', isChat],
    ] as const
  ).flatMap(([state, test]) =>
    faultTable({
      [`router.authentication.${state}-key`]: {
        [`${state}-key-still-opens`]: accepting(
          (key, context) => key.name === state && test(context),
        ),
      },
    }),
  ),
];
