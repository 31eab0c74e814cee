/** GET /instances: the status filter while an instance is on its way to the state that is asked for. */

import { hasArrived, neverOnItsWay } from '../../harness/checks/compute/lifecycle.ts';
import { isSuccess } from '../../harness/checks/compute/records.ts';
import { stopOfRunning } from '../../harness/checks/compute/settling.ts';
import { InstanceProbe } from '../../harness/drivers/compute/instance-probe.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { NotExercised } from '../../harness/runner/case.ts';
import { retry } from '../../harness/runner/retry.ts';

/** States that pass are met only without waiting for the requests of other cases. */
const SOON = { unbounded: true };
/** Pages that are read in a row: the state before may last for a moment alone. */
const PAGES = 4;

export default computeSection('list-instances', (test) => {
  test(
    'a status filter leaves out what is still on its way there',
    {
      judges: ['compute.list-instances.status-running', 'compute.list-instances.status-stopped'],
      needs: ['instances.provision', 'consent.stop'],
      waits: true,
      requests: 26,
    },
    async (t) => {
      const probe = await InstanceProbe.any(t);
      const judgePages = async (slug: 'running' | 'stopped'): Promise<void> => {
        for (let n = 0; n < PAGES; n += 1) {
          const page = await t.api.list({ status: slug, size: 200 }, SOON);
          const judgement = neverOnItsWay(
            page,
            probe.id,
            slug === 'running' ? 'RUNNING' : 'STOPPED',
          );
          t.judge(`compute.list-instances.status-${slug}`, judgement);
        }
      };
      // What it arrives at is shown in the end, though a list that is a copy may be behind.
      const judgeArrival = async (slug: 'running' | 'stopped'): Promise<void> => {
        const state = slug === 'running' ? 'RUNNING' : 'STOPPED';
        const judgement = await retry(
          t,
          'copyCatchesUp',
          async () => hasArrived(await t.api.list({ status: slug, size: 200 }), probe.id, state),
          ({ violations }) => violations.length === 0,
        );
        if ((await probe.look())?.status !== state) return;
        t.judge(`compute.list-instances.status-${slug}`, judgement);
      };
      await judgePages('running');
      if ((await probe.rest()) !== 'RUNNING') throw new NotExercised('no disposable instance runs');
      await judgeArrival('running');
      if (!isSuccess(await t.api.stop(probe.id, SOON))) {
        throw new NotExercised('the stop was not accepted');
      }
      await judgePages('stopped');
      await probe.follow(stopOfRunning);
      await judgeArrival('stopped');
    },
  );
});
