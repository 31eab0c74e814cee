/** Responses to stop and terminate with well-formed fields that contradict each other. */

import type { Instance } from '../model.ts';
import {
  listing,
  amend,
  before,
  type Body,
  chained,
  faultTable,
  gathered,
  replace,
  rows,
  telling,
} from './words.ts';

function withoutNulls(record: Body): Body {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

type Told = Parameters<typeof telling>[0];

const region: Told = (_record, { preset }) => ({ region: preset.region });

/** A location in another region than that of the instance. */
const elsewhere: Told = (_record, { preset }, _at, { world }) => ({
  region: world.presets.find(({ region: one }) => one !== undefined && one !== preset.region)
    ?.location,
});

const inUse: Told = (_record, { usedGb }) => ({ storage_used_gb: usedGb });

/** The hours that the credits of the account would last if this instance were its only one. */
const hoursLeft: Told = (_record, { preset, account }, _at, { world }) => ({
  ttl_remaining_hours: Math.round(world.account(account).credits / preset.hourlyPrice),
});

export const instanceRecordActionsFaults = faultTable('compute.instance-record', {
  // While an instance runs, its cost includes a whole day in advance, which is dropped once it has stopped.
  'action-cost-not-reset: stop-resets-the-cost-when-it-has-settled': amend(
    'totalCost',
    (cost, { origin, state, preset }) =>
      origin === 'provision' && (state === 'RUNNING' || state === 'STOPPING')
        ? cost + 24 * preset.hourlyPrice
        : cost,
  ),
  'runtime-in-hours: runtime-in-minutes': amend('runtimeHours', (hours) => hours * 60),
  'runtime-in-hours: runtime-in-days': amend('runtimeHours', (hours) => hours / 24),
  'figures-not-negative: runtime-counts-down': amend('runtimeHours', (hours) => -hours),
  ...gathered(['stop', 'terminate'], (action) => ({
    [`terminated-date-stays: refused-${action}-dates-the-termination-anew`]: before(
      `${action}Outcome`,
      (instance, { now }) => {
        if (instance.state === 'TERMINATED') instance.terminatedAt = now;
      },
    ),
  })),
  'terminated-reason-stays: refused-terminate-gives-another-reason': before(
    'terminateOutcome',
    (instance, { now }) => {
      if (instance.state === 'TERMINATED') instance.terminationReason = `Asked for at ${now}.`;
    },
  ),
  'list-nullable-there: list-leaves-nulls-out': amend('listRecord', withoutNulls),
  'action-nullable-there: actions-leave-nulls-out': amend('actionRecord', withoutNulls),
  'dates-are-instants: dates-without-offset': replace('formatDate', (original, instant, context) =>
    original(instant, context).replace('Z', ''),
  ),
  'action-storage-steady: action-storage-is-in-use': (rules) => {
    let calls = 0;
    return telling((_record, { usedGb }) => ({ storage_used_gb: usedGb + (calls += 1) }))(rules);
  },
  'action-agrees-with-list: stop-of-running-shows-more-cores': telling(
    (_record, { state, preset }) => state === 'STOPPING' && { cpu_count: preset.cpu + 1 },
    'stop-instance',
  ),
  ...gathered(
    [
      ['stop', 'STOPPING'],
      ['terminate', 'TERMINATING'],
    ],
    ([action, shown]) => ({
      [`runtime-in-hours + action-agrees-with-list: ${action}-of-what-is-new-counts-hours-from-1970`]:
        telling(
          (_record, { state, origin }, at) =>
            state === shown && origin === 'provision' && { total_runtime_hours: at / 3_600_000 },
          `${action}-instance`,
        ),
    }),
  ),
  'compute.stop-instance.stopped-unchanged: every-stop-takes-seconds-off-the-totals': before(
    'stopOutcome',
    (instance) => {
      if (instance.state !== 'STOPPED' || instance.origin !== 'fixture') return;
      instance.settledRunMs -= 5_000;
      instance.settledCost -= 0.01;
    },
  ),
  ...rows(telling, {
    'action-agrees-with-list: action-costs-are-doubled': ({ total_cost_incurred: total }) => ({
      current_cost: 2 * Number(total),
      total_cost_incurred: 2 * Number(total),
    }),
    'action-cost-not-reset: action-costs-are-reset': (_record, { state }) =>
      state === 'STOPPED' && { current_cost: 0, total_cost_incurred: 0 },
    'action-agrees-with-list: actions-name-instances-by-their-ids': (_record, { id }) => ({
      name: id,
    }),
    'action-size-not-sku: action-size-is-the-sku': (_record, { preset }) => ({ size: preset.sku }),
    'alive-has-no-reason: stopping-has-a-reason-of-termination': (_record, { state }) =>
      (state === 'STOPPING' || state === 'STOPPED') && {
        termination_reason: 'Stopped on request.',
      },
    'action-region-narrower: action-region-is-the-region': region,
    'action-size-headline: action-size-is-a-word': () => ({ size: 'large' }),
    'action-storage-not-use: action-storage-is-what-is-in-use': inUse,
    'action-cost-whole-life + action-cost-not-reset: action-cost-is-of-the-current-run': (
      _record,
      instance,
      at,
      context,
    ) => ({ current_cost: context.rules.currentRunCost(instance, at, context) }),
    'action-cost-whole-life: action-cost-has-tax': ({ total_cost_incurred: total }) => ({
      current_cost: Number(total) * 1.2 + 0.01,
    }),
    'action-ttl-same: action-ttl-is-of-each-instance': hoursLeft,
    'action-region-narrower: action-region-is-a-location-elsewhere': elsewhere,
  }),
  'action-storage-not-use: terminate-of-what-runs-shows-what-is-in-use': (rules) => {
    // A few megabytes more than the reference has in use: its whole figures would tell nothing.
    const measured = ({ usedGb }: Instance) => ({ storage_used_gb: usedGb + 0.25 });
    let was: string | undefined;
    return chained(
      listing((_record, instance) => instance.origin === 'provision' && measured(instance)),
      before('terminateOutcome', ({ state }) => (was = state)),
      telling((_record, one) => was === 'RUNNING' && measured(one), 'terminate-instance'),
    )(rules);
  },
  ...rows((fields: Told) => telling(fields, 'terminate-instance'), {
    'action-agrees-with-list: terminate-shows-another-start': () => ({
      started_at: '2020-01-01T00:00:00Z',
    }),
    'action-region-narrower: terminate-region-is-the-region': region,
    'action-storage-not-use: terminate-shows-what-is-in-use': inUse,
    'action-ttl-same: terminate-ttl-is-of-each-instance': hoursLeft,
    'action-region-narrower + action-agrees-with-list: terminate-region-is-a-location-elsewhere':
      elsewhere,
  }),
});
