/** A process of its own with a compute deployment of a given size: `--instances N --file TARGET`. */

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startCompute } from '../reference/compute/start.ts';
import { asTargetFile } from '../target/print.ts';

const { values } = parseArgs({
  options: { instances: { type: 'string' }, file: { type: 'string' } },
});
const { instances, file } = values;
if (file === undefined) throw new Error('--file FILE is where the target file goes');
const reference = await startCompute(
  instances === undefined ? {} : { instances: Number(instances) },
);
writeFileSync(file, asTargetFile(reference.target()));
process.stdout.write('ready\n');
