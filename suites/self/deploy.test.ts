/** The examples for CI and Kubernetes: their YAML is read, and their commands are run as their shells would. */

import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ComputeReference, startCompute } from '../../harness/reference/compute/start.ts';
import { bin, folderWith, plumbline } from './command.ts';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));

/** Every text in a document, in order. */
function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

/** Lines of a file in which the command is called. */
function commandsOf(file: string): readonly string[] {
  const document: unknown = parse(readFileSync(path.join(deploy, file), 'utf8'));
  return texts(document).filter((text) => /(?:^|npx )plumbline \w/u.test(text));
}

let reference: ComputeReference;
let folder = '';
beforeAll(async () => {
  reference = await startCompute();
  const target = JSON.stringify(reference.target());
  folder = folderWith({
    'staging.yaml': target,
    'candidate.yaml': target,
    'deviations.yaml': '[]',
    npx: '#!/bin/sh\nexec "$@"\n',
    plumbline: `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`,
  });
  for (const name of ['npx', 'plumbline']) chmodSync(path.join(folder, name), 0o755);
  const short = ['run', 'staging.yaml', '--only', 'compute.regions', '--seed', '1'];
  await plumbline([...short, '--out', 'conformance'], folder);
  const baseline = readFileSync(path.join(folder, 'conformance', 'conformance.json'));
  writeFileSync(path.join(folder, 'conformance', 'baseline.json'), baseline);
});
afterAll(async () => reference.close());

/** Runs a line as its platform would, but for one section alone and for two parts. */
async function shell(line: string, variables: Readonly<Record<string, string>>): Promise<number> {
  const written = line
    .replaceAll(/\$\{\{ github\.run_number \}\}/gu, '7')
    .replaceAll(/\$\{\{ matrix\.shard \}\}/gu, variables['CI_NODE_INDEX'] ?? '1')
    .replaceAll('plumbline run ', 'plumbline run --only compute.regions ')
    .replaceAll('/4', '/2')
    .replaceAll('/reports', path.join(folder, 'reports'))
    .replaceAll('/target', folder);
  expect(written).not.toContain('${{');
  return new Promise((done) => {
    const env = {
      ...process.env,
      ...variables,
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      CI: 'true',
    };
    const child = execFile('sh', ['-c', written], { cwd: folder, env }, () =>
      done(child.exitCode ?? -1),
    );
  });
}

test('each file is YAML, and calls the command', () => {
  const files = readdirSync(deploy).filter((name) => /\.ya?ml$/u.test(name));
  expect(files.length).toBeGreaterThanOrEqual(4);
  for (const file of files) expect([file, commandsOf(file).length > 0]).toEqual([file, true]);
});

/** Runs part `index` of 2 by the line of a file. */
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

test('the parts of github-nightly.yml, and their merged report', { timeout: 120_000 }, async () => {
  const file = 'github-nightly.yml';
  expect(await Promise.all([part(file, 1), part(file, 2)])).toEqual([0, 0]);
  const merge = commandsOf(file).find((line) => line.includes('merge')) ?? '';
  expect(await shell(merge, {})).toBe(0);
});

test.for(['gitlab-ci.yml', 'kubernetes-job.yaml'])(
  'a part of %s',
  { timeout: 120_000 },
  async (file) => {
    mkdirSync(path.join(folder, 'reports'), { recursive: true });
    expect(await part(file, 1)).toBe(0);
  },
);

test('the gate of gitlab-ci.yml lets through what conforms', { timeout: 120_000 }, async () => {
  const gate = commandsOf('gitlab-ci.yml').filter((line) => /candidate|compare/u.test(line));
  expect(gate).toHaveLength(3);
  expect(await shell(`set -e\n${gate.join('\n')}\nexit \${red:-0}`, {})).toBe(0);
});

test('the gate of gitlab-ci.yml compares a red run, too, and stays red', async () => {
  const lines = texts(parse(readFileSync(path.join(deploy, 'gitlab-ci.yml'), 'utf8')));
  const run = lines.find((line) => line.includes('--deviations')) ?? '';
  const end = lines.find((line) => line.startsWith('exit ')) ?? '';
  const asRed = run.replace(/^.*?--reporter junit/u, 'false');
  expect(await shell(`set -e\n${asRed}\ntrue\n${end}`, {})).toBe(1);
});
