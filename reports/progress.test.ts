import { expect, test } from 'vitest';

import { Progress, type ProgressOptions } from './formats/progress.ts';
import { sampleFinding, sampleOutcome } from './sample.test.support.ts';

const NAME = 'staging › compute/list-instances';

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
  progress.section(NAME);
  progress.finish();
  expect(written.every((text) => text.startsWith('\r') && !text.includes('\n'))).toBe(true);
  expect(written.at(-1)).toMatch(/\[2K$/u);
});

test('a live line is not drawn for every case, and never wider than the terminal', () => {
  const { progress, written } = started({ width: 12 });
  progress.expect(1_000);
  for (let index = 0; index < 1_000; index += 1) progress.outcome(sampleOutcome());
  expect(written).toHaveLength(1);
  expect(written[0]?.split('[2K')[1]?.length).toBeLessThan(12);
});

test('elsewhere each section is one line', () => {
  const { progress, written } = started({ live: false });
  progress.expect(2);
  progress.outcome(sampleOutcome({ requests: 3 }));
  progress.outcome(sampleOutcome({ requests: 4, findings: [sampleFinding('compute.a.b')] }));
  progress.section(NAME);
  progress.section('staging › compute/never-run');
  progress.finish();
  expect(written).toEqual([`${NAME}: 2 cases, 7 requests, 1 finding\n`]);
});
