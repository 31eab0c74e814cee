/** The version of this package, read from package.json. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Compiled, this file lies one folder deeper than in the sources. */
function packageFile(): string {
  const compiled = fileURLToPath(new URL('../../../package.json', import.meta.url));
  const source = fileURLToPath(new URL('../../package.json', import.meta.url));
  return import.meta.url.includes('/dist/') ? compiled : source;
}

/** The folder of this package. */
export const packageFolder = path.dirname(packageFile());

// Read without a schema library, which takes long to load, since every start of the command waits for this.
const manifest: unknown = JSON.parse(readFileSync(packageFile(), 'utf8'));

const stated: unknown = Object(manifest).version;
if (typeof stated !== 'string') throw new TypeError('package.json states no version');

/** The name of the command, used in every report. The npm package has another name, since this one is taken. */
export const toolName = 'plumbline';
export const version = stated;
