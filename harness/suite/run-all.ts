/** Runs sections against an open session in this process, without a test runner: for proofs and for libraries. */

import { setMaxListeners } from 'node:events';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import type { Section, SuiteCase } from './case.ts';
import { type CaseRunOptions, runCase, type SuiteSession } from './run-case.ts';
import type { Selection } from './selection.ts';

export interface RunAllOptions extends CaseRunOptions {
  /** Which cases to run; every one unless told. */
  readonly selection?: Selection | undefined;
  /** Called with each outcome as it comes. */
  readonly onOutcome?: ((outcome: CaseOutcome) => void) | undefined;
}

/**
 * Runs every selected case of the sections and returns their outcomes, in the order of the sections.
 * Cases that mostly wait start first, so that their waits overlap with work.
 */
export async function runSections<Context>(
  sections: readonly Section<Context>[],
  session: SuiteSession<Context>,
  options: RunAllOptions,
): Promise<readonly CaseOutcome[]> {
  const wanted = sections.flatMap((section) =>
    section.cases
      .filter((one) => options.selection?.includes(one) ?? true)
      .map((one) => ({ section, one })),
  );
  // Every case that waits listens to it: many at once are no leak.
  setMaxListeners(0, options.signal);
  const outcomes = new Map<SuiteCase<Context>, CaseOutcome>();
  await Promise.all(
    inStartingOrder(wanted, ({ one }) => one).map(async ({ section, one }) => {
      const outcome = await runCase(section, one, session, options);
      outcomes.set(one, outcome);
      options.onOutcome?.(outcome);
    }),
  );
  return wanted.flatMap(({ one }) => outcomes.get(one) ?? []);
}

/** Cases that mostly wait first, the others as they stand. */
export function inStartingOrder<Item>(
  items: readonly Item[],
  caseOf: (item: Item) => { readonly waits?: boolean },
): readonly Item[] {
  const waiting = (item: Item): number => (caseOf(item).waits === true ? 0 : 1);
  return items.toSorted((one, other) => waiting(one) - waiting(other));
}
