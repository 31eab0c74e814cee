/**
 * Instance records with one wrong field, in responses that few cases read, and responses to stop and terminate with
 * fields that contradict each other.
 */

import type { Instance, InstanceQuery } from '../model.ts';
import type { RequestContext } from '../context.ts';
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
  rows,
  slugOf,
} from './words.ts';

type Field =
  | 'instance_id'
  | 'name'
  | 'status'
  | 'region'
  | 'gpu_type'
  | 'size'
  | 'cpu_count'
  | 'resources'
  | 'bandwidth'
  | 'storage_used_gb'
  | 'hourly_rate'
  | 'current_cost'
  | 'total_cost_incurred'
  | 'total_runtime_hours'
  | 'ttl_remaining_hours'
  | 'started_at'
  | 'terminated_at'
  | 'termination_reason'
  | 'guest_ready'
  | 'guest_ready_reason';

/** Makes the wrong value from the right one. Undefined leaves the field out. */
type Wrong = (right: unknown) => unknown;

const absent: Wrong = () => undefined;

const asText: Wrong = (right) => String(right);

const asNull: Wrong = () => null;

/** Selects the lists and records that are wrong. */
interface Where {
  readonly name: string;
  readonly holds: (instance: Instance, query: InstanceQuery, context: RequestContext) => boolean;
  /** A requirement whose cases read such a list. */
  readonly metBy: string;
}

const inErrored: Where = {
  name: 'in-errored',
  holds: (_instance, query) => query.status === 'ERRORED',
  metBy: 'status-errored',
};

const onPageTwo: Where = {
  name: 'on-page-two',
  holds: (_instance, query) => query.page === 2,
  metBy: 'newest-first-later-pages',
};

const sortedByStatus: Where = {
  name: 'when-sorted-by-status',
  holds: (_instance, query) => query.sortField === 'STATUS',
  metBy: 'sort-status',
};

const inWindows: Where = {
  name: 'in-windows',
  holds: (instance, query) => query.begin !== undefined && instance.state === 'ERRORED',
  metBy: 'date-window',
};

const searched: Where = {
  name: 'when-searched',
  holds: (_instance, query) => query.text !== undefined,
  metBy: 'free-text-match',
};

const ofTheSecondAccount: Where = {
  name: 'of-the-second-account',
  holds: (_instance, _query, { key }) => key?.role === 'second',
  metBy: 'region-filter',
};

const inLists: readonly (readonly [Field, string, Wrong, Where])[] = [
  ['instance_id', 'without-dashes', (id) => String(id).replaceAll('-', ''), onPageTwo],
  ['name', 'null', asNull, inErrored],
  ['status', 'in-lower-case', (state) => String(state).toLowerCase(), searched],
  ['status', 'absent', absent, inWindows],
  ['region', 'null', asNull, sortedByStatus],
  ['gpu_type', 'a-list', (model) => [model], inErrored],
  ['size', 'a-number', () => 4, inWindows],
  ['cpu_count', 'a-fraction', (count) => Number(count) + 0.5, onPageTwo],
  ['cpu_count', 'text', asText, inErrored],
  ['resources', 'an-object', (words) => ({ words }), ofTheSecondAccount],
  ['bandwidth', 'text-with-unit', (mbps) => `${String(mbps)} Mbps`, searched],
  ['storage_used_gb', 'text', asText, inErrored],
  ['hourly_rate', 'text', asText, onPageTwo],
  ['current_cost', 'null', asNull, inWindows],
  ['total_cost_incurred', 'absent', absent, searched],
  ['total_runtime_hours', 'text', asText, ofTheSecondAccount],
  ['ttl_remaining_hours', 'null', asNull, inErrored],
  ['started_at', 'seconds-since-1970', () => 1_700_000_000, inErrored],
  ['terminated_at', 'empty', (date) => (date === null ? null : ''), ofTheSecondAccount],
  ['termination_reason', 'a-number', () => 7, inErrored],
  ['guest_ready', 'a-boolean', () => false, onPageTwo],
  ['guest_ready_reason', 'a-list', () => [], searched],
];

/** The responses with the wrong field. */
type Answers = 'stop' | 'terminate' | 'both';

const inAnswers: readonly (readonly [Field, string, Wrong, Answers])[] = [
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

const listFaults = gathered(inLists, ([field, what, wrong, { name, holds, metBy }]) => ({
  [`list-${slugOf(field)}, met by compute.list-instances.${metBy}: list-${slugOf(field)}-is-${what}-${name}`]:
    listing(
      (record, instance, _at, context, query) =>
        query !== undefined && holds(instance, query, context) && { [field]: wrong(record[field]) },
    ),
}));

const answerFaults = gathered(inAnswers, ([field, what, wrong, action]) => ({
  [`action-${slugOf(field)}: ${action === 'both' ? 'action' : action}-${slugOf(field)}-is-${what}`]:
    telling(
      (record) => ({ [field]: wrong(record[field]) }),
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
  ...gathered(['stop', 'terminate'], (action) => ({
    [`runtime-in-hours + action-agrees-with-list: ${action}-of-what-is-new-counts-hours-from-1970`]:
      telling(
        (_record, { state, origin }, at) =>
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
