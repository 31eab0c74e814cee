/** Which cases run, in which order, and running them: the one runner of Vitest's tests, the library and the proof. */

import { setMaxListeners } from 'node:events';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import type { Contract } from '../../schemas/requirement.ts';
import type { Section, SuiteCase } from './case.ts';
import { type CaseRunOptions, runCase, type SuiteSession } from './run-case.ts';

/** One case, with the section that it stands in. */
export interface CaseOfSection {
  readonly section: Pick<Section<never>, 'contract' | 'name'>;
  readonly one: SuiteCase<unknown>;
}

/** The cases of a contract that are wanted, in the order in which they start. */
export function casesOf(
  sections: readonly Section<never>[],
  contract: Contract,
  isWanted: (one: SuiteCase<never>, section: Section<never>) => boolean = () => true,
): readonly CaseOfSection[] {
  return sections
    .filter((section) => section.contract === contract)
    .flatMap((section) =>
      section.cases
        .filter((one) => isWanted(one, section))
        .map((one) => ({ section, one: ofAnySession(one) })),
    )
    .toSorted((one, other) => phaseOf(one.one) - phaseOf(other.one));
}

/**
 * The contract ties a section to the session that it runs against: a compute section never meets a router session. A
 * runner that handles both forgets the context that a case asks for, here and nowhere else.
 */
function ofAnySession(one: SuiteCase<never>): SuiteCase<unknown> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return { ...one, run: one.run as (context: unknown) => Promise<void> };
}

/** Starts every case, and returns what each of them will tell. */
export function startCases(
  cases: readonly CaseOfSection[],
  session: SuiteSession<unknown>,
  options: CaseRunOptions,
): ReadonlyMap<SuiteCase<unknown>, Promise<CaseOutcome>> {
  // Every case that waits listens to it: many at once are no leak.
  setMaxListeners(0, options.signal);
  return new Map(
    cases.map(({ section, one }) => [one, runCase(section, one, session, options)] as const),
  );
}

/** Runs every case to its end. */
export async function runCases(
  cases: readonly CaseOfSection[],
  session: SuiteSession<unknown>,
  options: CaseRunOptions & { readonly onOutcome?: (outcome: CaseOutcome) => void },
): Promise<readonly CaseOutcome[]> {
  const outcomes = [...startCases(cases, session, options).values()].map(async (telling) => {
    const outcome = await telling;
    options.onOutcome?.(outcome);
    return outcome;
  });
  return Promise.all(outcomes);
}

/**
 * When a case starts, counted from 0. First those that wait beside others: what they wait for overlaps with everything
 * after; of these, those last that begin once the others are quiet. Then those that wait alone, while nothing else is
 * under way that they would have to wait for. Then those that share a fixture, since they come one after the other; then
 * all others.
 */
export function phaseOf(one: {
  readonly waits?: boolean;
  readonly whenQuiet?: boolean;
  readonly alone?: boolean;
  readonly exclusive?: readonly string[];
}): number {
  if (one.waits === true) {
    if (one.alone === true) return 2;
    return one.whenQuiet === true ? 1 : 0;
  }
  return (one.exclusive ?? []).length > 0 ? 3 : 4;
}
