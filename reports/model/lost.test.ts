import { describe, expect, test } from 'vitest';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { sampleExchange, sampleOutcome, sampleReport } from '../sample.test.support.ts';
import { reportToMarkdown } from '../formats/markdown.ts';
import { terminalSummary } from '../formats/terminal.ts';
import { exitCode } from './conclusions.ts';
import { lostRequests } from './lost.ts';
import { mergeReports } from './merge.ts';

const HELD = 'compute.regions.list';
const garbage = sampleExchange({ id: 'e7', ending: 'malformed', response: undefined });
const late = sampleExchange({ id: 'e8', ending: 'timeout', response: undefined });
const why = 'it ended "malformed": no HTTP: it sent "220 \u001B[2Jmail"';

/** A case with this many requests, of which `count` got an unreadable response. */
function hit(requests: number, count: number, changes: Partial<CaseOutcome> = {}): CaseOutcome {
  const lost = [{ exchange: 'e7', why, count }];
  return sampleOutcome({ requests, exchanges: [garbage], lost, seen: { [HELD]: 1 }, ...changes });
}

describe('what a target did to most requests', () => {
  test('is told once, with the bytes, the number, and an exchange', () => {
    const other = hit(10, 4, {
      case: 'compute/regions › another',
      exchanges: [garbage, late],
      lost: [
        { exchange: 'e7', why: 'it ended "malformed": in another way', count: 3 },
        { exchange: 'e8', why: 'it ended "timeout": no end within 5 ms', count: 1 },
      ],
    });
    const report = sampleReport({ catalogue: [HELD], outcomes: [hit(4, 4), other] });
    expect(report.troubles).toEqual([
      {
        target: 'staging',
        by: 'target',
        case: 'compute/list-instances › answers a list',
        message:
          '8 of 14 requests got no answer that can be read, 7 of them like this: GET https://compute.example.com/v1/instances?size=201: it ended "malformed": no HTTP: it sent "220 \\u{1B}[2Jmail"; 1: it ended "timeout"',
        exchange: 'e7',
      },
    ]);
    expect(report.exchanges.map(({ id }) => id)).toContain('e7');
  });

  test.for<[string, number, number, number]>([
    ['all', 5, 5, 1],
    ['half', 10, 5, 1],
    ['less than half', 11, 5, 0],
    ['a few', 4, 4, 0],
  ])('%s of %i', ([, requests, count, told]) => {
    expect(lostRequests('staging', [hit(requests, count)])).toHaveLength(told);
  });

  test('shows how an answer began that came and cannot be read', () => {
    const exchange = sampleExchange({ id: 'e7' });
    const [trouble] = lostRequests('staging', [hit(5, 5, { exchanges: [exchange] })]);
    expect(trouble?.message).toContain(
      'was answered 400 with "{\\"error\\":{\\"code\\":\\"VALIDATION_ERROR\\"',
    );
  });
});

describe('a report that tells of it', () => {
  const report = sampleReport({ catalogue: [HELD], outcomes: [hit(5, 5)] });

  test('never conforms, and calls it no mistake of ours', () => {
    expect(report.requirements.map(({ verdict }) => verdict)).toEqual(['passed']);
    expect(exitCode(report, { strict: false })).toBe(5);
    expect(reportToMarkdown(report)).not.toContain('suite error');
  });

  test('says it first', () => {
    const [first] = terminalSummary(report, { colour: false }).trim().split('\n');
    expect(first).toBe('NO ANSWERS THAT CAN BE READ of staging');
    expect(reportToMarkdown(report)).toMatch(/^## Whether staging keeps .* undecided: 5 of 5 req/u);
  });

  test('says it when its shards are merged', () => {
    const shards = [1, 2].map((index) => ({
      name: String(index),
      report: { ...report, run: { ...report.run, shard: { index, of: 2 } } },
    }));
    const merged = mergeReports(shards, {});
    expect(merged.troubles.map(({ exchange }) => exchange)).toEqual(['1/e7', '2/e7']);
    expect(exitCode(merged, { strict: false })).toBe(5);
  });
});
