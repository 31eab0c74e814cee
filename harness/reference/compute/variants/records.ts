/** How a deployment may show instances, and when. */

import type { ComputeRules, RequestContext } from '../context.ts';
import type { Instance } from '../model.ts';
import { choosing, type ComputeVariant, variant } from './variant.ts';
import { World } from '../world.ts';

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
  variant(
    'full-disks',
    'Disks are full, in decimal gigabytes where the disk itself counts in binary ones.',
    () => ({ patch: fullDisks }),
  ),
  variant(
    'total-is-booked-hourly',
    'The total cost is booked once an hour, the cost of a run all the time.',
    () => ({ patch: bookedHourly }),
  ),
  variant(
    'gpu-has-a-longer-name-in-answers',
    'Answers to stop and terminate give the GPU model with its maker.',
    () => ({
      patch: (rules) => ({
        ...rules,
        actionRecord: (instance, at, context) => ({
          ...rules.actionRecord(instance, at, context),
          gpu_type: `NVIDIA ${instance.preset.gpu}`,
        }),
      }),
    }),
    { warns: ['compute.instance-record.action-agrees-with-list'] },
  ),
  variant(
    'no-host-for-hours',
    'A start of a stopped instance is refused for want of a host.',
    () => ({
      patch: (rules) => ({
        ...rules,
        beginStart: (_instance, context) => {
          throw context.rules.conflict('There is no host.', context);
        },
      }),
    }),
  ),
  variant(
    'replicas-apart',
    'Each read meets another replica, of which one is 1.5 s behind.',
    () => ({ patch: replicasApart }),
  ),
  variant(
    'instances-reboot',
    'Instances go back to DEPLOYED and to STARTING once before they run for good.',
    () => ({ patch: rebooting }),
    { warns: ['compute.states.early-order-kept'] },
  ),
];

const BEHIND_MS = 400;
const LISTS_BEHIND_MS = 1_500;
/** Milliseconds between two copies, at least. */
const APART_MS = 50;
/** Milliseconds without a request in which a copy gets too old. */
const PAUSE_MS = 500;
/** Copies are kept for the reader that is furthest behind. */
const FURTHEST_MS = 1_500;

interface Copy {
  readonly at: number;
  readonly world: World;
}

/** Lists and single records are those of the newest copy that is old enough, or else of the first one. */
export function laggingReads(rules: ComputeRules): ComputeRules {
  return lagging(rules, ['list-instances', 'get-instance'], () => BEHIND_MS);
}

const REPLICAS_BEHIND_MS = [0, 1_500] as const;

/** Each read meets another replica: one is not behind, the other is by more than a second, so that a later read may show less. */
function replicasApart(rules: ComputeRules): ComputeRules {
  return lagging(
    rules,
    ['list-instances', 'get-instance'],
    ({ sequence }) => REPLICAS_BEHIND_MS[sequence % 2] ?? 0,
  );
}

/** The same of lists alone, and for longer. */
export function laggingLists(rules: ComputeRules): ComputeRules {
  return lagging(rules, ['list-instances'], () => LISTS_BEHIND_MS);
}

function lagging(
  rules: ComputeRules,
  operations: readonly ('list-instances' | 'get-instance')[],
  behindMs: (context: RequestContext) => number,
): ComputeRules {
  let copies: readonly Copy[] = [];
  const copied = (context: RequestContext): RequestContext => {
    const behind = behindMs(context);
    const copy = copies.findLast(({ at }) => at <= context.now - behind) ?? copies[0];
    // After a pause without requests the last copy is too old for a reader that goes on copying.
    const isStale = copy === undefined || copy.at < context.now - behind - PAUSE_MS;
    return isStale ? context : { ...context, world: copy.world, now: copy.at };
  };
  return {
    ...rules,
    onRequest: (context) => {
      const { now, world } = context;
      if (now - (copies.at(-1)?.at ?? 0) >= APART_MS) {
        const current = copies.findLastIndex(({ at }) => at <= now - FURTHEST_MS);
        copies = [...copies.slice(Math.max(0, current)), { at: now, world: copyOf(world) }];
      }
      return rules.onRequest(context);
    },
    operate: {
      ...rules.operate,
      ...Object.fromEntries(
        operations.map((operation) => [
          operation,
          (context: RequestContext) => rules.operate[operation](copied(context)),
        ]),
      ),
    },
  };
}

function copyOf({ presets, keys, accounts }: World): World {
  return new World(
    presets,
    keys,
    accounts.map((account) => ({
      ...account,
      instances: account.instances.map((instance) => ({ ...instance })),
    })),
  );
}
