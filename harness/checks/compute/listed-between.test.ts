import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import { listedBetween } from './listed-between.ts';
import type { Part } from './selection.ts';
import { outcomeOf } from './verdicts.test.support.ts';

/** Upper case letters have erred, the others are terminated. */
function part(letters: string, end: Part['end'] = 'last-page'): Part {
  const records = Array.from(letters, (letter) => ({
    instance_id: letter.toLowerCase(),
    status: letter === letter.toUpperCase() ? 'ERRORED' : 'TERMINATED',
  }));
  return {
    ids: records.map((record) => record.instance_id),
    records,
    end,
    exchanges: [exchangeOf(end === 'no-page' ? { status: 400, body: {} } : {})],
  };
}

test.each([
  ['held', 'AB', ['ABC'], 'AB'],
  ['violated', 'AB', ['AC'], 'AB'],
  ['held', 'A', ['AC'], 'AB'],
  ['held', 'AB', ['AC'], 'A'],
  ['vacuous', 'A', ['C'], 'B'],
  ['vacuous', 'b', ['C'], 'b'],
  ['held', 'AB', ['A', 'B'], 'AB'],
  ['violated', 'AB', ['A', 'A'], 'AB'],
  ['vacuous', 'AB', [], 'AB'],
] as const)('%s: %s, then %j, then %s', (expected, first, wholes, later) => {
  const lists = wholes.map((whole) => part(whole));
  expect(outcomeOf(listedBetween(part(first), lists, part(later), 'status=errored'))).toBe(
    expected,
  );
});

test('a list that was cut tells nothing', () => {
  const lists = [part('A', 'limit')];
  expect(outcomeOf(listedBetween(part('AB'), lists, part('AB'), 'status=errored'))).toBe('vacuous');
});

test('a filter that is refused is a violation', () => {
  const refused = part('', 'no-page');
  expect(outcomeOf(listedBetween(refused, [part('A')], part('A'), 'status=errored'))).toBe(
    'violated',
  );
});
