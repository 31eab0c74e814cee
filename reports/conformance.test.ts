import { describe, expect, test } from 'vitest';

import type { CaseOutcome } from '../schemas/outcome.ts';
import { conclude, exitCode } from './model/conclusions.ts';
import type { FoldInput } from './model/fold.ts';
import {
  sampleFinding,
  sampleFoldInput,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
  sampleTarget,
} from './sample.test.support.ts';

const STATED = 'compute.list-instances.size-maximum';
const IMPLIED = 'compute.errors.request-id-distinct';
const OPEN = 'compute.list-instances.unknown-parameter';
const catalogue = [
  sampleRequirement(STATED),
  sampleRequirement(IMPLIED, { strength: 'implied' }),
  sampleRequirement(OPEN, { strength: 'open' }),
];

function codesOf(outcome: Partial<CaseOutcome>, changes: Partial<FoldInput> = {}) {
  const report = sampleReport({ catalogue, outcomes: [sampleOutcome(outcome)], ...changes });
  return [exitCode(report, { strict: false }), exitCode(report, { strict: true })];
}

test.for<[string, Partial<CaseOutcome>, number[]]>([
  ['held', { seen: { [STATED]: 1 } }, [0, 0]],
  ['broken', { findings: [sampleFinding(STATED)] }, [1, 1]],
  ['implied, broken', { seen: { [STATED]: 1 }, findings: [sampleFinding(IMPLIED)] }, [0, 1]],
  [
    'an error of ours',
    { seen: { [STATED]: 1 }, errors: [{ message: 'x', stack: undefined }] },
    [4, 4],
  ],
  [
    'broken and an error of ours',
    { findings: [sampleFinding(STATED)], errors: [{ message: 'x', stack: undefined }] },
    [1, 1],
  ],
  [
    'a check of ours that judged what is open',
    { seen: { [STATED]: 1 }, findings: [sampleFinding(OPEN)] },
    [4, 4],
  ],
  ['nothing seen', {}, [5, 5]],
  ['nothing stated seen', { seen: { [OPEN]: 5 } }, [5, 5]],
  [
    'all inconclusive',
    { judges: [STATED], gaps: [{ requirement: STATED, kind: 'inconclusive', reason: 'busy' }] },
    [5, 5],
  ],
])('exit code: %s', ([, outcome, codes]) => {
  expect(codesOf(outcome)).toEqual(codes);
});

test('a run of open requirements alone conforms when they were seen', () => {
  const selects: FoldInput['selects'] = ({ id }) => id === OPEN;
  expect(codesOf({ seen: { [OPEN]: 1 } }, { selects })).toEqual([0, 0]);
  expect(codesOf({}, { selects })).toEqual([5, 5]);
});

test('a target of which nothing was seen spoils the run, but not a shard of it', () => {
  const targets = [sampleTarget(), sampleTarget('idle')];
  const outcome = { seen: { [STATED]: 1 } };
  const run = { ...sampleFoldInput().run, shard: { index: 1, of: 2 } };
  expect(codesOf(outcome, { targets })).toEqual([5, 5]);
  expect(codesOf(outcome, { targets, run })).toEqual([0, 0]);
  const report = sampleReport({ catalogue, targets, outcomes: [sampleOutcome(outcome)] });
  expect(report.targets.map((target) => conclude(report, target))).toEqual([
    'nothing-exercised',
    'conforms',
  ]);
});

test('a shard to which no case fell went well, unless it was ended early', () => {
  const { run } = sampleFoldInput();
  const none = (changes: Partial<FoldInput['run']>) =>
    exitCode(sampleReport({ catalogue, outcomes: [], run: { ...run, ...changes } }), {
      strict: false,
    });
  const shard = { index: 9, of: 9 };
  expect(none({ shard })).toBe(0);
  expect(none({ shard, partial: true })).toBe(5);
  expect(none({ shard: null })).toBe(5);
});

test('what was not asked for has no part in the exit code; it is told', () => {
  const selects: FoldInput['selects'] = ({ id }) => id !== STATED;
  const outcome = { seen: { [IMPLIED]: 1, [OPEN]: 1 }, findings: [sampleFinding(STATED)] };
  expect(codesOf(outcome, { selects })).toEqual([0, 0]);
  const report = sampleReport({ catalogue, outcomes: [sampleOutcome(outcome)], selects });
  expect(report.targets[0]?.brokenBeyondSelection).toEqual([{ id: STATED, violations: 1 }]);
});

describe('the share that must be decided', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map(
    (name) => `compute.share.${name}`,
  );
  const [first = ''] = ids;
  const gap = (requirement: string, changes: Partial<CaseOutcome['gaps'][number]> = {}) =>
    ({ requirement, kind: 'not-exercised', reason: 'nothing there tells', ...changes }) as const;
  /** The code of a run in which these gaps were met, and all other requirements held. */
  const codeWith = (
    gaps: CaseOutcome['gaps'],
    run: Partial<FoldInput['run']> = {},
    changes: Partial<CaseOutcome> = {},
  ) => {
    const missed = new Set(gaps.map(({ requirement }) => requirement));
    const seen = Object.fromEntries(ids.filter((id) => !missed.has(id)).map((id) => [id, 1]));
    const report = sampleReport({
      catalogue: ids.map((id) => sampleRequirement(id)),
      outcomes: [sampleOutcome({ judges: ids, seen, gaps, ...changes })],
      run: { ...sampleFoldInput().run, ...run },
    });
    return exitCode(report, { strict: false });
  };
  const two = ids.slice(0, 2);

  test('is nine in ten unless told', () => {
    expect(codeWith([gap(first)])).toBe(0);
    expect(codeWith(two.map((id) => gap(id)))).toBe(5);
    expect(codeWith(two.map((id) => gap(id, { kind: 'inconclusive' })))).toBe(5);
  });

  test('is what the run was told', () => {
    expect(
      codeWith(
        two.map((id) => gap(id)),
        { decided: 80 },
      ),
    ).toBe(0);
    expect(codeWith([gap(first)], { decided: 90.1 })).toBe(5);
    expect(
      codeWith(
        ids.map((id) => gap(id)),
        { decided: 0 },
      ),
    ).toBe(5);
  });

  test('counts nothing that the target file does not let a run exercise', () => {
    expect(codeWith(ids.slice(1).map((id) => gap(id, { line: 'keys: { second: … }' })))).toBe(0);
    // What no case sets out to judge is judged when an exchange shows it.
    expect(codeWith([], {}, { judges: [first], seen: { [first]: 1 } })).toBe(0);
  });

  test('counts a requirement that is broken, which outweighs it', () => {
    const findings = [sampleFinding(ids[9] ?? '')];
    expect(
      codeWith(
        two.map((id) => gap(id)),
        {},
        { findings },
      ),
    ).toBe(1);
  });

  test('is not asked of a shard, whose others decide the rest', () => {
    expect(
      codeWith(
        two.map((id) => gap(id)),
        { shard: { index: 1, of: 2 } },
      ),
    ).toBe(0);
  });
});
