/** Failures of an external provider that come out as something else in one case alone. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import type { RouterRules } from '../rules/rules.ts';

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

export const providerFaults = declareFaults<RouterRules>([
  {
    name: 'provider-not-asked-for-streams',
    summary: 'Does not ask the provider for a stream.',
    breaks: [`${ID}.provider-fallback`],
    patch: (rules) => ({
      ...rules,
      asksProvider: (journey, context) => !context.stream && rules.asksProvider(journey, context),
    }),
  },
  {
    name: 'provider-not-asked-on-messages',
    summary: 'Does not ask the provider on the messages route.',
    breaks: [`${ID}.provider-fallback-on-proxy`],
    patch: (rules) => ({
      ...rules,
      asksProvider: (journey, context) =>
        context.path !== '/v1/messages' && rules.asksProvider(journey, context),
    }),
  },
  ...([false, true] as const).map((streamed): Fault<RouterRules> => ({
    name: `provider-not-asked-after-lost-engine${streamed ? '-for-streams' : ''}`,
    summary: `Does not ask the provider${streamed ? ' for a stream' : ''} when the engine of the last agent was lost before it answered.`,
    breaks: [`${ID}.provider-fallback`],
    patch: (rules) => ({
      ...rules,
      asksProvider: (journey, context) =>
        (journey.failures.at(-1)?.message !== 'the engine is unavailable' ||
          (streamed && !context.stream)) &&
        rules.asksProvider(journey, context),
    }),
  })),
  {
    name: 'provider-asked-twice',
    summary: 'Asks a provider that failed a second time.',
    breaks: [`${ID}.provider-asked-once`],
    patch: (rules) => ({ ...rules, providerTries: () => 2 }),
  },
  {
    name: 'provider-401-is-unauthorized',
    summary: 'Says unauthorized of a provider that does not know the key of the router.',
    breaks: [`${ID}.provider-failure`],
    patch: failing((text) => (text.startsWith('it answered 401') ? 'unauthorized' : undefined)),
  },
  {
    name: 'provider-404-is-model-not-found',
    summary: 'Says model_not_found of a provider that answers 404.',
    breaks: [`${ID}.provider-failure`],
    patch: failing((text) => (text.startsWith('it answered 404') ? 'model_not_found' : undefined)),
  },
  {
    name: 'provider-type-is-classified',
    summary: 'Goes by the type in an error of the provider, as agents do.',
    breaks: [`${ID}.provider-failure`],
    patch: failing((text) => /"type":"(context_length_exceeded)"/u.exec(text)?.[1]),
  },
  {
    name: 'provider-wording-is-classified',
    summary: 'Goes by the wording in a 422 of the provider, as agents do.',
    breaks: [`${ID}.provider-failure`],
    patch: failing((text) =>
      text.startsWith('it answered 422') && /context/u.test(text)
        ? 'context_length_exceeded'
        : undefined,
    ),
  },
  {
    name: 'lost-provider-is-unavailable',
    summary: 'Says backend_unavailable when the connection to the provider is lost.',
    breaks: [`${ID}.provider-failure`],
    patch: failing((text) => (text.startsWith('it answered') ? undefined : 'backend_unavailable')),
  },
  {
    name: 'provider-failure-is-no-agents-for-streams',
    summary: 'Says no_agents_available of a provider that failed where a stream was asked for.',
    breaks: [`${ID}.provider-failure`],
    patch: failing((_text, { stream }) => (stream ? 'no_agents_available' : undefined)),
  },
  {
    name: 'provider-failure-is-unavailable-on-messages',
    summary: 'Says backend_unavailable of a provider that fails on the messages route.',
    breaks: [`${ID}.provider-failure`],
    patch: failing((_text, { path }) =>
      path === '/v1/messages' ? 'backend_unavailable' : undefined,
    ),
  },
]);
