/** The bundled test file that the command runs with Vitest: every case of the plan, whose outcome goes to the reporter. */

import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { openSession } from '../harness/contracts/index.ts';
import { listenForEnd } from '../harness/runner/start-vitest.ts';
import { HeadStart, needsHeadStart, registerTarget } from '../harness/runner/vitest.ts';
import { plannedCases } from '../harness/runner/selection.ts';
import { sections } from './all.ts';

const plan = inject('plumbline');
const ending = listenForEnd(plan.runId);
const runs = plan.targets.map((planned) => {
  const cases = plannedCases(sections, planned.target.contract, plan);
  return { planned, cases, isAhead: needsHeadStart(cases.map(({ one }) => one)) };
});
const headStart = runs.some(({ isAhead }) => isAhead) ? new HeadStart() : undefined;

for (const { planned, cases, isAhead } of runs) {
  registerTarget(
    {
      name: planned.target.name,
      cases,
      requirements: [],
      options: { seed: plan.seed, runs: plan.runs, depth: plan.depth, replay: plan.replay },
      ending,
      headStart: headStart === undefined ? undefined : { isOwn: isAhead, of: headStart },
      open: async () =>
        openSession(planned, { ...plan, notify: (line) => process.stderr.write(`${line}\n`) }),
      reportCase: ({ task }, outcome) => {
        task.meta.outcome = outcome;
      },
      reportRequirement: () => undefined,
    },
    { afterAll, beforeAll, describe, test },
  );
}
