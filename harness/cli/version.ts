/** The version of this package, read from package.json. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package. Compiled, this file lies one folder deeper than in the sources. */
export const packageFolder = fileURLToPath(
  new URL(import.meta.url.includes('/dist/') ? '../../..' : '../..', import.meta.url),
);

// Read without a schema library, which takes long to load, since every start of the command waits for this.
const manifest: unknown = JSON.parse(
  readFileSync(path.join(packageFolder, 'package.json'), 'utf8'),
);

const stated: unknown = Object(manifest).version;
if (typeof stated !== 'string') throw new TypeError('package.json states no version');

/** The name of the command, used in every report. The npm package has another name, since this one is taken. */
export const toolName = 'plumbline';
export const version = stated;
