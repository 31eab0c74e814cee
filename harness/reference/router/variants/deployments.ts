/** Variants in how a router is deployed: other limits, other fleets. */

import type { KeyEntry, ModelEntry } from '../model.ts';
import { BEFORE_MIDNIGHT_MS, clockBeforeMidnight } from '../start.ts';
import type { RouterVariant } from './variant.ts';

/** The usual deployment, but for one model. */
function withModel(
  id: string,
  change: (usual: ModelEntry) => ModelEntry,
): RouterVariant['options'] {
  return () => ({
    configure: (usual) => ({
      ...usual,
      models: usual.models.map((model) => (model.id === id ? change(model) : model)),
    }),
  });
}

/** The same limits in an entry for each model, where a key has any that a run can meet; 0 is none. */
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
    name: 'day-ends',
    summary: 'Has a clock by which the UTC day ends while the suite runs.',
    options: () => ({ now: clockBeforeMidnight(BEFORE_MIDNIGHT_MS) }),
    // Who counts remaining tokens keeps quiet near midnight.
    alone: true,
  },
  {
    name: 'quotas-per-model',
    summary: 'Has the quotas of its limited keys in an entry for each model.',
    options: () => ({
      configure: (usual) => ({
        ...usual,
        keys: usual.keys.map((entry) => withQuotasPerModel(entry, usual.models)),
      }),
    }),
  },
  {
    name: 'no-body-limit',
    summary:
      'Has no limit on bodies and no time to park, and gives back what a request held a moment after its answer.',
    options: () => ({
      limits: { maxRequestBytes: 0, parkTimeoutMs: 0 },
      choices: { givesBackAfterMs: 40 },
    }),
  },
  {
    name: 'small-router',
    summary: 'Has few processors, a short queue and a short park time.',
    options: () => ({ limits: { maxConcurrent: 12, queueSize: 2, parkTimeoutMs: 120 } }),
  },
  {
    name: 'tiny-router',
    summary: 'Works on four requests at once.',
    options: () => ({ limits: { maxConcurrent: 4, queueSize: 4 } }),
  },
  {
    name: 'small-input-rate',
    summary: 'Lets no more input through in a minute than the occupancy share of a key.',
    options: withModel('scripted-serverless', (model) => ({
      ...model,
      serverless: { inputTokensPerMinute: 1000, outputTokensPerMinute: 1000, occupancyShare: 1000 },
    })),
  },
  {
    name: 'one-try',
    summary: 'Tries once in each step.',
    options: () => ({
      configure: (usual) => ({
        ...usual,
        models: usual.models.map((model) => ({
          ...model,
          steps: model.steps.map((step) => ({ ...step, maxTries: 1 })),
        })),
      }),
    }),
  },
  {
    name: 'parks-past-the-deadline',
    summary: 'Lets requests park for longer than they have time.',
    options: () => ({ limits: { parkTimeoutMs: 5_000, requestTimeoutMs: 3_000 } }),
  },
  {
    name: 'plain-model-is-capped',
    summary:
      'Has a cap on the input of its plain model, which a request far over a budget is over.',
    options: withModel('scripted-chat', (model) => ({ ...model, maxInputTokens: 4_000 })),
  },
  {
    name: 'provider-alone',
    summary: 'Has no agent for the model that an external provider serves.',
    options: withModel('scripted-provider', (model) => ({
      ...model,
      steps: model.steps.map((step) => ({ ...step, agents: [] })),
    })),
  },
  {
    name: 'slots-waited-for',
    summary: 'Lets requests wait for a slot of a full agent.',
    options: () => ({
      configure: (usual) => ({
        ...usual,
        models: usual.models.map((model) =>
          model.id === 'scripted-slot' ? { ...model, capacityQueue: 8 } : model,
        ),
      }),
    }),
  },
  {
    name: 'agents-rest-for-a-second',
    summary: 'Leaves an agent that failed out for a second.',
    alone: true,
    options: () => ({ choices: { agentsRestMs: 1_000 } }),
  },
  {
    name: 'agents-waited-for',
    summary:
      'Lets requests wait for agents that are left out, and has agents that give a silent engine up before the deadline.',
    alone: true,
    options: () => ({
      choices: { agentsRestMs: 40, waitsForAgents: true, agentPatienceMs: 4_000 },
    }),
  },
  {
    name: 'fewer-slots-than-processors',
    summary: 'Has agents with few slots, for which no request may wait.',
    options: () => ({
      configure: (usual) => ({
        ...usual,
        agents: usual.agents.map((agent) =>
          agent.capacity > 8 ? { ...agent, capacity: 8 } : agent,
        ),
        models: usual.models.map((model) => ({ ...model, capacityQueue: 0 })),
      }),
    }),
  },
  {
    name: 'few-slots',
    summary: 'Has agents with few slots, for which many requests may wait.',
    options: () => ({
      configure: (usual) => ({
        ...usual,
        agents: usual.agents.map((agent) =>
          agent.capacity > 8 ? { ...agent, capacity: 8 } : agent,
        ),
        models: usual.models.map((model) =>
          model.capacityQueue > 0 ? { ...model, capacityQueue: 256 } : model,
        ),
      }),
    }),
  },
];
