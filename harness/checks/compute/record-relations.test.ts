import { expect, test } from 'vitest';
import { outcomeOf, testCheck, testFigures, testVerdicts } from '../verdict.test.support.ts';
import {
  actionRecord,
  exchangeOf,
  listRecord,
  stopAnswer as stop,
} from './exchange.test.support.ts';
import {
  agreesAround,
  describedAlike,
  lastingChange,
  restlessIn,
  listedInItsWay,
  namesInstance,
  sameDescription,
  sameHardware,
  sameRuntime,
  unchanged,
  unmoved,
  variantOf,
} from './record-relations.ts';

type Change = Readonly<Record<string, unknown>>;
const id = '6f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11';
const shown = (record: Change) => ({ record, exchange: exchangeOf() });

testCheck('the id of a record', (record: Change) => namesInstance(shown(record), id), {
  held: [{ instance_id: id }, { instance_id: id.toUpperCase() }],
  broken: [{ instance_id: id.replace('6', '0') }, { instance_id: 7 }],
  unseen: [{ name: 'trainer' }],
});

testCheck(
  'a description',
  (other: Change) => sameDescription(shown(listRecord()), shown(other), describedAlike),
  {
    held: [
      ...[{}, { hourly_rate: 4.24 }].map(listRecord),
      listRecord({ region: 'par-2', size: '2 GPUs', status: 'STOPPED' }),
    ],
    broken: [{ name: 'other' }, { hourly_rate: 1 }, { cpu_count: 33 }].map(listRecord),
    unseen: [{ id }],
  },
);

testFigures(
  'a runtime in two records',
  (listed, answered) =>
    sameRuntime(
      shown(listRecord({ total_runtime_hours: listed })),
      shown(actionRecord({ total_runtime_hours: answered })),
    ),
  { held: ['20,20', '20.4,20', '1000,1009'], broken: ['20,0', '20,72000'], unseen: ['20,-'] },
);

test('the variant is told by region and size', () => {
  const [listed, stopped] = [listRecord(), actionRecord()];
  expect(variantOf(listed, listed)).toBe('the variant of lists');
  expect(variantOf(listed, stopped)).toBe('the variant of stop and terminate answers');
  expect(variantOf(listed, { ...listed, size: '2 GPUs' })).toBe('a mixture of both variants');
});

test('what moved between two looks at the list is not compared', () => {
  const before = { name: 'a', hourly_rate: 2.65 };
  expect(unmoved(describedAlike, before, before)).toEqual(describedAlike);
  const after = { ...before, hourly_rate: 2.7 };
  expect(unmoved(describedAlike, before, after)).not.toContain('hourly_rate');
});

const listed = (change: Change = {}) => shown(listRecord(change));
const around = (change: Change, after?: ReturnType<typeof listed>) =>
  agreesAround(listed(), stop(change), after);
const stopped = listed({ status: 'STOPPED' });
const free = listed({ status: 'STOPPED', hourly_rate: 0 });

testCheck('an answer between two alike lists', (change: Change) => around(change, listed()), {
  held: [
    {},
    { total_cost_incurred: 88 },
    { started_at: '2026-11-20T10:00:00.250Z', hourly_rate: 5 },
  ],
  broken: [
    { name: 'other' },
    { cpu_count: 16 },
    { total_runtime_hours: 0 },
    { started_at: '2026-11-20T08:00:00Z' },
    { total_cost_incurred: 8 },
  ],
});

testVerdicts([
  ['a rate that lists show', 'held', around({ hourly_rate: 4.2 }, stopped)],
  ['about that rate', 'held', around({ hourly_rate: 4.25 }, stopped)],
  ['another rate', 'broken', around({ hourly_rate: 100.8 }, stopped)],
  ['a rate that moved', 'held', around({ hourly_rate: 100.8 }, free)],
  ['a name that moved', 'held', around({ name: 'b' }, listed({ name: 'b' }))],
  ['a name that is listed no more', 'held', around({ name: 'b' })],
  ['no answer', 'unseen', agreesAround(listed(), stop({}, 409), listed())],
]);

testCheck(
  'two answers about one instance',
  (change: Change) => sameHardware(stop(), stop(change)),
  {
    held: [{}, { storage_used_gb: 0 }],
    broken: [{ storage_used_gb: 12.5 }, { size: 'h100-sxm-2' }, { region: 'FR' }],
  },
);

testCheck(
  'a list after a stop',
  (change: Change) =>
    listedInItsWay(shown(listRecord()), shown(actionRecord()), shown(listRecord(change))),
  {
    held: [{}, { size: 'h100-sxm-4' }, { region: 'UAE' }],
    broken: [{ size: '2 GPUs' }, { region: 'par-2' }],
  },
);

const changed = (change: Change, apartFrom: readonly string[] = []) =>
  unchanged({ before: listRecord(), after: listRecord(change), exchanges: [], apartFrom });

testCheck('a record that must not change', (change: Change) => changed(change), {
  held: [
    {},
    { current_cost: 9 },
    { ttl_remaining_hours: 3 },
    { hourly_rate: 9 },
    { note: 'new' },
    // One instant is the same date in any offset.
    { started_at: '2026-11-20t12:00:00.000+02:00' },
  ],
  broken: [
    { status: 'STOPPED' },
    { name: 'other' },
    { terminated_at: '2026-01-01T00:00:00Z' },
    { started_at: '2026-11-20T10:00:00+02:00' },
  ],
});

test('a field may be left out, and a change counts when it lasts', () => {
  expect(outcomeOf(changed({ status: 'STOPPED' }, ['status']))).toBe('held');
  const [same, other] = [changed({}), changed({ name: 'other' })];
  expect(lastingChange(same, other)).toBe(same);
  expect(lastingChange(other, other)).toBe(other);
  expect(outcomeOf(lastingChange(other, same))).toBe('unseen');
});

test('what two reads show otherwise is restless, but for the state', () => {
  const first = { bandwidth: 2_500, name: 'one', status: 'STOPPING' };
  const second = { bandwidth: 2_400, name: 'one', status: 'STOPPED' };
  expect(restlessIn(first, second)).toEqual(['bandwidth']);
});
