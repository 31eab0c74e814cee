/** Failures of an external provider that come out as something else in one case alone. */

import { type RequestContext, RouterFailure } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import { unless, faultTable } from './answering.ts';

const ID = 'router.retry-behaviour';

/** Gives a provider's failure another code where `code` names one. */
function failing(code: (text: string, context: RequestContext) => string | undefined) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    providerFailure: (text, context) => {
      const other = code(text, context);
      return other === undefined
        ? rules.providerFailure(text, context)
        : new RouterFailure(other, text);
    },
  });
}

export const providerFaults = [
  ...faultTable({
    'router.retry-behaviour.provider-fallback': {
      'provider-not-asked-for-streams': unless(
        'asksProvider',
        (_journey, context) => context.stream,
        false,
      ),
    },
    'router.retry-behaviour.provider-fallback-on-proxy': {
      'provider-not-asked-on-messages': unless(
        'asksProvider',
        (_journey, context) => context.path === '/v1/messages',
        false,
      ),
    },
    'router.retry-behaviour.provider-asked-once': {
      'provider-asked-twice': {
        says: 'Asks a provider that failed a second time.',
        patch: () => ({ providerTries: () => 2 }),
      },
    },
    'router.retry-behaviour.provider-failure': {
      'provider-401-is-unauthorized': {
        besides: ['router.authentication.refusal-message'],
        patch: failing((text) => (text.startsWith('it answered 401') ? 'unauthorized' : undefined)),
      },
      'provider-404-is-model-not-found': failing((text) =>
        text.startsWith('it answered 404') ? 'model_not_found' : undefined,
      ),
      'provider-type-is-classified': failing(
        (text) => /"type":"(context_length_exceeded)"/u.exec(text)?.[1],
      ),
      'provider-wording-is-classified': failing((text) =>
        text.startsWith('it answered 422') && /context/u.test(text)
          ? 'context_length_exceeded'
          : undefined,
      ),
      'lost-provider-is-unavailable': failing((text) =>
        text.startsWith('it answered') ? undefined : 'backend_unavailable',
      ),
      'provider-failure-is-no-agents-for-streams': failing((_text, { stream }) =>
        stream ? 'no_agents_available' : undefined,
      ),
      'provider-failure-is-unavailable-on-messages': failing((_text, { path }) =>
        path === '/v1/messages' ? 'backend_unavailable' : undefined,
      ),
    },
  }),
  ...([false, true] as const).flatMap((streamed) =>
    faultTable({
      [`${ID}.provider-fallback`]: {
        [`provider-not-asked-after-lost-engine${streamed ? '-for-streams' : ''}`]: unless(
          'asksProvider',
          (journey, context) =>
            journey.failures.at(-1)?.message === 'the engine is unavailable' &&
            (!streamed || context.stream),
          false,
        ),
      },
    }),
  ),
];
