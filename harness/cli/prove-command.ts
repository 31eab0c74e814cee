/** `npm run prove`: runs the suite against every fault and variant of the reference deployments. */

import { referenceNames } from '../contracts/index.ts';
import { writeFileSync } from 'node:fs';
import type { Contract } from '../../schemas/requirement.ts';
import { consequences, CONSEQUENCES_FILE, consequencesText } from '../proving/consequences.ts';
import { killMatrix, summaryOf, withProofs } from '../proving/kill-matrix.ts';
import { proveAll } from '../proving/prove-all.ts';
import { subjectsOf } from '../proving/subject.ts';
import { verdictOf } from '../proving/prove.ts';
import { meant } from '../target/known-keys.ts';
import {
  collect,
  contractOption,
  contractsOf,
  contributorCommand,
  runsNumber,
  seedNumber,
} from './commands/options.ts';
import { exitCodes } from './exit.ts';

interface ProveOptions {
  readonly contract?: Contract;
  readonly fault: readonly string[];
  readonly variant: readonly string[];
  readonly faultsOnly: boolean;
  readonly whole: boolean;
  readonly full: boolean;
  readonly seed: number;
  readonly runs: number;
  readonly verbose: boolean;
  readonly write: boolean;
}

const options = contributorCommand(
  'prove',
  'Puts every fault and variant of the reference deployments before the suite.',
)
  .addOption(contractOption())
  .option('--fault <NAME>', 'only this fault (repeatable)', collect, [])
  .option('--variant <NAME>', 'only this variant (repeatable)', collect, [])
  .option('--faults-only', 'leave the conforming deployments out', false)
  .option('--whole', 'every fault in a whole run, several at once', false)
  .option(
    '--full',
    'every fault before the whole suite, each by itself: about 20 minutes a contract',
    false,
  )
  .option('--seed <N>', 'seed of everything random', seedNumber, 1)
  .option('--runs <N>', 'values that a property tries', runsNumber, 20)
  .option('--verbose', 'tell of every proof what was found', false)
  .option(
    '--write',
    'write docs/kill-matrix.md from this run, and add to docs/consequences.json what faults broke besides',
    false,
  )
  .parse()
  .opts<ProveOptions>();

const contracts = contractsOf(options);
const isNamed = options.fault.length > 0 || options.variant.length > 0;
if (isNamed) await refuseUnknownNames();

const proofs = await proveAll({
  contracts,
  named: isNamed ? options : undefined,
  depth: options.full ? 'full' : options.whole ? 'whole' : 'likely',
  faultsOnly: options.faultsOnly,
  seed: options.seed,
  runs: options.runs,
  onProof: (proof, done, total) => {
    const verdict = verdictOf(proof);
    const odd = verdict.kind !== 'killed' && verdict.kind !== 'quiet';
    if (!odd && !options.verbose) return;
    process.stdout.write(
      `[${done}/${total}] ${verdict.kind} ${proof.contract} ${proof.name} (${proof.requests} requests, ${Math.round(proof.durationMs)} ms)\n`,
    );
    for (const id of verdict.missed) process.stdout.write(`    missed  ${id}\n`);
    for (const id of verdict.surplus) {
      process.stdout.write(`    surplus ${id}: ${proof.messages[id] ?? ''}\n`);
    }
    for (const error of proof.errors) process.stdout.write(`    error   ${error}\n`);
    if (options.verbose) {
      for (const id of proof.found)
        process.stdout.write(`    found   ${id}: ${proof.messages[id] ?? ''}\n`);
      for (const gap of proof.inconclusive) process.stdout.write(`    unclear ${gap}\n`);
    }
  },
});
if (options.write) {
  if (!isNamed) writeFileSync('docs/kill-matrix.md', killMatrix(proofs));
  const subjects = (await Promise.all(referenceNames.map(subjectsOf))).flat();
  const faults = new Set(
    subjects.filter(({ kind }) => kind === 'fault').map((one) => `${one.contract} ${one.name}`),
  );
  const record = withProofs(consequences(), proofs, (contract, name) =>
    faults.has(`${contract} ${name}`),
  );
  writeFileSync(CONSEQUENCES_FILE, consequencesText(record));
}
const summary = summaryOf(proofs);
process.stdout.write(`${summary.text}\n`);
process.exitCode = summary.sound ? exitCodes.conforms : exitCodes.violates;

/** A misspelt name would prove nothing and look like a success. */
async function refuseUnknownNames(): Promise<void> {
  const subjects = (await Promise.all(contracts.map(subjectsOf))).flat();
  const problems = (['fault', 'variant'] as const).flatMap((kind) => {
    const known = subjects.filter((subject) => subject.kind === kind).map(({ name }) => name);
    return options[kind]
      .filter((name) => !known.includes(name))
      .map(
        (name) =>
          `There is no ${kind} "${name}" of ${contracts.join(' or ')}. ${meant(name, known, `There are ${known.length} others.`)}`,
      );
  });
  if (problems.length === 0) return;
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exit(exitCodes.usage);
}
