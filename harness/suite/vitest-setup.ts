/** Runs before the suites are imported: opens a session for each target, and registers sections as they come. */

import { inject } from 'vitest';
import { openSession, type Session } from '../session/open.ts';
import { onSection } from './case.ts';
import { plannedSelection } from './selection.ts';
import { closeAtEnd, registerSection, type SectionRun } from './vitest-sections.ts';

const plan = inject('plumbline');

const runs = plan.targets.map((planned) => {
  let session: Promise<Session> | undefined;
  const run: SectionRun = {
    session: () => (session ??= openSession(planned, plan)),
    targetName: planned.target.name,
    selection: plannedSelection(planned.target.contract, plan),
    seed: plan.seed,
    runs: plan.runs,
    replay: plan.replay,
  };
  closeAtEnd(() => session);
  return { contract: planned.target.contract, run };
});

onSection((section) => {
  for (const { contract, run } of runs) {
    if (section.contract === contract) registerSection(section, run);
  }
});
