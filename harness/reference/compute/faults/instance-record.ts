/**
 * Instance records with one wrong field, in responses that few cases read, and responses to stop and terminate with
 * fields that contradict each other.
 */

import type { Instance } from '../model.ts';
import {
  faultTable,
  gathered,
  listing,
  telling,
  amend,
  before,
  type Body,
  chained,
  replace,
  isSecond,
  rows,
  type Shown,
  slugOf,
} from './words.ts';

/** Makes the wrong value from the right one. Undefined leaves the field out. */
type Wrong = (right: unknown) => unknown;

const absent: Wrong = () => undefined;

const asText: Wrong = (right) => String(right);

const asNull: Wrong = () => null;

/** The lists and records that are wrong, each with a requirement whose cases read such a list. */
const places = {
  'in-errored': ['status-errored', ({ query }) => query?.status === 'ERRORED'],
  'on-page-two': ['newest-first-later-pages', ({ query }) => query?.page === 2],
  'when-sorted-by-status': ['sort-status', ({ query }) => query?.sortField === 'STATUS'],
  'in-windows': [
    'date-window',
    ({ query, state }) => query?.begin !== undefined && state === 'ERRORED',
  ],
  'when-searched': ['free-text-match', ({ query }) => query?.text !== undefined],
  'of-the-second-account': [
    'region-filter',
    ({ context, query }) => query !== undefined && isSecond(context),
  ],
} as const satisfies Readonly<
  Record<string, readonly [metBy: string, holds: (shown: Shown) => boolean]>
>;

const inLists: readonly (readonly [field: string, what: string, Wrong, keyof typeof places])[] = [
  ['instance_id', 'without-dashes', (id) => String(id).replaceAll('-', ''), 'on-page-two'],
  ['name', 'null', asNull, 'in-errored'],
  ['status', 'in-lower-case', (state) => String(state).toLowerCase(), 'when-searched'],
  ['status', 'absent', absent, 'in-windows'],
  ['region', 'null', asNull, 'when-sorted-by-status'],
  ['gpu_type', 'a-list', (model) => [model], 'in-errored'],
  ['size', 'a-number', () => 4, 'in-windows'],
  ['cpu_count', 'a-fraction', (count) => Number(count) + 0.5, 'on-page-two'],
  ['cpu_count', 'text', asText, 'in-errored'],
  ['resources', 'an-object', (words) => ({ words }), 'of-the-second-account'],
  ['bandwidth', 'text-with-unit', (mbps) => `${String(mbps)} Mbps`, 'when-searched'],
  ['storage_used_gb', 'text', asText, 'in-errored'],
  ['hourly_rate', 'text', asText, 'on-page-two'],
  ['current_cost', 'null', asNull, 'in-windows'],
  ['total_cost_incurred', 'absent', absent, 'when-searched'],
  ['total_runtime_hours', 'text', asText, 'of-the-second-account'],
  ['ttl_remaining_hours', 'null', asNull, 'in-errored'],
  ['started_at', 'seconds-since-1970', () => 1_700_000_000, 'in-errored'],
  ['terminated_at', 'empty', (date) => (date === null ? null : ''), 'of-the-second-account'],
  ['termination_reason', 'a-number', () => 7, 'in-errored'],
  ['guest_ready', 'a-boolean', () => false, 'on-page-two'],
  ['guest_ready_reason', 'a-list', () => [], 'when-searched'],
];

/** The responses with the wrong field. */
type Answers = 'stop' | 'terminate' | 'both';

const inAnswers: readonly (readonly [field: string, what: string, Wrong, Answers])[] = [
  ['instance_id', 'absent', absent, 'stop'],
  ['name', 'absent', absent, 'stop'],
  ['status', 'lower-case', (state) => String(state).toLowerCase(), 'stop'],
  ['status', 'accepted', () => 'ACCEPTED', 'terminate'],
  ['region', 'null', asNull, 'terminate'],
  ['gpu_type', 'an-object', (model) => ({ model }), 'both'],
  ['size', 'a-number', () => 4, 'stop'],
  ['cpu_count', 'text', asText, 'both'],
  ['resources', 'null', asNull, 'terminate'],
  ['bandwidth', 'null', asNull, 'stop'],
  ['storage_used_gb', 'text', (gb) => `${String(gb)} GB`, 'stop'],
  ['hourly_rate', 'text', asText, 'both'],
  ['current_cost', 'text', asText, 'terminate'],
  ['total_cost_incurred', 'null', asNull, 'stop'],
  ['total_runtime_hours', 'absent', absent, 'both'],
  ['ttl_remaining_hours', 'absent', absent, 'terminate'],
  ['started_at', 'seconds-since-1970', () => 1_700_000_000, 'stop'],
  ['terminated_at', 'false', () => false, 'terminate'],
  ['termination_reason', 'a-list', (reason) => [reason], 'terminate'],
  ['guest_ready', 'a-boolean', () => true, 'both'],
  ['guest_ready_reason', 'a-number', () => 0, 'stop'],
];

const listFaults = gathered(inLists, ([field, what, wrong, place]) => {
  const [metBy, holds] = places[place];
  const name = `list-${slugOf(field)}`;
  return {
    [`${name}, met by compute.list-instances.${metBy}: ${name}-is-${what}-${place}`]: listing(
      (shown) => holds(shown) && { [field]: wrong(shown.record[field]) },
    ),
  };
});

const answerFaults = gathered(inAnswers, ([field, what, wrong, action]) => ({
  [`action-${slugOf(field)}: ${action === 'both' ? 'action' : action}-${slugOf(field)}-is-${what}`]:
    telling(
      ({ record }) => ({ [field]: wrong(record[field]) }),
      action === 'both' ? undefined : `${action}-instance`,
    ),
}));

export const instanceRecordFieldsFaults = faultTable('compute.instance-record', {
  ...listFaults,
  ...answerFaults,
});

function withoutNulls(record: Body): Body {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

type Told = Parameters<typeof telling>[0];

const region: Told = ({ preset }) => ({ region: preset.region });

/** A location in another region than that of the instance. */
const elsewhere: Told = ({ preset, context: { world } }) => ({
  region: world.presets.find(({ region: one }) => one !== undefined && one !== preset.region)
    ?.location,
});

const inUse: Told = ({ usedGb }) => ({ storage_used_gb: usedGb });

/** The hours that the credits of the account would last if this instance were its only one. */
const hoursLeft: Told = ({ preset, account, context: { world } }) => ({
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
  'list-cost-of-current-run: a-minute-costs-what-an-hour-should': chained(
    amend('currentRunCost', (cost) => cost * 60),
    amend('totalCost', (cost) => cost * 60),
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
    return telling(({ usedGb }) => ({ storage_used_gb: usedGb + (calls += 1) }))(rules);
  },
  'action-agrees-with-list: stop-of-running-shows-more-cores': telling(
    ({ state, preset }) => state === 'STOPPING' && { cpu_count: preset.cpu + 1 },
    'stop-instance',
  ),
  ...gathered(['stop', 'terminate'], (action) => ({
    [`runtime-in-hours + action-agrees-with-list: ${action}-of-what-is-new-counts-hours-from-1970`]:
      telling(
        ({ state, origin, at }) =>
          ['STOPPING', 'TERMINATING'].includes(state) &&
          origin === 'provision' && { total_runtime_hours: at / 3_600_000 },
        `${action}-instance`,
      ),
  })),
  'compute.stop-instance.stopped-unchanged: every-stop-takes-seconds-off-the-totals': before(
    'stopOutcome',
    (instance) => {
      if (instance.state !== 'STOPPED' || instance.origin !== 'fixture') return;
      instance.settledRunMs -= 5_000;
      instance.settledCost -= 0.01;
    },
  ),
  ...rows(telling, {
    'action-agrees-with-list: action-costs-are-doubled': ({ record }) => {
      const twice = 2 * Number(record['total_cost_incurred']);
      return { current_cost: twice, total_cost_incurred: twice };
    },
    'action-cost-not-reset: action-costs-are-reset': ({ state }) =>
      state === 'STOPPED' && { current_cost: 0, total_cost_incurred: 0 },
    'action-agrees-with-list: actions-name-instances-by-their-ids': ({ id }) => ({
      name: id,
    }),
    'action-size-not-sku: action-size-is-the-sku': ({ preset }) => ({ size: preset.sku }),
    'alive-has-no-reason: stopping-has-a-reason-of-termination': ({ state }) =>
      (state === 'STOPPING' || state === 'STOPPED') && {
        termination_reason: 'Stopped on request.',
      },
    'action-region-narrower: action-region-is-the-region': region,
    'action-size-headline: action-size-is-a-word': () => ({ size: 'large' }),
    'action-storage-not-use: action-storage-is-what-is-in-use': inUse,
    'action-cost-whole-life + action-cost-not-reset: action-cost-is-of-the-current-run': (
      shown,
    ) => ({
      current_cost: shown.context.rules.currentRunCost(shown, shown.at, shown.context),
    }),
    'action-cost-whole-life: action-cost-has-tax': ({ record }) => ({
      current_cost: Number(record['total_cost_incurred']) * 1.2 + 0.01,
    }),
    'action-ttl-same: action-ttl-is-of-each-instance': hoursLeft,
    'action-region-narrower: action-region-is-a-location-elsewhere': elsewhere,
  }),
  'action-storage-not-use: terminate-of-what-runs-shows-what-is-in-use': (rules) => {
    // A few megabytes more than the reference has in use: its whole figures would tell nothing.
    const measured = ({ usedGb }: Instance) => ({ storage_used_gb: usedGb + 0.25 });
    let was: string | undefined;
    return chained(
      listing(({ instance }) => instance.origin === 'provision' && measured(instance)),
      before('terminateOutcome', ({ state }) => (was = state)),
      telling(({ instance: one }) => was === 'RUNNING' && measured(one), 'terminate-instance'),
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
