import { describe, expect, test } from 'vitest';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import type { FoldInput } from '../model/fold.ts';
import {
  sampleFinding,
  sampleGap,
  sampleOutcome,
  sampleReport,
  sampleRequirement,
} from '../sample.test.support.ts';
import { terminalSummary } from './terminal.ts';
import { Progress, type ProgressOptions } from './progress.ts';
import { wrap } from './terminal-style.ts';

const STATED = 'compute.list-instances.size-maximum';
const OTHER = 'compute.scoping.lists-disjoint';
const IMPLIED = 'compute.errors.request-id-distinct';
const catalogue = [
  sampleRequirement(STATED, { statement: 'A page size above 200 is refused.' }),
  OTHER,
  sampleRequirement(IMPLIED, { strength: 'implied' }),
];
const found = sampleFinding(STATED, { exchanges: ['e1'] });

function summaryOf(outcome: Partial<CaseOutcome>, changes: Partial<FoldInput> = {}): string {
  const report = sampleReport({ catalogue, outcomes: [outcome], ...changes });
  return terminalSummary(report, { colour: false, width: 100 });
}

test('a long list of broken requirements ends in ids', () => {
  const many = Array.from({ length: 30 }, (_, index) =>
    sampleRequirement(`compute.section.rule-${String(index).padStart(2, '0')}`),
  );
  const text = summaryOf(
    { findings: many.map(({ id }) => sampleFinding(id, { expected: id })) },
    { catalogue: many },
  );
  expect(text.match(/Requires/gu)).toHaveLength(20);
  expect(text).toContain('And 10 more:');
  expect(text).toContain('compute.section.rule-29');
});

test('many groups of lines are told line by line', () => {
  const many = Array.from({ length: 13 }, (_, index) =>
    sampleRequirement(`compute.section.rule-${index}`),
  );
  const text = summaryOf(
    {
      judges: many.map(({ id }) => id),
      gaps: many.map(({ id }, index) =>
        sampleGap(id, {
          reason: 'needs more',
          line: `consent: { stop: true }\nkeys: { ${index}: key }`,
        }),
      ),
    },
    { catalogue: many },
  );
  expect(text).toContain(
    '  13 requirements with these lines, of which each may need several (plumbline plan: as one block)\n',
  );
  expect(text).toContain('\n    consent: { stop: true }  # 13\n');
  expect(text).toContain('\n    keys: { 7: key }  # 1\n');
});

describe('on a terminal', () => {
  test('colours only when asked', () => {
    const report = sampleReport({ catalogue, outcomes: [{ findings: [found] }] });
    // oxlint-disable-next-line no-control-regex -- escape sequences are what this looks for
    const escape = /\u001b\[/u;
    expect(terminalSummary(report, { colour: true })).toMatch(escape);
    expect(terminalSummary(report, { colour: false })).not.toMatch(escape);
  });

  test("a server's words cannot steer it", () => {
    const hostile = '\u001b[2J\u0007\u202eevil\r\n\u009b31m';
    const text = summaryOf({
      findings: [sampleFinding(STATED, { actual: hostile, message: hostile })],
      errors: [{ message: hostile, stack: undefined }],
    });
    // oxlint-disable-next-line no-control-regex -- controls are what this looks for
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u);
    expect(text).toContain('evil');
  });

  test('text is wrapped at words to the width, and commands never', () => {
    const text = terminalSummary(
      sampleReport({
        catalogue,
        outcomes: [{ findings: [sampleFinding(STATED, { message: 'word '.repeat(80) })] }],
      }),
      { colour: false, width: 50 },
    );
    const long = text.split('\n').filter((line) => line.length > 50);
    expect(long.every((line) => line.includes('plumbline run') || line.includes('FAILED'))).toBe(
      true,
    );
    expect(text).toContain(`plumbline run staging.yaml --only ${STATED} --seed 42`);
  });

  test.for<[string, number, string[]]>([
    ['one two three', 8, ['one two', 'three']],
    ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['a\nb', 4, ['a', 'b']],
    ['', 4, ['']],
  ])('wraps %j at %i', ([text, width, lines]) => {
    expect(wrap(text, width)).toEqual(lines);
  });
});

function started(options: Partial<ProgressOptions> = {}) {
  const written: string[] = [];
  let time = 0;
  const progress = new Progress(
    { write: (text) => written.push(text) },
    { live: true, width: 200, now: () => time, ...options },
  );
  return { progress, written, pass: (ms: number) => (time += ms) };
}

test('a live line tells done, total, rate, findings and the time left', () => {
  const { progress, written, pass } = started();
  progress.expect(20);
  pass(10_000);
  for (let index = 0; index < 9; index += 1) progress.outcome(sampleOutcome({ requests: 10 }));
  pass(100);
  progress.outcome(sampleOutcome({ requests: 10, findings: [sampleFinding('compute.a.b')] }));
  expect(written.at(-1)).toContain('10/20 cases · 10 requests/s · 1 finding · about 10.1 s left');
});

test('a live line is rewritten in place and erased at the end', () => {
  const { progress, written } = started();
  progress.expect(2);
  progress.finish();
  expect(written.every((text) => text.startsWith('\r') && !text.includes('\n'))).toBe(true);
  expect(written.at(-1)).toMatch(/\[2K$/u);
});

test('on a narrow terminal the number of cases and the time left stay', () => {
  const { progress, written, pass } = started({ width: 40 });
  progress.expect(20);
  for (let index = 0; index < 10; index += 1) progress.outcome(sampleOutcome({ requests: 10 }));
  pass(1_000);
  progress.tick();
  expect(written.at(-1)).toMatch(/10\/20 cases · about 1\.0 s left$/u);
});

test('a live line is not drawn for every case, and never wider than the terminal', () => {
  const { progress, written } = started({ width: 12 });
  progress.expect(1_000);
  for (let index = 0; index < 1_000; index += 1) progress.outcome(sampleOutcome());
  expect(written).toHaveLength(1);
  expect(written[0]?.split('[2K')[1]?.length).toBeLessThan(12);
});

test('a live line says how long no case has ended', () => {
  const { progress, written, pass } = started();
  progress.expect(2);
  pass(5_000);
  progress.tick();
  expect(written.at(-1)).toContain('0/2 cases · 0 findings · no case ended for 5.0 s');
  pass(5_000);
  progress.outcome(sampleOutcome({ requests: 2 }));
  expect(written.at(-1)).toContain('1/2 cases · 0.2 requests/s · 0 findings');
});

test('elsewhere nothing is drawn, and a line tells of long runs twice a minute', () => {
  const { progress, written, pass } = started({ live: false });
  progress.expect(2);
  progress.outcome(sampleOutcome({ requests: 300 }));
  for (let second = 1; second <= 60; second += 1) {
    pass(1_000);
    progress.tick();
  }
  progress.finish();
  const lines = written.map((text) => text.split(' · no case')[0]);
  expect(lines).toEqual([
    '1/2 cases · 10 requests/s · 0 findings',
    '1/2 cases · 5 requests/s · 0 findings',
  ]);
});
