/** Variants in the configuration of a router: other limits, other fleets. */

import type { KeyEntry, ModelEntry } from '../model.ts';
import { BEFORE_MIDNIGHT_MS, clockBeforeMidnight } from '../start.ts';
import { type RouterVariant, starting, withModel, withModels } from './variant.ts';

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
    },
    { solo: true },
  ),
  ...starting(
    {
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
