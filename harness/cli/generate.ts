/** Writes the files that are generated from the schemas, or lists the outdated ones. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  contractData,
  contractNames,
  requirementsOf,
  targetFile,
} from '../../schemas/contracts.ts';
import type { Contract, Requirement } from '../../schemas/requirement.ts';
import { routerNeeds } from '../../schemas/router/needs.ts';
import { deviationList } from '../../schemas/deviations.ts';
import { conformanceReport } from '../../schemas/report.ts';

function requirementsPage(): string {
  return [
    '# Requirements',
    '',
    'Generated from the catalogue in `schemas/`; `npm run generate` writes it anew.',
    '',
    '**stated**: the contract says it, breaking it fails a run. **implied**: a careful reader expects it, breaking it warns. **open**: left to the deployment, what it does is recorded.',
    '',
    ...contractNames.flatMap(contractPart),
  ].join('\n');
}

function contractPart(contract: Contract): readonly string[] {
  const requirements = requirementsOf(contract);
  const sections = [...new Set(requirements.map(({ section }) => section))];
  const excluded = Object.entries(contractData(contract).clauses).filter(
    ([, clause]) => clause.excluded,
  );
  return [
    `## ${contractData(contract).title}`,
    '',
    ...sections.flatMap((section) => [
      `### ${contract}/${section}`,
      '',
      '| id | strength | requirement | needs | clause |',
      '|---|---|---|---|---|',
      ...requirements.filter((requirement) => requirement.section === section).map(row),
      '',
    ]),
    `### ${contractData(contract).title}: clauses that are not judged`,
    '',
    '| clause | where | why not |',
    '|---|---|---|',
    ...excluded.map(
      ([anchor, clause]) =>
        `| ${anchor} | ${cell(clause.where)} | ${cell(clause.excluded ?? '')} |`,
    ),
    '',
  ];
}

function row(requirement: Requirement): string {
  const needs = (requirement.needs ?? []).map((need) => `\`${need}\``).join(', ');
  const judged = [
    ...(requirement.universal === true ? ['on every exchange'] : []),
    ...(requirement.judged === undefined ? [] : [requirement.judged]),
  ].join('; ');
  const statement =
    judged === '' ? requirement.statement : `${requirement.statement} *(${judged})*`;
  return `| \`${requirement.id}\` | ${requirement.strength} | ${cell(statement)} | ${needs} | ${requirement.clause} |`;
}

/** Escapes text for a table cell. */
function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
}

/** The page above this heading is written by hand and kept. */
const FIXTURES = '## What each fixture is for';

/** The page about router fixtures; `before` is its current text. */
function routerFixturesPage(before: string): string {
  const requirements = requirementsOf('router');
  const alone = requirements.filter(({ needs }) => needs === undefined || needs.length === 0);
  const rows = Object.entries(routerNeeds).map(([name, need]) => {
    const ids = requirements.filter(({ needs }) => needs?.includes(name)).map(({ id }) => id);
    return `| \`${name}\` | ${need.purpose} | ${ids.length} | ${ids.map((id) => `\`${id.replace('router.', '')}\``).join(' ')} |`;
  });
  return [
    `${before.split(FIXTURES, 1)[0]}${FIXTURES}`,
    '',
    `${alone.length} of ${requirements.length} requirements need nothing but a client key. Ids are shown without \`router.\`.`,
    '',
    '| line of the target file | what it is | requirements | which |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Every generated file: its path from the project root, and its content. */
export function generateArtifacts(root: string): ReadonlyMap<string, string> {
  return new Map([
    ['docs/requirements.md', requirementsPage()],
    [ROUTER_FIXTURES, routerFixturesPage(textOf(root, ROUTER_FIXTURES))],
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

const ROUTER_FIXTURES = 'docs/router-fixtures.md';

/** `''` if the file does not exist. */
function textOf(root: string, file: string): string {
  const place = path.join(root, file);
  return existsSync(place) ? readFileSync(place, 'utf8') : '';
}

function jsonSchema(schema: z.ZodType, title: string, io: 'input' | 'output'): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    // `readOnly` comes from our immutable types and does not apply to files.
    override: (context) => {
      delete context.jsonSchema.readOnly;
    },
  });
  return `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`;
}

/** The generated files below `root` that are missing or outdated. */
export function staleArtifacts(root: string): ReadonlyMap<string, string> {
  return new Map(
    [...generateArtifacts(root)].filter(([file, content]) => textOf(root, file) !== content),
  );
}

/** Writes the outdated generated files below `root` and returns their paths. */
export function writeArtifacts(root: string): readonly string[] {
  const written = staleArtifacts(root);
  for (const [file, content] of written) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
  }
  return [...written.keys()];
}

// When run as a program, from the project root.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const file of writeArtifacts(process.cwd())) console.log(`wrote ${file}`);
}
