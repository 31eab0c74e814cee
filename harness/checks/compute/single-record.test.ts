import { expect, test } from 'vitest';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
import {
  describedAlike,
  namesInstance,
  sameDescription,
  sameRuntime,
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
