import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cpuOf, measured } from './served.ts';

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'measured-'));
});
afterEach(async () => {
  await rm(scratch, { recursive: true });
});

const node = (script: string, timeoutMs = 30_000) =>
  measured({ command: process.execPath, args: ['-e', script], scratch, timeoutMs });

describe('a measured process', () => {
  it('gives what it said, its exit code and what it took', async () => {
    const spin = 'const end = Date.now() + 300; while (Date.now() < end); process.exit(3)';
    const run = await node(`console.log('out'); console.error('err'); ${spin}`);
    expect(run).toMatchObject({ exitCode: 3, timedOut: false, stdout: 'out\n', stderr: 'err\n' });
    expect(run.cpuSeconds).toBeGreaterThan(0);
    expect(run.wallSeconds).toBeGreaterThan(0);
  });

  it.runIf(process.platform === 'linux')('tells its memory', async () => {
    const run = await node(
      'globalThis.kept = Buffer.alloc(100_000_000, 1); setTimeout(() => {}, 300)',
    );
    expect(run.peakBytes).toBeGreaterThan(100_000_000);
  });

  it('is killed with what it started when it takes too long', async () => {
    const run = await node('setInterval(() => {}, 1000)', 200);
    expect(run).toMatchObject({ exitCode: undefined, timedOut: true, cpuSeconds: undefined });
  });
});

describe('the CPU time of the children', () => {
  it('is the second line of what times says', () => {
    expect(cpuOf('0m0.010s 0m0.000s\n1m2.5s 0m0.25s\n')).toBeCloseTo(62.75);
    expect(cpuOf('')).toBeUndefined();
  });
});
