import { expect, test } from 'vitest';
import { actionRecord, exchangeOf, listRecord } from './exchange.test.support.ts';
import { diskKept, sameDisk } from './storage-figure.ts';
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
