/** One wrong field in an instance record: each field in each kind of record, in responses that few cases read. */

import type { Instance, InstanceQuery } from '../model.ts';
import type { RequestContext } from '../context.ts';
import { faultTable, gathered, listing, telling } from './words.ts';

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

const slugOf = (text: string): string => text.toLowerCase().replaceAll('_', '-');

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
