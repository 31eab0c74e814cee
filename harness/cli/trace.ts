/** `npm run trace [-- --quiet]`: links clauses, requirements and cases, and fails for a missing link. */

import { allRequirements, contractData, contractNames } from '../../schemas/contracts.ts';
import { loadSections, namedCases } from './files.ts';

const cases = namedCases(await loadSections());
const casesOf = new Map<string, readonly string[]>();
for (const { name, one } of cases) {
  for (const id of one.judges) casesOf.set(id, [...(casesOf.get(id) ?? []), name]);
}
const clauses = contractNames.flatMap((contract) =>
  Object.entries(contractData(contract).clauses).map(([anchor, { where, excluded }]) => ({
    anchor,
    where,
    excluded,
    requirements: allRequirements.filter(({ clause }) => clause === anchor),
  })),
);

const problems = problemsOf();
if (process.argv.includes('--quiet')) {
  for (const problem of problems) process.stderr.write(`${problem}\n`);
} else {
  process.stdout.write(traceText());
}
process.exitCode = problems.length === 0 ? 0 : 1;

function problemsOf(): readonly string[] {
  const ids = new Set(allRequirements.map(({ id }) => id));
  const anchors = new Set(clauses.map(({ anchor }) => anchor));
  const withoutCases = allRequirements.filter(({ id }) => !casesOf.has(id));
  return [
    ...clauses
      .filter(({ requirements, excluded }) => requirements.length === 0 && excluded === undefined)
      .map(({ anchor }) => `${anchor} has neither a requirement nor a reason why it has none`),
    ...withoutCases
      .filter(({ universal }) => universal !== true)
      .map(({ id }) => `${id} has no case and no universal check`),
    ...withoutCases
      .filter(({ hasCases }) => hasCases === true)
      .map(({ id }) => `${id} says that it has cases, and has none`),
    ...allRequirements
      .filter(({ clause }) => !anchors.has(clause))
      .map(({ id, clause }) => `${id} names the clause ${clause}, which is not registered`),
    ...[...casesOf]
      .filter(([id]) => !ids.has(id))
      .map(([id, names]) => `${id} is judged by ${names.join(', ')} and stands in no catalogue`),
    ...cases
      .filter(({ one }) => one.requests === undefined)
      .map(({ name }) => `${name} has no measured cost: npm run stability -- --times 1 --write`),
  ];
}

/** Each clause with its requirements and their cases. */
function traceText(): string {
  const count = (wanted: string): number =>
    allRequirements.filter(({ strength }) => strength === wanted).length;
  return [
    ...clauses.flatMap(({ anchor, where, excluded, requirements }) => [
      `${anchor}  (${where})`,
      ...(excluded === undefined ? [] : [`  not judged: ${excluded}`]),
      ...requirements.flatMap(({ id, strength, universal }) => [
        `  ${id}  [${strength}]`,
        ...(universal === true ? ['    every exchange'] : []),
        ...(casesOf.get(id) ?? []).map((name) => `    ${name}`),
      ]),
    ]),
    '',
    `${clauses.length} clauses, ${allRequirements.length} requirements: ${count('stated')} stated, ${count('implied')} implied, ${count('open')} open`,
    ...problems.map((problem) => `PROBLEM: ${problem}`),
    '',
  ].join('\n');
}
