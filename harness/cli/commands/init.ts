/** `plumbline init`: writes a first target file with what it finds out about the deployment. */

import { writeOrFail } from '../files.ts';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Command, Option } from 'commander';
import { CommandFailure, type ExitCode, exitCodes, type Ends, refuse } from '../exit.ts';
import { type Answers, askFor, type InitOptions, looksLikeKey } from './init-questions.ts';
import type { Target } from '../../../schemas/target.ts';
import { contractNames } from '../../../schemas/contracts.ts';
import { contractOf } from '../../contracts/index.ts';
import type { Probe } from '../../contracts/contract.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { connectForReading, tryKey } from '../../contracts/preflight.ts';
import { type DraftLine, draftText, type Known, linesForNeeds } from '../../target/draft.ts';
import { parseTarget } from '../../contracts/target-file.ts';
import { headersAsTyped, requireBaseUrl, withHeaders } from '../planned.ts';
import { packageFolder } from '../version.ts';
import { sharedOptions } from './options.ts';
import { tokenProblem } from '../../target/keys.ts';

/** Adds the options and the action of `plumbline init`. */
export function register(command: Command, ends: Ends): void {
  command
    .addOption(new Option('--contract <NAME>', 'what it serves').choices(contractNames))
    .option('--base-url <URL>', 'where it is: compute ends in /v1, a router goes without')
    .option('--key-env <NAME>', 'environment variable that holds a key')
    .option('--out <FILE>', 'where to write; - for stdout', 'target.yaml')
    .option('--force', 'write over a file that is there', false)
    .option('--ca <FILE>', 'PEM file of an authority to trust')
    .option('--cert <FILE>', 'PEM file of the certificate to show, with --cert-key')
    .option('--cert-key <FILE>', 'PEM file of its private key');
  sharedOptions(command, 'header')
    .addHelpText(
      'after',
      '\nOn a terminal it asks for what is left out.\n\nExample:\n  plumbline init --contract compute --base-url https://compute.example.com/v1 --key-env COMPUTE_KEY --out staging.yaml',
    )
    .action(ends(init));
}

/** Throws `CommandFailure` for unusable answers. */
export async function init(options: InitOptions): Promise<ExitCode> {
  if (options.out !== '-' && existsSync(options.out) && statSync(options.out).isDirectory()) {
    refuse(
      `${options.out} is a folder. Name a file, as in --out ${path.join(options.out, 'target.yaml')}`,
    );
  }
  if (options.out !== '-' && existsSync(options.out) && !options.force) {
    refuse(`${options.out} is there already. Name another file with --out, or add --force.`);
  }
  const answers = await askFor(options);
  const baseUrl = requireBaseUrl(answers.contract, answers.baseUrl);
  const key = usableKey(answers);
  const contract = contractOf(answers.contract);
  const [role] = contract.keys;
  const tls = certificateLines(options);
  const planned = withHeaders(
    parseTarget(
      JSON.stringify({
        contract: answers.contract,
        baseUrl,
        keys: { [role]: `\${${answers.keyEnv}}` },
        ...(tls === undefined ? {} : { tls }),
      }),
      options.out,
      { ...process.env, [answers.keyEnv]: key },
    ),
    options.header,
  );
  const { target } = planned;
  const connection = connectForReading(planned);
  try {
    const problem = await tryKey(connection, target, role);
    if (problem !== undefined) {
      throw new CommandFailure(
        `${problem.problem}\n  ${hintWithoutFile(problem.hint, answers)}\nNothing was written.`,
        exitCodes.unreachable,
      );
    }
    const seen: Exchange[] = [];
    const note = (exchange: Exchange): void => void seen.push(exchange);
    const known = await contract.discover(connection, note);
    // The file contains text from the deployment, which may include the key.
    write(options, connection.redactor.text(draft(target, options, answers, known)), known);
    printUnseen(contract.probes, seen, answers);
    if (answers.key !== undefined && options.out !== '-') {
      process.stderr.write(`These read the key from ${answers.keyEnv}, which is not set yet.\n`);
    }
    return exitCodes.conforms;
  } finally {
    await connection.close();
  }
}

function usableKey({ key, keyEnv }: Answers): string {
  const value = key ?? process.env[keyEnv];
  const asIn = `Set it to a key of the deployment, as in: export ${keyEnv}=…`;
  if (value === undefined) {
    if (!looksLikeKey(keyEnv)) refuse(`The environment has no ${keyEnv}. ${asIn}`);
    refuse(
      '--key-env: the environment has no variable of that name, which looks like a key itself and is not shown here. Give the name of the variable that holds the key, as in COMPUTE_KEY.',
    );
  }
  if (value === '') refuse(`${keyEnv} is empty. ${asIn}`);
  const complaint = tokenProblem(value);
  if (complaint !== undefined) {
    const what = key === undefined ? `${keyEnv} holds` : 'What was typed is';
    refuse(`${what} no usable key: ${complaint}. Give the bare key.`);
  }
  return value;
}

function draft(target: Target, options: InitOptions, answers: Answers, known: Known): string {
  const key = `\${${answers.keyEnv}}`;
  const name = new URL(target.baseUrl).host;
  const { keys, needs } = contractOf(target.contract);
  const need = `keys.${keys[0]}`;
  const first = [
    line(['name'], name, 'Names the target in reports.'),
    line(['contract'], target.contract),
    line(['baseUrl'], target.baseUrl),
    // If some requirements need this key, it is drafted with their other needs.
    ...(Object.hasOwn(needs, need) ? [] : [line(need.split('.'), key)]),
  ];
  const all: Known = new Map([...known, [need, { value: key }]]);
  const budget = [
    line(['budget', 'requestsPerSecond'], 50, 'How much a run may ask of the deployment.'),
    line(['budget', 'concurrency'], 8),
    line(['budget', 'minutes'], 20),
  ].map((one) => ({ ...one, active: false }));
  const connection = [
    ...[...headersAsTyped(options.header)].map(([header, value]) => {
      const variable = header.toUpperCase().replaceAll(/\W/gu, '_');
      // A literal value may be a secret, and the target file is meant to be committed.
      return line(['headers', header], value.includes('${') ? value : `\${${variable}}`);
    }),
    ...(target.tls === undefined ? [] : [line(['tls'], target.tls)]),
  ];
  const head = [
    ...schemaLine(options.out),
    '# Describes one deployment to plumbline. Lines that are commented out would let more be exercised;',
    '# docs/target-file.md explains each. Keys are read from the environment: never write one here.',
  ];
  const body = draftText([
    ...first,
    ...connection,
    ...linesForNeeds(target.contract, all),
    ...budget,
  ]);
  return `${head.join('\n')}\n\n${body}`;
}

function line(place: readonly string[], value: unknown, ...remarks: readonly string[]): DraftLine {
  return { path: place, value, active: true, remarks };
}

/** `--ca`, `--cert` and `--cert-key` as lines of the target file, relative to its folder. Undefined without any. */
function certificateLines({ ca, cert, certKey, out }: InitOptions): Target['tls'] {
  const folder = path.dirname(path.resolve(out));
  const seen = (file: string): string => path.relative(folder, path.resolve(file));
  const given = Object.entries({ ca, cert, key: certKey }).flatMap(([name, file]) => {
    if (file !== undefined && !existsSync(file)) refuse(`${file}: there is no such PEM file.`);
    return file === undefined ? [] : [[name, seen(file)] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** The schema line for editors. Only if file and package share a folder, so that it also works for other users. */
function schemaLine(out: string): readonly string[] {
  const folder = out === '-' ? process.cwd() : path.dirname(path.resolve(out));
  const schema = path.relative(folder, path.join(packageFolder, 'docs/schema/target.schema.json'));
  if (schema.startsWith('..')) return [];
  return [`# yaml-language-server: $schema=${schema.replaceAll(path.sep, '/')}`];
}

function write({ out }: InitOptions, text: string, known: Known): void {
  if (out === '-') {
    process.stdout.write(text);
    return;
  }
  writeOrFail(out, text);
  const found = [...known.values()].filter((one) => 'value' in one).length;
  process.stderr.write(
    `Wrote ${out}${found === 0 ? '' : `, with ${found} bindings that were found`}. Look through what is commented out, then:\n  plumbline check ${out}\n  plumbline plan ${out}\n  plumbline run ${out}\n`,
  );
}

/** Some other service may have answered, for which the file would be useless. */
function printUnseen(
  probes: readonly Probe[],
  exchanges: readonly Exchange[],
  { contract, baseUrl }: Answers,
): void {
  const unseen = probes.flatMap(({ path: at, shows, isShown }) => {
    const answers = exchanges.filter(({ request }) => request.path === at);
    const [first] = answers;
    if (first === undefined || answers.some(isShown)) return [];
    return [`  GET ${at} answered ${first.response?.status ?? first.ending} and no ${shows}.\n`];
  });
  if (unseen.length === 0) return;
  process.stderr.write(
    `Not seen at ${baseUrl}:\n${unseen.join('')}Is it a ${contract} deployment, and is --base-url right?\n`,
  );
}

/** Rewords hints that refer to the target file, which does not exist yet. */
function hintWithoutFile(hint: string, { keyEnv }: Answers): string {
  return hint
    .replace(
      / Check keys\.\w+ in the target file, and the environment variable that it names\./u,
      '',
    )
    .replace(/^Check keys\.\w+ in the target file, and.*$/u, `Check what ${keyEnv} holds.`)
    .replace(/baseUrl in the target file/u, '--base-url');
}
