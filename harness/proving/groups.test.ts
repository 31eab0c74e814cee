import { expect, it } from 'vitest';
import { groupsOf } from './trial.ts';

it('puts mutants of different files together, and each into one group', () => {
  const items = Array.from('aaabbcdefgh').map((file, at) => ({ file, at }));
  const groups = groupsOf(items, ({ file }) => file);
  expect(groups.map((group) => group.map(({ file }) => file).join(''))).toEqual([
    'abcdef',
    'abgh',
    'a',
  ]);
  expect(new Set(groups.flat())).toEqual(new Set(items));
  expect(groupsOf([], String)).toEqual([]);
});
