/** `plumbline serve`: runs a reference deployment, to develop a client or to try the suite. */

import { existsSync } from 'node:fs';
import { writeOrFail } from '../files.ts';
import { Argument, type Command } from 'commander';
import { untilEnded, refuse } from '../exit.ts';
import type { Contract } from '../../../schemas/requirement.ts';
import { collect, seedNumber, wholeNumber } from './options.ts';
import { referenceOf, referenceNames } from '../../contracts/index.ts';
import type { ReferenceModule } from '../../contracts/references.ts';
import { parseTarget } from '../../contracts/target-file.ts';
import { meant } from '../../target/known-keys.ts';
import { asTargetFile } from '../../target/draft.ts';
import { readTextFile } from '../../target/problem.ts';

const HIGHEST_PORT = 65_535;

/** Adds the options and the action of `plumbline serve`. */
export function register(command: Command): void {
  command
    .addArgument(new Argument('<contract>', 'which server').choices(referenceNames))
    .option(
      '--port <N>',
      'port on 127.0.0.1; any free one unless told',
      wholeNumber(0, HIGHEST_PORT),
      0,
    )
    .option('--seed <N>', 'seed of the example data (compute)', seedNumber)
    .option('--file <FILE>', 'write the target file there too')
    .option(
      '--fault <NAME>',
      'break the contract in this one way, to see what a failure looks like (repeatable)',
      collect,
      [],
    )
    .option('--list-faults', 'list the faults, each with the requirement that it breaks')
    .addHelpText(
      'after',
      '\nExample:\n  plumbline serve compute --fault list-instances-size-201-is-served --file target.yaml',
    )
    .action(async (contract: Contract, options: ServeOptions) => {
      if (options.listFaults === true) {
        for (const { name, aims, summary } of await (await referenceOf(contract)).faults()) {
          console.log(`${name}\n  ${aims}: ${summary}`);
        }
        return;
      }
      const serving = await serveReference(contract, options);
      console.log(serving.announcement);
      await untilEnded();
      await serving.close();
    });
}

export interface ServeOptions {
  readonly port: number;
  readonly seed?: number;
  readonly file?: string;
  readonly fault?: readonly string[];
  readonly listFaults?: boolean;
}

/** The faults with these names. Throws `CommandFailure` for an unknown name. */
async function requireFaults(
  contract: Contract,
  module: ReferenceModule,
  names: readonly string[],
): Promise<readonly ServedFault[]> {
  if (names.length === 0) return [];
  const faults = await module.faults();
  return names.map((name) => {
    const fault = faults.find((one) => one.name === name);
    if (fault !== undefined) return fault;
    const known = faults.map((one) => one.name);
    return refuse(
      `--fault ${name}: the ${contract} server has no such fault. ${meant(name, known, `plumbline serve ${contract} --list-faults lists them.`)}`,
    );
  });
}

type ServedFault = Awaited<ReturnType<ReferenceModule['faults']>>[number];

/** Recognizes the target file of a server of this command, in YAML or JSON. */
const ON_LOOPBACK = /baseUrl["']?:\s*["']?http:\/\/127\.0\.0\.1:/u;

/** Throws `CommandFailure` for an existing file that is not for a loopback server, since the user wrote it by hand. */
function requireReplaceable(file: string): void {
  if (!existsSync(file)) return;
  const read = readTextFile(file);
  if ('problem' in read || ON_LOOPBACK.test(read.text)) return;
  refuse(
    `--file ${file}: the file is there, and describes no server of this command, so it is not replaced. Name another file.`,
  );
}

/**
 * A running server and the text to show to the user. Throws `CommandFailure` if the port is in use or the file cannot be
 * written. Nothing is left running then.
 */
export async function serveReference(contract: Contract, options: ServeOptions) {
  const module = await referenceOf(contract);
  const { port, seed } = options;
  if (options.file !== undefined) requireReplaceable(options.file);
  const faults = await requireFaults(contract, module, options.fault ?? []);
  const names = faults.map(({ name }) => name);
  const reference = await module.start({ port, seed, faults: names }).catch((error: unknown) => {
    if (Object(error).code !== 'EADDRINUSE') throw error;
    refuse(`Port ${port} of 127.0.0.1 is in use. Choose another --port, or end what uses it.`);
  });
  const yaml = asTargetFile(reference.target());
  if (options.file !== undefined) {
    try {
      writeOrFail(options.file, yaml, '--file');
    } catch (error) {
      await reference.close();
      throw error;
    }
  }
  return {
    announcement: announcement(contract, module, yaml, { ...options, faults }),
    close: () => reference.close(),
  };
}

function announcement(
  contract: Contract,
  { examples }: Pick<ReferenceModule, 'examples'>,
  yaml: string,
  { file, faults }: Pick<ServeOptions, 'file'> & { readonly faults: readonly ServedFault[] },
): string {
  const { target, secrets } = parseTarget(yaml, 'target.yaml');
  const key = (name: string): string => secrets[name] ?? 'KEY';
  const save = `save the target file above as target.yaml, or start with --file target.yaml, then`;
  return [
    faults.length === 0
      ? `A conforming ${contract} server answers at ${target.baseUrl}. Its target file:`
      : `A ${contract} server that breaks its contract answers at ${target.baseUrl}:`,
    ...faults.flatMap(({ name, aims, besides, summary }) => [
      `  ${name}: ${summary}`,
      `  It breaks ${[aims, ...besides].join(', ')}.`,
    ]),
    ...(faults.length === 0 ? [] : ['Its target file:']),
    '',
    yaml,
    `To run the suite against it, ${file === undefined ? save : 'in another terminal'}:`,
    `  plumbline run ${file ?? 'target.yaml'}`,
    'Try it:',
    ...examples(target.baseUrl, key).map((example) => `  ${example}`),
    'Ctrl-C ends it.',
  ].join('\n');
}
