/** The examples for CI and Kubernetes: the tests parse their YAML and run their commands in a shell. */

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { type ComputeReference, startCompute } from '../../harness/reference/compute/start.ts';
import { bin, ended, folderWithCommand, plumbline } from './command.ts';

vi.setConfig({ testTimeout: 120_000 });

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));

function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

function commandsOf(file: string): readonly string[] {
  const document: unknown = parse(read(file));
  return texts(document).filter((text) => /(?:^|-- )plumbline \w/u.test(text));
}

let reference: ComputeReference;
let folder = '';
let paths: Readonly<Record<string, string>> = {};
beforeAll(async () => {
  reference = await startCompute();
  const target = JSON.stringify(reference.target());
  ({ folder, variables: paths } = folderWithCommand({
    'staging.yaml': target,
    'candidate.yaml': target,
    'deviations.yaml': '[]',
    'package.json': '{"private":true}',
  }));
  // The layout of an npm installation.
  mkdirSync(path.join(folder, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(bin, path.join(folder, 'node_modules', '.bin', 'plumbline'));
  const short = ['run', 'staging.yaml', '--only', 'compute.regions', '--seed', '1'];
  await plumbline([...short, '--out', 'conformance'], folder);
  const baseline = readFileSync(path.join(folder, 'conformance', 'conformance.json'));
  writeFileSync(path.join(folder, 'conformance', 'baseline.json'), baseline);
});
afterAll(async () => reference.close());

/** Runs a line as its platform would, but with only one section and two shards. */
async function shell(line: string, variables: Readonly<Record<string, string>>): Promise<number> {
  const written = line
    .replaceAll(/\$\{\{ github\.run_number \}\}/gu, '7')
    .replaceAll(/\$\{\{ matrix\.shard \}\}/gu, variables['CI_NODE_INDEX'] ?? '1')
    .replaceAll('plumbline run ', 'plumbline run --only compute.regions ')
    // A run of one section meets no profile.
    .replaceAll(/--require-profile \S+/gu, '')
    .replaceAll('/4', '/2')
    .replaceAll('/reports', path.join(folder, 'reports'))
    .replaceAll('/target', folder);
  expect(written).not.toContain('${{');
  const { code } = await ended('bash', ['-c', written], folder, { ...variables, ...paths });
  return code;
}

test('each file is YAML, and calls the command', () => {
  const files = readdirSync(deploy).filter((name) => /\.ya?ml$/u.test(name));
  expect(files.length).toBeGreaterThanOrEqual(4);
  const callers = new Set(files.filter((file) => commandsOf(file).length > 0));
  expect(files.filter((file) => !callers.has(file))).toEqual(['github-gate.yml']);
  expect(read('github-gate.yml')).toContain('uses: ./.github/actions/plumbline');
});

test.for([
  ['candidate.yaml', 0],
  ['none.yaml', 2],
] as const)('the steps of github-action.yml for %s', async ([target, code]) => {
  const action = z.object({
    runs: z.object({ steps: z.array(z.object({ run: z.string().optional() })) }),
  });
  const { runs } = action.parse(parse(read('github-action.yml')));
  const [install = '', ...commands] = runs.steps.flatMap(({ run }) => run ?? []);
  expect(install).toContain('npm ci');
  const codes: number[] = [];
  for (const line of commands) {
    const OPTIONS = '--deviations deviations.yaml';
    codes.push(
      await shell(line, { TARGET: target, OPTIONS, BASELINE: 'conformance/baseline.json' }),
    );
  }
  expect(codes).toEqual([code, code]);
});

function read(file: string): string {
  return readFileSync(path.join(deploy, file), 'utf8');
}

async function part(file: string, index: number): Promise<number> {
  const lines = commandsOf(file).filter((line) => line.includes('--shard'));
  expect(lines).toHaveLength(1);
  return shell(lines[0] ?? '', {
    CI_PIPELINE_IID: '7',
    CI_NODE_INDEX: String(index),
    CI_NODE_TOTAL: '2',
    JOB_COMPLETION_INDEX: String(index - 1),
  });
}

test('the parts of github-nightly.yml, and their merged report', async () => {
  const file = 'github-nightly.yml';
  expect(await Promise.all([part(file, 1), part(file, 2)])).toEqual([0, 0]);
  const merge = commandsOf(file).find((line) => line.includes('merge')) ?? '';
  expect(await shell(merge, {})).toBe(0);
});

test.for(['gitlab-ci.yml', 'kubernetes-job.yaml'])('a part of %s', async (file) => {
  mkdirSync(path.join(folder, 'reports'), { recursive: true });
  expect(await part(file, 1)).toBe(0);
});

test('the gate of gitlab-ci.yml lets through what conforms', async () => {
  const gate = commandsOf('gitlab-ci.yml').filter((line) => /candidate|compare/u.test(line));
  expect(gate).toHaveLength(3);
  expect(await shell(`set -e\n${gate.join('\n')}\nexit \${red:-0}`, {})).toBe(0);
});

test('the gate of gitlab-ci.yml compares a red run, too, and stays red', async () => {
  const lines = texts(parse(read('gitlab-ci.yml')));
  const run = lines.find((line) => line.includes('--deviations')) ?? '';
  const end = lines.find((line) => line.startsWith('exit ')) ?? '';
  const asRed = run.replace(/^.*?--reporter junit/u, 'false');
  expect(await shell(`set -e\n${asRed}\ntrue\n${end}`, {})).toBe(1);
});
