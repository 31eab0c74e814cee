import { describe, expect, test } from 'vitest';
import type { Deviation } from '../../schemas/deviations.ts';
import { exitCode } from './conclusions.ts';
import type { FoldInput } from './fold.ts';
import {
  sampleBug,
  sampleFinding,
  sampleGap,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from '../sample.test.support.ts';
import { catalogueDigest } from './verdict.ts';
import { evenSample, mergeTraffic, provocationsOf } from './evidence.ts';

const id = 'compute.list-instances.size-maximum';
const other = 'compute.list-instances.default-size';
const accepted: Deviation = { requirement: id, reason: 'old proxy', expires: '2026-11-21' };
const breaks = sampleOutcome({ findings: [sampleFinding(id)], seen: { [other]: 1 } });
const holds = sampleOutcome({ seen: { [id]: 1, [other]: 1 } });

function report(outcomes: FoldInput['outcomes'], deviations: readonly Deviation[], run = {}) {
  return sampleReport({ catalogue: [id, other], outcomes, deviations, run: { ...run } });
}

function told(...given: Parameters<typeof report>) {
  const full = report(...given);
  const result = full.requirements.find((each) => each.id === id);
  const codes = [exitCode(full, { strict: false }), exitCode(full, { strict: true })];
  return [result?.verdict, result?.deviation?.state, ...codes];
}

const elsewhere = { ...accepted, target: 'elsewhere' };
const here = { target: 'staging' };
const over = { ...accepted, expires: '2026-11-01' };
const inPart = { ...holds, gaps: [sampleGap(id, { reason: 'needs a key' })] };
const unseen = sampleOutcome({ seen: { [other]: 1 } });
const erred = sampleOutcome({ judges: [id], errors: [sampleBug] });

describe('a known deviation', () => {
  /** Verdict, state of the deviation, and the exit codes without and with `strict`. */
  test.for<[string, ReturnType<typeof told>, ...Parameters<typeof report>]>([
    ['broken, up to its last day', ['waived', 'waived', 0, 0], [breaks], [accepted]],
    ['broken, from the day after', ['failed', 'expired', 1, 1], [breaks], [over]],
    ['healed', ['passed', 'healed', 0, 1], [holds], [accepted]],
    [
      'healed in one shard',
      ['passed', 'healed', 0, 0],
      [holds],
      [accepted],
      { shard: { index: 1, of: 2 } },
    ],
    [
      'healed before an interrupt',
      ['passed', 'healed', 0, 0],
      [holds],
      [accepted],
      { partial: true },
    ],
    ['exercised in part', ['passed', 'unseen', 0, 0], [inPart], [accepted]],
    ['not exercised', ['not-exercised', 'unseen', 0, 0], [unseen], [accepted]],
    ['not judged for an error of ours', ['error', 'unseen', 4, 4], [erred], [accepted]],
    ['of another target', ['failed', undefined, 1, 1], [breaks], [elsewhere]],
    [
      'of another requirement',
      ['failed', undefined, 1, 1],
      [breaks],
      [{ ...accepted, requirement: other }],
    ],
    [
      'of this target, before one of all',
      ['waived', 'waived', 0, 0],
      [breaks],
      [over, { ...accepted, ...here }],
    ],
    [
      'over for this target, whatever holds for all',
      ['failed', 'expired', 1, 1],
      [breaks],
      [accepted, { ...over, ...here }],
    ],
  ])('%s', ([, expected, ...given]) => {
    expect(told(...given)).toEqual(expected);
  });

  test('that is waived still tells what was found', () => {
    const [, waived] = report([breaks], [accepted]).requirements;
    expect(waived).toMatchObject({ reason: 'accepted until 2026-11-21: old proxy', violations: 1 });
    expect(waived?.findings).toHaveLength(1);
  });
});

const held = 'compute.list.held';
const broken = 'compute.list.broken';
const missing = 'compute.list.missing';

function met(stated: readonly string[]): boolean | undefined {
  const made = sampleReport({
    catalogue: [held, broken, missing],
    outcomes: [{ seen: { [held]: 1 }, findings: [sampleFinding(broken)] }],
    profiles: { compute: [{ name: 'read-only', stated }] },
  });
  return made.targets[0]?.profiles?.[0]?.met;
}

test.for<[string, string[], boolean]>([
  ['all of it held', [held], true],
  ['something is broken', [held, broken], false],
  ['something was not exercised', [held, missing], false],
  ['something was left out of the run', [held, 'compute.list.elsewhere'], false],
  ['nothing is asked', [], false],
])('a profile is met only when all of it was exercised and held: %s', ([, stated, result]) => {
  expect(met(stated)).toBe(result);
});

const one = sampleRequirement('compute.a.one', { needs: ['keys.second', 'consent.stop'] });
const two = sampleRequirement('compute.a.two');

test('does not depend on order', () => {
  const shuffled = { ...one, needs: ['consent.stop', 'keys.second'] };
  expect(catalogueDigest([two, shuffled])).toBe(catalogueDigest([one, two]));
  expect(catalogueDigest([one])).toMatch(/^[0-9a-f]{64}$/u);
});

test.for<Partial<typeof two>>([
  { statement: 'Something else.' },
  { strength: 'open' },
  { clause: 'elsewhere' },
  { needs: ['keys.second'] },
  { judged: 'by hand' },
])('changes with what is judged: %j', (change) => {
  expect(catalogueDigest([one, { ...two, ...change }])).not.toBe(catalogueDigest([one, two]));
});

const row = { operation: 'GET /a', status: 200, code: '', count: 2, latencies: [9, 1] };

test('rows of the same kind are summed, others kept apart', () => {
  const another = { ...row, status: 400, code: 'VALIDATION_ERROR' };
  expect(mergeTraffic([another, row, { ...row, count: 3, latencies: [5] }])).toEqual([
    { ...row, count: 5, latencies: [1, 5, 9] },
    { ...another, latencies: [1, 9] },
  ]);
});

test('latencies are thinned evenly, the fastest and the slowest kept', () => {
  const sorted = Array.from({ length: 1_001 }, (_, index) => index);
  expect(evenSample(sorted, 5)).toEqual([0, 250, 500, 750, 1_000]);
  expect(evenSample([1, 2], 5)).toEqual([1, 2]);
});

test('answers are counted by the section that provoked them', () => {
  const outcomes = [
    sampleOutcome({ section: 'codes', traffic: [row] }),
    sampleOutcome({ section: 'codes', traffic: [{ ...row, operation: 'GET /b' }] }),
    sampleOutcome({ section: 'auth', traffic: [row] }),
  ];
  expect(provocationsOf(outcomes)).toEqual([
    { section: 'auth', status: 200, code: '', count: 2 },
    { section: 'codes', status: 200, code: '', count: 4 },
  ]);
});
