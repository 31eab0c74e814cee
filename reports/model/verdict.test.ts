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

describe('a known deviation', () => {
  test('that is broken is waived up to its last day, and still tells what was found', () => {
    expect(told([breaks], [accepted])).toEqual(['waived', 'waived', 0, 0]);
    const [, waived] = report([breaks], [accepted]).requirements;
    expect(waived).toMatchObject({ reason: 'accepted until 2026-11-21: old proxy', violations: 1 });
    expect(waived?.findings).toHaveLength(1);
  });

  test('that is broken fails from the day after', () => {
    expect(told([breaks], [{ ...accepted, expires: '2026-11-20' }])).toEqual([
      'failed',
      'expired',
      1,
      1,
    ]);
  });

  test('that has healed is reported, and fails a strict run', () => {
    expect(told([holds], [accepted])).toEqual(['passed', 'healed', 0, 1]);
  });

  test('that has healed in one shard, or before an interrupt, fails nothing', () => {
    expect(told([holds], [accepted], { shard: { index: 1, of: 2 } })).toEqual([
      'passed',
      'healed',
      0,
      0,
    ]);
    expect(told([holds], [accepted], { partial: true })).toEqual(['passed', 'healed', 0, 0]);
  });

  test('that was exercised in part has not healed', () => {
    const gap = sampleGap(id, { reason: 'needs a key' });
    expect(told([{ ...holds, gaps: [gap] }], [accepted])).toEqual(['passed', 'unseen', 0, 0]);
  });

  test('does not excuse what could not be judged', () => {
    expect(told([sampleOutcome({ seen: { [other]: 1 } })], [accepted])).toEqual([
      'not-exercised',
      'unseen',
      0,
      0,
    ]);
    const erred = sampleOutcome({ judges: [id], errors: [sampleBug] });
    expect(told([erred], [accepted])).toEqual(['error', 'unseen', 4, 4]);
  });

  test('of another target or requirement changes nothing', () => {
    expect(told([breaks], [{ ...accepted, target: 'elsewhere' }])).toEqual([
      'failed',
      undefined,
      1,
      1,
    ]);
    expect(told([breaks], [{ ...accepted, requirement: other }])[0]).toBe('failed');
  });

  test('of this target goes before one of every target', () => {
    const expired = { ...accepted, expires: '2026-11-01' };
    expect(told([breaks], [expired, { ...accepted, target: 'staging' }])[0]).toBe('waived');
    expect(told([breaks], [accepted, { ...expired, target: 'staging' }])[0]).toBe('failed');
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
