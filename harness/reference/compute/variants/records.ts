/** Variants in what records say and how instances live. */

import type { ComputeRules, RequestContext } from '../context.ts';
import type { Instance } from '../model.ts';
import { replicasApart } from './lagging-reads.ts';
import { type ComputeVariant, choosing } from './variant.ts';

const HOUR_MS = 3_600_000;
const GIBI = 1.073_741_824;

/** Disks are full, and what is in use counts in decimal gigabytes where the disk counts in binary ones. */
function fullDisks(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    listRecord: (instance, at, context, query) => ({
      ...rules.listRecord(instance, at, context, query),
      storage_used_gb: Math.round(instance.preset.storageGb * GIBI * 10) / 10,
    }),
  };
}

/** The total is booked once an hour; the cost of the run that is under way is counted all the time. */
function bookedHourly(rules: ComputeRules): ComputeRules {
  const booked = (instance: Instance, at: number, context: RequestContext): number => {
    const runMs = rules.currentRunMs(instance, at, context);
    const unbooked = ((runMs % HOUR_MS) / HOUR_MS) * instance.preset.hourlyPrice;
    return Math.max(0, Math.round((rules.totalCost(instance, at, context) - unbooked) * 1e4) / 1e4);
  };
  return { ...rules, totalCost: booked };
}

/** A reboot takes an instance of ours from RUNNING to STARTING, and a boot that failed from STARTING to DEPLOYED. */
function rebooting(rules: ComputeRules): ComputeRules {
  const rebooted = new Set<string>();
  const rescheduled = new Set<string>();
  return {
    ...rules,
    successor: (instance, deployment) => {
      const { id, state, origin } = instance;
      const isOnce = (done: Set<string>): boolean => done.size < done.add(id).size;
      if (origin === 'provision' && state === 'STARTING' && isOnce(rescheduled)) {
        return { state: 'DEPLOYED', delayMs: 400 };
      }
      if (origin === 'provision' && state === 'RUNNING' && isOnce(rebooted)) {
        return { state: 'STARTING', delayMs: 400 };
      }
      return rules.successor(instance, deployment);
    },
  };
}

export const recordVariants: readonly ComputeVariant[] = [
  choosing('headline-after-model', 'Headlines name the GPU and then count it.', {
    headline: 'model-first',
  }),
  choosing('headline-is-a-count', 'Headlines are a count and a sign.', { headline: 'count' }),
  {
    name: 'full-disks',
    summary: 'Disks are full, in decimal gigabytes where the disk itself counts in binary ones.',
    options: () => ({ patch: fullDisks }),
  },
  {
    name: 'total-is-booked-hourly',
    summary: 'The total cost is booked once an hour, the cost of a run all the time.',
    options: () => ({ patch: bookedHourly }),
  },
  {
    name: 'gpu-has-a-longer-name-in-answers',
    summary: 'Answers to stop and terminate give the GPU model with its maker.',
    warns: ['compute.instance-record.action-agrees-with-list'],
    options: () => ({
      patch: (rules) => ({
        ...rules,
        actionRecord: (instance, at, context) => ({
          ...rules.actionRecord(instance, at, context),
          gpu_type: `NVIDIA ${instance.preset.gpu}`,
        }),
      }),
    }),
  },
  {
    name: 'no-host-for-hours',
    summary: 'A start of a stopped instance is refused for want of a host.',
    options: () => ({
      patch: (rules) => ({
        ...rules,
        beginStart: (_instance, context) => {
          throw context.rules.conflict('There is no host.', context);
        },
      }),
    }),
  },
  {
    name: 'replicas-apart',
    summary: 'Each read meets another replica, of which one is 1.5 s behind.',
    options: () => ({ patch: replicasApart }),
  },
  {
    name: 'instances-reboot',
    summary: 'Instances go back to DEPLOYED and to STARTING once before they run for good.',
    warns: ['compute.states.early-order-kept'],
    options: () => ({ patch: rebooting }),
  },
];
