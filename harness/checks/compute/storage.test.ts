import { expect, test } from 'vitest';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
import { diskKept, sameDisk, showsNoUse, storageIn, useKept } from './storage.ts';
import { outcomeOf } from './verdicts.test.support.ts';

const answer = (storage: unknown, status = 202) =>
  exchangeOf({ status, body: actionRecord({ storage_used_gb: storage }) });

test.each([
  ['held', answer(500), answer(500)],
  ['violated', answer(500), answer(0)],
  ['vacuous', answer('much'), answer(500)],
  ['vacuous', answer(500), answer(500, 409)],
] as const)('%s', (outcome, before, after) => {
  expect(outcomeOf(sameDisk(before, after, 'by a start'))).toBe(outcome);
});

test.each([
  ['held', 100, answer(500)],
  ['held', 107, answer(100)],
  ['violated', 100, answer(0)],
  ['vacuous', 0, answer(0)],
  ['vacuous', 'much', answer(0)],
  ['vacuous', 100, answer('much')],
] as const)('%s: %j in use before a stop', (outcome, used, stop) => {
  expect(outcomeOf(diskKept(listRecord({ storage_used_gb: used }), stop))).toBe(outcome);
});

test.each([
  [
    'held',
    [
      [12.5, 500],
      [30, 500],
    ],
  ],
  [
    'held',
    [
      [12.5, 12.5],
      [30, 100],
    ],
  ],
  [
    'held',
    [
      [500, 500],
      [12.5, 12.5],
    ],
  ],
  [
    'violated',
    [
      [12.5, 12.5],
      [30, 30],
    ],
  ],
  [
    'vacuous',
    [
      [12, 12],
      [30, 30],
    ],
  ],
  ['vacuous', [[12.5, 12.5]]],
  ['vacuous', []],
] as const)('the disk and not what is in use: %s for %j', (outcome, figures) => {
  const sights = figures.map(([used, disk]) => ({ used, disk, exchange: exchangeOf() }));
  expect(outcomeOf(showsNoUse(sights, new Set([100, 500])))).toBe(outcome);
});

test('both figures of an instance are needed', () => {
  expect(storageIn(listRecord({ storage_used_gb: 3 }), answer(500))).toMatchObject([
    { used: 3, disk: 500 },
  ]);
  expect(storageIn(listRecord({ storage_used_gb: null }), answer(500))).toEqual([]);
  expect(storageIn(listRecord(), answer(500, 409))).toEqual([]);
});

test.each([
  ['held', 12.5, 12.5, 'STOPPED'],
  ['held', 12.5, 3, 'STOPPED'],
  ['violated', 12.5, 0, 'STOPPED'],
  ['vacuous', 12.5, 0, 'RUNNING'],
  ['vacuous', 0.2, 0, 'STOPPED'],
  ['vacuous', 12.5, 'none', 'STOPPED'],
] as const)('%s: %d GB in use, and %j when it is %s', (outcome, before, after, status) => {
  const listed = (change: Readonly<Record<string, unknown>>) => ({
    record: listRecord(change),
    exchange: exchangeOf(),
  });
  const running = listed({ storage_used_gb: before });
  expect(outcomeOf(useKept(running, listed({ storage_used_gb: after, status })))).toBe(outcome);
});
