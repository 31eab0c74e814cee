/** Installs a peer from the package registry into a folder of its own, never into the project. */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { measured } from '../measured-process.ts';

const LONGEST_INSTALL_MS = 90_000;

/** The folder with its `node_modules`, or why it cannot be had. No install script is run. */
export async function installed(
  scratch: string,
  name: string,
  version: string,
): Promise<{ readonly folder: string } | string> {
  const folder = path.join(scratch, `install-${name.replaceAll('/', '-')}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  const { exitCode, stderr, timedOut } = await measured({
    command: 'npm',
    args: [
      'install',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--loglevel=error',
      `${name}@${version}`,
    ],
    scratch,
    folder,
    timeoutMs: LONGEST_INSTALL_MS,
  });
  if (exitCode === 0) return { folder };
  const why = stderr.split('\n').find((line) => line.trim() !== '') ?? '';
  return timedOut ? 'the installation took too long' : `it could not be installed: ${why}`;
}
