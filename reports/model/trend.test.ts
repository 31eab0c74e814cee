import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostileReport } from '../hostile.test.support.ts';
import { trendPage } from '../html/trend-page.ts';
import {
  sampleFinding,
  sampleReport,
  sampleRequirement,
  sampleTarget,
} from '../sample.test.support.ts';
import { type Mark, type Trend, trendsOf } from './trend.ts';

const id = 'compute.list.size';

type Said = 'held' | 'broken' | 'missing' | 'waived' | 'absent';

/** A result of the n-th day. */
function night(day: number, said: Said, name = 'staging') {
  const broken = said === 'broken' || said === 'waived';
  return sampleReport({
    catalogue: said === 'absent' ? [] : [sampleRequirement(id)],
    targets: [sampleTarget(name)],
    outcomes: [
      {
        target: name,
        seen: said === 'held' ? { [id]: 1 } : {},
        findings: broken ? [sampleFinding(id)] : [],
      },
    ],
    deviations:
      said === 'waived' ? [{ requirement: id, reason: 'known', expires: '2030-01-01' }] : [],
    run: { id: `run-${day}`, startedAt: `2026-11-${String(day).padStart(2, '0')}T02:00:00.000Z` },
  });
}

function history(...said: readonly Said[]): Trend {
  const [trend] = trendsOf(said.map((each, at) => night(at + 1, each)));
  if (trend === undefined) throw new Error('no trend');
  return trend;
}

describe('the history of a requirement', () => {
  test.for<[readonly Said[], string | undefined, number]>([
    [['held', 'broken', 'broken'], '2026-11-02', 1],
    [['broken', 'held'], undefined, 1],
    [['broken', 'missing', 'broken'], '2026-11-01', 0],
    [['broken', 'held', 'broken', 'held', 'broken'], '2026-11-05', 4],
    [['held', 'waived'], undefined, 0],
    [['absent', 'broken', 'absent'], '2026-11-02', 0],
  ])('%j', ([said, since, turns]) => {
    const [row] = history(...said).rows;
    expect(row?.brokenSince?.slice(0, 10)).toBe(since);
    expect(row?.turns).toBe(turns);
    expect(row?.marks).toEqual(said.map((each) => (each === 'missing' ? 'unjudged' : each)));
  });

  test('of one that always held is not told', () => {
    expect(history('held', 'missing', 'held').rows).toEqual([]);
  });
});

test('runs come in the order of time, whatever order the files have', () => {
  const nights = [1, 2, 3, 4].map((day) => night(day, day % 2 === 0 ? 'held' : 'broken'));
  fc.assert(
    fc.property(fc.shuffledSubarray(nights, { minLength: 4 }), (shuffled) => {
      expect(trendsOf(shuffled)).toEqual(trendsOf(nights));
    }),
  );
});

test('a result that is there twice counts once, and targets are kept apart', () => {
  const trends = trendsOf([night(1, 'held'), night(1, 'held'), night(2, 'broken', 'production')]);
  expect(trends.map(({ target, points }) => [target, points.length])).toEqual([
    ['production', 1],
    ['staging', 1],
  ]);
});

describe('the page', () => {
  test('tells the last run, each run, and what was ever broken', () => {
    const page = trendPage([history('held', 'broken', 'held')]);
    expect(page).toContain('1 of 1 stated requirement held, in the last of 3 runs.');
    expect(page).toContain('aria-label="broken in 1 of 3 runs"');
    expect(page).toContain('<td>2 times</td>');
    expect(page.match(/<th scope="row">2026-11-0\d 02:00:00 UTC<\/th>/gu)).toHaveLength(3);
  });

  test('tells the last whole run, where the last is of a part', () => {
    const trend = history('held', 'broken');
    const points = trend.points.map((point, at) => ({
      ...point,
      scope: at === 0 ? '' : 'selection',
    }));
    expect(trendPage([{ ...trend, points }])).toContain(
      '1 of 1 stated requirement held, in the last whole one of 2 runs.',
    );
  });

  test('says when a run is not like the one before', () => {
    const one = night(1, 'held');
    const other = {
      ...night(2, 'held'),
      tool: { ...one.tool, version: '9.9', catalogueDigest: 'ff' },
    };
    expect(trendPage(trendsOf([one, other]))).toContain('plumbline 9.9; another catalogue');
  });

  test('has no script, loads nothing, and shows hostile text as text', () => {
    const page = trendPage(trendsOf([hostileReport()]));
    expect(page).not.toMatch(/<(?:a|script|img|iframe|link|object)\b|\son\w+=["']/iu);
    expect(page).toContain('default-src &#39;none&#39;; style-src &#39;sha256-');
  });

  test('stays small with a year of nights and many broken requirements', () => {
    const [row] = history('held', 'broken').rows;
    const [point] = history('held').points;
    if (row === undefined || point === undefined) throw new Error('no row');
    const points = Array.from({ length: 365 }, () => point);
    const marks = points.map((_point, at): Mark => (at % 3 === 0 ? 'broken' : 'held'));
    const rows = Array.from({ length: 60 }, () => ({ ...row, marks }));
    const page = trendPage([{ target: 'staging', contract: 'compute', points, rows }]);
    expect(page).toContain('The 245 runs before these are not drawn.');
    expect(page.length).toBeLessThan(1_500_000);
  });
});
