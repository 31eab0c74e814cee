/**
 * A process with one compute deployment for each name that it is given, the unchanged reference among them:
 * `FOLDER NAME...`. Target files go to `FOLDER/NAME.yaml`. It says when all serve, and on any message how many
 * requests each has had.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { computeFaults } from '../reference/compute/faults/index.ts';
import { startCompute } from '../reference/compute/start.ts';
import { asTargetFile } from '../target/print.ts';
import { UNCHANGED } from './faulty-deployments.ts';

const [folder = '', ...names] = process.argv.slice(2);
const deployments = await Promise.all(
  names.map(async (name) => {
    const fault = computeFaults.find((candidate) => candidate.name === name);
    if (fault === undefined && name !== UNCHANGED) throw new Error(`there is no fault ${name}`);
    const reference = await startCompute(fault === undefined ? {} : { patch: fault.patch });
    writeFileSync(path.join(folder, `${name}.yaml`), asTargetFile(reference.target()));
    return { name, reference };
  }),
);
const counts = (): Readonly<Record<string, number>> =>
  Object.fromEntries(deployments.map(({ name, reference }) => [name, reference.world.requests]));
process.on('message', () => process.send?.(counts()));
process.send?.(counts());
