import { expect, test } from 'vitest';
import type { Judgement } from '../judgement.ts';
import { exchangeOf } from './exchange.test.support.ts';
import { filteredEquals, selectsNothing } from './filter.ts';
import type { WireRecord } from './records.ts';
import { outcomeOf } from './verdicts.test.support.ts';

/** `a` and `A` are one instance, stopped and running. */
function records(letters: string): readonly WireRecord[] {
  return letters.split('').map((letter) => ({
    instance_id: letter.toLowerCase(),
    status: letter === letter.toUpperCase() ? 'RUNNING' : 'STOPPED',
  }));
}

function running(before: string, filtered: string, after = before, withinFull = true): Judgement {
  return filteredEquals({
    before: records(before),
    after: records(after),
    filtered: records(filtered),
    exchanges: [],
    matches: (record) => record['status'] === 'RUNNING',
    filter: 'status=running',
    withinFull,
  });
}

test.each([
  ['ABc', 'AB', 'held'],
  ['ABc', 'BA', 'held'],
  ['ABc', 'A', 'violated'],
  ['ABc', 'ABc', 'violated'],
  ['ABc', 'ABZ', 'violated'],
  ['abc', '', 'held'],
  ['', '', 'vacuous'],
])('of %s the running ones are %s: %s', (full, filtered, expected) => {
  expect(outcomeOf(running(full, filtered))).toBe(expected);
});

test('an instance that changes meanwhile may be in or out', () => {
  expect(outcomeOf(running('ABc', 'A', 'Abc'))).toBe('held');
  expect(outcomeOf(running('ABc', 'AB', 'Abc'))).toBe('held');
});

test('a list that changes meanwhile is judged by what it let through alone', () => {
  expect(outcomeOf(running('ABc', 'AB', 'xABc'))).toBe('held');
  expect(outcomeOf(running('ABc', 'Ac', 'xABc'))).toBe('violated');
  expect(outcomeOf(running('ABc', 'ABX', 'XABc'))).toBe('held');
});

test('what looks wrong while the list changes is not covered by what is right', () => {
  expect(outcomeOf(running('ABc', 'A', 'xABc'))).toBe('vacuous');
  expect(outcomeOf(running('ABc', 'ABZ', 'xABc'))).toBe('vacuous');
  expect(outcomeOf(running('ABc', 'ABZ', 'xABc', false))).toBe('held');
});

test('on one page nothing that rested may be lacking, whoever else comes', () => {
  const list = {
    before: records('ABc'),
    after: records('xABc'),
    filtered: records('A'),
    exchanges: [],
    matches: (record: WireRecord) => record['status'] === 'RUNNING',
    filter: 'status=running',
    onOnePage: true,
  };
  expect(outcomeOf(filteredEquals(list))).toBe('violated');
  expect(outcomeOf(filteredEquals({ ...list, filtered: records('AB') }))).toBe('held');
  const restarted = list.after.map((record) => ({ ...record, started_at: 'later' }));
  expect(outcomeOf(filteredEquals({ ...list, after: restarted }))).toBe('held');
});

test('over several pages nothing may come twice while nothing moves', () => {
  const over = (filtered: string, after: string, overPages = true) =>
    outcomeOf(
      filteredEquals({
        before: records('ABc'),
        after: records(after),
        filtered: records(filtered),
        exchanges: [],
        matches: (record: WireRecord) => record['status'] === 'RUNNING',
        filter: 'status=running',
        overPages,
      }),
    );
  expect(over('ABAB', 'ABc')).toBe('violated');
  expect(over('AB', 'ABc')).toBe('held');
  expect(over('ABAB', 'ABc', false)).toBe('held');
  // What starts to be meant pushes the others on.
  expect(over('ABB', 'ABC')).toBe('vacuous');
  expect(over('ABB', 'xABc')).toBe('vacuous');
  expect(over('ABcB', 'xABc')).toBe('violated');
});

test('a filter may show what the full list hides, where that is open', () => {
  expect(outcomeOf(running('ABc', 'ABZ', 'ABc', false))).toBe('held');
});

test('a filter that means nothing selects nothing', () => {
  expect(outcomeOf(selectsNothing(exchangeOf(), [], 'region=XX'))).toBe('held');
  expect(outcomeOf(selectsNothing(exchangeOf(), [{}], 'region=XX'))).toBe('violated');
  expect(outcomeOf(selectsNothing(exchangeOf(), undefined, 'region=XX'))).toBe('vacuous');
});
