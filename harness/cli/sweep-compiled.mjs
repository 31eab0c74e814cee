/** Removes compiled files whose sources are gone, so that nothing imports them. */

import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

for (const folder of ['schemas', 'harness', 'suites', 'reports']) {
  const compiled = path.join('dist', folder);
  if (!existsSync(compiled)) continue;
  for (const file of readdirSync(compiled, { recursive: true })) {
    const source = /^(.*?)(?:\.d\.ts|\.js)(?:\.map)?$/u.exec(file)?.[1];
    if (source !== undefined && !existsSync(path.join(folder, `${source}.ts`))) {
      rmSync(path.join(compiled, file));
    }
  }
}
