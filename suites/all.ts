/** Every section of each contract: whatever file stands in the folder of its name, in the order of names. */

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { contractNames } from '../schemas/contracts.ts';
import type { Section } from '../harness/runner/case.ts';

async function sectionsIn(contract: string): Promise<readonly Section<never>[]> {
  const folder = new URL(`./${contract}/`, import.meta.url);
  const files = readdirSync(fileURLToPath(folder))
    .filter((file) => /(?<!\.d|\.test)\.[jt]s$/u.test(file))
    .toSorted();
  const modules: { default?: Section<never> }[] = await Promise.all(
    files.map(async (file) => import(new URL(file, folder).href)),
  );
  // A file may declare what several sections share.
  return modules.flatMap((module) => module.default ?? []);
}

export const sections: readonly Section<never>[] = (
  await Promise.all(contractNames.map(sectionsIn))
).flat();
