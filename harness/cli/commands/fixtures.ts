/** `plumbline fixtures`: describes the fixtures for a full run on a router, and checks a router that has them. */

import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { Argument, type Command } from 'commander';
import { stringify } from 'yaml';
import { shellWord } from '../../../reports/model/text.ts';
import { asTargetFile } from '../../target/draft.ts';
import { readTextFile } from '../../target/problem.ts';
import {
  type FixtureAnswers,
  routerFixtures,
  targetOfFixtures,
} from '../../target/router-fixtures.ts';
import { type ExitCode, exitCodes, refuse, type Ends } from '../exit.ts';
import { requireFolder, writeOrFail } from '../files.ts';
import { requireBaseUrl } from '../planned.ts';
import { check } from './check.ts';
import { wholeNumber } from './options.ts';

interface FixturesOptions extends Omit<FixtureAnswers, 'engines'> {
  readonly engine: readonly string[];
  readonly out: string;
  readonly check: boolean;
}

const MAX_REPLICAS = 64;

/** Adds the options and the action of `plumbline fixtures`. */
export function register(command: Command, ends: Ends): void {
  command
    .addArgument(new Argument('<contract>', 'what it serves').choices(['router']))
    .option('--base-url <URL>', 'where the router is, without /v1', 'http://127.0.0.1:8080')
    .option('--engine <ADDRESS...>', 'host:port of the scripted engine, twice, as agents see it', [
      '127.0.0.1:9100',
      '127.0.0.1:9101',
    ])
    .option('--control <URL>', 'where the engine is steered', 'http://127.0.0.1:9190')
    .option('--prefix <TEXT>', 'begins every name', 'plumbline-')
    .option('--replicas <N>', 'replicas of the router', wholeNumber(1, MAX_REPLICAS), 1)
    .option('--out <DIR>', 'folder for fixtures.yaml, fixtures.md and target.yaml', 'fixtures')
    .option('--check', 'compare the running router with the target file of that folder', false)
    .addHelpText(
      'after',
      '\nExample:\n  plumbline fixtures router --base-url https://router.example.com --prefix conformance-\n  plumbline fixtures router --check',
    )
    .action(ends(fixtures));
}

/** Writes the three files, or checks a router against them. Throws `CommandFailure`. */
async function fixtures(_contract: string, options: FixturesOptions): Promise<ExitCode> {
  const target = path.join(options.out, 'target.yaml');
  if (options.check) {
    if (existsSync(target)) return check([target], { json: false });
    refuse(`${target}: there is no such file. Write it first, without --check.`);
  }
  const answers = answersOf(options);
  const described = routerFixtures(answers);
  requireFolder(options.out, 'the three files');
  mkdirSync(options.out, { recursive: true });
  writeOrFail(path.join(options.out, 'fixtures.yaml'), stringify(described, { lineWidth: 0 }));
  writeOrFail(path.join(options.out, 'fixtures.md'), fixtureTables(described));
  const text = asTargetFile(targetOfFixtures(answers));
  const kept = keepEdited(target, text);
  writeOrFail(target, text);
  process.stderr.write(
    [
      ...kept,
      `Wrote ${options.out}/fixtures.yaml and fixtures.md, what to set up, and ${target}.`,
      `  ${described.engine.command}`,
      '  set the router up, and the variables of the keys in the environment, then',
      `  plumbline fixtures router --check --out ${shellWord(options.out)}`,
      `  plumbline run ${shellWord(target)}`,
      '',
    ].join('\n'),
  );
  return exitCodes.conforms;
}

/** Renames a target file that differs from its new text, since users add hooks to it by hand. Returns what to print. */
function keepEdited(file: string, text: string): readonly string[] {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return [];
  const before = readTextFile(file);
  if ('text' in before && before.text === text) return [];
  let kept = `${file}.old`;
  while (existsSync(kept)) kept += '.old';
  renameSync(file, kept);
  return [`Kept the ${file} that was there as ${kept}; add your own lines to the new one.`];
}

function answersOf(options: FixturesOptions): FixtureAnswers {
  const { control, prefix, replicas } = options;
  const baseUrl = requireBaseUrl('router', options.baseUrl);
  const [first, second, ...others] = options.engine;
  if (first === undefined || second === undefined || others.length > 0 || first === second) {
    refuse('--engine: name two addresses, as in --engine 127.0.0.1:9100 127.0.0.1:9101.');
  }
  if (!URL.canParse(control)) refuse('--control: give a URL, as in http://127.0.0.1:9190.');
  if (!/^[a-z][\w-]*$/iu.test(prefix)) {
    refuse('--prefix: begin with a letter, and use letters, digits, - and _ alone.');
  }
  return { baseUrl, engines: [first, second], control, prefix, replicas };
}

/** The fixtures as Markdown tables, for configuring the router by hand. */
export function fixtureTables({
  engine,
  limits,
  fleet,
  keys,
  agents,
  models,
}: ReturnType<typeof routerFixtures>): string {
  const rows = (cells: readonly (readonly unknown[])[]): string =>
    cells.map((row) => `| ${row.map(cellText).join(' | ')} |`).join('\n');
  const table = (head: readonly string[], cells: readonly (readonly unknown[])[]): string =>
    `${rows([head, head.map(() => '---')])}\n${rows(cells)}`;
  const rest = (one: object, ...known: readonly string[]): object =>
    Object.fromEntries(Object.entries(one).filter(([name]) => !known.includes(name)));
  return [
    '# Fixtures of a router',
    `The engine, which is started first and left running: \`${engine.command}\``,
    '## Limits',
    table(['setting', 'value'], Object.entries({ ...limits, ...fleet })),
    '## Agents',
    table(
      ['agent', 'engine', 'slots', 'state'],
      agents.map(({ name, engine: at, capacity, state }) => [name, at, capacity, state]),
    ),
    '## Models',
    table(
      ['model', 'role', 'serves', 'steps: agents (tries)', 'queue', 'policy'],
      models.map((one) => [
        one.id,
        one.role,
        one.serves,
        one.steps.map((step) => `${step.agents.join(' + ')} (${step.maxTries})`).join(', then '),
        one.queue,
        rest(one, 'id', 'role', 'serves', 'steps', 'queue'),
      ]),
    ),
    '## Keys',
    table(
      ['key', 'role', 'owner', 'variable', 'state', 'may call', 'quota'],
      keys.map((one) => [
        one.name,
        one.role,
        one.owner,
        one.secretFrom,
        one.state,
        one.may,
        rest(one, 'name', 'role', 'owner', 'secretFrom', 'state', 'may'),
      ]),
    ),
    '## What they mean',
    meanings.map((line) => `- ${line}`).join('\n'),
    '',
  ].join('\n\n');
}

const meanings = [
  '`perModel` declares its models, and bounds none of them: where a 0 forbids on your router, write a number that no run comes near.',
  '`hooks.disconnectAgent`, a command in the target file, takes the agents of the role `chat` away, and `hooks.reconnectAgent` brings them back; without them two requirements are not exercised.',
  '`replicas` says how many processes of the router count requests for themselves. `sheds: always` is a model over its threshold all the time.',
  'The engine tells how many tokens an answer took: `usage.prompt_tokens` and `usage.completion_tokens` for chat, `usage.input_tokens` and `usage.output_tokens` for messages, of streams in the last event but one; in a chat stream only where `stream_options.include_usage` asks for it.',
] as const;

function cellText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(
      ([name, held]) =>
        `${name}: ${typeof held === 'object' ? JSON.stringify(held) : String(held)}`,
    )
    .join('; ');
}
