/** Writes the files that are made from the schemas, or says which of them are out of date. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { deviationList } from '../../schemas/deviations.ts';
import { conformanceReport } from '../../schemas/report.ts';
import { targetFile } from '../../schemas/contracts.ts';
import { requirementsPage } from './requirements-page.ts';
import { routerFixturesPage } from './router-fixtures-page.ts';

/** Every generated file: its path from the root of the project, and what must be in it. Pure. */
export function generateArtifacts(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/requirements.md', requirementsPage()],
    ['docs/router-fixtures.md', routerFixturesPage()],
    ['docs/schema/target.schema.json', jsonSchema(targetFile, 'Plumbline target file', 'input')],
    [
      'docs/schema/report.schema.json',
      jsonSchema(conformanceReport, 'Plumbline conformance report', 'output'),
    ],
    [
      'docs/schema/deviations.schema.json',
      jsonSchema(deviationList, 'Plumbline deviations file', 'input'),
    ],
  ]);
}

function jsonSchema(schema: z.ZodType, title: string, io: 'input' | 'output'): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    // Our types are immutable; who writes a file may change it.
    override: (context) => {
      delete context.jsonSchema.readOnly;
    },
  });
  return `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`;
}

/** Paths of the generated files that are missing or out of date under a root folder. */
export async function staleArtifacts(root: string): Promise<readonly string[]> {
  const stale: string[] = [];
  for (const [file, content] of generateArtifacts()) {
    const found = await readFile(path.join(root, file), 'utf8').catch(() => undefined);
    if (found !== content) stale.push(file);
  }
  return stale;
}

/** Writes every generated file that is out of date under a root folder, and returns their paths. */
export async function writeArtifacts(root: string): Promise<readonly string[]> {
  const stale = await staleArtifacts(root);
  for (const [file, content] of generateArtifacts()) {
    if (!stale.includes(file)) continue;
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), content);
  }
  return stale;
}

/** `node dist/harness/cli/generate.js [--check]`, from the root of the project. */
async function main(argv: readonly string[]): Promise<number> {
  const root = process.cwd();
  if (!argv.includes('--check')) {
    for (const file of await writeArtifacts(root)) console.log(`wrote ${file}`);
    return 0;
  }
  const stale = await staleArtifacts(root);
  for (const file of stale)
    console.error(`${file} is out of date: run the command without --check`);
  return stale.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2));
}
