/** The reference deployments before the suite, as `npm start` puts them there. */

import { expect, test } from 'vitest';
import { plumbline } from './command.ts';

/** A router has a limit on bodies or has none: one deployment cannot show both. The variant without is proved apart. */
const OF_ANOTHER_DEPLOYMENT = 'router.limits.body-limit-disabled';

test(
  'both references hold everything stated and implied, and all of it is seen',
  { timeout: 240_000 },
  async () => {
    const finished = await plumbline(['run']);
    expect(finished.code, finished.stderr + finished.stdout).toBe(0);
    const { requirements, troubles } = finished.report();
    const but = requirements
      .filter(({ id }) => id !== OF_ANOTHER_DEPLOYMENT)
      .filter(({ verdict }) => verdict !== 'passed' && verdict !== 'observed')
      .map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason ?? ''}`);
    expect(but).toEqual([]);
    expect(troubles).toEqual([]);
  },
);
