/** GET /instances: that it shows what the account has. */

import { isListed } from '../../harness/checks/compute/listed.ts';
import { isSuccess } from '../../harness/checks/compute/records.ts';
import { pause } from '../../harness/exchange/budget.ts';
import { readInstances } from '../../harness/drivers/compute/listing.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { judgeOrLack } from '../../harness/runner/judge-or-lack.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

/** Milliseconds before each look: a list may be read from a copy that lags behind, and pages shift while others act. */
const WAITS = [0, 500, 2_000, 5_000] as const;

export default computeSection('list-instances', (test) => {
  test(
    'an instance that can be acted on is in the list',
    { judges: ['compute.list-instances.own-listed'], requests: 3 },
    async (t) => {
      const id = await t.stopped();
      for (const [index, wait] of WAITS.entries()) {
        if (wait > 0) await pause(wait, t.signal);
        const list = await readInstances(t.api);
        // Asked after the list was read: what it had lost by then is not missed there.
        const stop = await t.api.stop(id);
        if (!isSuccess(stop)) throw new NotExercised('the stopped instance accepts no stop');
        const judgement = isListed(id, list, stop);
        if (judgement.violations.length > 0 && index < WAITS.length - 1) continue;
        judgeOrLack(
          t,
          'compute.list-instances.own-listed',
          judgement,
          'the account has more instances than are read, and the stopped one is not among the newest',
        );
        return;
      }
    },
  );
});
