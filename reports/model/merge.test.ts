import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { conformanceReport, type ConformanceReport } from '../../schemas/report.ts';
import { exitCode } from './conclusions.ts';
import type { FoldInput } from './fold.ts';
import { type MergeInput, mergeReports, missingShards, Unmergeable } from './merge.ts';
import {
  sampleExchange,
  sampleFinding,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
  sampleTarget,
} from '../sample.test.support.ts';

const stated = ['a', 'b', 'c'].map((slug) => `compute.list.${slug}`);
const open = 'compute.list.open';
const implied = 'compute.list.implied';
const needy = 'compute.list.needy';
const ids = [...stated, implied, open, needy];
const catalogue = [
  ...stated,
  sampleRequirement(implied, { strength: 'implied' }),
  sampleRequirement(open, { strength: 'open' }),
  sampleRequirement(needy, { needs: ['keys.second', 'consent.stop'] }),
];
const profiles = { compute: [{ name: 'read-only', stated: ids }] };
const deviations = [{ requirement: implied, reason: 'known', expires: '2026-12-01' }];

/** A case with something of every kind. */
const outcomes: fc.Arbitrary<CaseOutcome> = fc
  .record({
    name: fc.nat(20),
    target: fc.constantFrom('one', 'two'),
    id: fc.constantFrom(...ids),
    seen: fc.nat(3),
    found: fc.array(fc.nat(40), { maxLength: 12 }),
    gap: fc.option(fc.constantFrom('not-exercised' as const, 'inconclusive' as const)),
    note: fc.option(fc.nat(30)),
    error: fc.boolean(),
    judges: fc.subarray(ids),
    exchange: fc.nat(3),
  })
  .map(({ name, target, id, seen, found, gap, note, error, judges, exchange }) => {
    const cited = `${target}${exchange}`;
    const breaks = (id !== open && seen === 0) || error ? found : [];
    return sampleOutcome({
      case: `case ${name}`,
      target,
      judges,
      // A recording counts as an observation, as in the suite.
      seen: { [id]: seen, ...(note === null ? {} : { [open]: 1 }) },
      findings: breaks.map((number) =>
        sampleFinding(id, {
          message: `found ${number}`,
          exchanges: [cited],
          ...(number % 5 === 0 ? { counterexample: { value: '{}', seed: 1, path: '0' } } : {}),
        }),
      ),
      gaps: gap === null ? [] : [{ requirement: id, kind: gap, reason: `${gap} ${name % 2}` }],
      recordings:
        note === null ? [] : [{ requirement: open, note: `note ${note}`, exchange: cited }],
      errors: error ? [{ message: `bug ${name % 3}`, stack: undefined }] : [],
      exchanges: [sampleExchange({ id: cited, target, startedAt: 1_000 + exchange })],
      samples: { [id]: cited },
      traffic: [
        { operation: 'GET /x', status: 200 + (name % 2), code: '', count: 1, latencies: [name] },
      ],
      transitions: { 'A>B': 1 },
      properties: [{ name: 'p', runs: 1, informative: 1, seed: 42 }],
      requests: name,
      retries: 1,
    });
  });

function foldAll(
  all: readonly CaseOutcome[],
  run: Partial<FoldInput['run']> = {},
): ConformanceReport {
  return sampleReport({
    targets: [sampleTarget('one'), sampleTarget('two')],
    catalogue,
    outcomes: all,
    profiles,
    deviations,
    run: { ...run },
  });
}

/** Distributes the outcomes over `of` shards. */
function shardsOf(all: readonly CaseOutcome[], of: number): readonly MergeInput[] {
  return Array.from({ length: of }, (_, at) => ({
    name: `${at + 1}.json`,
    report: foldAll(
      all.filter((_outcome, place) => place % of === at),
      { id: `run-${at}`, shard: { index: at + 1, of } },
    ),
  }));
}

const merged = (inputs: readonly MergeInput[]): ConformanceReport => mergeReports(inputs, profiles);

/** The parts that must not depend on the distribution. */
function comparable(report: ConformanceReport): unknown {
  return {
    targets: report.targets,
    requests: report.run.requests,
    partial: report.run.partial,
    troubles: report.troubles.map(({ stack: _stack, ...trouble }) => trouble),
    cases: report.cases.map(({ target, case: name }) => [target, name]),
    requirements: report.requirements.map(({ sample, findings, recordings, ...result }) => ({
      ...result,
      sampled: sample !== undefined,
      findings: findings.map(({ exchange: _one, exchanges: _all, ...finding }) => finding),
      recordings: recordings.map(({ note, count }) => ({ note, count })),
    })),
  };
}

const lots = fc.array(outcomes, { maxLength: 14 });

describe('shards of one run', () => {
  test('come to the single run, requirement by requirement', () => {
    fc.assert(
      fc.property(lots, fc.integer({ min: 1, max: 4 }), (all, of) => {
        const whole = merged(shardsOf(all, of));
        expect(comparable(whole)).toEqual(comparable(foldAll(all)));
        expect(exitCode(whole, { strict: true })).toBe(exitCode(foldAll(all), { strict: true }));
      }),
      { numRuns: 60 },
    );
  });

  test('merge to the same in any order', () => {
    fc.assert(
      fc.property(lots, (all) => {
        const shards = shardsOf(all, 3);
        expect(merged(shards.toReversed())).toEqual(merged(shards));
      }),
      { numRuns: 30 },
    );
  });

  test('merge to the same in any grouping', () => {
    fc.assert(
      fc.property(lots, fc.boolean(), (all, cut) => {
        const [one, two, three, four] = shardsOf(all, 4).map(({ name, report }) => ({
          name,
          report: name === '2.json' ? { ...report, run: { ...report.run, partial: cut } } : report,
        }));
        if (!one || !two || !three || !four) throw new Error('four shards');
        const pair = (...inputs: MergeInput[]) => ({ name: 'pair', report: merged(inputs) });
        const all4 = merged([one, two, three, four]);
        expect(merged([pair(one, two), pair(three, four)])).toEqual(all4);
        expect(merged([pair(pair(four, one), two), three])).toEqual(all4);
      }),
      { numRuns: 30 },
    );
  });

  test('make a report that a reader of reports accepts, citing only exchanges that are there', () => {
    fc.assert(
      fc.property(lots, (all) => {
        const whole = conformanceReport.parse(merged(shardsOf(all, 2)));
        const kept = new Map(whole.exchanges.map((exchange) => [exchange.id, exchange]));
        for (const { target, findings, sample } of whole.requirements) {
          for (const id of [
            ...findings.flatMap(({ exchanges }) => exchanges),
            ...(sample === undefined ? [] : [sample]),
          ]) {
            expect(kept.get(id)?.target).toBe(target);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('an incomplete merge', () => {
  const held = [sampleOutcome({ target: 'one', seen: { [stated[0] ?? '']: 1 } })];

  test('is partial, and names what is missing', () => {
    const [, two, three] = shardsOf(held, 4);
    if (!two || !three) throw new Error('shards');
    const report = merged([three, two]);
    expect(report.run.partial).toBe(true);
    expect(missingShards(report)).toEqual([1, 4]);
  });

  test('of all shards is whole', () => {
    const report = merged(shardsOf(held, 2));
    expect(report.run).toMatchObject({ partial: false, shard: null });
    expect(missingShards(report)).toEqual([]);
  });
});

test('built-in deployments are the same in every shard, whatever their port', () => {
  const shards = shardsOf([], 2).map(({ name, report }, at) => ({
    name,
    report: {
      ...report,
      targets: report.targets.map(({ file: _file, ...target }) => ({
        ...target,
        baseUrl: `http://127.0.0.1:${4_000 + at}`,
      })),
    },
  }));
  expect(merged(shards.toReversed()).targets[0]?.baseUrl).toBe('http://127.0.0.1:4000');
});

describe('reports are refused that are', () => {
  const [one, two] = shardsOf([], 2);
  if (!one || !two) throw new Error('shards');
  const { run, tool, targets, requirements } = two.report;
  const beside = (change: Partial<ConformanceReport>): readonly MergeInput[] => [
    one,
    { name: 'odd.json', report: { ...two.report, ...change } },
  ];
  const undeclared = requirements.map(({ deviation: _deviation, ...rest }) => rest);
  const whole = { name: 'whole.json', report: foldAll([]) };

  test.for<[string, readonly MergeInput[], RegExp]>([
    ['none at all', [], /nothing to merge/u],
    ['a whole run', [whole], /whole\.json is no shard.*--shard 1\/N/u],
    [
      'the same shard twice',
      [one, { ...one, name: 'again.json' }],
      /Shard 1 of 2 is in both 1\.json and again\.json/u,
    ],
    [
      'of different seeds',
      beside({ run: { ...run, seed: 7 } }),
      /seeds: 42 and 7\. Give every shard the same --seed/u,
    ],
    [
      'of different catalogues',
      beside({ tool: { ...tool, catalogueDigest: 'ff' } }),
      /different catalogues/u,
    ],
    [
      'of different versions',
      beside({ tool: { ...tool, version: '9' } }),
      /versions of plumbline: 0\.1\.0 and 9/u,
    ],
    [
      'of different targets',
      beside({ targets: targets.slice(1) }),
      /different targets: one \(compute/u,
    ],
    [
      'of different selections',
      beside({ run: { ...run, selection: ['--only x'] } }),
      /different selections/u,
    ],
    [
      'of another number of shards',
      beside({ run: { ...run, shard: { index: 2, of: 3 } } }),
      /numbers of shards: 2 and 3/u,
    ],
    [
      'under different deviations',
      beside({ requirements: undeclared }),
      /different deviations\. Give every shard the same --deviations/u,
    ],
  ])('%s', ([, inputs, message]) => {
    expect(() => merged(inputs)).toThrow(Unmergeable);
    expect(() => merged(inputs)).toThrow(message);
  });
});
