/** What an installation carries: only what is documented, and nothing that runs a script of its own. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';

const root = new URL('../../', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, root), 'utf8');
const names = z.record(z.string(), z.string());
const manifest = z
  .object({ dependencies: names, devDependencies: names })
  .parse(JSON.parse(read('package.json')));
const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        hasInstallScript: z.boolean().optional(),
        optional: z.boolean().optional(),
        integrity: z.string().optional(),
      }),
    ),
  })
  .parse(JSON.parse(read('package-lock.json')));
const packages = Object.entries(lock.packages).filter(([name]) => name !== '');

test('each dependency has its reason, and an exact version', () => {
  const documented = read('docs/dependencies.md');
  const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(all.filter(([name]) => !documented.includes(`\`${name}\``))).toEqual([]);
  expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+$/u.test(version))).toEqual([]);
});

test('no package that is always installed runs an install script', () => {
  const scripted = packages.filter(
    ([, one]) => one.hasInstallScript === true && one.optional !== true,
  );
  expect(scripted).toEqual([]);
});

test('every package is pinned by its digest', () => {
  expect(packages.filter(([, one]) => one.integrity === undefined)).toEqual([]);
});
