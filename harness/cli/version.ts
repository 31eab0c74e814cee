/** The version of this package, from the one place that states it. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Compiled, this file stands one folder deeper than in the sources: the nearest package file is ours. */
function packageFile(): string {
  const compiled = fileURLToPath(new URL('../../../package.json', import.meta.url));
  const source = fileURLToPath(new URL('../../package.json', import.meta.url));
  return import.meta.url.includes('/dist/') ? compiled : source;
}

/** The folder of this package. */
export const packageFolder = path.dirname(packageFile());

// Read by hand: every start of the command waits for this file, and a schema library takes long to load.
const manifest: unknown = JSON.parse(readFileSync(packageFile(), 'utf8'));

const stated: unknown = Object(manifest).version;
if (typeof stated !== 'string') throw new TypeError('package.json states no version');

/** The command's name, in every report; the package is called otherwise, since npm has another of this name. */
export const toolName = 'plumbline';
/** The version as the package file states it. */
export const version = stated;
