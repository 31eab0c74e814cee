import { expect, test } from 'vitest';
import { absentPatterns, telling } from './search-texts.ts';

test('one record for each kind of text, and none twice', () => {
  const names = ['plain', 'other', "o'brien", '100% sure', 'notebook 🚀', 'zürich'];
  const found = telling(
    names.map((name) => ({ name })),
    'name',
  ).map((record) => record['name']);
  expect(found).toEqual(['notebook 🚀', "o'brien", '100% sure', 'plain']);
});

test('patterns that only a wildcard would find', () => {
  expect(absentPatterns(['node', 'trainer 7'])).toEqual(['tr%er', 'tr*er', 'tr.*er']);
  expect(absentPatterns(['trainer 7', 'tr*er'])).toEqual(['tr%er', 'tr.*er']);
  expect(absentPatterns(['node'])).toEqual([]);
});
