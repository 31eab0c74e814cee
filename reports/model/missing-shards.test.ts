import { describe, expect, test } from 'vitest';
import { missingShardsText, withMissingShards } from './conclusions.ts';
import { sampleGap, sampleReport, sampleRequirement } from '../sample.test.support.ts';
import { reportToCtrf } from '../formats/ctrf.ts';
import { reportPage } from '../html/page.ts';
import { reportToJunit } from '../formats/junit.ts';
import { reportToMarkdown } from '../formats/markdown.ts';
import { mergeReports } from './merge.ts';
import { terminalSummary } from '../formats/terminal.ts';

describe('missing shards', () => {
  const [held, untried, tried] = ['a', 'b', 'c'].map((slug) => `compute.list.${slug}`);
  const LINE = 'keys: { second:';

  /** A shard that saw one requirement, lacked something for another, and had no case of the third. */
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
