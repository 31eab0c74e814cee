import { describe, expect, test } from 'vitest';
import { listRecord } from '../checks/compute/exchange.test.support.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { atSecond, toldBy } from './told.test.support.ts';
import { WalkFollower } from './compute.ts';

const ENDS = 'compute.pagination.walk-ends';
const LAST = 'compute.pagination.last-page-null';
const ROUND = 'A walk does not end: it goes on where it has been before.';

let second = 0;
/** A page of so many items; as many as asked for unless told. */
function page(query: string, next: string | null, items = 2, path = '/instances'): Exchange {
  second += 1;
  const data = Array.from({ length: items }, () => listRecord());
  return atSecond(second, {
    path,
    query: `size=2&${query}`,
    body: { data, pagination: { next, size: 2 } },
  });
}
const verdicts = (pages: readonly Exchange[], of = ENDS) =>
  toldBy(new WalkFollower(), pages)
    .judged.filter(([requirement]) => requirement === of)
    .map(([, verdict]) => verdict);

describe('a walk', () => {
  test('that comes to null has ended', () => {
    expect(verdicts([page('', 'a'), page('cursor=a', 'b'), page('cursor=b', null)])).toEqual([
      'held',
    ]);
  });

  test('that comes to a cursor again does not end', () => {
    expect(verdicts([page('', 'a'), page('cursor=a', 'b'), page('cursor=b', 'a')])).toEqual([
      ROUND,
    ]);
    expect(verdicts([page('', 'a'), page('cursor=a', 'a')])).toEqual([ROUND]);
  });

  test('of which a page is asked for twice is no circle, and neither are two walks', () => {
    const twice = [page('', 'a'), page('cursor=a', 'b'), page('cursor=a', 'b')];
    expect(verdicts([...twice, page('', 'a'), page('cursor=a', 'b')])).toEqual([]);
  });

  test('is told from another by its query: the same cursors may stand in both', () => {
    const one = [page('region=FR', 'a'), page('region=FR&cursor=a', 'b')];
    const other = [page('region=US', 'b'), page('region=US&cursor=b', 'a')];
    expect(verdicts([...one, ...other])).toEqual([]);
  });

  test('from a cursor that nobody was seen to get says nothing', () => {
    expect(verdicts([page('cursor=invented', null)])).toEqual([]);
    expect(verdicts([page('cursor=invented', 'invented')])).toEqual([]);
  });

  test('over presets is judged for itself', () => {
    const walk = [page('', 'a', 2, '/presets'), page('cursor=a', null, 1, '/presets')];
    expect(verdicts(walk, 'compute.presets.walk-ends')).toEqual(['held']);
  });

  test('without an end holds bounded memory, and a circle is still found', () => {
    const endless = Array.from({ length: 7_000 }, (_, at) =>
      page(at === 0 ? '' : `cursor=${at}`, String(at + 1)),
    );
    const follower = new WalkFollower();
    toldBy(follower, endless);
    expect(follower.size).toBe(5_000);
    expect(toldBy(follower, [page('cursor=7000', '6900')]).judged).toEqual([[ENDS, ROUND]]);
  });
});

describe('a last page', () => {
  test('with room to spare has no next one', () => {
    expect(verdicts([page('', null, 1)], LAST)).toEqual(['held']);
  });

  test('that is followed by an empty one was the last', () => {
    const [verdict] = verdicts([page('', 'a', 1), page('cursor=a', null, 0)], LAST);
    expect(verdict).toMatch(/has a next page/u);
  });

  test('is not one that is followed by more', () => {
    expect(verdicts([page('', 'a', 1), page('cursor=a', null, 1)], LAST)).toEqual([]);
    expect(verdicts([page('', 'a', 2), page('cursor=a', null, 0)], LAST)).toEqual([]);
  });
});
