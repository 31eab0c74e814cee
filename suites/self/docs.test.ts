/** The instructions in the documents work: every command runs, every example file is valid, every link has a target. */

import { type ChildProcess, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { startCompute } from '../../harness/reference/compute/start.ts';
import { parseDeviations } from '../../harness/target/deviations.ts';
import { parseTarget } from '../../harness/contracts/target-file.ts';
import { startBroken } from './broken.ts';
import { type Ended, ended, folderWith, folderWithCommand, plumbline } from './command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The requirement that the documents replay. */
const BROKEN = 'compute.regions.codes-exact';
const RESULT = path.join('conformance-report', 'conformance.json');

const pages = ['README.md', ...readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`)]
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(path.join(root, name), 'utf8') }));

function blocks(text: string, language: string): readonly string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gmu');
  return [...text.matchAll(fence)].map((match) => match[1] ?? '');
}

function commandsOf(text: string): readonly string[] {
  return blocks(text, 'sh').flatMap((block) =>
    block
      .split('\n')
      .map((line) => line.replace(/^(?:npx |npm exec --no -- )/u, '').trim())
      .filter((line) => line !== '' && !/^(?:#|export |alias )/u.test(line)),
  );
}

test('there are commands to run', () => {
  expect(pages.flatMap(({ text }) => commandsOf(text)).length).toBeGreaterThan(20);
});

const conforming = await startCompute();
const ofConforming = {
  COMPUTE_URL: conforming.baseUrl,
  COMPUTE_KEY: conforming.target().keys.primary,
};
const broken = await startBroken(BROKEN);
const ofBroken = folderWith({ 'staging.yaml': JSON.stringify(broken.target()) });
await plumbline(['run', 'staging.yaml', '--only', 'compute.regions'], ofBroken);
const brokenResult = path.join(ofBroken, RESULT);
afterAll(async () => {
  await conforming.close();
  await broken.close();
});

describe('commands', () => {
  test.for(pages.filter(({ text }) => commandsOf(text).length > 0))(
    'of $name',
    { timeout: 300_000 },
    async ({ text }) => {
      const target = JSON.stringify(conforming.target());
      const gate = readFileSync(path.join(root, 'docs', 'gate.md'), 'utf8');
      const { folder, variables } = folderWithCommand({
        'staging.yaml': target,
        'candidate.yaml': target,
        'mended.yaml': target,
        'deviations.yaml': blocks(gate, 'yaml').join(''),
        'recording.har': recording(conforming.baseUrl),
      });
      copyFileSync(brokenResult, path.join(folder, 'baseline.json'));
      mkdirSync(path.join(folder, 'conformance-report'));
      copyFileSync(brokenResult, path.join(folder, RESULT));
      for (const command of commandsOf(text)) {
        if (command.startsWith('npm ')) {
          const script = command.replace(/^npm (?:run )?(\S+).*$/u, '$1');
          if (!npmScripts().includes(script)) throw new Error(`there is no ${command}`);
          continue;
        }
        const replays = command.startsWith('plumbline replay');
        if (replays && command.includes(BROKEN))
          copyFileSync(brokenResult, path.join(folder, RESULT));
        const environment = { ...variables, ...ofConforming };
        const { code, told } = await run(shortened(command), folder, environment);
        const observes = command.startsWith('plumbline observe');
        const isBroken = command.startsWith('plumbline run broken.yaml');
        // A replay of a violation exits 1 again; an observation without traffic is undecided (5).
        const codes = isBroken ? [1] : replays ? [0, 1] : observes ? [0, 5] : [0];
        expect(codes, `${command}\n${told}`).toContain(code);
      }
    },
  );
});

describe('the library', () => {
  const page = readFileSync(path.join(root, 'docs', 'certify.md'), 'utf8');

  test('what the README says of it is where it points', () => {
    const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
    expect(readme).toMatch(
      /from 'plumbline-conformance'`[^[]*\[from code\]\(docs\/certify\.md#from-code\)/u,
    );
    expect(page).toContain('## From code');
  });

  test('the example does what it says', { timeout: 120_000 }, async () => {
    const folder = folderWith({ 'example.mjs': blocks(page, 'js').join('') });
    mkdirSync(path.join(folder, 'node_modules'));
    symlinkSync(root, path.join(folder, 'node_modules', 'plumbline-conformance'));
    const { code, told } = await run(`'${process.execPath}' example.mjs`, folder, ofConforming);
    expect({ code, told }).toEqual({
      code: 0,
      told: expect.stringMatching(/^0 of [1-9]\d* broken\n$/u),
    });
  });

  test('every name that the examples import is exported', async () => {
    const library: object = await import('../../harness/cli/library/index.ts');
    const names = [...page.matchAll(/import \{([^}]+)\} from 'plumbline-conformance'/gu)].flatMap(
      ([, list]) => (list ?? '').split(',').map((name) => name.trim()),
    );
    expect(names.length).toBeGreaterThan(2);
    expect(Object.keys(library)).toEqual(expect.arrayContaining(names));
  });
});

/** Restricts a whole run to one section, since a whole run would only cost time here. */
function shortened(command: string): string {
  return /^plumbline run\b/u.test(command) && !/--only|--section/u.test(command)
    ? command
        .replace(/^plumbline run/u, 'plumbline run --only compute.regions')
        // A run of one section meets no profile.
        .replace(/--require-profile \S+/u, '')
    : command;
}

function npmScripts(): readonly string[] {
  const manifest: unknown = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return ['ci', 'install', 'pack', ...Object.keys(Object(Object(manifest).scripts))];
}

type Variables = Readonly<Record<string, string>>;
type Said = Pick<Ended, 'code' | 'told'>;

async function run(command: string, folder: string, variables: Variables): Promise<Said> {
  return /^plumbline (?:serve|backend|observe)/u.test(command)
    ? announced(command, folder, variables)
    : ended('sh', ['-c', command], folder, variables);
}

/** A HAR recording of one request to the deployment, as a browser writes it. */
function recording(baseUrl: string): string {
  const entry = {
    startedDateTime: new Date().toISOString(),
    time: 3,
    request: { method: 'GET', url: `${baseUrl}/instances?size=0`, headers: [] },
    response: {
      status: 400,
      headers: [{ name: 'content-type', value: 'application/json' }],
      content: { text: '{"error":{"code":"VALIDATION_ERROR","message":"size","request_id":"r1"}}' },
    },
  };
  return JSON.stringify({ log: { entries: [entry] } });
}

const served: ChildProcess[] = [];
afterEach(() => {
  for (const child of served.splice(0)) child.kill('SIGINT');
});

/** Runs a command that serves until it is stopped; it counts as successful once it prints how to use it. */
async function announced(command: string, cwd: string, variables: Variables): Promise<Said> {
  const env = { ...process.env, CI: 'true', ...variables };
  const child = spawn('sh', ['-c', `exec ${command}`], { cwd, env });
  let told = '';
  return new Promise((done) => {
    child.stderr.on('data', (text) => (told += String(text)));
    child.stdout.on('data', (text) => {
      told += String(text);
      if (!command.startsWith('plumbline serve')) child.kill('SIGINT');
      // Later commands of the page use this server.
      else {
        served.push(child);
        done({ code: 0, told });
      }
    });
    child.once('exit', (code, signal) =>
      done({ code: told === '' ? -1 : (code ?? (signal === 'SIGINT' ? 0 : -1)), told }),
    );
  });
}

describe('example files', () => {
  const examples = pages.flatMap(({ name, text }) =>
    blocks(text, 'yaml').map((yaml) => ({ name, yaml })),
  );

  test.for(examples)('of $name can be read', ({ name, yaml }) => {
    const names = [...yaml.matchAll(/\$\{(\w+)\}/gu)].map((match) => match[1] ?? '');
    const environment = Object.fromEntries(names.map((variable) => [variable, `of-${variable}`]));
    const read = yaml.startsWith('- requirement')
      ? parseDeviations(yaml, name)
      : [parseTarget(yaml, name, environment)];
    expect(read.length).toBeGreaterThan(0);
  });

  test('say every line that a target file may have', async () => {
    const { contractData, contractNames } = await import('../../schemas/contracts.ts');
    const page = readFileSync(path.join(root, 'docs', 'target-file.md'), 'utf8');
    const last = contractNames
      .flatMap((name) => Object.keys(contractData(name).needs))
      .map((need) => need.split('.').at(-1) ?? need);
    expect(last.filter((name) => !page.includes(`${name}:`) && !page.includes(name))).toEqual([]);
  });
});

test('links lead to files that are there', () => {
  const dead = pages.flatMap(({ name, text }) =>
    [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/gu)]
      .map((match) => match[1] ?? '')
      .filter((link) => !existsSync(path.join(root, path.dirname(name), link)))
      .map((link) => `${name}: ${link}`),
  );
  expect(dead).toEqual([]);
});
