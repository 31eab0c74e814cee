import { expect, test } from 'vitest';
import { actionRecord, exchangeOf } from './exchange.test.support.ts';
import { sameDisk } from './storage-figure.ts';
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
