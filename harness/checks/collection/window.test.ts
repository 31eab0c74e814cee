import { describe, expect, test } from 'vitest';
import { exchangeOf } from '../compute/exchange.test.support.ts';
import { outcomeOf, testCheck } from '../verdict.test.support.ts';
import {
  createdNow,
  meetsInclusively,
  missedInFineTimes,
  missesOnWholeMinute,
} from './boundary.ts';
import type { Extent } from './bracket.ts';
import { bothBounds, instantInBoth, windows, type WindowObservation } from './window.ts';

const window = (ids: string) => ({ ids: Array.from(ids), exchanges: [] });

testCheck(
  'begin, end and both together, of dcba',
  (row: string) => {
    const [begin = '', end = '', both = ''] = row.split(',');
    return bothBounds(Array.from('dcba'), window(begin), window(end), window(both));
  },
  {
    held: ['dc,cba,c', 'zdc,cba,c'],
    broken: ['dc,cba,dc', 'dc,cba,', 'd,ba,c'],
    unseen: ['d,ba,', 'dcba,dcba,dcba'],
  },
);

testCheck(
  'the instant of c in begin, in end and in both',
  ([row, end]: readonly [string, Extent['end']]) => {
    const [one = '', other = '', both = ''] = row.split(',');
    const exchanges = [exchangeOf(end === 'no-page' ? { status: 400 } : {})];
    const part = { ids: Array.from(both), records: [], end, exchanges };
    return instantInBoth('c', part, [window(one), window(other)], 'of both');
  },
  {
    held: [['dc,cb,c', 'last-page']],
    broken: [
      ['dc,cb,', 'last-page'],
      ['dc,cb,', 'no-page'],
    ],
    unseen: [
      ['dc,cb,ab', 'limit'],
      ['d,cb,', 'last-page'],
    ],
  },
);

const list = (ids: string, end: Extent['end'] = 'last-page'): Extent => ({
  ids: Array.from(ids),
  end,
  exchanges: [exchangeOf()],
});

testCheck(
  'an instance that was made now',
  ([before, dates]: readonly [Extent, Extent]) => createdNow('X', before, dates),
  {
    held: [
      [list('ab'), list('xb')],
      [list('ab'), list('xb', 'limit')],
    ],
    broken: [
      [list('ab'), list('b')],
      [list(''), list('')],
    ],
    unseen: [
      [list('ab'), list('b', 'limit')],
      [list('xa'), list('a')],
      [list('ab', 'limit'), list('b')],
      [list('ab'), list('', 'no-page')],
    ],
  },
);

describe('windows', () => {
  const day = (number: number): number => Date.UTC(2026, 0, number);
  const EVER = Date.UTC(1999, 0, 1);
  const begin = (at: number, ids: string): WindowObservation => ({
    bound: 'begin',
    at,
    ...window(ids),
  });
  const end = (at: number, ids: string): WindowObservation => ({
    bound: 'end',
    at,
    ...window(ids),
  });

  /** The results for begin, end and order; d, c, b, a were created on the 4th, 3rd, 2nd and 1st of January. */
  const judged = (order: string, ...sights: readonly WindowObservation[]) =>
    windows(Array.from(order), sights, day(10)).map(({ judgement }) => outcomeOf(judgement));
  const held = ['held', 'held', 'held'];

  test('that agree with each other and with the order', () => {
    expect(judged('dcba', begin(day(3), 'dc'), end(day(2), 'ba'), end(day(3), 'cba'))).toEqual(
      held,
    );
    // New instances are ignored, and instances that no window tells apart may be in any order.
    expect(judged('dcba', begin(day(3), 'zdc'), end(day(3), 'cba'))).toEqual(held);
    expect(judged('dcba', begin(day(3), 'cd'), end(day(3) - 1, 'ab'))).toEqual(held);
  });

  test('that have all or nothing say nothing', () => {
    const said = judged('dcba', begin(day(1), 'dcba'), end(day(1) - 1, ''));
    expect(said).toEqual(['unseen', 'unseen', 'unseen']);
  });

  test('that agree with each other and not with the order show that it is wrong', () => {
    const said = judged('abcd', begin(day(3), 'cd'), end(day(2), 'ab'), end(day(3), 'abc'));
    expect(said).toEqual(['held', 'held', 'broken']);
    const later = begin(day(3) + 1, 'd');
    expect(judged('dcba', begin(day(3), 'cd'), end(day(3) - 1, 'ab'), later)[2]).not.toBe('held');
  });

  test('of which one contradicts the order and the other window', () => {
    const ends = [end(day(2), 'ba'), end(day(3), 'cba')];
    expect(judged('dcba', begin(day(3), 'ca'), ...ends)).toEqual(['broken', 'held', 'unseen']);
    expect(judged('dcba', begin(day(3), 'dc'), end(day(2), 'db'))[1]).toBe('broken');
    // A narrower window never has more.
    expect(judged('dcba', begin(day(2), 'd'), begin(day(3), 'dc'), ...ends)[0]).toBe('broken');
  });

  test('that are ignored show in the future and in the past', () => {
    const begins = [begin(day(3), 'dcba'), begin(Date.UTC(2100, 0, 1), 'dcba')];
    const [first, second] = judged('dcba', ...begins, end(day(2), 'ba'));
    expect([first, second]).toEqual(['broken', 'held']);
    const [third, fourth] = judged('dcba', begin(day(3), 'dc'), end(Date.UTC(1970, 0, 1), 'dcba'));
    expect([third, fourth]).toEqual(['held', 'broken']);
  });

  test('that contradict each other are both named', () => {
    const said = judged('dcba', begin(day(3), 'dcb'), end(day(2), 'ba'), end(day(3), 'cba'));
    expect(said).toEqual(['broken', 'broken', 'unseen']);
  });

  test('over all times lack nothing, unless something new took its place', () => {
    expect(judged('dcba', begin(EVER, 'dcba'))[0]).toBe('unseen');
    expect(judged('dcba', begin(EVER, 'dcb'))[0]).toBe('broken');
    expect(judged('dcba', end(day(20), 'cba'))[1]).toBe('broken');
    expect(judged('dcba', begin(EVER, 'edcb'))[0]).toBe('held');
  });
});

describe('the instant of a creation', () => {
  const MINUTE = Date.UTC(2026, 0, 1, 12, 30);
  const ODD = MINUTE + 12_345;
  const SECOND = MINUTE + 7_000;
  type Bounds = readonly [lastBegin: number, firstEnd: number];
  const boundary = ([lastBegin, firstEnd]: Bounds) => ({ lastBegin, firstEnd, exchanges: [] });
  /** Bounds of other instances that miss each other by a millisecond, so many milliseconds after further minutes. */
  const more = (gap: number) =>
    [1, 2].map((n) => [MINUTE + n * 60_000 + gap, MINUTE + n * 60_000 + gap + 1] as const);
  const seconds = [1, 2].map((n) => [SECOND + n * 5_000 - 1, SECOND + n * 5_000] as const);

  test.for<readonly [string, string, Bounds, (readonly Bounds[])?]>([
    ['in which both meet', 'held held', [ODD, ODD]],
    ['in which they overlap by what a server cuts off', 'held held', [ODD + 999, ODD]],
    ['that neither includes', 'broken broken', [ODD - 1, ODD + 1]],
    ['in finer times', 'unseen unseen', [ODD - 1, ODD]],
    ['of one whole minute', 'unseen unseen', [MINUTE - 1, MINUTE]],
    ['that begin leaves out', 'broken held', [MINUTE - 1, MINUTE], more(-1)],
    ['that end leaves out', 'held broken', [MINUTE, MINUTE + 1], more(0)],
    ['of whole minutes by chance', 'unseen unseen', [MINUTE - 1, MINUTE], more(455)],
    ['in which the bounds of another meet', 'held held', [MINUTE - 1, MINUTE], [[ODD, ODD]]],
    ['that a server reads to the second', 'unseen unseen', [SECOND - 1, SECOND], seconds],
  ])('%s: %s', ([, said, bounds, others = []]) => {
    const { begin, end } = meetsInclusively(boundary(bounds), ...others.map(boundary));
    expect(`${outcomeOf(begin)} ${outcomeOf(end)}`).toBe(said);
  });

  test.for<readonly [Bounds, boolean]>([
    [[59_999, 60_000], true],
    [[60_000, 60_001], true],
    [[60_000, 60_000], false],
    [[6_999, 7_000], false],
  ])('%j is missed on a whole minute: %j', ([bounds, misses]) => {
    expect(missesOnWholeMinute(boundary(bounds))).toBe(misses);
  });

  test('that no bound has in fine times is told with both of them', () => {
    const [told] = missedInFineTimes(['12:00:00.01Z', '12:00:00.02Z'], []).violations;
    expect(told?.actual).toBe('begin has it until 12:00:00.01Z, end has it from 12:00:00.02Z on');
  });
});
