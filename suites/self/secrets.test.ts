/** No key leaks: a server echoes keys in every form, and the tests search all files and output of the runs. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { type ComputeReference, startCompute } from '../../harness/reference/compute/start.ts';
import { bin, ended, folderWith, plumbline, readReport } from './command.ts';
import { forms, startEchoProxy, startEchoServer, wideForms } from './echo-server.ts';

vi.setConfig({ testTimeout: 120_000 });

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Keys with characters that URLs, JSON and base64 encode. */
const canaries: Readonly<Record<string, string>> = Object.fromEntries(
  ['PRIMARY', 'SECOND', 'CLIENT', 'ADMIN', 'EXPIRED', 'TOKENS'].map((name) => [
    `CANARY_${name}`,
    `cnry-${name.toLowerCase()}/+=?&%41"\\~Zq9Lk27x`,
  ]),
);
const everyForm = ['html', 'markdown', 'junit', 'ctrf', 'badge', 'har', 'allure'].flatMap(
  (name) => ['--reporter', name],
);

const echo = await startEchoServer();
afterAll(async () => echo.close());

const targets = (port: number) => ({
  'compute.yaml': `
name: canary-compute
contract: compute
baseUrl: http://127.0.0.1:${port}/v1
keys: { primary: '\${CANARY_PRIMARY}', second: '\${CANARY_SECOND}' }
bindings:
  terminate: POST /instances/{id}/terminate
  getInstance: { record: $ }
  regions: { codes: "$[*]" }
  presets: { items: presets, fields: { id: id } }
instances: { provision: { request: POST /_make, id: $.id } }
consent: { stop: true, terminate: true }
budget: { requests: 400, minutes: 0.1 }
`,
  'router.yaml': `
name: canary-router
contract: router
baseUrl: http://127.0.0.1:${port}
keys:
  client: '\${CANARY_CLIENT}'
  admin: '\${CANARY_ADMIN}'
  expired: '\${CANARY_EXPIRED}'
  tokensPerDay: [ { key: '\${CANARY_TOKENS}', limit: 2000 } ]
models: { chat: some-model }
budget: { requests: 400, minutes: 0.1 }
`,
});

/** Every file below a folder by name, including the saved output of the commands. */
function everythingIn(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names
      .filter((name) => statSync(path.join(folder, name)).isFile())
      .map((name) => [name, readFileSync(path.join(folder, name)).toString()]),
  );
}

/** A text unchanged, with its JSON and HTML escapes undone, and with its base64 decoded to one character per byte. */
function readings(text: string): readonly string[] {
  const held = [...text.matchAll(/"base64": ?"([^"]+)"/gu)].map(([, base64 = '']) =>
    Buffer.from(base64, 'base64').toString('latin1'),
  );
  const fromJson = text
    .replaceAll(/\\u([\da-f]{4})/giu, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
    .replaceAll(/\\(["\\/])/gu, '$1');
  const fromHtml = text
    .replaceAll(/&(?:quot|#34);/gu, '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
  return [text, fromJson, fromHtml, ...held];
}

const everyDress = { ...forms, ...wideForms };

/** All places with a key in some form, as `file: NAME in form`. */
function leaks(folder: string): readonly string[] {
  return [...everythingIn(folder)].flatMap(([name, text]) => {
    const all = readings(text);
    return Object.entries(canaries).flatMap(([canary, key]) =>
      Object.entries(everyDress)
        .filter(([, form]) => all.some((one) => one.includes(form(key))))
        .map(([form]) => `${name}: ${canary} in form ${form}`),
    );
  });
}

/** Runs a command and saves its output next to its files. */
async function kept(folder: string, args: readonly string[]): Promise<number> {
  const { code, stdout, stderr } = await plumbline(args, folder, canaries);
  const said = `${args
    .join('-')
    .replaceAll(/[^\w-]/gu, '-')
    .slice(0, 60)}.said`;
  writeFileSync(path.join(folder, said), `${stdout}\n${stderr}`);
  return code;
}

test('a search finds what is there', () => {
  for (const [name, form] of Object.entries(everyDress)) {
    const folder = folderWith({ 'a.txt': `x${form(canaries['CANARY_ADMIN'] ?? '')}y` });
    expect(leaks(folder)).toContain(`a.txt: CANARY_ADMIN in form ${name}`);
  }
});

/** The reference's own keys, by the canaries that the echo proxy replaces with them. */
function realKeys(reference: ComputeReference): Readonly<Record<string, string>> {
  const { primary, second } = reference.target().keys;
  return {
    [`Bearer ${canaries['CANARY_PRIMARY']}`]: `Bearer ${primary}`,
    [`Bearer ${canaries['CANARY_SECOND']}`]: `Bearer ${typeof second === 'string' ? second : primary}`,
  };
}

/** A conforming deployment that names its keys by the canaries, until the test ends. */
async function startPassing() {
  const reference = await startCompute();
  const proxy = await startEchoProxy(reference.port, realKeys(reference));
  onTestFinished(async () => {
    await proxy.close();
    await reference.close();
  });
  const baseUrl = `http://127.0.0.1:${proxy.port}/v1`;
  return { ...reference.target(), name: 'canary-passing', baseUrl };
}

const json = (folder: string): string => path.join(folder, 'conformance.json');

test('a target that gives keys away: runs that fail and pass, and every command on them', async () => {
  const keys = { primary: '${CANARY_PRIMARY}', second: '${CANARY_SECOND}' };
  const passing = JSON.stringify({ ...(await startPassing()), keys });
  const folder = folderWith({ ...targets(echo.port), 'passing.yaml': passing });
  const files = ['compute.yaml', 'router.yaml'];
  const at = `http://127.0.0.1:${echo.port}/v1`;
  const found = '--key-env CANARY_PRIMARY --out found.yaml';
  const init = `init --contract compute --base-url ${at} ${found}`.split(' ');
  const failed = ['run', ...files, '--seed', '3', '--out', 'failed', '--json', ...everyForm];
  const section = ['--section', 'regions', '--seed', '3'];
  const passed = ['run', 'passing.yaml', ...section, '--out', 'passed', ...everyForm];
  // The first responses of the echo server let a run begin; checks and init use up some of them.
  await Promise.all([kept(folder, ['check', ...files]), kept(folder, init)]);
  echo.begin();
  const codes = await Promise.all([kept(folder, failed), kept(folder, passed)]);
  expect(codes).toEqual([1, 0]);
  const broken = readReport(folder, 'failed').requirements.find(
    ({ target, verdict }) => target === 'canary-compute' && verdict === 'failed',
  );
  expect(broken).toBeDefined();
  echo.begin();
  await Promise.all([
    kept(folder, ['replay', json('failed'), broken?.id ?? '', '--target', 'compute.yaml']),
    kept(folder, ['compare', json('failed'), json('passed'), '--markdown']),
  ]);
  expect(await kept(folder, ['attest', json('failed'), '--key', 'key.pem', '--generate-key'])).toBe(
    0,
  );
  await kept(folder, ['sweep', 'compute.yaml']);
  // Proves that the search was meaningful: the files exist, and the echoed keys were redacted.
  const names = [...everythingIn(folder).keys()];
  for (const name of ['report.html', 'report.md', 'junit.xml', 'ctrf.json', 'allure-results']) {
    expect(names.filter((one) => one.startsWith(path.join('failed', name)))).not.toEqual([]);
  }
  expect(everythingIn(folder).get(json('failed'))).toContain('‹key:primary›');
  expect(leaks(folder)).toEqual([]);
});

/** The project of a user with the suites in it, and its Allure reporter. */
const project = {
  'vitest.config.ts': `
export default { test: { reporters: ['default', ['allure-vitest/reporter', { resultsDir: 'allure' }]] } };
`,
  'conformance.test.ts': `
import { readFileSync } from 'node:fs';
import { defineConformanceSuite } from 'plumbline-conformance';

const { PORT, CANARY_PRIMARY, CANARY_SECOND, PASSING } = process.env;
const echo = {
  name: 'canary-compute',
  contract: 'compute',
  baseUrl: \`http://127.0.0.1:\${PORT}/v1\`,
  keys: { primary: CANARY_PRIMARY, second: CANARY_SECOND },
  budget: { requests: 200, minutes: 0.1 },
};
const passing = { ...JSON.parse(readFileSync('passing.json', 'utf8')), keys: echo.keys };
await defineConformanceSuite(PASSING === undefined ? echo : passing, { section: 'regions', seed: 3 });
`,
};

test.for(['fails', 'passes'] as const)(
  "a Vitest project of a user's that %s tells Allure no key",
  async (how) => {
    const passing = JSON.stringify(await startPassing());
    const folder = folderWith({ ...project, 'passing.json': passing });
    const modules = path.join(folder, 'node_modules');
    mkdirSync(modules);
    for (const name of ['vitest', 'allure-vitest']) {
      symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
    }
    symlinkSync(root, path.join(modules, 'plumbline-conformance'));
    echo.begin();
    const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const { code, told } = await ended(process.execPath, [vitest, 'run'], folder, {
      ...canaries,
      PORT: String(echo.port),
      ...(how === 'passes' ? { PASSING: 'yes' } : {}),
    });
    writeFileSync(path.join(folder, 'vitest.said'), told);
    // The linked packages are the same for every user, so they are not searched.
    rmSync(modules, { recursive: true });
    expect({ code, told }).toMatchObject({ code: how === 'passes' ? 0 : 1 });
    const written = [...everythingIn(folder)].filter(([name]) => name.startsWith('allure'));
    expect(written.length).toBeGreaterThan(3);
    expect(written.some(([, text]) => text.includes('‹key:primary›'))).toBe(true);
    expect(leaks(folder)).toEqual([]);
  },
);

test.for(['SIGINT', 'SIGKILL'] as const)(
  'a run that is ended by %s gives no key away either',
  async (signal) => {
    const folder = folderWith(targets(echo.port));
    const from = echo.begin();
    const words: Buffer[] = [];
    const child = spawn(process.execPath, [bin, 'run', 'compute.yaml', '--json', ...everyForm], {
      cwd: folder,
      env: { ...process.env, ...canaries },
    });
    const closed = once(child, 'close');
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece: Buffer) => words.push(piece));
    }
    while (child.exitCode === null && echo.requests() - from < 60) await pause(5);
    child.kill(signal);
    await closed;
    writeFileSync(path.join(folder, 'run.said'), Buffer.concat(words));
    expect(leaks(folder)).toEqual([]);
  },
);
