import { describe, expect, test } from 'vitest';
import { exchangeOf } from '../compute/exchange.test.support.ts';
import { testCheck, testRows, testVerdicts } from '../verdict.test.support.ts';
import type { Part } from './bracket.ts';
import {
  commonOrder,
  findsAll,
  inListOrder,
  isListed,
  listedBetween,
  type Selection,
  selects,
  findsNone,
  selectsNone,
} from './filter.ts';
import { isEmptyPage, selectsPresets } from '../compute/presets.ts';

/** `a` and `A` are one instance, stopped and running. */
function part(letters: string, end: Part['end'] = 'last-page'): Part {
  const records = Array.from(letters, (letter) => ({
    instance_id: letter.toLowerCase(),
    status: letter === letter.toUpperCase() ? 'RUNNING' : 'STOPPED',
  }));
  return {
    ids: records.map((record) => record.instance_id),
    records,
    end,
    exchanges: [exchangeOf(end === 'no-page' ? { status: 400, body: {} } : {})],
  };
}

const refused = part('', 'no-page');
const failed: Part = { ...refused, exchanges: [exchangeOf({ status: 500, body: {} })] };

const running = {
  matches: ({ status }: Readonly<Record<string, unknown>>) => status === 'RUNNING',
  filter: 'status=running',
};

describe('a filtered list', () => {
  const judged = (
    before: string,
    filtered: string,
    after = before,
    { pages = 2, ...more }: Partial<Selection> & { readonly pages?: number } = {},
  ) =>
    selects({
      ...running,
      before: part(before),
      after: part(after),
      part: { ...part(filtered), exchanges: Array.from({ length: pages }, () => exchangeOf()) },
      sorted: true,
      ...more,
    });
  const hidden = { mustBeComplete: false };
  const onOnePage = { pages: 1 };
  const overPages = { sorted: false };
  const records = part('xABc').records.map((record) => ({ ...record, started_at: 'later' }));
  const startedAnew = { ...onOnePage, after: { ...part('xABc'), records } };

  testVerdicts([
    ['has what it means', 'held', judged('ABc', 'AB'), judged('ABc', 'BA')],
    ['lacks one', 'broken', judged('ABc', 'A')],
    ['has another', 'broken', judged('ABc', 'ABc'), judged('ABc', 'ABZ')],
    ['of nothing', 'unseen', judged('', '')],
    ['has what changed, or not', 'held', judged('ABc', 'A', 'Abc'), judged('ABc', 'AB', 'Abc')],
    ['of a list that grew', 'held', judged('ABc', 'AB', 'xABc'), judged('ABc', 'ABX', 'XABc')],
    ['let through what it does not mean', 'broken', judged('ABc', 'Ac', 'xABc')],
    // A violation in a list that changes is not hidden by what passes.
    ['lacks one meanwhile', 'unseen', judged('ABc', 'A', 'xABc'), judged('ABc', 'ABZ', 'xABc')],
    ['has one that is hidden, meanwhile', 'held', judged('ABc', 'ABZ', 'xABc', hidden)],
    ['has one that is hidden', 'held', judged('ABc', 'ABZ', 'ABc', hidden)],
    ['lacks what rested, on one page', 'broken', judged('ABc', 'A', 'xABc', onOnePage)],
    ['lacks nothing, on one page', 'held', judged('ABc', 'AB', 'xABc', onOnePage)],
    ['lacks what started anew, on one page', 'held', judged('ABc', 'A', 'xABc', startedAnew)],
    ['has one twice, over pages', 'broken', judged('ABc', 'ABAB', 'ABc', overPages)],
    ['has each once, over pages', 'held', judged('ABc', 'AB', 'ABc', overPages)],
    ['has one twice where it may', 'held', judged('ABc', 'ABAB')],
    // An item that starts to match pushes the others on.
    ['has one twice while it moves', 'unseen', judged('ABc', 'ABB', 'ABC', overPages)],
    ['has one twice while the list grows', 'unseen', judged('ABc', 'ABB', 'xABc', overPages)],
    ['has another and one twice', 'broken', judged('ABc', 'ABcB', 'xABc', overPages)],
  ]);
});

describe('a selection', () => {
  const judged = (whole: Part, found: Part, sorted = false) =>
    selects({ ...running, before: whole, after: whole, part: found, sorted });
  testRows('of a list, and what it has', (whole, found) => judged(part(whole), part(found)), {
    held: ['ABc,AB'],
    broken: ['ABc,A', 'ABc,ABc', 'ABc,ABZ', 'abc,a'],
    unseen: ['abc,'],
  });
  testVerdicts([
    ['is refused', 'broken', judged(part('ABc'), part('', 'no-page'))],
    ['of a list that was cut', 'held', judged(part('ABc', 'limit'), part('ABZ'))],
    // A selection that was cut lacks nothing, unless it could hold the whole list.
    ['was cut', 'held', judged(part('ABCd'), part('AB', 'limit'))],
    ['was cut and has something else', 'broken', judged(part('ABCd'), part('Ad', 'limit'))],
    ['has more than it may', 'broken', judged(part('ABc', 'limit'), part('AXYZ', 'limit'))],
    ['is sorted and was cut', 'held', judged(part('ABc'), part('B', 'limit'), true)],
    ['is sorted', 'broken', judged(part('ABc'), part('B'), true)],
    ['of nothing', 'held', selectsNone(part('a'), part(''), 'region=XX')],
    ['of nothing has something', 'broken', selectsNone(part('a'), part('a'), 'region=XX')],
    ['of nothing, in nothing', 'unseen', selectsNone(part(''), part(''), 'region=XX')],
    ['of nothing is refused', 'held', selectsNone(part('a'), refused, 'region=XX')],
    ['of nothing fails', 'unseen', selectsNone(part('a'), failed, 'region=XX')],
    ['for nothing', 'held', findsNone(part('a'), part(''), 'text=XX')],
    ['for nothing has something', 'broken', findsNone(part('a'), part('a'), 'text=XX')],
    ['for nothing is refused', 'broken', findsNone(part('a'), refused, 'text=XX')],
    ['for nothing, in nothing, is refused', 'unseen', findsNone(part(''), refused, 'text=XX')],
  ]);

  const found = (before: string, after: string, selected: Part) =>
    findsAll({ ...running, before: part(before), after: part(after), part: selected });
  testRows(
    'all that are meant before and after, and what is found',
    (before, after, selected) => found(before, after, part(selected)),
    {
      held: ['ABc,ABc,AB', 'ABc,Bc,B', 'ABc,aBc,B'],
      broken: ['ABc,ABc,A', 'ABc,Bc,'],
      unseen: ['Abc,bc,b'],
    },
  );
  testVerdicts([
    ['search refused', 'broken', found('ABc', 'ABc', part('', 'no-page'))],
    ['search cut', 'unseen', found('ABc', 'ABc', part('', 'limit'))],
    ['search cut as long as the list', 'held', found('ABc', 'ABc', part('ABD', 'limit'))],
    ['search cut as long, one missing', 'broken', found('ABc', 'ABc', part('ADE', 'limit'))],
  ]);
});

const order = (before: string, found: string, after = before, isTied = false) =>
  inListOrder({ before: part(before), after: part(after) }, part(found), isTied);

testVerdicts([
  ['the order of the list', 'held', order('abcd', 'bd'), order('abcd', 'xbd')],
  ['another order', 'broken', order('abcd', 'db'), order('abcd', 'db', 'xabcd')],
  ['a tie, or a change', 'unseen', order('abcd', 'db', 'abcd', true), order('abcd', 'db', 'badc')],
  ['one alone', 'unseen', order('abcd', 'b')],
]);

test('what two lists have in common, each once', () => {
  const common = { expected: ['b', 'd'], actual: ['d', 'b'] };
  expect(commonOrder(part('abcd'), part('xdbd'))).toEqual(common);
});

const listed = (ids: string, end?: Part['end']) => isListed('B', part(ids, end), exchangeOf());

testVerdicts([
  ['an instance in the list, whatever the case of its id', 'held', listed('ab')],
  ['an instance that the list lacks', 'broken', listed('')],
  ['a list that was cut', 'unseen', listed('c', 'limit'), listed('c', 'no-page')],
]);

describe('what a filter selected before and after', () => {
  /** Upper case letters are ERRORED, the others are TERMINATED. */
  const erred = (letters: string, end?: Part['end']): Part => ({
    ...part(letters, end),
    records: Array.from(letters, (letter) => ({
      instance_id: letter.toLowerCase(),
      status: letter === letter.toUpperCase() ? 'ERRORED' : 'TERMINATED',
    })),
  });
  const between = (first: Part, wholes: readonly Part[], later: Part) =>
    listedBetween(first, wholes, later, 'status=errored');
  testRows(
    'first, the whole lists and later',
    (first, wholes, later) => {
      const lists = wholes.split(' ').filter((ids) => ids !== '');
      return between(
        erred(first),
        lists.map((ids) => erred(ids)),
        erred(later),
      );
    },
    {
      held: ['AB,ABC,AB', 'A,AC,AB', 'AB,AC,A', 'AB,A B,AB'],
      broken: ['AB,AC,AB', 'AB,A A,AB'],
      unseen: ['A,C,B', 'b,C,b', 'AB,,AB'],
    },
  );
  testVerdicts([
    ['in a list that was cut', 'unseen', between(erred('AB'), [erred('A', 'limit')], erred('AB'))],
    ['is refused', 'broken', between(erred('', 'no-page'), [erred('A')], erred('A'))],
  ]);
});

describe('presets', () => {
  const presets = (letters: string, end: Part['end'] = 'last-page'): Part => ({
    ...part('', end),
    ids: Array.from(letters),
    records: Array.from(letters, (sku) => ({ sku })),
  });
  /** Capitals match the filter. */
  const capitals = (whole: string, found: Part, before = presets(whole), after = before) =>
    selectsPresets({
      before,
      after,
      part: found,
      matches: ({ sku }) => typeof sku === 'string' && sku === sku.toUpperCase(),
      filter: 'capitals',
    });
  testRows('those that a filter means', (whole, found) => capitals(whole, presets(found)), {
    held: ['aBcD,BD', 'aBcD,DB', 'aBBc,BB'],
    broken: ['aBBc,B', 'aBcD,B', 'aBcD,BcD', 'abc,a'],
    unseen: ['abc,'],
  });
  testVerdicts([
    ['of a list that changed', 'unseen', capitals('aB', presets('a'), presets('aB'), presets('B'))],
    ['of a list that was cut', 'unseen', capitals('aB', presets('a'), presets('aB', 'limit'))],
    // A walk that was cut may have too many items, but lacks none.
    ['all of them, cut', 'unseen', capitals('aBcD', presets('BD', 'limit'))],
    ['one of them, cut', 'unseen', capitals('aBcD', presets('B', 'limit'))],
    ['others, cut', 'broken', capitals('aBcD', presets('Bc', 'limit'))],
    ['one twice, cut', 'broken', capitals('aBcD', presets('BB', 'cursor-again'))],
    ['that are refused', 'broken', capitals('aB', presets('', 'no-page'))],
  ]);

  const links = [{ rel: 'self' }];
  const warnings = ['no such region'];
  const bound = { presets: { items: 'data' } };
  type Row = readonly [status: number, body: unknown, plain?: unknown];
  const empty = ([status, body, plain = { data: [{}] }]: Row, bindings: typeof bound | undefined) =>
    isEmptyPage(exchangeOf({ status, body }), 'A filter', exchangeOf({ body: plain }), bindings);

  testCheck('none where they are known', (row: Row) => empty(row, bound), {
    held: [
      [200, { data: [], pagination: { next: null, size: 50 } }],
      [200, { data: [], links, warnings }],
    ],
    broken: [
      [200, { data: [{}] }],
      [200, { presets: [] }],
      [400, { error: {} }],
      [400, { error: {} }, { data: [] }],
    ],
    unseen: [
      [502, ''],
      [200, { data: [] }, { data: [] }],
    ],
  });
  testCheck('none where they may be', (row: Row) => empty(row, undefined), {
    held: [
      [200, { data: [] }],
      [200, {}],
      [200, [], [{}]],
      [200, { page: { presets: [] }, links }, { page: { presets: [{}] }, links }],
      [200, { data: [], links, warnings }, { data: [{}], links }],
    ],
    broken: [
      [200, { page: { presets: [{}] } }, { page: { presets: [{}] } }],
      [200, { data: [{}], links }, { data: [{}], links }],
      [200, [{}], [{}]],
      [400, { error: {} }],
      [200, 'no JSON'],
    ],
    unseen: [
      [200, { data: [] }, { data: [] }],
      [502, ''],
    ],
  });
});
