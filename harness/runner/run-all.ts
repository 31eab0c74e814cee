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
 * They start in the order of their phases, so that waits overlap with work.
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

export const PHASES: readonly number[] = [0, 1, 2, 3, 4];

function inStartingOrder<Item>(
  items: readonly Item[],
  caseOf: (item: Item) => Parameters<typeof phaseOf>[0],
): readonly Item[] {
  return items.toSorted((one, other) => phaseOf(caseOf(one)) - phaseOf(caseOf(other)));
}
