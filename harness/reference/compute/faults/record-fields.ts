/** One wrong field in a record of an instance: each field in each variant, each where few look. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { RequestContext } from '../context.ts';
import type { Instance } from '../model.ts';
import type { InstanceQuery } from '../operations/instance-query.ts';
import type { ComputeRules } from '../rules.ts';

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
type Where = (instance: Instance, query: InstanceQuery, context: RequestContext) => boolean;

const inErrored: Where = (_instance, query) => query.status === 'ERRORED';
const onPageTwo: Where = (_instance, query) => query.page === 2;
const sortedByStatus: Where = (_instance, query) => query.sortField === 'STATUS';
const inWindows: Where = (instance, query) =>
  query.begin !== undefined && instance.state === 'ERRORED';
const searched: Where = (_instance, query) => query.text !== undefined;
const ofTheSecondAccount: Where = (_instance, _query, { key }) => key?.role === 'second';

const inLists: readonly (readonly [Field, string, Wrong, string, Where])[] = [
  [
    'instance_id',
    'without-dashes',
    (id) => String(id).replaceAll('-', ''),
    'on-page-two',
    onPageTwo,
  ],
  ['name', 'null', asNull, 'in-errored', inErrored],
  ['status', 'in-lower-case', (state) => String(state).toLowerCase(), 'when-searched', searched],
  ['status', 'absent', absent, 'in-windows', inWindows],
  ['region', 'null', asNull, 'when-sorted-by-status', sortedByStatus],
  ['gpu_type', 'a-list', (model) => [model], 'in-errored', inErrored],
  ['size', 'a-number', () => 4, 'in-windows', inWindows],
  ['cpu_count', 'a-fraction', (count) => Number(count) + 0.5, 'on-page-two', onPageTwo],
  ['cpu_count', 'text', asText, 'in-errored', inErrored],
  ['resources', 'an-object', (words) => ({ words }), 'of-the-second-account', ofTheSecondAccount],
  ['bandwidth', 'text-with-unit', (mbps) => `${String(mbps)} Mbps`, 'when-searched', searched],
  ['storage_used_gb', 'text', asText, 'in-errored', inErrored],
  ['hourly_rate', 'text', asText, 'on-page-two', onPageTwo],
  ['current_cost', 'null', asNull, 'in-windows', inWindows],
  ['total_cost_incurred', 'absent', absent, 'when-searched', searched],
  ['total_runtime_hours', 'text', asText, 'of-the-second-account', ofTheSecondAccount],
  ['ttl_remaining_hours', 'null', asNull, 'in-errored', inErrored],
  ['started_at', 'seconds-since-1970', () => 1_700_000_000, 'in-errored', inErrored],
  [
    'terminated_at',
    'empty',
    (date) => (date === null ? null : ''),
    'of-the-second-account',
    ofTheSecondAccount,
  ],
  ['termination_reason', 'a-number', () => 7, 'in-errored', inErrored],
  ['guest_ready', 'a-boolean', () => false, 'on-page-two', onPageTwo],
  ['guest_ready_reason', 'a-list', () => [], 'when-searched', searched],
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

function listFault([
  field,
  what,
  wrong,
  place,
  where,
]: (typeof inLists)[number]): Fault<ComputeRules> {
  return {
    name: `list-${fields[field]}-is-${what}-${place}`,
    summary: `In list pages, ${field} is ${what.replaceAll('-', ' ')}, but only ${place.replaceAll('-', ' ')}.`,
    breaks: [`compute.instance-record.list-${fields[field]}`],
    patch: (rules) => ({
      ...rules,
      listRecord: (instance, at, context, query) => {
        const record = rules.listRecord(instance, at, context, query);
        return query !== undefined && where(instance, query, context)
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

export const recordFieldFaults = declareFaults<ComputeRules>([
  ...inLists.map(listFault),
  ...inAnswers.map(answerFault),
]);
