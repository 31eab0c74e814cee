/** A contract is one line in each of two tables: a tiny third contract is judged without changes to shared code. */

import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { registered } from '../../schemas/registered.ts';
import { clause, implied, section as declare, stated } from '../../schemas/requirement.ts';
import { command, everyTarget, key, type Target } from '../../schemas/target.ts';
import { expectThat } from '../../harness/checks/judgement.ts';
import type { ContractModule } from '../../harness/contracts/contract.ts';
import { jsonBody } from '../../harness/exchange/body.ts';
import { type Exchange, mediaType } from '../../harness/exchange/exchange.ts';
import { portOf } from '../../harness/exchange/listening.test.support.ts';
import type { TestContext } from '../../harness/runner/case.ts';

const { clauses, requirements: catalogue } = declare('echo', 'health', [
  clause('health', 'Health', {
    'is-well': stated('GET /health answers 200.'),
    'is-json': stated('Every answer is JSON.', { universal: true }),
    names: implied('The answer names the service that the target file names.', ['service']),
  }),
]);

const data = {
  title: 'Echo',
  paths: [/^(.*)\/health$/u],
  serves: 'its own health',
  catalogue,
  clauses,
  needs: { service: { purpose: 'the name of the service', line: 'service: echo' } },
  levels: [{ name: 'complete', summary: 'All of it.', adds: ['service'] }],
  beyondLevels: {},
  aboutEveryAnswer: [],
  hasStates: false,
  targetFile: z.strictObject({
    ...everyTarget,
    contract: z.literal('echo'),
    keys: z.strictObject({ only: key }),
    service: command.optional(),
  }),
};

interface EchoContext extends TestContext<string> {
  readonly health: () => Promise<Exchange>;
}

function* universal(exchange: Exchange) {
  const type = mediaType(exchange.response?.headers ?? []);
  const judgement = expectThat(
    type === 'application/json',
    'The answer is no JSON.',
    { expected: 'application/json', actual: type },
    exchange,
  );
  yield { requirement: 'echo.health.is-json', judgement };
}

const echo: ContractModule<Target & { readonly service?: string }> = {
  address: {
    example: 'https://echo.example.com',
    ending: 'it has no path',
    problem: () => undefined,
  },
  keys: ['only'],
  probes: [{ path: '/health', query: '', shows: 'health', isShown: () => true }],
  contradictions: () => [],
  changes: () => [],
  repeat: () => undefined,
  async open(planned) {
    const { connect } = await import('../../harness/drivers/connection.ts');
    const { target } = planned;
    const connection = connect(planned, { check: () => {}, repeat: () => undefined });
    return {
      ...connection,
      tools: {
        contract: target.contract,
        target: target.name,
        redactor: connection.redactor,
        universal,
        operation: () => 'GET /health',
        code: () => '',
        sampled: new Set(),
      },
      context: (recorder, t) => ({
        ...t,
        health: async () =>
          connection.httpClient.send(
            { method: 'GET', path: '/health', query: '', as: 'only' },
            recorder.exchange,
          ),
      }),
    };
  },
  checkUp: async () => {},
  discover: async () => new Map(),
  traffic: async () => {
    throw new Error('nobody judges the traffic of others here');
  },
};

Object.assign(registered, { echo: data });
const { modules, openSession } = await import('../../harness/contracts/index.ts');
Object.assign(modules, { echo });

const [{ sectionsOf }, { plannedCases }, { runCases }, { reportOf }, { loadTarget }, forms] =
  await Promise.all([
    import('../../harness/runner/case.ts'),
    import('../../harness/runner/selection.ts'),
    import('../../harness/runner/run.ts'),
    import('../../harness/cli/report-of-run.ts'),
    import('../../harness/contracts/target-file.ts'),
    import('../../harness/cli/write-report.ts'),
  ]);

const section = sectionsOf<EchoContext, string>('echo')('health', (define) => {
  define('the service is well', { judges: ['echo.health.is-well'] }, async (t) => {
    const exchange = await t.health();
    const told = { expected: 200, actual: exchange.response?.status };
    const isWell = told.actual === told.expected;
    t.judge('echo.health.is-well', expectThat(isWell, 'The service is unwell.', told, exchange));
  });
  define('the service says its name', { judges: ['echo.health.names'] }, async (t) => {
    const exchange = await t.health();
    const body = jsonBody(exchange);
    const named = body.ok && JSON.stringify(body.value).includes('"echo"');
    const told = { expected: 'echo', actual: body };
    t.judge('echo.health.names', expectThat(named, 'Another service answers.', told, exchange));
  });
});

async function targetOf(status: number, line = ''): Promise<{ file: string; folder: string }> {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"service":"echo"}');
  });
  const baseUrl = `http://127.0.0.1:${await portOf(server)}`;
  const text = `contract: echo\nbaseUrl: ${baseUrl}\nkeys: { only: a-key }\n${line}\n`;
  const folder = await mkdtemp(path.join(tmpdir(), 'plumbline-echo-'));
  const file = path.join(folder, 'echo.yaml');
  await writeFile(file, text);
  return { file, folder };
}

async function reportOn(file: string) {
  const planned = await loadTarget(file);
  const plan = { runId: 'echo', targets: [planned], seed: 1, runs: 1, only: [], journal: '' };
  const session = await openSession(planned, plan);
  const cases = plannedCases([section], 'echo', plan);
  const signal = new AbortController().signal;
  const outcomes = await runCases(cases, session, { seed: 1, runs: 1, signal });
  await session.close();
  return reportOf({
    plan,
    startedAt: new Date(),
    outcomes,
    fileOf: new Map([[planned.target.name, file]]),
  });
}

describe('a third contract', () => {
  test('is judged from its target file to the report and its forms', async () => {
    const { file, folder } = await targetOf(200, 'service: echo');
    const report = await reportOn(file);
    const verdicts = report.requirements.map(({ id, verdict }) => [id, verdict]);
    expect(Object.fromEntries(verdicts)).toEqual({
      'echo.health.is-well': 'passed',
      'echo.health.is-json': 'passed',
      'echo.health.names': 'passed',
    });
    expect(report.targets[0]?.profiles).toMatchObject([{ name: 'complete', met: true }]);
    const options = { out: folder, strict: false, reporter: ['junit' as const], json: false };
    await forms.printReport(report, options);
    expect(await readFile(path.join(folder, 'conformance.json'), 'utf8')).toContain('"echo"');
    expect(await readFile(path.join(folder, 'junit.xml'), 'utf8')).toContain('echo.health.is-well');
  });

  test('is found broken, and lacks what its target file does not say', async () => {
    const { file } = await targetOf(404);
    const { requirements } = await reportOn(file);
    const of = (id: string) => requirements.find((one) => one.id === id);
    expect(of('echo.health.is-well')).toMatchObject({
      verdict: 'failed',
      findings: [{ actual: '404' }],
    });
    expect(of('echo.health.names')?.gaps).toMatchObject([
      { kind: 'not-exercised', line: 'service: echo' },
    ]);
  });

  test('has a target file that explains its mistakes', async () => {
    const { file } = await targetOf(200, 'bindings: {}');
    await expect(loadTarget(file)).rejects.toThrow('Only a compute target has it');
  });
});

/** Paths that may name contracts: those of one contract, the two tables, and tests and references. */
const PARTICULAR =
  /compute|router|registered\.ts$|harness\/contracts\/(?:index|references)\.ts$|\.test(\.support)?\.ts$|reference\/|bench\/|backend\/|suites\/self\//u;
const COMPARISON =
  /(?:[!=]==\s*|case )'(?:compute|router)'|'(?:compute|router)'\s*[!=]==|'compute',\s*'router'|\b(?:compute|router):\s*(?!['`])/u;

test('nothing that all contracts share tells them apart by name', async () => {
  const root = path.join(import.meta.dirname, '..', '..');
  const found: string[] = [];
  for (const top of ['schemas', 'harness', 'reports', 'suites']) {
    for (const name of await readdir(path.join(root, top), { recursive: true })) {
      const file = path.join(top, name);
      if (!file.endsWith('.ts') || PARTICULAR.test(file)) continue;
      const lines = (await readFile(path.join(root, file), 'utf8')).split('\n');
      found.push(
        ...lines.filter((line) => COMPARISON.test(line)).map((line) => `${file}: ${line.trim()}`),
      );
    }
  }
  expect(found).toEqual([]);
});
