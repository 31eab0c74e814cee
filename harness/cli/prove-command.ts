/** `npm run prove`: every fault and variant of the reference deployments before the suite. */

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Contract } from '../../schemas/requirement.ts';
import { killMatrix } from '../proving/kill-matrix.ts';
import { proveAll } from '../proving/prove-all.ts';
import { verdictOf } from '../proving/verdict.ts';
import { summaryOf } from '../proving/summary.ts';

const { values } = parseArgs({
  options: {
    contract: { type: 'string' },
    fault: { type: 'string', multiple: true },
    variant: { type: 'string', multiple: true },
    /** Every fault before the whole suite, to its end, each by itself: takes hours. */
    full: { type: 'boolean', default: false },
    /** Every fault in a whole run, several at once: what a real run would have found. */
    whole: { type: 'boolean', default: false },
    'faults-only': { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '20' },
    verbose: { type: 'boolean', default: false },
    /** Writes docs/kill-matrix.md from this run. */
    write: { type: 'boolean', default: false },
  },
});

const contracts: readonly Contract[] =
  values.contract === 'compute' || values.contract === 'router'
    ? [values.contract]
    : ['compute', 'router'];

const proofs = await proveAll({
  contracts,
  faults: values.fault,
  variants: values.variant,
  depth: values.full ? 'full' : values.whole ? 'whole' : 'likely',
  faultsOnly: values['faults-only'],
  seed: Number(values.seed),
  runs: Number(values.runs),
  onProof: (proof, done, total) => {
    const verdict = verdictOf(proof);
    const odd = verdict.kind !== 'killed' && verdict.kind !== 'quiet';
    if (!odd && !values.verbose) return;
    process.stdout.write(
      `[${done}/${total}] ${verdict.kind} ${proof.contract} ${proof.name} (${proof.requests} requests, ${Math.round(proof.durationMs)} ms)\n`,
    );
    for (const id of verdict.missed) process.stdout.write(`    missed  ${id}\n`);
    for (const id of verdict.surplus) {
      process.stdout.write(`    surplus ${id}: ${proof.messages[id] ?? ''}\n`);
    }
    for (const error of proof.errors) process.stdout.write(`    error   ${error}\n`);
    if (values.verbose) {
      for (const id of proof.found)
        process.stdout.write(`    found   ${id}: ${proof.messages[id] ?? ''}\n`);
      for (const gap of proof.inconclusive) process.stdout.write(`    unclear ${gap}\n`);
    }
  },
});
if (values.write) writeFileSync('docs/kill-matrix.md', killMatrix(proofs));
const summary = summaryOf(proofs);
process.stdout.write(`${summary.text}\n`);
process.exitCode = summary.sound ? 0 : 1;
