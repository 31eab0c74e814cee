import { describe, expect, test } from 'vitest';
import type { Judgement } from '../judgement.ts';
import { exchangeOf } from '../compute/exchange.test.support.ts';
import {
  commonOrder,
  filteredEquals,
  findsAll,
  inListOrder,
  isListed,
  listedBetween,
  selects,
  selectsNone,
} from './filter.ts';
import type { WireRecord } from '../compute/records.ts';
import { outcomeOf } from '../compute/verdicts.test.support.ts';
import type { Part, Extent } from './bracket.ts';

describe('filter', () => {
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
});

describe('selection', () => {
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
  ])(
    'of %s before and %s after, all that are meant are among %s: %s',
    (before, after, found, is) => {
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
    },
  );
});

describe('filtered order', () => {
  const list = (letters: string): Part => ({
    ids: letters.split(''),
    records: [],
    exchanges: [],
    end: 'last-page',
  });

  test.each([
    ['held', 'abcd', 'bd', 'abcd', false],
    ['violated', 'abcd', 'db', 'abcd', false],
    ['vacuous', 'abcd', 'db', 'abcd', true],
    ['vacuous', 'abcd', 'db', 'badc', false],
    ['violated', 'abcd', 'db', 'xabcd', false],
    ['vacuous', 'abcd', 'b', 'abcd', false],
    ['held', 'abcd', 'xbd', 'abcd', false],
  ] as const)('%s: of %s came %s', (outcome, before, part, after, isTied) => {
    const around = { before: list(before), after: list(after) };
    expect(outcomeOf(inListOrder(around, list(part), isTied))).toBe(outcome);
  });

  test('what two lists have in common, each once', () => {
    expect(commonOrder(list('abcd'), list('xdbd'))).toEqual({
      expected: ['b', 'd'],
      actual: ['d', 'b'],
    });
  });
});

describe('listed', () => {
  const list = (ids: readonly string[], end: Extent['end'] = 'last-page'): Extent => ({
    ids,
    end,
    exchanges: [exchangeOf()],
  });
  const judged = (id: string, of: Extent) => isListed(id, of, exchangeOf());

  test('an instance is in the whole list, whatever the case of its id', () => {
    expect(judged('AB', list(['cd', 'ab']))).toMatchObject({ seen: 1, violations: [] });
  });

  test('an instance that the whole list lacks is missed there', () => {
    expect(judged('ab', list([])).violations).toMatchObject([{ expected: 'ab' }]);
  });

  test('a list that was cut tells nothing', () => {
    expect(judged('ab', list(['cd'], 'limit')).seen).toBe(0);
    expect(judged('ab', list(['cd'], 'no-page')).seen).toBe(0);
  });
});

describe('listed between', () => {
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
    expect(outcomeOf(listedBetween(part('AB'), lists, part('AB'), 'status=errored'))).toBe(
      'vacuous',
    );
  });

  test('a filter that is refused is a violation', () => {
    const refused = part('', 'no-page');
    expect(outcomeOf(listedBetween(refused, [part('A')], part('A'), 'status=errored'))).toBe(
      'violated',
    );
  });
});
