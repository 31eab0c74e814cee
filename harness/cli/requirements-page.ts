/** `docs/requirements.md`: the catalogue for readers, generated. */

import { contractData, contractNames, requirementsOf } from '../../schemas/contracts.ts';
import type { Contract, Requirement } from '../../schemas/requirement.ts';

/** The whole page as Markdown. */
export function requirementsPage(): string {
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

/** Text inside a table cell. */
function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
}
