/** The version of this package, from the one place that states it. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Compiled, this file stands one folder deeper than in the sources: the nearest package file is ours. */
function packageFile(): string {
  const compiled = fileURLToPath(new URL('../../../package.json', import.meta.url));
  const source = fileURLToPath(new URL('../../package.json', import.meta.url));
  return import.meta.url.includes('/dist/') ? compiled : source;
}

// Read by hand: every start of the command waits for this file, and a schema library takes long to load.
const manifest: unknown = JSON.parse(readFileSync(packageFile(), 'utf8'));

function stated(member: 'name' | 'version'): string {
  const value: unknown = Object(manifest)[member];
  if (typeof value !== 'string') throw new TypeError(`package.json states no ${member}`);
  return value;
}

/** Name and version as the package file states them. */
export const toolName = stated('name');
export const version = stated('version');
