/** The contributors' commands report wrong arguments, and never run a proof by mistake. */

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type Ended, ended } from './command.ts';

const commands = {
  prove: 'cli/prove-command.js',
  stability: 'cli/stability-command.js',
  mutate: 'cli/mutate-command.js',
  bench: 'bench/bench-command.js',
} as const;

async function called(name: keyof typeof commands, args: readonly string[]): Promise<Ended> {
  const file = fileURLToPath(new URL(`../../dist/harness/${commands[name]}`, import.meta.url));
  return ended(process.execPath, [file, ...args]);
}

it.each(['prove', 'stability', 'mutate', 'bench'] as const)('%s explains itself', async (name) => {
  const { code, told } = await called(name, ['--help']);
  expect(told).toContain(`Usage: npm run ${name} --`);
  expect(code).toBe(0);
});

it.each([
  ['prove', ['--fault', 'size-201-acepted'], 'There is no fault "size-201-acepted"'],
  ['prove', ['--contract', 'billing'], 'Allowed choices are compute, router'],
  ['prove', ['--sed', '3'], 'Did you mean --seed?'],
  ['stability', ['--times', 'many'], 'It must be a whole number from 1 to 10000'],
  ['mutate', ['--every', '0'], 'It must be a whole number from 1 to 100000'],
  ['bench', ['--only', 'speed'], 'Allowed are '],
] as const)('%s %j is refused', async (name, args, says) => {
  const { code, told } = await called(name, args);
  expect(told).toContain(says);
  expect(told).not.toMatch(/\n +at /u);
  expect(code).toBe(2);
});
