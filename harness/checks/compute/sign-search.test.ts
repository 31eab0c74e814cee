import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import type { Part } from './selection.ts';
import { fillingSigns, signsSelectNone } from './sign-search.ts';
import { outcomeOf } from './verdicts.test.support.ts';

function part(...names: readonly string[]): Part {
  const records = names.map((name) => ({ instance_id: name, name }));
  return { ids: names, records, end: 'last-page', exchanges: [exchangeOf()] };
}

const all = part('web', '100% sure', 'a_b');

test.each([
  ['held', all, part(), '%'],
  ['held', all, part('100% sure'), '%'],
  ['held', all, part('100% sure', 'a_b'), '_%'],
  ['violated', all, part('100% sure', 'web'), '%'],
  ['violated', all, all, '.*'],
  ['vacuous', part(), part(), '*'],
] as const)('%s', (expected, whole, found, signs) => {
  const judgement = signsSelectNone(whole, found, signs, [], ({ name }) => [String(name)]);
  expect(outcomeOf(judgement)).toBe(expected);
});

test('a search that gives what an empty one gives left the signs out', () => {
  const judged = (found: Part) =>
    outcomeOf(signsSelectNone(all, found, '%', all.ids, ({ name }) => [String(name)]));
  expect(judged(all)).toBe('vacuous');
  expect(judged(part('web'))).toBe('violated');
});

test('as many signs as the longest text has tell a wildcard from signs that are left out', () => {
  expect(fillingSigns([['ab', 'c'], ['abcd']])).toEqual(['____', '....', '????']);
  expect(fillingSigns([['ab'], ['cd']])).toEqual([]);
});
