/** What the figures were measured on. */

import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { version } from '../cli/version.ts';
import { mebibytes } from './figures.ts';

/** Lines for a list: machine, programs, load. */
export function machine(): readonly string[] {
  const [load = 0] = loadavg();
  const model = cpus()[0]?.model.trim() ?? 'unknown';
  return [
    `Machine: ${model === 'unknown' || model === '' ? 'processor not named' : model}, ${availableParallelism()} processors for this process, ${mebibytes(totalmem())} memory`,
    `System: ${type()} ${release()}, Node ${process.version}, Plumbline ${version}`,
    `Load of the machine when the command began: ${load.toFixed(1)}`,
  ];
}
