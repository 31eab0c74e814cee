import { describe, expect, test } from 'vitest';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import {
  conclude,
  deviationLines,
  exitCode,
  laterTriesText,
  missingGroups,
  missingLines,
  missingShardsText,
  withMissingShards,
} from './conclusions.ts';
import {
  type SampleInput,
  sampleBug,
  sampleFinding,
  sampleGap,
  sampleReport,
  sampleRequirement,
  sampleTarget,
} from '../sample.test.support.ts';
import { verdictSentence } from './wording.ts';
import { reportToCtrf } from '../formats/ctrf.ts';
import { reportPage } from '../html/page.ts';
import { reportToJunit } from '../formats/junit.ts';
import { reportToMarkdown } from '../formats/markdown.ts';
import { mergeReports } from './merge.ts';
import { terminalSummary } from '../formats/terminal.ts';
import { HOSTILE } from '../hostile.test.support.ts';

describe('conformance', () => {
  const STATED = 'compute.list-instances.size-maximum';
  const IMPLIED = 'compute.errors.request-id-distinct';
  const OPEN = 'compute.list-instances.unknown-parameter';
  const catalogue = [
    STATED,
    sampleRequirement(IMPLIED, { strength: 'implied' }),
    sampleRequirement(OPEN, { strength: 'open' }),
  ];

  function codesOf(outcome: Partial<CaseOutcome>, changes: SampleInput = {}) {
    const report = sampleReport({ catalogue, outcomes: [outcome], ...changes });
    return [exitCode(report, { strict: false }), exitCode(report, { strict: true })];
  }

  test.for<[string, Partial<CaseOutcome>, number[]]>([
    ['held', { seen: { [STATED]: 1 } }, [0, 0]],
    ['broken', { findings: [sampleFinding(STATED)] }, [1, 1]],
    ['implied, broken', { seen: { [STATED]: 1 }, findings: [sampleFinding(IMPLIED)] }, [0, 1]],
    ['an error of ours', { seen: { [STATED]: 1 }, errors: [sampleBug] }, [4, 4]],
    [
      'broken and an error of ours',
      { findings: [sampleFinding(STATED)], errors: [sampleBug] },
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
      { judges: [STATED], gaps: [sampleGap(STATED, { kind: 'inconclusive', reason: 'busy' })] },
      [5, 5],
    ],
  ])('exit code: %s', ([, outcome, codes]) => {
    expect(codesOf(outcome)).toEqual(codes);
  });

  test('a run of open requirements alone conforms when they were seen', () => {
    const selects: SampleInput['selects'] = ({ id }) => id === OPEN;
    expect(codesOf({ seen: { [OPEN]: 1 } }, { selects })).toEqual([0, 0]);
    expect(codesOf({}, { selects })).toEqual([5, 5]);
  });

  test('a target of which nothing was seen spoils the run, but not a shard of it', () => {
    const targets = [sampleTarget(), sampleTarget('idle')];
    const outcome = { seen: { [STATED]: 1 } };
    const run = { shard: { index: 1, of: 2 } };
    expect(codesOf(outcome, { targets })).toEqual([5, 5]);
    expect(codesOf(outcome, { targets, run })).toEqual([0, 0]);
    const report = sampleReport({ catalogue, targets, outcomes: [outcome] });
    expect(report.targets.map((target) => conclude(report, target))).toEqual([
      'nothing-exercised',
      'conforms',
    ]);
  });

  test('a shard to which no case fell went well, unless it was ended early', () => {
    const none = (changes: SampleInput['run']) =>
      exitCode(sampleReport({ catalogue, outcomes: [], run: changes ?? {} }), { strict: false });
    const shard = { index: 9, of: 9 };
    expect(none({ shard })).toBe(0);
    expect(none({ shard, partial: true })).toBe(5);
    expect(none({ shard: null })).toBe(5);
  });

  test('what was not asked for has no part in the exit code; it is told', () => {
    const selects: SampleInput['selects'] = ({ id }) => id !== STATED;
    const outcome = { seen: { [IMPLIED]: 1, [OPEN]: 1 }, findings: [sampleFinding(STATED)] };
    expect(codesOf(outcome, { selects })).toEqual([0, 0]);
    const report = sampleReport({ catalogue, outcomes: [outcome], selects });
    expect(report.targets[0]?.brokenBeyondSelection).toEqual([{ id: STATED, violations: 1 }]);
  });

  describe('the share that must be decided', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map(
      (name) => `compute.share.${name}`,
    );
    const [first = ''] = ids;
    const gap = (requirement: string, changes: Partial<CaseOutcome['gaps'][number]> = {}) =>
      sampleGap(requirement, { reason: 'nothing there tells', ...changes });
    /** The code of a run in which these gaps were met, and all other requirements held. */
    const codeWith = (
      gaps: CaseOutcome['gaps'],
      run: SampleInput['run'] = {},
      changes: Partial<CaseOutcome> = {},
    ) => {
      const missed = new Set(gaps.map(({ requirement }) => requirement));
      const seen = Object.fromEntries(ids.filter((id) => !missed.has(id)).map((id) => [id, 1]));
      const report = sampleReport({
        catalogue: ids,
        outcomes: [{ judges: ids, seen, gaps, ...changes }],
        run: { ...run },
      });
      return exitCode(report, { strict: false });
    };
    const two = ids.slice(0, 2);

    test('is nine in ten unless told', () => {
      expect(codeWith([gap(first)])).toBe(0);
      expect(codeWith(two.map((id) => gap(id)))).toBe(5);
      expect(codeWith(two.map((id) => gap(id, { kind: 'inconclusive' })))).toBe(5);
    });

    test('is not enough where a required profile is not met', () => {
      const short = sampleReport({
        catalogue: ids,
        profiles: { compute: [{ name: 'level', stated: ids }] },
        outcomes: [{ judges: ids, seen: { [first]: 1 } }],
        run: { decided: 0 },
      });
      const requiring = (requiredProfiles: readonly string[]) => ({
        ...short,
        run: { ...short.run, requiredProfiles: [...requiredProfiles] },
      });
      expect(exitCode(requiring([]), { strict: false })).toBe(0);
      expect(exitCode(requiring(['of-another-contract']), { strict: false })).toBe(0);
      expect(exitCode(requiring(['level']), { strict: false })).toBe(5);
      const [target] = short.targets;
      expect(target && verdictSentence(requiring(['level']), target)).toContain(
        'is undecided: a required profile is not met (level, 1 of 10 held).',
      );
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
});

describe('missing', () => {
  const ids = ['a', 'b', 'c', 'd'].map((slug) => `compute.list.${slug}`);
  const [a = '', b = '', c = '', d = ''] = ids;
  const gap = (requirement: string, line?: string) =>
    sampleGap(requirement, {
      reason: line === undefined ? 'no backend' : `needs ${line}`,
      ...(line === undefined ? {} : { line }),
    });

  test('groups by the line that helps, the most helpful first, those without a line last', () => {
    const report = sampleReport({
      catalogue: ids,
      outcomes: [{ gaps: [gap(a), gap(b, 'keys: x'), gap(c, 'limits: y'), gap(d, 'limits: y')] }],
    });
    expect(missingGroups(report, 'staging')).toEqual([
      { line: 'limits: y', reasons: ['needs limits: y'], requirements: [c, d], partly: [] },
      { line: 'keys: x', reasons: ['needs keys: x'], requirements: [b], partly: [] },
      { reasons: ['no backend'], requirements: [a], partly: [] },
    ]);
  });

  test('keeps apart what was exercised in part, and leaves out what was only inconclusive', () => {
    const report = sampleReport({
      catalogue: [a, b],
      outcomes: [
        {
          seen: { [a]: 1 },
          gaps: [gap(a, 'keys: x'), sampleGap(b, { kind: 'inconclusive', reason: 'busy' })],
        },
      ],
    });
    expect(missingGroups(report, 'staging')).toEqual([
      { line: 'keys: x', reasons: ['needs keys: x'], requirements: [], partly: [a] },
    ]);
  });

  test('lines of groups, each with everything that needs it', () => {
    const group = (line: string | undefined, ...requirements: string[]) => ({
      ...(line === undefined ? {} : { line }),
      reasons: [],
      requirements,
      partly: [],
    });
    expect(
      missingLines([
        group('keys: x\nlimits: y', a, b),
        group('limits: y', c),
        group('keys: x\nlimits: y\nhooks: z', a),
        group(undefined, d),
      ]),
    ).toEqual([
      { line: 'limits: y', requirements: [a, b, c] },
      { line: 'keys: x', requirements: [a, b] },
      { line: 'hooks: z', requirements: [a] },
    ]);
  });
});

describe('missing shards', () => {
  const [held, untried, tried] = ['a', 'b', 'c'].map((slug) => `compute.list.${slug}`);
  const LINE = 'keys: { second:';

  /** The shard of so many in which one requirement was seen, another lacked something, and the third has no case. */
  function shard(index: number, of: number) {
    return sampleReport({
      catalogue: [
        held ?? '',
        sampleRequirement(untried ?? '', { needs: ['keys.second'] }),
        tried ?? '',
      ],
      outcomes: [{ case: 'one', seen: { [held ?? '']: 1 }, gaps: [sampleGap(tried ?? '')] }],
      run: { shard: { index, of } },
    });
  }

  function merged(of: number, ...indexes: readonly number[]) {
    return mergeReports(
      indexes.map((index) => {
        const report = shard(index, of);
        return {
          name: String(index),
          report: { ...report, run: { ...report.run, id: `r${index}` } },
        };
      }),
    );
  }

  test('the missing shards are named', () => {
    expect(missingShardsText(merged(2, 1))).toBe('Shard 2 of 2 is missing');
    expect(missingShardsText(merged(4, 2))).toBe('Shards 1, 3 and 4 of 4 are missing');
    expect(missingShardsText(merged(2, 1, 2))).toBeUndefined();
    expect(missingShardsText(shard(1, 2))).toBeUndefined();
  });

  test('what no case told of is put down to them, and what a case told stays', () => {
    const { requirements } = withMissingShards(merged(2, 1));
    const reasons = requirements.map(({ id, reason }) => [id, reason]);
    expect(reasons).toEqual([
      [held, undefined],
      [untried, 'Shard 2 of 2 is missing'],
      [tried, 'the account is empty'],
    ]);
  });

  test('every form says so, and none advises a line that the shard may have no need of', () => {
    const incomplete = merged(2, 1);
    const forms = [
      terminalSummary(incomplete, { colour: false }),
      reportPage(incomplete),
      reportToMarkdown(incomplete),
      reportToJunit(incomplete),
      reportToCtrf(incomplete),
    ];
    for (const form of forms) {
      expect(form).toContain('Shard 2 of 2 is missing');
      expect(form).not.toContain(LINE);
    }
    const whole = merged(2, 1, 2);
    expect(terminalSummary(whole, { colour: false })).toContain(LINE);
    expect(reportPage(whole)).not.toContain('is missing');
  });
});

describe('deviation lines', () => {
  const ids = ['expired', 'healed', 'partly', 'unseen', 'waived'].map(
    (slug) => `compute.list.${slug}`,
  );
  const [expired = '', healed = '', partly = '', unseen = '', waived = ''] = ids;

  function reportWith(reason: string, link?: string) {
    return sampleReport({
      catalogue: ids,
      outcomes: [
        {
          findings: [sampleFinding(expired), sampleFinding(waived)],
          seen: { [healed]: 1, [partly]: 1 },
          gaps: [sampleGap(partly, { reason: 'needs a key' })],
        },
      ],
      deviations: ids.map((requirement) => ({
        requirement,
        reason,
        expires: requirement === expired ? '2026-11-01' : '2030-01-01',
        ...(link === undefined ? {} : { link }),
      })),
    });
  }

  const report = reportWith('old proxy', 'https://tracker.example/1');

  test('each deviation says what became of it, those that ask for something first', () => {
    expect(deviationLines(report, 'staging').map(({ result, text }) => [result.id, text])).toEqual([
      [
        expired,
        'broken, and accepted no longer since 2026-11-01: mend it, or declare a later end (old proxy)',
      ],
      [healed, 'healed: take it out of the deviations (old proxy)'],
      [waived, 'broken, and accepted until 2030-01-01: old proxy'],
      [partly, 'held as far as it was exercised; it may be broken in the rest (old proxy)'],
      [unseen, 'not-exercised, so nothing can be said of it (old proxy)'],
    ]);
    expect(deviationLines(report, 'elsewhere')).toEqual([]);
  });

  describe('the page', () => {
    test('links to where each is tracked', () => {
      const page = reportPage(report);
      expect(page).toContain('Known deviations</h2>');
      expect(page).toContain('<a href="https://tracker.example/1" rel="noreferrer noopener">');
      expect(page).toContain(`<span class="badge passed">healed</span> <code>${healed}</code>`);
    });

    test('lets no reason and no link act', () => {
      const hostile = reportPage(reportWith(HOSTILE, 'javascript:window.pwned=1'));
      expect(hostile).not.toMatch(/href="javascript|<img|<iframe|<svg onload/iu);
      expect(hostile).toContain('<span class="faint">javascript:window.pwned=1</span>');
    });
  });
});

test('what held on a later try is told, and what held at once is not', () => {
  const [late, broken] = ['compute.list.late', 'compute.list.broken'] as const;
  const report = sampleReport({
    catalogue: [late, broken],
    outcomes: [
      {
        seen: { [late]: 1, [broken]: 1 },
        findings: [sampleFinding(broken)],
        tries: { [late]: 3, [broken]: 2 },
      },
      { case: 'another', seen: { [late]: 1 } },
    ],
  });
  const told = `1 requirement held on a later try alone: ${late} (3 tries)`;
  expect(report.targets.map((target) => laterTriesText(report, target))).toEqual([told]);
  expect(reportPage(report)).toContain(told);
});
