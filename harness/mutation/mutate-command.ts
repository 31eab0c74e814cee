/** `npm run mutate [-- --files rules/ --minutes 60 --write]`: mutants of the reference before the suite. */

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { mutatedCopy } from './instrument.ts';
import { runMutants } from './run-mutants.ts';
import { joined, readSurvivors, survivorsText } from './survivors.ts';

const { values } = parseArgs({
  options: {
    /** Files whose names begin so, from `harness/reference/compute/`. */
    files: { type: 'string', default: '' },
    /** Only each N-th mutant: an even sample. */
    every: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '240' },
    runs: { type: 'string', default: '20' },
    /** Writes docs/mutation-survivors.json; verdicts that people gave stay. */
    write: { type: 'boolean', default: false },
  },
});
const FILE = 'docs/mutation-survivors.json';

const from = performance.now();
const { folder, mutants } = await mutatedCopy(values.files);
const chosen = mutants.filter((_, index) => index % Number(values.every) === 0);
process.stderr.write(`${chosen.length} of ${mutants.length} mutants\n`);
const verdicts = await runMutants(
  { folder, mutants: chosen },
  {
    runs: Number(values.runs),
    untilMs: from + Number(values.minutes) * 60_000,
    onVerdict: ({ mutant, kind, by }, done, total) => {
      if (kind === 'killed') return;
      const { file, line, original, mutator, replacement } = mutant;
      process.stdout.write(
        `[${done}/${total}] ${kind} ${file}:${line} ${mutator}: ${original}\n    => ${replacement}${by === undefined ? '' : ` (${by})`}\n`,
      );
    },
  },
);
const count = (kind: string): number => verdicts.filter((one) => one.kind === kind).length;
process.stdout.write(
  `${verdicts.length} of ${chosen.length} mutants in ${Math.round((performance.now() - from) / 1000)} s: ${count('killed')} killed, ${count('survived')} survived, ${count('inconclusive')} left inconclusive, ${count('not-reached')} not reached, ${count('endless')} endless\n`,
);
if (values.write) writeFileSync(FILE, survivorsText(joined(readSurvivors(FILE), verdicts)));
