/**
 * Every bad server before the whole suite: it ends by itself, blames nothing on itself, and passes nothing that
 * it did not see. A few stand for all in an ordinary run; `PLUMBLINE_HOSTILE=all` tries every one, any other
 * text those whose names contain it.
 */

import { randomUUID } from 'node:crypto';
import { appendFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { reportOf } from '../../harness/cli/report-of-run.ts';
import { openSession } from '../../harness/session/open.ts';
import { fitting } from '../../harness/suite/fitting.ts';
import { runSections } from '../../harness/suite/run-all.ts';
import type { RunPlan } from '../../harness/suite/run-plan.ts';
import { parseTarget } from '../../harness/target/load.ts';
import { sections } from '../all.ts';
import { type BadServer, listen } from './hostile/bad-server.ts';
import { badConnections } from './hostile/connections.ts';
import { badContents } from './hostile/contents.ts';
import { badMessages } from './hostile/messages.ts';

const corpus = [...badConnections, ...badMessages, ...badContents];
const representative: ReadonlySet<string> = new Set([
  'never answers',
  'has headers without end',
  'has a body without end',
  'is a gzip bomb',
  'is nested 100,000 deep',
  'has __proto__',
  'asks to wait a year',
  'has cursors of a megabyte',
]);
const asked = process.env['PLUMBLINE_HOSTILE'];
const tried = corpus.filter(({ name }) =>
  asked === undefined ? representative.has(name) : asked === 'all' || name.includes(asked),
);

/** Minutes that a run may take, and the milliseconds after which one that goes on is stuck. */
const MINUTES = asked === undefined ? 0.01 : 0.02;
const STUCK_MS = 60_000;

const files = {
  compute: (origin: string) => ({
    contract: 'compute',
    baseUrl: `${origin}/v1`,
    keys: { primary: 'loopback-one', second: 'loopback-two' },
    bindings: {
      terminate: 'POST /instances/{id}/terminate',
      getInstance: { record: '$' },
      regions: { codes: '$[*]' },
      presets: { items: '$.presets' },
    },
    consent: { stop: true, terminate: true },
    budget: { requests: 300, minutes: MINUTES },
  }),
  router: (origin: string) => ({
    contract: 'router',
    baseUrl: origin,
    keys: { client: 'loopback-one', admin: 'loopback-two' },
    models: { chat: 'some-model' },
    budget: { requests: 300, minutes: MINUTES },
  }),
} as const;

test('the corpus has at least sixty servers, each with a name of its own', () => {
  expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
  expect(corpus.length).toBeGreaterThanOrEqual(60);
});

describe.for(tried)('a server that $name', (bad) => {
  test.for(['compute', 'router'] as const)('as %s', { timeout: STUCK_MS }, async (contract) => {
    const { report, errors } = await runAgainst(bad, contract);
    expect(errors).toEqual([]);
    const { requirements } = report;
    appendFileSync(
      '/tmp/s2/leftover-hostile.ndjson',
      JSON.stringify({
        name: bad.name,
        contract,
        rss: process.resourceUsage().maxRSS,
        now: process.memoryUsage().rss,
        gaps: [
          ...new Set(requirements.filter((r) => r.verdict === 'inconclusive').map((r) => r.reason)),
        ].slice(0, 6),
        findings: [
          ...new Set(
            requirements.flatMap((r) =>
              r.findings.map((f) => r.id + ' | ' + f.message + ' | ' + f.actual.slice(0, 150)),
            ),
          ),
        ].slice(0, 8),
        verdicts: Object.fromEntries(
          ['passed', 'failed', 'warned', 'inconclusive', 'not-exercised', 'observed', 'error'].map(
            (v) => [v, requirements.filter((r) => r.verdict === v).length],
          ),
        ),
      }) + '\n',
    );
    const vacuous = requirements.filter(
      ({ verdict, observations }) =>
        verdict === 'error' || (verdict === 'passed' && observations === 0),
    );
    expect(vacuous).toEqual([]);
    expect(requirements.some(({ verdict }) => verdict !== 'passed')).toBe(true);
  });
});

async function runAgainst(bad: BadServer, contract: 'compute' | 'router') {
  const server = await listen(bad);
  const origin = `${bad.tls === undefined ? 'http' : 'https'}://127.0.0.1:${server.port}`;
  const { target, keys, folder } = parseTarget(JSON.stringify(files[contract](origin)), 'bad.yaml');
  const planned = {
    target,
    secrets: Object.fromEntries([...keys].map(([name, secret]) => [name, secret.reveal()])),
    folder,
  };
  const plan: RunPlan = {
    runId: 'hostile',
    targets: [planned],
    seed: 1,
    runs: 3,
    only: [],
    journal: path.join(tmpdir(), `plumbline-hostile-${randomUUID()}.ndjson`),
  };
  const session = await openSession(planned, plan);
  try {
    const startedAt = new Date();
    const outcomes = await runSections(
      sections.filter((section) => section.contract === contract).map(fitting),
      session,
      { seed: plan.seed, runs: plan.runs, signal: new AbortController().signal },
    );
    const report = reportOf({
      plan,
      startedAt,
      outcomes,
      troubles: [],
      deviations: [],
      fileOf: new Map(),
      shard: undefined,
      partial: false,
    });
    const errors = outcomes.flatMap((one) =>
      one.errors.map(({ message }) => `${one.section}, ${one.case}: ${message}`),
    );
    return { report, errors };
  } finally {
    await session.close();
    await server.close();
    rmSync(plan.journal, { force: true });
  }
}
