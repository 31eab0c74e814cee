/**
 * `npm run trace`: from each clause to its requirements and from each requirement to what judges it; fails where a link is
 * missing. `-- --quiet` prints only what is wrong.
 */

import { fileURLToPath } from 'node:url';

import { allRequirements, contractData, contractNames } from '../../schemas/contracts.ts';
import type { Contract, Requirement } from '../../schemas/requirement.ts';
import type { Section } from '../runner/case.ts';
import { loadSections, namedCases } from './files.ts';

/** What judges a requirement: cases by name, and the universal checks. */
export interface Tracing {
  readonly requirement: Requirement;
  readonly cases: readonly string[];
}

export interface Trace {
  readonly clauses: readonly {
    readonly contract: Contract;
    readonly anchor: string;
    readonly where: string;
    readonly excluded: string | undefined;
    readonly tracings: readonly Tracing[];
  }[];
  /** What is wrong, each in a sentence. */
  readonly problems: readonly string[];
}

/** Traces both contracts through the given sections. */
export function trace(sections: readonly Section<never>[]): Trace {
  const casesOf = new Map<string, string[]>();
  for (const { name, one } of namedCases(sections)) {
    for (const id of one.judges) casesOf.set(id, [...(casesOf.get(id) ?? []), name]);
  }
  const tracings = allRequirements.map((requirement) => ({
    requirement,
    cases: casesOf.get(requirement.id) ?? [],
  }));
  const clauses = contractNames.flatMap((contract) =>
    Object.entries(contractData(contract).clauses).map(([anchor, clause]) => ({
      contract,
      anchor,
      where: clause.where,
      excluded: clause.excluded,
      tracings: tracings.filter(
        ({ requirement }) => requirement.contract === contract && requirement.clause === anchor,
      ),
    })),
  );
  return {
    clauses,
    problems: [
      ...clauses
        .filter((one) => one.tracings.length === 0 && one.excluded === undefined)
        .map(({ anchor }) => `${anchor} has neither a requirement nor a reason why it has none`),
      ...requirementProblems(tracings, casesOf),
      ...namedCases(sections)
        .filter(({ one }) => one.requests === undefined)
        .map(({ name }) => `${name} has no measured cost: npm run stability -- --times 1 --write`),
    ],
  };
}

function requirementProblems(
  tracings: readonly Tracing[],
  casesOf: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const known = new Set(tracings.map(({ requirement }) => requirement.id));
  const untested = tracings
    .filter(({ requirement, cases }) => cases.length === 0 && requirement.universal !== true)
    .map(({ requirement }) => `${requirement.id} has no case and no universal check`);
  const empty = tracings
    .filter(({ requirement, cases }) => cases.length === 0 && requirement.hasCases === true)
    .map(({ requirement }) => `${requirement.id} says that it has cases, and has none`);
  const anchors = new Set(
    contractNames.flatMap((contract) => Object.keys(contractData(contract).clauses)),
  );
  const adrift = tracings
    .filter(({ requirement }) => !anchors.has(requirement.clause))
    .map(
      ({ requirement }) =>
        `${requirement.id} names the clause ${requirement.clause}, which is not registered`,
    );
  const unknown = [...casesOf]
    .filter(([id]) => !known.has(id))
    .map(([id, cases]) => `${id} is judged by ${cases.join(', ')} and stands in no catalogue`);
  return [...untested, ...empty, ...adrift, ...unknown];
}

/** The trace as text: a line per clause, then its requirements and what judges them. */
export function traceText({ clauses, problems }: Trace): string {
  const lines = clauses.flatMap(({ anchor, where, excluded, tracings }) => [
    `${anchor}  (${where})`,
    ...(excluded === undefined ? [] : [`  not judged: ${excluded}`]),
    ...tracings.flatMap(({ requirement, cases }) => [
      `  ${requirement.id}  [${requirement.strength}]`,
      ...(requirement.universal === true ? ['    every exchange'] : []),
      ...cases.map((name) => `    ${name}`),
    ]),
  ]);
  const count = (strength: string): number =>
    allRequirements.filter((requirement) => requirement.strength === strength).length;
  return [
    ...lines,
    '',
    `${clauses.length} clauses, ${allRequirements.length} requirements: ${count('stated')} stated, ${count('implied')} implied, ${count('open')} open`,
    ...problems.map((problem) => `PROBLEM: ${problem}`),
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const traced = trace(await loadSections());
  if (process.argv.includes('--quiet')) {
    for (const problem of traced.problems) process.stderr.write(`${problem}\n`);
  } else {
    process.stdout.write(traceText(traced));
  }
  process.exitCode = traced.problems.length === 0 ? 0 : 1;
}
