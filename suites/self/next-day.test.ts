/** A daily budget comes back at midnight UTC: seen where the day of the deployment ends while the suite runs. */

import { expect, test } from 'vitest';
import {
  BEFORE_MIDNIGHT_MS,
  clockBeforeMidnight,
  startScriptedRouter,
} from '../../harness/reference/router/start.ts';
import { folderWith, plumbline } from './command.ts';

const ID = 'router.token-limit-rules.budget-back-next-day';

test.each([
  ['shortly before midnight', BEFORE_MIDNIGHT_MS, 'passed'],
  ['at another time', 3_600_000, 'not-exercised'],
])('%s', { timeout: 60_000 }, async (_, beforeMidnightMs, verdict) => {
  const router = await startScriptedRouter({ now: clockBeforeMidnight(beforeMidnightMs) });
  const folder = folderWith({ 'target.yaml': JSON.stringify(router.target()) });
  const finished = await plumbline(['run', 'target.yaml', '--only', ID], folder);
  await router.close();
  const { requirements } = finished.report();
  expect(requirements.find(({ id }) => id === ID)?.verdict).toBe(verdict);
});
