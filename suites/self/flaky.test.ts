/** A flaky proxy in front of a violating target: network problems are no violations, and do not hide the real one. */

import { expect, test } from 'vitest';
import { startCompute } from '../../harness/reference/compute/start.ts';
import { startScriptedRouter } from '../../harness/reference/router/start.ts';
import { startFlakyFront } from './flaky-front.ts';
import { runWholeSuite } from './whole-suite.ts';

const ONE_IN = 200;

/** Raw headers (alternating names and values) without the named one. */
function without(name: string, raw: readonly string[]): string[] {
  const at = raw.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  return at < 0 ? [...raw] : [...raw.slice(0, at), ...raw.slice(at + 2)];
}

const deployments = {
  compute: {
    start: async () => {
      const reference = await startCompute();
      return { baseUrl: reference.baseUrl, target: reference.target(), reference };
    },
    headers: (raw: readonly string[]) => [
      ...without('content-type', raw),
      'Content-Type',
      'text/plain',
    ],
    shownBy: /^compute\.media\.(?:success|error)-label$/u,
    within: ['list-instances', 'states', 'authentication'],
  },
  router: {
    start: async () => {
      const reference = await startScriptedRouter({ limits: { maxRequestBytes: 256 * 1024 } });
      return { baseUrl: reference.baseUrl, target: reference.target(), reference };
    },
    headers: (raw: readonly string[]) => without('x-request-id', raw),
    shownBy: /^router\.response-headers\.request-id-on-/u,
    within: ['endpoints', 'streaming', 'admission', 'transparent-proxy'],
  },
} as const;

test.for(['compute', 'router'] as const)(
  '%s behind a flaky front: what fails at random is no violation, what breaks one answer in 200 is found',
  { timeout: 240_000 },
  async (contract) => {
    const { start, headers, shownBy, within } = deployments[contract];
    const { baseUrl, target, reference } = await start();
    const { port, pathname } = new URL(baseUrl);
    const front = await startFlakyFront(Number(port), {
      seed: 1,
      oneIn: 100,
      change: { every: ONE_IN, headers },
    });
    try {
      const origin = `http://127.0.0.1:${front.port}`;
      const { report, errors } = await runWholeSuite(
        { ...target, baseUrl: `${origin}${pathname === '/' ? '' : pathname}` },
        { runs: 5, within },
      );
      expect(front.spoiled()).toBeGreaterThan(0);
      expect(front.changed()).toBeGreaterThan(0);
      expect(errors).toEqual([]);
      const broken = report.requirements
        .filter(({ violations }) => violations > 0)
        .map(({ id, findings }) => ({ id, actual: findings.map(({ actual }) => actual) }));
      expect(broken.filter(({ id }) => !shownBy.test(id))).toEqual([]);
      expect(broken).not.toEqual([]);
      // Network problems may make only a few verdicts inconclusive, and the report counts the retries.
      const inconclusive = report.requirements.filter(({ verdict }) => verdict === 'inconclusive');
      expect(inconclusive.length).toBeLessThan(report.requirements.length / 20);
      expect(report.targets.map(({ retries }) => retries > 0)).toEqual([true]);
    } finally {
      await front.close();
      await reference.close();
    }
  },
);
