/** Runs before the suites are imported: opens a session for each target, and registers sections as they come. */

import { afterAll, describe, inject, test } from 'vitest';
import { openSession, type Session } from '../harness/drivers/open.ts';
import { requirementsOf } from '../schemas/catalogues.ts';
import type { Contract } from '../schemas/requirement.ts';
import { onSections, type Section } from '../harness/runner/case.ts';
import { HeadStart, needsHeadStart } from '../harness/runner/head-start.ts';
import { dealtTo } from '../harness/runner/shards.ts';
import { listenForEnd } from '../harness/runner/ending.ts';
import { plannedSelection } from '../harness/runner/selection.ts';
import {
  closeAtEnd,
  registerSections,
  type SectionRun,
} from '../harness/runner/vitest-sections.ts';

const vitest = { afterAll, describe, test };
const plan = inject('plumbline');

const ending = listenForEnd(plan.runId);

const runs = plan.targets.map((planned) => {
  let session: Promise<Session> | undefined;
  const run: SectionRun = {
    session: () => (session ??= openSession(planned, plan)),
    targetName: planned.target.name,
    selection: plannedSelection(planned.target.contract, plan),
    seed: plan.seed,
    runs: plan.runs,
    thorough: plan.thorough,
    replay: plan.replay,
    ending,
    tells: true,
  };
  closeAtEnd(() => session, vitest);
  return { contract: planned.target.contract, run };
});

onSections((sections) => {
  const dealtOut = runs.map(({ contract, run }) => {
    const wanted = sections.filter((section) => section.contract === contract);
    const own = dealt(wanted, contract, run);
    const cases = own.flatMap((section) => section.cases);
    return {
      run,
      own,
      isAhead: needsHeadStart(cases.filter((one) => run.selection.includes(one))),
    };
  });
  const of = dealtOut.some(({ isAhead }) => isAhead) ? new HeadStart() : undefined;
  for (const { run, own, isAhead } of dealtOut) {
    const headStart = of === undefined ? undefined : { isOwn: isAhead, of };
    registerSections(own, { ...run, headStart }, vitest);
  }
});

/** The cases of the sections that fall to this process, of those that the run selects. */
function dealt(
  sections: readonly Section<never>[],
  contract: Contract,
  { selection }: SectionRun,
): readonly Section<never>[] {
  if (plan.shard === undefined) return sections;
  // Files are loaded in whatever order: by name, every process deals the same.
  const named = sections.flatMap(({ name, cases }) =>
    cases.map((one) => ({ name: `${name} ${one.title}`, one })),
  );
  const selected = named
    .filter(({ one }) => selection.includes(one))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ one }) => one);
  const own: ReadonlySet<unknown> = dealtTo(plan.shard, selected, requirementsOf(contract));
  return sections.map((section) => ({
    ...section,
    cases: section.cases.filter((one) => own.has(one)),
  }));
}
