/** `plumbline requirements`: lists and explains the requirements. */

import type { Command } from 'commander';
import { allRequirements, contractData } from '../../../schemas/contracts.ts';
import type { Requirement } from '../../../schemas/requirement.ts';
import { referenceOf } from '../../contracts/index.ts';
import { meant } from '../../target/known-keys.ts';
import { sectionsText } from '../selection.ts';
import { refuse } from '../exit.ts';
import { loadSections, namedCases } from '../files.ts';

/** Adds the options and the action of `plumbline requirements`. */
export function register(command: Command): void {
  command
    .argument('[ID]', 'a requirement id, or the beginning of some')
    .option('--section <NAME>', 'those of one section')
    .option('--search <TEXT>', 'those whose id, statement or clause holds the text')
    .option('--json', 'print JSON', false)
    .action(async (id: string | undefined, options: RequirementsQuery) => {
      process.stdout.write(await explain({ id, ...options }));
    });
}

interface RequirementsQuery {
  readonly id?: string | undefined;
  readonly section?: string | undefined;
  readonly search?: string | undefined;
  readonly json: boolean;
}

/** Text for the terminal, or JSON. Throws `CommandFailure` if nothing matches. */
async function explain(query: RequirementsQuery): Promise<string> {
  const exact = allRequirements.find(({ id }) => id === query.id);
  const found = exact === undefined ? allRequirements.filter((one) => fits(one, query)) : [exact];
  if (found.length === 0) refuse(nothing(query));
  if (query.json) return `${JSON.stringify(found, null, 2)}\n`;
  const [only] = found;
  if (found.length === 1 && only !== undefined) return explained(only);
  return [
    ...found.map(({ id, strength, statement }) => `${id}  [${strength}]\n    ${statement}`),
    '',
    `${found.length} requirements. plumbline requirements ID explains one.`,
    '',
  ].join('\n');
}

function fits(requirement: Requirement, query: RequirementsQuery): boolean {
  const text = `${requirement.id} ${requirement.statement} ${requirement.clause}`.toLowerCase();
  return (
    (query.id === undefined || requirement.id.startsWith(query.id)) &&
    (query.section === undefined || requirement.section === query.section) &&
    (query.search === undefined || text.includes(query.search.toLowerCase()))
  );
}

function nothing({ id, section, search }: RequirementsQuery): string {
  const known = allRequirements.map((one) => (id === undefined ? one.section : one.id));
  const asked = [id, section && `--section ${section}`, search && `--search ${search}`]
    .filter((part) => part !== undefined)
    .join(' ');
  return `No requirement fits ${asked}. ${meant(id ?? section ?? '', known, sectionsText())}`;
}

async function explained(requirement: Requirement): Promise<string> {
  const cases = namedCases(await loadSections())
    .filter(({ one }) => one.judges.includes(requirement.id))
    .map(({ name }) => name);
  const all = await (await referenceOf(requirement.contract)).faults();
  const faults = all.filter(({ aims, besides }) => [aims, ...besides].includes(requirement.id));
  const where = contractData(requirement.contract).clauses[requirement.clause]?.where ?? '';
  const needs = (requirement.needs ?? []).map((need) => {
    const known = contractData(requirement.contract).needs[need];
    return `${need}: ${known?.purpose ?? ''}\n      ${known?.line ?? ''}`;
  });
  return [
    `${requirement.id}  [${requirement.strength}]`,
    '',
    `  ${requirement.statement}`,
    '',
    `  clause     ${requirement.clause} (${where})`,
    `  judged     ${[
      ...(requirement.universal === true ? ['on every exchange that shows it'] : []),
      ...(requirement.judged === undefined ? [] : [requirement.judged]),
      ...cases,
    ].join('\n             ')}`,
    `  needs      ${needs.length === 0 ? 'one key' : needs.join('\n             ')}`,
    `  proved by  ${
      faults.length === 0
        ? (requirement.unprovable ?? 'no fault yet')
        : faults.map(({ name, summary }) => `${name}: ${summary}`).join('\n             ')
    }`,
    '',
  ].join('\n');
}
