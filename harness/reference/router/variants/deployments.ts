/**
 * Variants in the configuration of a router: its limits, keys, models and agents. And the default deployment with shorter
 * target files: the suite does not exercise what they leave out, and raises no alarm.
 */

import { type Deployment, type KeyEntry, type ModelEntry, RouterFailure } from '../model.ts';
import { BEFORE_MIDNIGHT_MS, clockBeforeMidnight } from '../start.ts';
import {
  amend,
  chained,
  forces,
  refusing,
  replace,
  type RouterVariant,
  starting,
  withModel,
  withModels,
} from './variant.ts';
import { describedInPart } from '../../variant.ts';

/** The default deployment with few slots for every agent. */
function withFewSlots(change: (usual: ModelEntry) => ModelEntry): RouterVariant['options'] {
  return () => ({
    configure: (usual) => ({
      ...withModels(change)(usual),
      agents: usual.agents.map((agent) => (agent.capacity > 8 ? { ...agent, capacity: 8 } : agent)),
    }),
  });
}

/** Moves the limits of a limited key into an entry for each model. 0 is unlimited. */
function withQuotasPerModel(entry: KeyEntry, models: readonly ModelEntry[]): KeyEntry {
  const { requestsPerMinute, tokensPerDay, ...others } = entry;
  if (!/^(?:requestsPerMinute|tokensPerDay)/u.test(entry.name)) return entry;
  const quota = {
    requestsPerMinutePerReplica: requestsPerMinute ?? 0,
    tokensPerDay: tokensPerDay ?? 0,
  };
  return { ...others, perModel: Object.fromEntries(models.map(({ id }) => [id, quota])) };
}

export const deploymentVariants: readonly RouterVariant[] = [
  {
    name: 'small-router-untold',
    summary:
      'Has few processors, a short queue and a low limit on bodies, and a target file that does not say so.',
    options: () => ({ limits: { maxConcurrent: 3, queueSize: 2, maxRequestBytes: 20_000 } }),
    omits: ['limits.maxConcurrent', 'limits.queueSize', 'limits.maxRequestBytes'],
    solo: true,
  },
  ...starting(
    {
      // Near midnight, checks of remaining tokens cannot assign a response to a day and observe nothing.
      'day-ends: Has a clock by which the UTC day ends while the suite runs.': () => ({
        now: clockBeforeMidnight(BEFORE_MIDNIGHT_MS),
      }),
    },
    { solo: true },
  ),
  ...starting({
    'quotas-per-model: Has the quotas of its limited keys in an entry for each model.': () => ({
      configure: (usual) => ({
        ...usual,
        keys: usual.keys.map((entry) => withQuotasPerModel(entry, usual.models)),
      }),
    }),
    'no-body-limit: Has no limit on bodies and no time to park, and gives back what a request held a moment after its answer.':
      () => ({
        limits: { maxRequestBytes: 0, parkTimeoutMs: 0 },
        choices: { givesBackAfterMs: 40 },
      }),
    'small-bodies: Takes bodies of a kilobyte at most.': () => ({
      limits: { maxRequestBytes: 1_024 },
    }),
    'small-router: Has few processors, a short queue and a short park time.': () => ({
      limits: { maxConcurrent: 12, queueSize: 2, parkTimeoutMs: 120 },
    }),
    'tiny-router: Works on four requests at once.': () => ({
      limits: { maxConcurrent: 4, queueSize: 4 },
    }),
    'small-input-rate: Lets no more input through in a minute than the occupancy share of a key.':
      () => ({
        configure: withModel('scripted-serverless', (model) => ({
          ...model,
          serverless: {
            inputTokensPerMinute: 1000,
            outputTokensPerMinute: 1000,
            occupancyShare: 1000,
          },
        })),
      }),
    'one-try: Tries once in each step.': () => ({
      configure: withModels((model) => ({
        ...model,
        steps: model.steps.map((step) => ({ ...step, maxTries: 1 })),
      })),
    }),
    'parks-past-the-deadline: Lets requests park for longer than they have time.': () => ({
      limits: { parkTimeoutMs: 5_000, requestTimeoutMs: 3_000 },
    }),
    'plain-model-is-capped: Has a cap on the input of its plain model, which a request far over a budget is over.':
      () => ({
        configure: withModel('scripted-chat', (model) => ({ ...model, maxInputTokens: 4_000 })),
      }),
    'provider-alone: Has no agent for the model that an external provider serves.': () => ({
      configure: withModel('scripted-provider', (model) => ({
        ...model,
        steps: model.steps.map((step) => ({ ...step, agents: [] })),
      })),
    }),
    'slots-waited-for: Lets requests wait for a slot of a full agent.': () => ({
      configure: withModel('scripted-slot', (model) => ({ ...model, capacityQueue: 8 })),
    }),
  }),
  ...starting(
    {
      'agents-rest-for-a-second: Leaves an agent that failed out for a second.': () => ({
        choices: { agentsRestMs: 1_000 },
      }),
      'agents-waited-for: Lets requests wait for agents that are left out, and has agents that give a silent engine up before the deadline.':
        () => ({ choices: { agentsRestMs: 40, waitsForAgents: true, agentPatienceMs: 4_000 } }),
      'first-agent-back-is-waited-for: The same, where agents rest for 300 ms.': () => ({
        choices: { agentsRestMs: 300, waitsForAgents: true },
      }),
    },
    { solo: true },
  ),
  ...starting({
    'fewer-slots-than-processors: Has agents with few slots, for which no request may wait.':
      withFewSlots((model) => ({ ...model, capacityQueue: 0 })),
    'few-slots: Has agents with few slots, for which many requests may wait.': withFewSlots(
      (model) => (model.capacityQueue > 0 ? { ...model, capacityQueue: 256 } : model),
    ),
  }),
];

export const targetFileVariants: readonly RouterVariant[] = describedInPart({
  'target-of-one-client: Has a target file with a client key, two models and the scripted backend.':
    [
      ...['second', 'unlimited', 'admin', 'expired', 'disabled', 'removed', 'allowlisted'].map(
        (name) => `keys.${name}`,
      ),
      'keys.requestsPerMinute',
      'keys.tokensPerDay',
      'keys.perModel',
      'keys.serverless',
      ...['embedding', 'reranker', 'fallback', 'bounded', 'overflow', 'provider', 'hidden']
        .concat('capped', 'maxInflight', 'occupancy', 'singleSlot', 'shed', 'calm', 'deadBackend')
        .map((name) => `models.${name}`),
      'limits',
      'consent',
      'hooks',
    ],
  'target-without-engines: Has a target file that names no scripted backend.': ['backend', 'hooks'],
  'target-without-limits: Has a target file that tells no limit.': ['limits', 'keys.second'],
  'target-without-quotas: Has a target file without keys that are limited.': [
    'keys.requestsPerMinute',
    'keys.tokensPerDay',
    'keys.perModel',
    'keys.serverless',
    'models.noAgents',
  ],
  'target-without-other-keys: Has a target file without keys that are refused somewhere.': [
    'keys.admin',
    'keys.expired',
    'keys.disabled',
    'keys.removed',
    'keys.allowlisted',
    'models.hidden',
    'keys.unlimited',
  ],
  'target-without-steps: Has a target file without models that have several agents or steps.': [
    'models.pair',
    'models.fallback',
    'models.bounded',
    'models.overflow',
    'models.provider',
    'limits.maxTries',
  ],
  'target-without-full-models: Has a target file without models that can be filled.': [
    'models.capped',
    'models.maxInflight',
    'models.occupancy',
    'models.singleSlot',
    'models.shed',
    'models.calm',
    'keys.serverless.occupancyShare',
  ],
  'target-without-plain-models: Has a target file without plain models.': [
    'models.chat',
    'models.embedding',
    'models.reranker',
    'keys.requestsPerMinute.tokens',
    'keys.perModel.declared',
  ],
  'target-without-consent: Has a target file that permits nothing costly.': [
    'consent',
    'limits.requestTimeoutMs',
    'limits.queueSize',
    'models.agentGone',
    'models.deadBackend',
  ],
});

const NAMED: ReadonlySet<string> = new Set(['scripted-chat', 'scripted-hidden']);
const withOwner = (id: string): string => (NAMED.has(id) ? `plumbline/${id}` : id);

/** Checks whether the key declares a quota for the model before it checks the permission. */
const declarationFirst = refusing(['declaration']);

/** Request members that need more than plain text generation. */
const CAPABILITIES = ['tools', 'reasoning_effort', 'response_format'];

const quota = { requestsPerMinutePerReplica: 0, tokensPerDay: 0 };
const everyModel = ({ models }: Deployment) =>
  Object.fromEntries(models.map(({ id }) => [id, quota]));

/** The default deployment with some keys changed, by name. */
function withKeys(
  usual: Deployment,
  changed: Readonly<Record<string, Partial<KeyEntry>>>,
): Deployment {
  return { ...usual, keys: usual.keys.map((entry) => ({ ...entry, ...changed[entry.name] })) };
}

const isUnreachable = ({ id }: ModelEntry): boolean =>
  id === 'scripted-gone' || id === 'scripted-dead';

export const fixtureVariants: readonly RouterVariant[] = [
  ...starting({
    'allowlists-everywhere: Has an allowlist of all models on a client key, and quotas per model on the key with an allowlist.':
      () => ({
        choices: { refusalOrder: declarationFirst },
        configure: (usual) =>
          withKeys(usual, {
            second: { allows: usual.models.map(({ id }) => id) },
            allowlisted: { perModel: { 'scripted-chat': quota } },
          }),
      }),
    'shedding-model-without-agents: Has no eligible agent for the model that is over its shedding threshold.':
      () => ({
        configure: withModel('scripted-shed', (usual) => {
          const { shedIfPressure: _, ...others } = usual;
          return { ...others, steps: [{ agents: ['draining'], maxTries: 1 }] };
        }),
      }),
  }),
  ...starting(
    {
      // No case that asks for an unregistered model can observe anything here.
      'client-key-declares-its-models: Has a client key with quotas for each model, and so says of any other that none is declared.':
        () => ({
          choices: { refusalOrder: declarationFirst },
          configure: (usual) => withKeys(usual, { client: { perModel: everyModel(usual) } }),
        }),
    },
    { solo: true },
  ),
  ...starting({
    'model-ids-with-a-slash: Has models whose ids have a slash, behind a server that reads an encoded one as a part of the path.':
      () => ({
        configure: (usual) => ({
          ...usual,
          keys: usual.keys.map((entry) => ({
            ...entry,
            ...(entry.allows && { allows: entry.allows.map(withOwner) }),
            ...(entry.perModel && {
              perModel: Object.fromEntries(
                Object.entries(entry.perModel).map(([id, of]) => [withOwner(id), of]),
              ),
            }),
          })),
          models: usual.models.map((model) => ({ ...model, id: withOwner(model.id) })),
        }),
        patch: forces('routeAt', undefined, (path) => /%2f/iu.test(path)),
      }),
    'plain-engine-without-capabilities: Has engines that take neither tools nor reasoning effort nor formats, and says so; models whose agent or engine is lost are registered no more.':
      () => ({
        patch: chained(
          amend('parse', (body, _bytes, { path }) => {
            if (path === '/v1/chat/completions' && CAPABILITIES.some((name) => name in body))
              throw new RouterFailure('request_invalid', 'the engine has no such capability');
            return body;
          }),
          replace('findModel', (findModel, models, ...more) =>
            findModel(
              models.filter((model) => !isUnreachable(model)),
              ...more,
            ),
          ),
          forces('sees', false, (_key, model) => isUnreachable(model)),
        ),
      }),
  }),
];
