import { appendFileSync, existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Journal } from './journal.ts';

function fresh(): Journal {
  return new Journal(
    path.join(mkdtempSync(path.join(tmpdir(), 'journal-')), 'a', 'journal.ndjson'),
  );
}

function ask(journal: Journal, name: string): void {
  journal.write({
    kind: 'asked',
    target: 't',
    baseUrl: 'http://h/v1',
    name,
    at: '2026-01-02T03:04:05Z',
  });
}

test('what was asked for and is not gone is left over, with its id where one is known', () => {
  const journal = fresh();
  for (const name of ['one', 'two', 'three']) ask(journal, name);
  journal.write({ kind: 'made', name: 'two', id: 'id-2' });
  journal.write({ kind: 'gone', name: 'three' });
  expect(journal.leftovers().map(({ name, id }) => [name, id])).toEqual([
    ['one', undefined],
    ['two', 'id-2'],
  ]);
});

test('a torn line is passed over and spoils no other', () => {
  const journal = fresh();
  ask(journal, 'one');
  appendFileSync(journal.path, '{"kind":"asked","name":"to');
  ask(journal, 'two');
  appendFileSync(journal.path, '{"kind":"asked","name":7,"target":"t","baseUrl":"b","at":"x"}\n');
  expect(journal.leftovers().map(({ name }) => name)).toEqual(['one', 'two']);
});

test('lines that cannot be read are told with their number, and keep the file', () => {
  const journal = fresh();
  ask(journal, 'one');
  appendFileSync(journal.path, 'garbage\n');
  journal.write({ kind: 'gone', name: 'one' });
  expect(journal.unreadable()).toEqual([{ number: 3, text: 'garbage' }]);
  journal.tidy();
  expect(existsSync(journal.path)).toBe(true);
  expect(fresh().unreadable()).toEqual([]);
});

test('a line that was torn as it was written says nothing that was done, and keeps no file', () => {
  for (const torn of ['{"kind":"asked","name":"to', '{"kind":"gone","name":"one"', '{"ki']) {
    const journal = fresh();
    ask(journal, 'one');
    appendFileSync(journal.path, torn);
    expect(journal.unreadable()).toEqual([]);
    journal.write({ kind: 'gone', name: 'one' });
    journal.tidy();
    expect(existsSync(journal.path)).toBe(false);
  }
});

test('only a journal without leftovers is removed', () => {
  const journal = fresh();
  ask(journal, 'one');
  journal.tidy();
  expect(existsSync(journal.path)).toBe(true);
  journal.write({ kind: 'gone', name: 'one' });
  journal.tidy();
  expect(existsSync(journal.path)).toBe(false);
});

test('nobody else may read it', () => {
  const journal = fresh();
  ask(journal, 'one');
  expect(statSync(journal.path).mode & 0o777).toBe(0o600);
});
