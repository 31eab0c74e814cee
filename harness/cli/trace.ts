/** From each clause to its requirements and from each requirement to what judges it; fails where a link is missing. */

import { allRequirements, contractData, contractNames } from '../../schemas/contracts.ts';
import type { Contract, Requirement } from '../../schemas/requirement.ts';
import type { Section } from '../runner/case.ts';

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
  for (const section of sections) {
    for (const one of section.cases) {
      for (const id of one.judges) {
        const names = casesOf.get(id) ?? [];
        names.push(`${section.contract}/${section.name} › ${one.title}`);
        casesOf.set(id, names);
      }
    }
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
      ...clauseProblems(clauses),
      ...requirementProblems(tracings, casesOf),
      ...unmeasured(sections),
    ],
  };
}

function unmeasured(sections: readonly Section<never>[]): readonly string[] {
  return sections.flatMap(({ contract, name, cases }) =>
    cases
      .filter(({ requests }) => requests === undefined)
      .map(
        ({ title }) =>
          `${contract}/${name} › ${title} has no measured cost: npm run stability -- --times 1 --write`,
      ),
  );
}

function clauseProblems(clauses: Trace['clauses']): readonly string[] {
  return clauses.flatMap(({ anchor, excluded, tracings }) => {
    if (tracings.length === 0 && excluded === undefined) {
      return [`${anchor} has neither a requirement nor a reason why it has none`];
    }
    return [];
  });
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
