/** Runs before the suites are imported: opens a session for each target, and registers sections as they come. */

import { afterAll, describe, inject, test } from 'vitest';
import { openSession, type Session } from '../session/open.ts';
import { onSections } from './case.ts';
import { listenForEnd } from './ending.ts';
import { plannedSelection } from './selection.ts';
import { closeAtEnd, registerSections, type SectionRun } from './vitest-sections.ts';

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
    replay: plan.replay,
    ending,
    tells: true,
  };
  closeAtEnd(() => session, vitest);
  return { contract: planned.target.contract, run };
});

onSections((sections) => {
  for (const { contract, run } of runs) {
    const wanted = sections.filter((section) => section.contract === contract);
    registerSections(wanted, run, vitest);
  }
});
