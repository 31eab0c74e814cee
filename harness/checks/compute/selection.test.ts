import { expect, test } from 'vitest';
import type { Judgement } from '../judgement.ts';
import { exchangeOf } from './exchange.test.support.ts';
import type { WireRecord } from './records.ts';
import { type Part, findsAll, selects, selectsNone } from './selection.ts';

function outcome({ seen, violations }: Judgement): string {
  if (violations.length > 0) return 'violated';
  return seen === 0 ? 'vacuous' : 'held';
}

/** Upper case letters are RUNNING, the others STOPPED. */
function part(letters: string, end: Part['end'] = 'last-page'): Part {
  const records = Array.from(letters, (letter) => ({
    instance_id: letter.toLowerCase(),
    status: letter === letter.toUpperCase() ? 'RUNNING' : 'STOPPED',
  }));
  return {
    ids: records.map((record) => record.instance_id),
    records,
    end,
    exchanges: end === 'no-page' ? [exchangeOf({ status: 400, body: {} })] : [exchangeOf()],
  };
}

function running(whole: Part, filtered: Part): string {
  return outcome(
    selects({
      before: whole,
      after: whole,
      part: filtered,
      matches: (record) => record['status'] === 'RUNNING',
      filter: 'status=running',
    }),
  );
}

test('what a filter means is what it selects', () => {
  expect(running(part('ABc'), part('AB'))).toBe('held');
  expect(running(part('ABc'), part('A'))).toBe('violated');
  expect(running(part('ABc'), part('ABc'))).toBe('violated');
});

test('nothing meant and nothing selected says nothing', () => {
  expect(running(part('abc'), part(''))).toBe('vacuous');
  expect(running(part('abc'), part('a'))).toBe('violated');
});

test('a filter that is refused is a violation', () => {
  expect(running(part('ABc'), part('', 'no-page'))).toBe('violated');
});

test('of a list that was not read to its end nothing is superfluous', () => {
  expect(running(part('ABc'), part('ABZ'))).toBe('violated');
  expect(running(part('ABc', 'limit'), part('ABZ'))).toBe('held');
});

test('of a selection that was not read to its end nothing is lacking, unless it could hold the whole list', () => {
  expect(running(part('ABCd'), part('AB', 'limit'))).toBe('held');
  expect(running(part('ABCd'), part('Ad', 'limit'))).toBe('violated');
  expect(running(part('ABc', 'limit'), part('AXYZ', 'limit'))).toBe('violated');
});

test('nothing is selected where there is something to select', () => {
  expect(outcome(selectsNone(part('a'), part(''), 'region=XX'))).toBe('held');
  expect(outcome(selectsNone(part('a'), part('a'), 'region=XX'))).toBe('violated');
  expect(outcome(selectsNone(part(''), part(''), 'region=XX'))).toBe('vacuous');
});

test('a sorted list that was not read to its end may lack something', () => {
  const judged = (end: Part['end']) =>
    outcome(
      selects({
        before: part('ABc'),
        after: part('ABc'),
        part: part('B', end),
        matches: (record) => record['status'] === 'RUNNING',
        filter: 'status=running&sort_field=NAME',
        sorted: true,
      }),
    );
  expect(judged('limit')).toBe('held');
  expect(judged('last-page')).toBe('violated');
});

test.each([
  ['ABc', 'ABc', 'AB', 'held'],
  ['ABc', 'ABc', 'A', 'violated'],
  ['ABc', 'Bc', 'B', 'held'],
  ['ABc', 'Bc', '', 'violated'],
  ['Abc', 'bc', 'b', 'vacuous'],
  ['ABc', 'aBc', 'B', 'held'],
])('of %s before and %s after, all that are meant are among %s: %s', (before, after, found, is) => {
  const judged = (selected: Part) =>
    outcome(
      findsAll({
        before: part(before),
        after: part(after),
        part: selected,
        matches: (record: WireRecord) => record['status'] === 'RUNNING',
        filter: 'search',
      }),
    );
  expect(judged(part(found))).toBe(is);
  expect(judged(part('', 'no-page'))).toBe('violated');
  expect(judged(part('', 'limit'))).toBe('vacuous');
});
