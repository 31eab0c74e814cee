import { describe, expect, test } from 'vitest';
import {
  missingGroups,
  missingLines,
  missingShardsText,
  withMissingShards,
} from './conclusions.ts';
import { sampleGap, sampleReport, sampleRequirement } from '../sample.test.support.ts';
import { reportToCtrf } from '../formats/ctrf.ts';
import { reportPage } from '../html/page.ts';
import { reportToJunit } from '../formats/junit.ts';
import { reportToMarkdown } from '../formats/markdown.ts';
import { mergeReports } from './merge.ts';
import { terminalSummary } from '../formats/terminal.ts';

describe('missing lines', () => {
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
      { line: 'limits: y', reasons: ['needs limits: y'], requirements: [c, d] },
      { line: 'keys: x', reasons: ['needs keys: x'], requirements: [b] },
      { reasons: ['no backend'], requirements: [a] },
    ]);
  });

  test('leaves out what was exercised in part, and what was only inconclusive', () => {
    const report = sampleReport({
      catalogue: [a, b],
      outcomes: [
        {
          seen: { [a]: 1 },
          gaps: [gap(a, 'keys: x'), sampleGap(b, { kind: 'inconclusive', reason: 'busy' })],
        },
      ],
    });
    expect(missingGroups(report, 'staging')).toEqual([]);
  });

  test('lines of groups, each with everything that needs it', () => {
    const group = (line: string | undefined, ...requirements: string[]) => ({
      ...(line === undefined ? {} : { line }),
      reasons: [],
      requirements,
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
  const [held, untried, tried] = ['compute.list.a', 'compute.list.b', 'compute.list.c'] as const;
  const LINE = 'keys: { second:';

  /** A shard that saw one requirement, lacked something for another, and had no case of the third. */
  function shard(index: number, of: number) {
    return sampleReport({
      catalogue: [held, sampleRequirement(untried, { needs: ['keys.second'] }), tried],
      outcomes: [{ case: 'one', seen: { [held]: 1 }, gaps: [sampleGap(tried)] }],
      run: { id: `r${index}`, shard: { index, of } },
    });
  }

  function merged(of: number, ...indexes: readonly number[]) {
    return mergeReports(
      indexes.map((index) => ({ name: String(index), report: shard(index, of) })),
      {},
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
