/** Variants in the records of instances, and in how recent they are. */

import { type ComputeRules, operating, type RequestContext } from '../context.ts';
import {
  amend,
  before,
  chained,
  choosing,
  type ComputeVariant,
  deciding,
  inRecords,
  nowAndThen,
  type Patch,
} from './variant.ts';
import type { Instance } from '../model.ts';
import { World } from '../world.ts';

const HOUR_MS = 3_600_000;
const GIBI = 1.073_741_824;

const BEHIND_MS = 400;
const LISTS_BEHIND_MS = 1_500;
/** Minimum milliseconds between two copies. */
const APART_MS = 50;
/** Milliseconds without a request after which a copy is too old. */
const PAUSE_MS = 500;
/** How long copies are kept: as long as the slowest replica lags. */
const FURTHEST_MS = 1_500;

interface Copy {
  readonly at: number;
  readonly world: World;
}

type Read = 'list-instances' | 'get-instance';

/** Lists and single records come from the newest copy that is old enough, or else from the oldest copy. */
export const laggingReads: Patch = (rules) =>
  lagging(rules, ['list-instances', 'get-instance'], () => BEHIND_MS);

const REPLICAS_BEHIND_MS = [0, 1_500] as const;

/** Reads alternate between an up-to-date replica and one that lags by 1.5 s, so a later read may show older state. */
const replicasApart: Patch = (rules) =>
  lagging(
    rules,
    ['list-instances', 'get-instance'],
    ({ sequence }) => REPLICAS_BEHIND_MS[sequence % 2] ?? 0,
  );

const REQUESTS_TO_A_RESIZE = 40;

/** Other users resize stopped instances of the primary account within their regions, each of them once. */
const resizing = nowAndThen(REQUESTS_TO_A_RESIZE, (isDue) => {
  const resized = new Set<Instance>();
  return before('onRequest', ({ world }) => {
    const instance = world
      .accountOf('primary')
      .instances.find(
        (one) => one.origin === 'seed' && one.state === 'STOPPED' && !resized.has(one),
      );
    if (!isDue() || instance === undefined) return;
    resized.add(instance);
    const { region, sku } = instance.preset;
    const preset = world.presets.find((one) => one.region === region && one.sku !== sku);
    Object.assign(instance, { preset: preset ?? instance.preset });
  });
});

/** Only lists lag, and for longer. */
export const laggingLists: Patch = (rules) =>
  lagging(rules, ['list-instances'], () => LISTS_BEHIND_MS);

function lagging(
  rules: ComputeRules,
  operations: readonly Read[],
  behindMs: (context: RequestContext) => number,
): Partial<ComputeRules> {
  let copies: readonly Copy[] = [];
  const copied = (context: RequestContext): RequestContext => {
    const behind = behindMs(context);
    const copy = copies.findLast(({ at }) => at <= context.now - behind) ?? copies[0];
    // After a pause without requests the last copy is older than any real replica would be.
    const isStale = copy === undefined || copy.at < context.now - behind - PAUSE_MS;
    return isStale ? context : { ...context, world: copy.world, now: copy.at };
  };
  return {
    onRequest: (context) => {
      const { now, world } = context;
      if (now - (copies.at(-1)?.at ?? 0) >= APART_MS) {
        const current = copies.findLastIndex(({ at }) => at <= now - FURTHEST_MS);
        copies = [...copies.slice(Math.max(0, current)), { at: now, world: copyOf(world) }];
      }
      return rules.onRequest(context);
    },
    ...operating(operations, (original, context) => original(copied(context)))(rules),
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

export const recordVariants: readonly ComputeVariant[] = [
  ...choosing({
    'headline-after-model: Headlines name the GPU and then count it.': { headline: 'model-first' },
    'headline-is-a-count: Headlines are a count and a sign.': { headline: 'count' },
  }),
  ...deciding({
    'full-disks: Disks are full, in decimal gigabytes where the disk itself counts in binary ones.':
      amend('listRecord', (record, { preset }) => ({
        ...record,
        storage_used_gb: Math.round(preset.storageGb * GIBI * 10) / 10,
      })),
    'bandwidth-is-shared-out: A running instance is allocated another bandwidth all the time; one that does not run has no CPUs allocated.':
      inRecords((record, { state, bandwidthMbps }) => ({
        ...record,
        ...(state === 'RUNNING'
          ? { bandwidth: bandwidthMbps * (0.5 + Math.random()) }
          : { cpu_count: 0 }),
      })),
    'runs-are-booked-daily: The cost of a run is booked once a day.': amend(
      'currentRunCost',
      (cost, instance, at, context) => {
        const days = context.rules.currentRunMs(instance, at, context) / (24 * HOUR_MS);
        return days > 0 ? Math.round(((cost * Math.floor(days)) / days) * 1e4) / 1e4 : cost;
      },
    ),
    'total-is-booked-hourly: The total cost is booked once an hour, the cost of a run all the time.':
      amend('totalCost', (total, instance, at, context) => {
        const runMs = context.rules.currentRunMs(instance, at, context);
        const unbooked = ((runMs % HOUR_MS) / HOUR_MS) * instance.preset.hourlyPrice;
        return Math.max(0, Math.round((total - unbooked) * 1e4) / 1e4);
      }),
  }),
  ...deciding(
    {
      'gpu-has-a-longer-name-in-answers: Answers to stop and terminate give the GPU model with its maker.':
        amend('actionRecord', (record, { preset }) => ({
          ...record,
          gpu_type: `NVIDIA ${preset.gpu}`,
        })),
    },
    { warns: ['compute.instance-record.action-agrees-with-list'] },
  ),
  ...deciding({
    'no-host-for-hours: A start of a stopped instance is refused for want of a host.': before(
      'beginStart',
      (_instance, context) => {
        throw context.rules.conflict('There is no host.', context);
      },
    ),
    'single-instance-by-names-of-its-own: The body of one instance has members of its own, and none of the table.':
      amend('singleRecord', (record) => ({
        uuid: record['instance_id'],
        phase: String(record['status']).toLowerCase(),
        label: record['name'],
      })),
    'single-instance-in-words-of-its-own: The body of one instance writes its state as the filter does.':
      amend('singleRecord', (record) => ({
        ...record,
        status: String(record['status']).toLowerCase(),
      })),
    'replicas-apart: Each read meets another replica, of which one is 1.5 s behind.': replicasApart,
    'resized-behind-replicas: The same, while other people resize stopped instances.': chained(
      resizing,
      replicasApart,
    ),
  }),
  ...deciding(
    {
      'instances-reboot: Instances go back to DEPLOYED and to STARTING once before they run for good.':
        (rules) => {
          const back = { STARTING: 'DEPLOYED', RUNNING: 'STARTING' } as const;
          const done = new Set<string>();
          return {
            successor: (instance, deployment) => {
              const { id, state, origin } = instance;
              const once = `${id} ${state}`;
              const goesBack =
                origin === 'provision' && (state === 'STARTING' || state === 'RUNNING');
              if (!goesBack || done.has(once)) return rules.successor(instance, deployment);
              done.add(once);
              return { state: back[state], delayMs: 400 };
            },
          };
        },
    },
    { warns: ['compute.states.early-order-kept'] },
  ),
];
