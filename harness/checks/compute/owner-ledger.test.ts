import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { OwnerLedger } from './owner-ledger.ts';
import { outcomeOf } from './verdicts.test.support.ts';

/** Pages in a row, each by a key, with the ids on it. */
function judged(...pages: readonly (readonly [key: string | undefined, ids: string])[]) {
  const ledger = new OwnerLedger();
  return pages.map(([credential, ids]) => {
    const exchange = exchangeOf();
    const records = ids.split('').map((instance_id) => ({ instance_id }));
    const request = { ...exchange.request, credential };
    return outcomeOf(ledger.listed({ ...exchange, request }, records));
  });
}

test('instances of one account say nothing until another one was listed', () => {
  expect(
    judged(['primary', 'ab'], ['primary', 'ab'], ['second', 'cd'], ['primary', 'abe']),
  ).toEqual(['vacuous', 'vacuous', 'held', 'held']);
});

test('an instance that is listed for both is wrong, whoever listed it first', () => {
  expect(judged(['primary', 'ab'], ['second', 'cb'])).toEqual(['vacuous', 'violated']);
  expect(judged(['second', 'cb'], ['primary', 'ab'], ['second', 'c'])).toEqual([
    'vacuous',
    'violated',
    'held',
  ]);
});

test('whose other keys are is open', () => {
  expect(judged(['primary', 'ab'], ['forbidden', 'a'], [undefined, 'a'])).toEqual([
    'vacuous',
    'vacuous',
    'vacuous',
  ]);
});
