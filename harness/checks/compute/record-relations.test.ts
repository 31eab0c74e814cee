import { expect, test } from 'vitest';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
import {
  agreesAround,
  describedAlike,
  lastingChange,
  namesInstance,
  sameDescription,
  sameHardware,
  sameRuntime,
  unchanged,
  unmoved,
  variantOf,
} from './record-relations.ts';
import { outcomeOf } from './verdicts.test.support.ts';

const id = '6f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11';

test.each([
  ['held', { instance_id: id }],
  ['held', { instance_id: id.toUpperCase() }],
  ['violated', { instance_id: '0f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11' }],
  ['violated', { instance_id: 7 }],
  ['vacuous', { name: 'trainer' }],
] as const)('the id of a record: %s for %j', (outcome, record) => {
  expect(outcomeOf(namesInstance(record, id, exchangeOf()))).toBe(outcome);
});

test.each([
  ['held', {}],
  ['held', { region: 'par-2', size: '2 GPUs', status: 'STOPPED' }],
  ['violated', { name: 'other' }],
  ['violated', { hourly_rate: 1 }],
  ['violated', { cpu_count: Number(listRecord()['cpu_count']) + 1 }],
  ['held', { hourly_rate: Number(listRecord()['hourly_rate']) + 0.04 }],
] as const)('a description: %s for %j', (outcome, change) => {
  expect(
    outcomeOf(sameDescription(listRecord(), listRecord(change), describedAlike, exchangeOf())),
  ).toBe(outcome);
});

test('records without a common member say nothing of each other', () => {
  expect(outcomeOf(sameDescription(listRecord(), { id }, describedAlike, exchangeOf()))).toBe(
    'vacuous',
  );
});

test.each([
  ['held', 20, 20],
  ['held', 20.4, 20],
  ['held', 1_000, 1_009],
  ['violated', 20, 0],
  ['violated', 20, 72_000],
  ['vacuous', 20, null],
] as const)('a runtime: %s for %d and %j', (outcome, listed, answered) => {
  const judgement = sameRuntime(
    listRecord({ total_runtime_hours: listed }),
    actionRecord({ total_runtime_hours: answered }),
  );
  expect(outcomeOf(judgement)).toBe(outcome);
});

test('the variant is told by region and size', () => {
  expect(variantOf(listRecord(), listRecord())).toBe('the variant of lists');
  expect(variantOf(listRecord(), actionRecord())).toBe('the variant of stop and terminate answers');
  expect(variantOf(listRecord(), listRecord({ size: '2 GPUs' }))).toBe(
    'a mixture of both variants',
  );
});

test('what moved between two looks at the list is not compared', () => {
  const before = { name: 'a', hourly_rate: 2.65 };
  expect(unmoved(describedAlike, before, { name: 'a', hourly_rate: 2.7 })).not.toContain(
    'hourly_rate',
  );
  expect(unmoved(describedAlike, before, before)).toEqual(describedAlike);
});

const listed = (change: Readonly<Record<string, unknown>> = {}) => ({
  record: listRecord(change),
  exchange: exchangeOf(),
});
const stop = (change: Readonly<Record<string, unknown>> = {}) =>
  exchangeOf({ method: 'POST', path: '/instances/x/stop', body: actionRecord(change) });

test.each([
  ['held', {}],
  ['violated', { name: 'other' }],
  ['violated', { cpu_count: 16 }],
  ['violated', { total_runtime_hours: 0 }],
  ['violated', { started_at: '2026-11-20T08:00:00Z' }],
  ['violated', { total_cost_incurred: 8 }],
  ['held', { total_cost_incurred: 88 }],
  ['held', { started_at: '2026-11-20T10:00:00.250Z', hourly_rate: 5 }],
] as const)('an answer between two alike lists: %s for %j', (outcome, change) => {
  expect(outcomeOf(agreesAround(listed(), stop(change), listed()))).toBe(outcome);
});

test.each([
  ['held', 4.2],
  ['held', 4.25],
  ['violated', 100.8],
])('%s: an hourly rate of %d, where lists show 4.2 in either state', (outcome, hourly_rate) => {
  const after = listed({ status: 'STOPPED' });
  expect(outcomeOf(agreesAround(listed(), stop({ hourly_rate }), after))).toBe(outcome);
  const free = listed({ status: 'STOPPED', hourly_rate: 0 });
  expect(outcomeOf(agreesAround(listed(), stop({ hourly_rate }), free))).toBe('held');
});

test('what differs between the lists, or is listed no more, is left out', () => {
  expect(outcomeOf(agreesAround(listed(), stop({ name: 'b' }), listed({ name: 'b' })))).toBe(
    'held',
  );
  expect(outcomeOf(agreesAround(listed(), stop({ name: 'b' }), undefined))).toBe('held');
  expect(outcomeOf(agreesAround(listed(), exchangeOf({ status: 409 }), listed()))).toBe('vacuous');
});

test.each([
  ['held', {}],
  ['held', { storage_used_gb: 0 }],
  ['violated', { storage_used_gb: 12.5 }],
  ['violated', { size: 'h100-sxm-2' }],
  ['violated', { region: 'FR' }],
] as const)('two answers about one instance: %s for %j', (outcome, change) => {
  expect(outcomeOf(sameHardware(stop(), stop(change)))).toBe(outcome);
});

function judged(change: Readonly<Record<string, unknown>>, apartFrom: readonly string[] = []) {
  return unchanged({ before: listRecord(), after: listRecord(change), exchanges: [], apartFrom });
}

test.each([
  {},
  { current_cost: 9 },
  { ttl_remaining_hours: 3 },
  { hourly_rate: 9 },
  { note: 'new' },
])('%j is no change', (change) => {
  expect(judged(change)).toEqual({ seen: 1, violations: [] });
});

test.each([{ status: 'STOPPED' }, { name: 'other' }, { terminated_at: '2026-01-01T00:00:00Z' }])(
  '%j is a change',
  (change) => {
    expect(judged(change).violations).toHaveLength(1);
  },
);

test('one instant is the same date in any offset', () => {
  const [before, same, later] = [
    '2026-01-01T12:00:00Z',
    '2026-01-01t14:00:00.000+02:00',
    '2026-01-01T12:00:00+02:00',
  ].map((started_at) => listRecord({ started_at }));
  if (before === undefined || same === undefined || later === undefined) throw new Error('three');
  expect(unchanged({ before, after: same, exchanges: [] }).violations).toEqual([]);
  expect(unchanged({ before, after: later, exchanges: [] }).violations).toHaveLength(1);
});

test('a field may be left out of the comparison', () => {
  expect(judged({ status: 'STOPPED' }, ['status']).violations).toEqual([]);
});

test('a change counts when it lasts', () => {
  const [same, other] = [judged({}), judged({ name: 'other' })];
  expect(lastingChange(same, other)).toBe(same);
  expect(lastingChange(other, other)).toBe(other);
  expect(lastingChange(other, same).seen).toBe(0);
});
