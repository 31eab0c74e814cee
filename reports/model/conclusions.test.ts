import { describe, expect, test } from 'vitest';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import {
  brokenWhenStrict,
  conclude,
  deviationLines,
  exitCode,
  laterTriesText,
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
import { reportPage } from '../html/page.ts';
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
  const stated = { seen: { [STATED]: 1 } };

  function codesOf(outcome: Partial<CaseOutcome>, changes: SampleInput = {}) {
    const report = sampleReport({ catalogue, outcomes: [outcome], ...changes });
    return [exitCode(report, { strict: false }), exitCode(report, { strict: true })];
  }

  test.for<[string, Partial<CaseOutcome>, number[]]>([
    ['held', stated, [0, 0]],
    ['broken', { findings: [sampleFinding(STATED)] }, [1, 1]],
    ['implied, broken', { ...stated, findings: [sampleFinding(IMPLIED)] }, [0, 1]],
    ['an error of ours', { ...stated, errors: [sampleBug] }, [4, 4]],
    ['broken, and an error', { findings: [sampleFinding(STATED)], errors: [sampleBug] }, [1, 1]],
    ['a check of what is open', { ...stated, findings: [sampleFinding(OPEN)] }, [4, 4]],
    ['nothing seen', {}, [5, 5]],
    ['nothing stated seen', { seen: { [OPEN]: 5 } }, [5, 5]],
    ['all inconclusive', { gaps: [sampleGap(STATED, { kind: 'inconclusive' })] }, [5, 5]],
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
    const run = { shard: { index: 1, of: 2 } };
    expect(codesOf(stated, { targets })).toEqual([5, 5]);
    expect(codesOf(stated, { targets, run })).toEqual([0, 0]);
    const report = sampleReport({ catalogue, targets, outcomes: [stated] });
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
    /** The exit code of a run with these gaps in which all other requirements held. */
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
    const one = [gap(first)];
    const two = ids.slice(0, 2).map((id) => gap(id));
    const all = ids.map((id) => gap(id));

    test.for<[string, number, ...Parameters<typeof codeWith>]>([
      ['nine in ten are enough', 0, one],
      ['eight in ten are not', 5, two],
      ['inconclusive is not decided', 5, two.map((each) => ({ ...each, kind: 'inconclusive' }))],
      ['the run was told less', 0, two, { decided: 80 }],
      ['the run was told more', 5, one, { decided: 90.1 }],
      ['nothing was decided', 5, all, { decided: 0 }],
      [
        'a line is missing',
        0,
        all.slice(1).map((each) => ({ ...each, line: 'keys: { second: … }' })),
      ],
      // A requirement without cases of its own is judged when an exchange shows it.
      ['no case sets out to', 0, [], {}, { judges: [first], seen: { [first]: 1 } }],
      [
        'one is broken, which outweighs it',
        1,
        two,
        {},
        { findings: [sampleFinding(ids[9] ?? '')] },
      ],
      ['a shard, whose others decide the rest', 0, two, { shard: { index: 1, of: 2 } }],
    ])('%s: exit code %i', ([, code, ...given]) => {
      expect(codeWith(...given)).toBe(code);
    });

    test('what a strict run fails for alone is said', () => {
      const implied = sampleRequirement('compute.errors.implied', { strength: 'implied' });
      const warned = sampleReport({
        catalogue: [implied],
        outcomes: [{ judges: [implied.id], findings: [sampleFinding(implied.id)] }],
      });
      expect(exitCode(warned, { strict: true })).toBe(1);
      expect(brokenWhenStrict(warned)).toMatch(/--strict alone: 1 implied requirement broken\.$/u);
      expect(brokenWhenStrict(sampleReport({ catalogue: ids }))).toBeUndefined();
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
