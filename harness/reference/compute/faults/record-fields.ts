/** One wrong field in a record of an instance: each field in each variant, each where few look. */

import type { Fault } from '../../fault.ts';
import type { ComputeRules, RequestContext } from '../context.ts';
import type { InstanceQuery } from '../queries.ts';
import type { Instance } from '../model.ts';

const fields = {
  instance_id: 'instance-id',
  name: 'name',
  status: 'status',
  region: 'region',
  gpu_type: 'gpu-type',
  size: 'size',
  cpu_count: 'cpu-count',
  resources: 'resources',
  bandwidth: 'bandwidth',
  storage_used_gb: 'storage-used-gb',
  hourly_rate: 'hourly-rate',
  current_cost: 'current-cost',
  total_cost_incurred: 'total-cost-incurred',
  total_runtime_hours: 'total-runtime-hours',
  ttl_remaining_hours: 'ttl-remaining-hours',
  started_at: 'started-at',
  terminated_at: 'terminated-at',
  termination_reason: 'termination-reason',
  guest_ready: 'guest-ready',
  guest_ready_reason: 'guest-ready-reason',
} as const;

type Field = keyof typeof fields;
/** What stands in the place of the right value; undefined leaves the field out. */
type Wrong = (right: unknown) => unknown;

const absent: Wrong = () => undefined;
const asText: Wrong = (right) => String(right);
const asNull: Wrong = () => null;

/** In which lists, and in which of their records. */
interface Where {
  readonly name: string;
  readonly holds: (instance: Instance, query: InstanceQuery, context: RequestContext) => boolean;
  /** A requirement whose cases read such a list. */
  readonly exercisedBy: string;
}

const inErrored: Where = {
  name: 'in-errored',
  holds: (_instance, query) => query.status === 'ERRORED',
  exercisedBy: 'compute.list-instances.status-errored',
};
const onPageTwo: Where = {
  name: 'on-page-two',
  holds: (_instance, query) => query.page === 2,
  exercisedBy: 'compute.list-instances.newest-first-later-pages',
};
const sortedByStatus: Where = {
  name: 'when-sorted-by-status',
  holds: (_instance, query) => query.sortField === 'STATUS',
  exercisedBy: 'compute.list-instances.sort-status',
};
const inWindows: Where = {
  name: 'in-windows',
  holds: (instance, query) => query.begin !== undefined && instance.state === 'ERRORED',
  exercisedBy: 'compute.list-instances.date-window',
};
const searched: Where = {
  name: 'when-searched',
  holds: (_instance, query) => query.text !== undefined,
  exercisedBy: 'compute.list-instances.free-text-match',
};
const ofTheSecondAccount: Where = {
  name: 'of-the-second-account',
  holds: (_instance, _query, { key }) => key?.role === 'second',
  exercisedBy: 'compute.list-instances.region-filter',
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

/** In answers to both, or to one of the two. */
type Action = 'stop' | 'terminate' | 'both';

const inAnswers: readonly (readonly [Field, string, Wrong, Action])[] = [
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

function changed(
  record: Readonly<Record<string, unknown>>,
  field: Field,
  wrong: Wrong,
): Readonly<Record<string, unknown>> {
  return { ...record, [field]: wrong(record[field]) };
}

function listFault([field, what, wrong, where]: (typeof inLists)[number]): Fault<ComputeRules> {
  return {
    name: `list-${fields[field]}-is-${what}-${where.name}`,
    summary: `In list pages, ${field} is ${what.replaceAll('-', ' ')}, but only ${where.name.replaceAll('-', ' ')}.`,
    breaks: [`compute.instance-record.list-${fields[field]}`],
    exercisedBy: [where.exercisedBy],
    patch: (rules) => ({
      ...rules,
      listRecord: (instance, at, context, query) => {
        const record = rules.listRecord(instance, at, context, query);
        return query !== undefined && where.holds(instance, query, context)
          ? changed(record, field, wrong)
          : record;
      },
    }),
  };
}

function answerFault([
  field,
  what,
  wrong,
  action,
]: (typeof inAnswers)[number]): Fault<ComputeRules> {
  const answers = action === 'both' ? 'stop and terminate' : action;
  return {
    name: `${action === 'both' ? 'action' : action}-${fields[field]}-is-${what}`,
    summary: `In answers to ${answers}, ${field} is ${what.replaceAll('-', ' ')}.`,
    breaks: [`compute.instance-record.action-${fields[field]}`],
    patch: (rules) => ({
      ...rules,
      actionRecord: (instance, at, context) => {
        const record = rules.actionRecord(instance, at, context);
        const applies = action === 'both' || context.operation === `${action}-instance`;
        return applies ? changed(record, field, wrong) : record;
      },
    }),
  };
}

export const recordFieldFaults = [...inLists.map(listFault), ...inAnswers.map(answerFault)];
