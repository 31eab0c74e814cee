/** The instance list while instances change: filters, and positions in the order. */

import { type Define, lacking, wholeOf } from '../../../harness/drivers/collection/collection.ts';
import { instances } from '../collections.ts';
import { areDescribedAlike } from '../../../harness/checks/compute/history.ts';
import { hasArrived, neverOnItsWay } from '../../../harness/checks/compute/lifecycle.ts';
import { isSuccess, type WireRecord } from '../../../harness/checks/compute/records.ts';
import { startOfStopped, stopOfRunning } from '../../../harness/checks/compute/settling.ts';
import { narrowed } from '../../../harness/drivers/compute/accounts.ts';
import { InstanceProbe } from '../../../harness/drivers/compute/instance-probe.ts';
import { type ComputeContext, idsIn } from '../../../harness/drivers/compute/session.ts';
import { NotExercised } from '../../../harness/runner/case.ts';
import { eventually, retry } from '../../../harness/runner/retry.ts';
import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import { statusFilters } from '../../../schemas/compute/list-instances.ts';
import { regionCodes } from '../../../schemas/compute/regions.ts';
import { distinctTexts } from '../../../harness/checks/collection/chosen-values.ts';
import { listedBetween } from '../../../harness/checks/collection/filter.ts';
import {
  type ListQuery,
  type Listing,
  WHOLE_PAGES,
  readInstances,
} from '../../../harness/drivers/collection/reading.ts';
import { requireItems, reportVerdicts } from '../../../harness/drivers/collection/whole-list.ts';
import { boundedSubset } from '../../../harness/drivers/collection/instances.ts';
import { movedAhead, overtaken } from '../../../harness/checks/collection/walk.ts';
import { pass } from '../../../harness/checks/judgement.ts';
import { createdApart } from '../../../harness/drivers/collection/dating.ts';
import { startWithRetries } from '../../../harness/drivers/compute/actions.ts';

const of = idsIn('list-instances');

/** Transient states can only be observed if a request does not wait for those of other cases. */
const SOON = { unbounded: true };
/** Number of consecutive reads: the previous state may last only for a moment. */
const PAGES = 4;

type Passing = 'running' | 'stopped' | 'terminated';

/** Judges that a status filter does not yet show the instance on its way to that state. */
async function judgePages(t: ComputeContext, { id }: InstanceProbe, slug: Passing): Promise<void> {
  for (let n = 0; n < PAGES; n += 1) {
    const page = await t.api.list({ status: slug, size: 200 }, SOON);
    t.judge(of(`status-${slug}`), neverOnItsWay(page, id, statusFilters[slug]));
  }
}

/** Judges that the filter shows the instance once it has reached the state; a list from a replica may lag. */
async function judgeArrival(
  t: ComputeContext,
  probe: InstanceProbe,
  slug: 'running' | 'stopped',
): Promise<void> {
  const arrived = await eventually(t, 'copyCatchesUp', async () =>
    hasArrived(await t.api.list({ status: slug, size: 200 }), probe.id, statusFilters[slug]),
  );
  // If the instance has left the state since, the list is right.
  const isWrong = arrived.violations.length > 0;
  if (isWrong && (await probe.observe())?.status !== statusFilters[slug]) return;
  t.judge(of(`status-${slug}`), arrived);
}

/** The status filter while an instance is on its way to the filtered state. */
export function filtersInPassing(test: Define): void {
  test(
    'a status filter leaves out what is still on its way there',
    {
      judges: [of('status-running'), of('status-stopped')],
      needs: ['instances.provision', 'consent.stop'],
      waitsLong: true,
    },
    async (t) => {
      const probe = await InstanceProbe.any(t);
      await judgePages(t, probe, 'running');
      if ((await probe.rest()) !== 'RUNNING')
        throw new NotExercised('no disposable instance is RUNNING');
      await judgeArrival(t, probe, 'running');
      if (!isSuccess(await t.api.stop(probe.id, SOON))) {
        throw new NotExercised('the stop was not accepted');
      }
      await judgePages(t, probe, 'stopped');
      await probe.follow(stopOfRunning);
      await judgeArrival(t, probe, 'stopped');
    },
  );

  test(
    'a status filter leaves out what starts again, and what is being destroyed',
    {
      judges: [of('status-running'), of('status-terminated')],
      needs: ['instances.provision', 'consent.stop', 'bindings.start'],
      waitsLong: true,
    },
    async (t) => {
      const probe = await InstanceProbe.stopped(t);
      const { answer } = await startWithRetries(t, probe.id);
      if (!isSuccess(answer)) throw new NotExercised('no start was accepted');
      await judgePages(t, probe, 'running');
      if (!isSuccess(await t.api.terminate(probe.id, SOON))) {
        throw new NotExercised('no terminate was accepted');
      }
      await judgePages(t, probe, 'terminated');
    },
  );
}

const TRIED_MODELS = 2;
/** Number of walks: during one walk, an item may move to a page that was already read. */
const WALKS = 2;
const statuses = ['running', 'stopped', 'errored'] as const;

/**
 * Judges that the items that each query shows before and after a read of the whole list are in that list. A list from a
 * replica may lag behind the filters, so an item is missing only if no walk shows it. A query whose items are all listed
 * is not read again.
 */
async function listedMeanwhile(
  t: ComputeContext,
  shown: ListQuery,
  queries: ReturnType<typeof filterQueries>,
) {
  const read = async (query: ListQuery) => readInstances(t.api, { ...shown, ...query });
  const before = await Promise.all(
    queries.map(async ([requirement, query]) => ({ requirement, query, first: await read(query) })),
  );
  const wholes: Listing[] = [];
  const isListed = ({ ids }: Listing) =>
    ids.every((id) => wholes.some((whole) => whole.ids.includes(id)));
  const compared = async () => {
    for (let n = 0; n < WALKS; n += 1) {
      wholes.push(await readInstances(t.api, shown, { mostPages: WHOLE_PAGES }));
      if (before.every(({ first }) => isListed(first))) break;
    }
    return Promise.all(
      before.map(async ({ requirement, query, first }) => {
        const later = isListed(first) ? first : await read(query);
        const filter = JSON.stringify({ ...shown, ...query });
        return { requirement, judgement: listedBetween(first, wholes, later, filter) };
      }),
    );
  };
  return retry(t, 'copyCatchesUp', compared, (all) =>
    all.every(({ judgement }) => judgement.violations.length === 0),
  );
}

/** A filtered list is a part of the whole list, even while other cases change the account. */
export function filtersWithin(test: Define): void {
  test(
    'what a filter shows before and after stands in the whole list in between',
    {
      judges: [
        of('status-running'),
        of('status-stopped'),
        of('status-errored'),
        of('region-filter'),
        of('gpu-type-filter'),
      ],
    },
    async (t) => {
      const { records, end } = await requireItems(wholeOf(t, instances), 1, 'instances');
      // For an account that is too large to read, only its newest part is compared.
      const shown = end === 'last-page' ? {} : await boundedSubset(t);
      const queries = filterQueries(records);
      const judgements = await listedMeanwhile(t, shown, queries);
      const ids = queries.map(([requirement]) => requirement);
      const lack = 'no instance stood in the list while it was read';
      lacking(t, ids, reportVerdicts(t, judgements), lack);
    },
  );
}

function filterQueries(
  records: readonly WireRecord[],
): readonly (readonly [ComputeRequirementId, ListQuery])[] {
  const models = distinctTexts(records, 'gpu_type').slice(0, TRIED_MODELS);
  return [
    ...statuses.map((status) => [of(`status-${status}`), { status }] as const),
    ...regionCodes.map((region) => [of('region-filter'), { region }] as const),
    ...models.map((gpu_type) => [of('gpu-type-filter'), { gpu_type }] as const),
  ];
}

/** Only the newest page, which shows new instances. */
const newest = { mostPages: 1 } as const;

/** Small pages, which show the same instances as the newest page does. */
const later = { size: 1, mostPages: 3 } as const;

/** Lists that describe an instance in two ways are read again once no replica can lag, for the check of every exchange. */
export function describedInOneWay(test: Define): void {
  test(
    'an instance is described alike under each filter and on later pages',
    { judges: ['compute.instance-record.lists-describe-alike'], waitsLong: true },
    async (t) => {
      const look = async (): Promise<readonly WireRecord[]> => {
        const first = await readInstances(t.api, {}, newest);
        const paged = await readInstances(t.api, {}, later);
        const filtered = first.records
          .slice(0, 1)
          .flatMap((one) => narrowed(one))
          .map(async (query) => readInstances(t.api, query, newest));
        const lists = [first, paged, ...(await Promise.all(filtered))];
        return lists.flatMap(({ records }) => records);
      };
      const records = await retry(t, 'lagPasses', look, areDescribedAlike);
      if (records.length === 0) throw new NotExercised('the primary key sees no instances');
    },
  );
}

/** The order is by creation, whatever happens to an instance later. */
export function lastingOrder(test: Define): void {
  test(
    'an instance that is stopped, once more, and started again, keeps its place',
    { judges: [of('newest-first-lasts')], waitsLong: true },
    async (t) => {
      const probe = await InstanceProbe.running(t);
      await t.disposable();
      const before = await readInstances(t.api, {}, newest);
      const judgePlace = async (since: string): Promise<void> => {
        const after = await readInstances(t.api, {}, newest);
        const id = probe.id.toLowerCase();
        const place = after.ids.indexOf(id);
        const [other] = overtaken(id, before.ids, after.ids);
        // Instances with the same creation time may change their order at each read.
        if (other !== undefined && (await createdApart(t.api, id, other))) {
          const shown = [...after.exchanges.slice(0, 1), ...before.exchanges.slice(0, 1)];
          t.judge(of('newest-first-lasts'), movedAhead(probe.id, other, since, ...shown));
        } else if (other === undefined && place > 0) {
          t.judge(of('newest-first-lasts'), pass());
        } else throw new NotExercised('no newer instance stands before the disposable one');
      };
      await probe.stopAndWait();
      await judgePlace('when it was stopped');
      if (isSuccess(await t.api.stop(probe.id))) await judgePlace('when it was stopped once more');
      if (t.bindings.start === undefined) return;
      const { answer } = await startWithRetries(t, probe.id);
      probe.startedSince();
      if (!isSuccess(answer)) return;
      await probe.follow(startOfStopped);
      await judgePlace('when it was started again');
    },
  );
}
