/** Variants in how a router is deployed: other limits, other fleets. */

import type { RouterVariant } from './variant.ts';

export const deploymentVariants: readonly RouterVariant[] = [
  {
    name: 'no-body-limit',
    summary: 'Has no limit on the size of bodies.',
    options: () => ({ limits: { maxRequestBytes: 0 } }),
  },
  {
    name: 'small-router',
    summary: 'Has few processors, a short queue and a short park time.',
    options: () => ({ limits: { maxConcurrent: 12, queueSize: 2, parkTimeoutMs: 120 } }),
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
