/** The version of this package, from the one place that states it. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Compiled, this file stands one folder deeper than in the sources: the nearest package file is ours. */
function packageFile(): string {
  const compiled = fileURLToPath(new URL('../../../package.json', import.meta.url));
  const source = fileURLToPath(new URL('../../package.json', import.meta.url));
  return import.meta.url.includes('/dist/') ? compiled : source;
}

const manifest = z.object({ name: z.string(), version: z.string() });

/** Name and version as the package file states them. */
export const { name: toolName, version } = manifest.parse(
  JSON.parse(readFileSync(packageFile(), 'utf8')),
);
