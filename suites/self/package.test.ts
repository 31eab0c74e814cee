/** The package as users get it: packed, installed in an empty folder, and used without other files of the repository. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type ComputeReference, startCompute } from '../../harness/reference/compute/start.ts';
import { startBroken } from './broken.ts';
import { type Ended, ended, folderWith } from './command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MINUTES = 60_000;
vi.setConfig({ testTimeout: 4 * MINUTES });

const library = `
import { exchangeOf, judgeExchanges, runConformance, version } from 'plumbline-conformance';
import type { ConformanceReport, TargetFileInput } from 'plumbline-conformance';

const target: TargetFileInput = {
  contract: 'compute',
  baseUrl: process.env['COMPUTE_URL'] ?? '',
  keys: { primary: process.env['COMPUTE_KEY'] ?? '' },
};
const report: ConformanceReport = await runConformance(target, { section: 'regions', seed: 1 });
const { passed, failed }: { passed: number; failed: number } = report.targets[0]!.summary.stated;
const judged = judgeExchanges('compute', [
  exchangeOf({
    contract: 'compute',
    baseUrl: 'https://compute.example.com/v1',
    method: 'GET',
    url: 'https://compute.example.com/v1/regions',
    status: 404,
    headers: [['Content-Type', 'application/json']],
    body: '{}',
  }),
]);
console.log(JSON.stringify({ version, passed, failed, broken: judged.filter((one) => one.violations.length > 0).length }));
`;

const suite = `
import { defineConformanceSuite } from 'plumbline-conformance';

await defineConformanceSuite(
  {
    name: 'mine',
    contract: 'compute',
    baseUrl: process.env['COMPUTE_URL'] ?? '',
    keys: { primary: process.env['COMPUTE_KEY'] ?? '' },
  },
  { section: 'regions', seed: 1 },
);
`;

const config = `
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    reporters: ['default', ['junit', { outputFile: 'junit.xml' }], ['allure-vitest/reporter', { resultsDir: 'allure' }]],
  },
});
`;

const tsconfig = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [path.join(root, 'node_modules', '@types')],
  },
  files: ['use.ts', 'conformance.test.ts', 'vitest.config.ts'],
};

describe('the package, installed elsewhere', () => {
  let folder = '';
  let reference: ComputeReference;
  let environment: Record<string, string> = {};
  const plumblineIn = async (cwd: string, ...args: string[]): Promise<Ended> =>
    ended(path.join(folder, 'node_modules', '.bin', 'plumbline'), args, cwd, environment);
  const plumbline = async (...args: string[]): Promise<Ended> => plumblineIn(folder, ...args);

  beforeAll(async () => {
    folder = folderWith({ 'package.json': '{"private":true,"type":"module"}' });
    const pack = ['pack', '--ignore-scripts', '--pack-destination', folder];
    const packed = await ended('npm', pack, root);
    if (packed.code !== 0) throw new Error(packed.told);
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
    const quickly = ['--prefer-offline', '--no-audit', '--no-fund'];
    const install = ['install', ...quickly, 'allure-vitest@3.12.2', `./${tarball}`];
    const installed = await ended('npm', install, folder);
    if (installed.code !== 0) throw new Error(installed.told);
    reference = await startCompute();
    environment = { COMPUTE_URL: reference.baseUrl, COMPUTE_KEY: reference.target().keys.primary };
  }, 6 * MINUTES);
  afterAll(async () => reference.close());

  test('says its version', async () => {
    expect((await plumbline('--version')).told).toMatch(/^\d+\.\d+\.\d+\n$/u);
    // The documented call, which downloads nothing.
    const asTold = await ended('npm', ['exec', '--no', '--', 'plumbline', '--version'], folder);
    expect(asTold).toMatchObject({ code: 0, told: expect.stringMatching(/^\d+\.\d+\.\d+$/mu) });
  });

  test('runs without any other file', async () => {
    expect(await plumbline('run', '--only', 'compute.regions')).toMatchObject({ code: 0 });
    expect(readdirSync(path.join(folder, 'conformance-report'))).toContain('conformance.json');
    const explained = await plumbline('requirements', 'compute.list-instances.size-above-maximum');
    expect(explained).toMatchObject({ code: 0, told: expect.stringMatching(/proved by +\S+: /u) });
  });

  test('runs with a target file, from another folder', async () => {
    const elsewhere = path.join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(path.join(elsewhere, 'target.yaml'), JSON.stringify(reference.target()));
    const run = await plumblineIn(elsewhere, 'run', 'target.yaml', '--only', 'compute.regions');
    expect(run).toMatchObject({ code: 0 });
  });

  test('is a library with types, and runs', async () => {
    writeFileSync(path.join(folder, 'use.ts'), library);
    writeFileSync(path.join(folder, 'use.mjs'), withoutTypes(library));
    writeFileSync(path.join(folder, 'conformance.test.ts'), suite);
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    writeFileSync(path.join(folder, 'vitest.config.ts'), config);
    const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
    expect(await ended(tsc, ['-p', 'tsconfig.json'], folder)).toMatchObject({ code: 0, told: '' });

    const used = await ended(process.execPath, ['use.mjs'], folder, environment);
    expect(used).toMatchObject({ code: 0 });
    const told = JSON.parse(used.told);
    expect(told).toMatchObject({ failed: 0 });
    expect(told.passed).toBeGreaterThan(0);
    expect(told.broken).toBeGreaterThan(0);
  });

  test('is a suite in a Vitest project, with any reporter', async () => {
    writeFileSync(path.join(folder, 'conformance.test.ts'), suite);
    writeFileSync(path.join(folder, 'vitest.config.ts'), config);
    const vitest = path.join(folder, 'node_modules', '.bin', 'vitest');
    const held = await ended(vitest, ['run'], folder, environment);
    expect(held).toMatchObject({ code: 0, told: expect.stringMatching(/ [1-9]\d* passed/u) });

    const wrong = await startBroken(BROKEN);
    rmSync(path.join(folder, 'allure'), { recursive: true });
    const broken = await ended(vitest, ['run'], folder, {
      COMPUTE_URL: wrong.baseUrl,
      COMPUTE_KEY: wrong.target().keys.primary,
    });
    await wrong.close();
    expect(broken.code).toBe(1);
    for (const word of ['AssertionError', BROKEN, 'Requires:', 'Expected:', 'Received:', 'curl']) {
      expect(broken.told).toContain(word);
    }
    const junit = readFileSync(path.join(folder, 'junit.xml'), 'utf8');
    expect(junit).toMatch(new RegExp(`requirements &gt; ${BROKEN}"[^>]*>[^]*?<failure`, 'u'));

    const results = resultsIn(path.join(folder, 'allure'));
    const one = results.find(({ name }) => name === BROKEN);
    expect(one).toMatchObject({
      status: 'failed',
      statusDetails: { expected: expect.any(String), actual: expect.any(String) },
      labels: expect.arrayContaining([{ name: 'layer', value: 'requirement' }]),
      steps: [expect.objectContaining({ status: 'failed' })],
    });

    const target = { ...reference.target(), name: 'mine' };
    writeFileSync(path.join(folder, 'mine.yaml'), JSON.stringify(target));
    await plumbline('run', 'mine.yaml', '--section', 'regions', '--reporter', 'allure');
    const folded = resultsIn(path.join(folder, 'conformance-report', 'allure-results'));
    expect(folded.find(({ name }) => name === BROKEN)?.historyId).toBe(one?.historyId);
    const layers = results.flatMap(({ labels }) => labels.filter(({ name }) => name === 'layer'));
    expect(layers.filter(({ value }) => value === 'requirement')).toHaveLength(folded.length);
  });
});

const BROKEN = 'compute.regions.codes-mentioned';

const allureResult = z.object({
  name: z.string(),
  historyId: z.string(),
  status: z.string(),
  statusDetails: z.object({ expected: z.string(), actual: z.string() }).partial().optional(),
  labels: z.array(z.object({ name: z.string(), value: z.string() })),
  steps: z.array(z.object({ name: z.string(), status: z.string() })),
});

function resultsIn(folder: string) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('-result.json'))
    .map((name) => allureResult.parse(JSON.parse(readFileSync(path.join(folder, name), 'utf8'))));
}

/** The program without types, for Node 20. */
function withoutTypes(program: string): string {
  return program
    .replace(/^import type .*$/mu, '')
    .replaceAll(/^const (\w+): \w+ =/gmu, 'const $1 =')
    .replace(/\}: \{ passed: number; failed: number \}/u, '}')
    .replace('[0]!', '[0]');
}

const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const names = z.record(z.string(), z.string());
const manifest = z
  .object({ dependencies: names, devDependencies: names })
  .parse(JSON.parse(read('package.json')));
const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        hasInstallScript: z.boolean().optional(),
        optional: z.boolean().optional(),
        integrity: z.string().optional(),
      }),
    ),
  })
  .parse(JSON.parse(read('package-lock.json')));
const packages = Object.entries(lock.packages).filter(([name]) => name !== '');

test('each dependency has its reason, and an exact version', () => {
  const documented = read('docs/dependencies.md');
  const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(all.filter(([name]) => !documented.includes(`\`${name}\``))).toEqual([]);
  expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+$/u.test(version))).toEqual([]);
});

test('no package that is always installed runs an install script', () => {
  const scripted = packages.filter(
    ([, one]) => one.hasInstallScript === true && one.optional !== true,
  );
  expect(scripted).toEqual([]);
});

test('every package is pinned by its digest', () => {
  expect(packages.filter(([, one]) => one.integrity === undefined)).toEqual([]);
});
