/** The suite against the reference deployments, as `npm start` runs it. */

import { expect, test } from 'vitest';
import { folderFor, plumbline } from './command.ts';
import {
  BEFORE_MIDNIGHT_MS,
  clockBeforeMidnight,
  startScriptedRouter,
} from '../../harness/reference/router/start.ts';

/**
 * Requirements that one deployment cannot show together with the others. A router either has a body limit or has none, and
 * its day may or may not end during a run (see below). The compute reference answers a stop at once, so that no read comes
 * before the response. The proof covers deployments that show these.
 */
const OF_OTHER_DEPLOYMENTS: ReadonlySet<string> = new Set([
  'router.limits.body-limit-disabled',
  'router.token-limit-rules.budget-back-next-day',
  'compute.stop-instance.returns-at-once',
]);

test(
  'both references hold everything stated and implied, and all of it is seen',
  { timeout: 240_000 },
  async () => {
    const finished = await plumbline(['run']);
    expect(finished.code, finished.stderr + finished.stdout).toBe(0);
    const { requirements, troubles } = finished.report();
    const but = requirements
      .filter(({ id }) => !OF_OTHER_DEPLOYMENTS.has(id))
      .filter(({ verdict }) => verdict !== 'passed' && verdict !== 'observed')
      .map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason ?? ''}`);
    expect(but).toEqual([]);
    expect(troubles).toEqual([]);
  },
);

const ID = 'router.token-limit-rules.budget-back-next-day';

test.each([
  ['shortly before midnight', BEFORE_MIDNIGHT_MS, 'passed'],
  ['at another time', 3_600_000, 'not-exercised'],
])('%s', { timeout: 60_000 }, async (_, beforeMidnightMs, verdict) => {
  const router = await startScriptedRouter({ now: clockBeforeMidnight(beforeMidnightMs) });
  const folder = folderFor(router);
  const finished = await plumbline(['run', 'target.yaml', '--only', ID], folder);
  await router.close();
  const { requirements } = finished.report();
  expect(requirements.find(({ id }) => id === ID)?.verdict).toBe(verdict);
});
