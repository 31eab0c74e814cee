import { expect, test } from 'vitest';
import { exchangeOf } from './exchange.test.support.ts';
import type { Part } from './selection.ts';
import { signsSelectNone } from './sign-search.ts';
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
  const judgement = signsSelectNone(whole, found, signs, ({ name }) => [String(name)]);
  expect(outcomeOf(judgement)).toBe(expected);
});
