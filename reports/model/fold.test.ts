import { describe, expect, test } from 'vitest';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { conformanceReport, type RequirementResult } from '../../schemas/report.ts';
import {
  sampleExchange,
  sampleFinding,
  sampleGap,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
  sampleTarget,
} from '../sample.test.support.ts';

const STATED = 'compute.list-instances.size-maximum';
const IMPLIED = 'compute.errors.request-id-distinct';
const OPEN = 'compute.list-instances.unknown-parameter';
const catalogue = [
  STATED,
  sampleRequirement(IMPLIED, { strength: 'implied' }),
  sampleRequirement(OPEN, { strength: 'open' }),
];

function resultOf(id: string, ...outcomes: readonly CaseOutcome[]): RequirementResult {
  const result = sampleReport({ catalogue, outcomes }).requirements.find(
    (entry) => entry.id === id,
  );
  if (result === undefined) throw new Error(`${id} has no result`);
  return result;
}

const gap = sampleGap(STATED, { reason: 'needs a second key', line: 'keys: { second: ${K} }' });
const busy = sampleGap(STATED, { kind: 'inconclusive', reason: 'the account was busy' });
const bug = { message: 'TypeError: x is undefined', stack: 'at y' };

const seen = { seen: { [STATED]: 1 } };
const broken = { judges: [STATED], findings: [sampleFinding(STATED)] };
const notBegun = { judges: [STATED], gaps: [{ ...busy, begun: false as const }] };

describe('one verdict per requirement', () => {
  test.for<[string, string, string, Partial<CaseOutcome>[]]>([
    ['seen and right', STATED, 'passed', [seen]],
    ['seen and right, implied', IMPLIED, 'passed', [{ seen: { [IMPLIED]: 3 } }]],
    ['seen, open', OPEN, 'observed', [{ seen: { [OPEN]: 1 } }]],
    ['broken', STATED, 'failed', [{ ...seen, ...broken }]],
    ['broken, implied', IMPLIED, 'warned', [{ findings: [sampleFinding(IMPLIED)] }]],
    ['what is open cannot be broken', OPEN, 'error', [{ findings: [sampleFinding(OPEN)] }]],
    [
      'an error where it was judged',
      STATED,
      'error',
      [{ judges: [STATED], ...seen, errors: [bug] }],
    ],
    ['an error elsewhere', STATED, 'passed', [{ judges: [IMPLIED], ...seen, errors: [bug] }]],
    ['broken and an error', STATED, 'failed', [{ ...broken, errors: [bug] }]],
    [
      'inconclusive, seen elsewhere',
      STATED,
      'inconclusive',
      [{ judges: [STATED], gaps: [busy] }, seen],
    ],
    ['not begun for the budget, seen elsewhere', STATED, 'passed', [notBegun, seen]],
    ['not begun for the budget, and seen nowhere', STATED, 'inconclusive', [notBegun]],
    [
      'an error outweighs inconclusive',
      STATED,
      'error',
      [{ judges: [STATED], gaps: [busy], errors: [bug] }],
    ],
    ['a gap', STATED, 'not-exercised', [{ judges: [STATED], gaps: [gap] }]],
    ['a gap, but seen elsewhere', STATED, 'passed', [{ judges: [STATED], gaps: [gap] }, seen]],
    ['judged, never seen', STATED, 'not-exercised', [{ judges: [STATED], seen: { [STATED]: 0 } }]],
    ['no case at all', STATED, 'not-exercised', []],
  ])('%s', ([, id, verdict, outcomes]) => {
    expect(resultOf(id, ...outcomes.map(sampleOutcome)).verdict).toBe(verdict);
  });

  test('a pass in part says what was left out', () => {
    const outcomes = [{ judges: [STATED], gaps: [gap] }, { seen: { [STATED]: 1 } }];
    expect(resultOf(STATED, ...outcomes.map(sampleOutcome)).reason).toContain('needs a second key');
  });
});

describe('what was not exercised says why', () => {
  test('with the line of the target file that the case named', () => {
    const { gaps, reason } = resultOf(STATED, sampleOutcome({ judges: [STATED], gaps: [gap] }));
    expect(reason).toBe('needs a second key');
    expect(gaps).toMatchObject([{ line: 'keys: { second: ${K} }' }]);
  });

  test('with the line that the catalogue knows when no case said anything', () => {
    const needy = sampleRequirement(STATED, { needs: ['keys.second'] });
    const { requirements } = sampleReport({ catalogue: [needy] });
    expect(requirements[0]?.gaps[0]?.line).toMatch(/^keys: \{ second: /u);
  });

  test('with no line that the target file has already', () => {
    const needy = sampleRequirement(STATED, { needs: ['keys.second', 'consent.stop'] });
    const offers = (_target: string, need: string) => need === 'keys.second';
    const { requirements } = sampleReport({ catalogue: [needy], offers });
    expect(requirements[0]?.gaps.map(({ line }) => line)).toEqual(['consent: { stop: true }']);
    const all = sampleReport({ catalogue: [needy], offers: () => true }).requirements[0];
    expect(all).toMatchObject({ reason: 'no case of this run judged it' });
    expect(all?.gaps[0]).not.toHaveProperty('line');
  });

  test('differs between judged and never tried', () => {
    const judged = resultOf(STATED, sampleOutcome({ judges: [STATED] })).reason;
    expect(judged).not.toBe(resultOf(STATED).reason);
  });
});

describe('findings', () => {
  test('the same violation found often is one finding with a count', () => {
    const findings = Array.from({ length: 300 }, () => sampleFinding(STATED));
    const result = resultOf(STATED, sampleOutcome({ findings }));
    expect(result.violations).toBe(300);
    expect(result.findings).toMatchObject([{ count: 300 }]);
  });

  test('carry the command that runs just this again', () => {
    const result = resultOf(STATED, sampleOutcome({ findings: [sampleFinding(STATED)] }));
    expect(result.findings[0]?.replay).toBe(
      `plumbline run staging.yaml --only ${STATED} --seed 42`,
    );
  });

  test('of what is judged on every exchange name the case that shows it, not the suite', () => {
    const report = sampleReport({
      catalogue: [sampleRequirement(STATED, { universal: true })],
      outcomes: [{ findings: [sampleFinding(STATED)] }],
    });
    expect(report.requirements[0]?.findings[0]?.replay).toBe(
      `plumbline run staging.yaml --only ${STATED} --seed 42 --case 'compute/list-instances › answers a list'`,
    );
  });

  test('keep the exchange that shows them, and nothing that nobody cites', () => {
    const finding = sampleFinding(STATED, { exchanges: ['e1'] });
    const exchanges = [sampleExchange(), sampleExchange({ id: 'e2' })];
    const { requirements, exchanges: kept } = sampleReport({
      catalogue,
      outcomes: [{ findings: [finding], exchanges }],
    });
    expect(requirements.find(({ id }) => id === STATED)?.findings[0]?.exchange).toBe('e1');
    expect(kept.map(({ id }) => id)).toEqual(['e1']);
  });
});

describe('the report', () => {
  const outcomes = [
    { case: 'a', seen: { [STATED]: 1 }, requests: 2, transitions: { 'A>B': 1 } },
    { case: 'b', findings: [sampleFinding(IMPLIED)], requests: 3, transitions: { 'A>B': 2 } },
    { case: 'c', seen: { [OPEN]: 1 }, recordings: [{ requirement: OPEN, note: 'ignored' }] },
  ];

  test('does not depend on the order of the outcomes', () => {
    expect(sampleReport({ catalogue, outcomes: outcomes.toReversed() })).toEqual(
      sampleReport({ catalogue, outcomes }),
    );
  });

  test('counts every selected requirement once, exercised or not', () => {
    const report = sampleReport({ catalogue, outcomes: outcomes.slice(1) });
    const none = { total: 1, passed: 0, failed: 0, inconclusive: 0, waived: 0, error: 0 };
    expect(report.targets[0]?.summary).toEqual({
      stated: { ...none, notExercised: 1 },
      implied: { ...none, notExercised: 0, warned: 1 },
      open: { total: 1, observed: 1, notExercised: 0, inconclusive: 0, error: 0 },
      notSelected: 0,
    });
  });

  test('sums requests and transitions', () => {
    const report = sampleReport({ catalogue, outcomes });
    expect(report.run.requests).toBe(5);
    expect(report.targets[0]?.transitions).toEqual({ 'A>B': 3 });
  });

  test('keeps what was not selected out of the totals, and tells of violations there', () => {
    const { requirements, targets } = sampleReport({
      catalogue,
      outcomes: [{ findings: [sampleFinding(STATED)] }],
      selects: ({ id }) => id === OPEN,
    });
    expect(requirements.map(({ id }) => id)).toEqual([OPEN]);
    expect(targets[0]?.summary.notSelected).toBe(2);
    expect(targets[0]?.brokenBeyondSelection).toEqual([{ id: STATED, violations: 1 }]);
  });

  test('gives each target the requirements of its own contract and its own outcomes', () => {
    const { requirements } = sampleReport({
      catalogue: [...catalogue, 'router.codes.no-capacity'],
      targets: [sampleTarget(), sampleTarget('edge', 'router')],
      outcomes: [{ target: 'edge', seen: { 'router.codes.no-capacity': 1 } }],
    });
    expect(requirements.map(({ target, verdict }) => [target, verdict])).toEqual([
      ['edge', 'passed'],
      ...catalogue.map(() => ['staging', 'not-exercised']),
    ]);
  });

  test.for<[string, Partial<CaseOutcome>]>([
    ['a case that threw', { errors: [bug] }],
    ['a requirement that nobody declared', { seen: { 'compute.no.such': 1 } }],
    ['a target that nobody named', { target: 'elsewhere' }],
  ])('tells of our own mistakes: %s', ([, changes]) => {
    expect(sampleReport({ catalogue, outcomes: [changes] }).troubles).toHaveLength(1);
  });

  test('is what its schema says, after a trip through JSON', () => {
    const exchanges = [sampleExchange()];
    const report = sampleReport({
      catalogue,
      outcomes: [
        ...outcomes,
        { case: 'd', seen: { [STATED]: 1 }, samples: { [STATED]: 'e1' }, exchanges, errors: [bug] },
      ],
    });
    const read = conformanceReport.parse(JSON.parse(JSON.stringify(report)));
    expect(JSON.stringify(read)).toHaveLength(JSON.stringify(report).length);
  });
});
