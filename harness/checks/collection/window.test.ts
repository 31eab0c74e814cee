import { describe, expect, test } from 'vitest';
import { exchangeOf } from '../compute/exchange.test.support.ts';
import { outcomeOf, testCalls, testRows } from '../verdict.test.support.ts';
import {
  createdNow,
  meetsInclusively,
  missedInFineTimes,
  missesOnWholeMinute,
  newerFirst,
  overlapsByStep,
} from './boundary.ts';
import type { Extent } from './bracket.ts';
import { bothBounds, instantInBoth, windows, type WindowObservation } from './window.ts';

const window = (ids: string) => ({ ids: Array.from(ids), exchanges: [] });

testRows(
  'begin, end and both together, of dcba',
  (begin, end, both) => bothBounds(Array.from('dcba'), window(begin), window(end), window(both)),
  {
    held: ['dc,cba,c', 'zdc,cba,c'],
    broken: ['dc,cba,dc', 'dc,cba,', 'd,ba,c'],
    unseen: ['d,ba,', 'dcba,dcba,dcba'],
  },
);

testRows(
  'the instant of c in begin, in end, and in both to an end',
  (one, other, both, of) => {
    const end = of === 'limit' || of === 'no-page' ? of : 'last-page';
    const exchanges = [exchangeOf(end === 'no-page' ? { status: 400 } : {})];
    const part = { ids: Array.from(both), records: [], end, exchanges } as const;
    return instantInBoth('c', part, [window(one), window(other)], 'of both');
  },
  {
    held: ['dc,cb,c,last-page'],
    broken: ['dc,cb,,last-page', 'dc,cb,,no-page'],
    unseen: ['dc,cb,ab,limit', 'd,cb,,last-page'],
  },
);

const list = (ids: string, end: Extent['end'] = 'last-page'): Extent => ({
  ids: Array.from(ids),
  end,
  exchanges: [exchangeOf()],
});

testCalls(
  'the place of an instance that was made now',
  (before: Extent, page: Extent, since: Extent) => newerFirst('X', before, page, since),
  {
    held: [
      [list('ab'), list('xab'), list('x')],
      [list('ab'), list('yxab'), list('yx')],
      [list('ab'), list('axb'), list('xa')],
    ],
    broken: [
      [list('ab'), list('axb'), list('x')],
      [list('ab'), list('ab', 'limit'), list('x')],
    ],
    unseen: [
      [list('ab'), list('axb'), list('')],
      [list('ab'), list('axb'), list('x', 'limit')],
      [list('ab'), list('yz', 'limit'), list('xyz')],
    ],
  },
);

testCalls(
  'an instance that was made now',
  (before: Extent, dates: Extent) => createdNow('X', before, dates),
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
  /** Windows that begin or end on a day of January, or so many milliseconds after it begins. */
  const sight =
    (bound: 'begin' | 'end') =>
    (day: number, ids: string, ms = 0): WindowObservation => ({
      bound,
      at: Date.UTC(2026, 0, day) + ms,
      ...window(ids),
    });
  const [begin, end] = [sight('begin'), sight('end')];
  const [DECADES_AGO, DECADES_ON] = [-10_000, 30_000];
  const both = [end(2, 'ba'), end(3, 'cba')];

  // In the order dcba, d, c, b, a were created on the 4th, 3rd, 2nd and 1st of January.
  type Row = readonly [what: string, order: string, said: string, ...WindowObservation[]];
  test.for<Row>([
    ['that agree', 'dcba', 'held held held', begin(3, 'dc'), ...both],
    ['with new instances', 'dcba', 'held held held', begin(3, 'zdc'), end(3, 'cba')],
    [
      'of instances that none tells apart',
      'dcba',
      'held held held',
      begin(3, 'cd'),
      end(3, 'ab', -1),
    ],
    ['of all or nothing', 'dcba', 'unseen unseen unseen', begin(1, 'dcba'), end(1, '', -1)],
    ['that agree in another order', 'abcd', 'held held broken', begin(3, 'cd'), ...both],
    [
      'that contradict a later one',
      'dcba',
      'broken held unseen',
      begin(3, 'cd'),
      end(3, 'ab', -1),
      begin(3, 'd', 1),
    ],
    ['of which a begin is wrong', 'dcba', 'broken held unseen', begin(3, 'ca'), ...both],
    ['of which an end is wrong', 'dcba', 'held broken unseen', begin(3, 'dc'), end(2, 'db')],
    [
      'of which a narrower one has more',
      'dcba',
      'broken held unseen',
      begin(2, 'd'),
      begin(3, 'dc'),
      ...both,
    ],
    [
      'that ignore the begin',
      'dcba',
      'broken held unseen',
      begin(3, 'dcba'),
      begin(DECADES_ON, 'dcba'),
      end(2, 'ba'),
    ],
    ['that ignore the end', 'dcba', 'held broken unseen', begin(3, 'dc'), end(DECADES_AGO, 'dcba')],
    ['that contradict each other', 'dcba', 'broken broken unseen', begin(3, 'dcb'), ...both],
    ['over all times', 'dcba', 'unseen unseen unseen', begin(DECADES_AGO, 'dcba')],
    [
      'over all times without the oldest',
      'dcba',
      'broken unseen unseen',
      begin(DECADES_AGO, 'dcb'),
    ],
    ['over all times without the newest', 'dcba', 'unseen broken unseen', end(20, 'cba')],
    ['over all times with a new one', 'dcba', 'held unseen held', begin(DECADES_AGO, 'edcb')],
  ])('%s, in the order %s: %s', ([, order, said, ...sights]) => {
    const judgements = windows(Array.from(order), sights, Date.UTC(2026, 0, 10));
    expect(judgements.map(({ judgement }) => outcomeOf(judgement)).join(' ')).toBe(said);
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

  test.for<readonly [string, Bounds]>([
    ['held', [ODD, ODD]],
    ['held', [ODD - 1, ODD]],
    ['held', [ODD + 999, ODD]],
    ['held', [ODD + 60, ODD]],
    ['broken', [ODD + 700, ODD]],
    ['broken', [ODD + 5_000, ODD]],
  ])('that overlap by a part of a second or not are %s: %j', ([said, bounds]) => {
    expect(outcomeOf(overlapsByStep(boundary(bounds)))).toBe(said);
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
