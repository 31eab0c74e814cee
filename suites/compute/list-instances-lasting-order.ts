/** GET /instances: newest first goes by creation, whatever happens to an instance later. */

import { movedAhead, overtaken } from '../../harness/checks/collection/walk.ts';
import { isSuccess } from '../../harness/checks/compute/records.ts';
import { startOfStopped } from '../../harness/checks/compute/settling.ts';
import { pass } from '../../harness/checks/judgement.ts';
import { createdApart } from '../../harness/drivers/collection/dating.ts';
import { InstanceProbe } from '../../harness/drivers/compute/instance-probe.ts';
import { readInstances } from '../../harness/drivers/collection/reading.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { startPatiently } from '../../harness/drivers/compute/actions.ts';
import { NotExercised } from '../../harness/runner/case.ts';

/** The newest page alone: what was just made is on it. */
const newest = { mostPages: 1 } as const;

export default computeSection('list-instances', (test) => {
  test(
    'an instance that is stopped, once more, and started again, keeps its place',
    { judges: ['compute.list-instances.newest-first-lasts'], waits: true, requests: 54 },
    async (t) => {
      const probe = await InstanceProbe.running(t);
      await t.disposable();
      const before = await readInstances(t.api, {}, newest);
      const judgePlace = async (since: string): Promise<void> => {
        const after = await readInstances(t.api, {}, newest);
        const id = probe.id.toLowerCase();
        const place = after.ids.indexOf(id);
        const [other] = overtaken(id, before.ids, after.ids);
        // What was created together may stand in any order, and in another one each time.
        if (other !== undefined && (await createdApart(t.api, id, other))) {
          const shown = [...after.exchanges.slice(0, 1), ...before.exchanges.slice(0, 1)];
          t.judge(
            'compute.list-instances.newest-first-lasts',
            movedAhead(probe.id, other, since, ...shown),
          );
        } else if (other === undefined && place > 0) {
          t.judge('compute.list-instances.newest-first-lasts', pass());
        } else throw new NotExercised('no newer instance stands before the disposable one');
      };
      await probe.stopAndWait();
      await judgePlace('when it was stopped');
      if (isSuccess(await t.api.stop(probe.id))) await judgePlace('when it was stopped once more');
      if (t.bindings.start === undefined) return;
      const { answer } = await startPatiently(t, probe.id);
      probe.startedSince();
      if (!isSuccess(answer)) return;
      await probe.follow(startOfStopped);
      await judgePlace('when it was started again');
    },
  );
});
