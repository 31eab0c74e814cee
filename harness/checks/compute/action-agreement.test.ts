import { expect, test } from 'vitest';
import { agreesAround, sameHardware } from './record-relations.ts';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
import { outcomeOf } from './verdicts.test.support.ts';

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
