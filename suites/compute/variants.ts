/** One instance as described by lists, by stop responses and by presets. */

import {
  alikeInAnswers,
  sameDescription,
  sameRuntime,
  sameStart,
  totalBetween,
  unmoved,
} from '../../harness/checks/compute/record-relations.ts';
import { accepted, answeredWith } from '../../harness/checks/compute/answers.ts';
import {
  fitsPreset,
  locationWithinRegion,
  noInstancesAt,
  onlyPresetsAt,
  regionIsNoLocation,
  runsInRegions,
  sizesAreNoSkus,
  sizesAreSkus,
  someSizeIsSku,
} from '../../harness/checks/compute/variants.ts';
import { answeredRecord, textOf } from '../../harness/checks/compute/records.ts';
import { costNotReset } from '../../harness/checks/compute/meters.ts';
import {
  sameDisk,
  showsNoUse,
  showsUse,
  storageIn,
  terminateShowsNoUse,
  withinDisk,
} from '../../harness/checks/compute/storage.ts';
import { notObserved, together } from '../../harness/checks/judgement.ts';
import {
  listedBesidePresets,
  stopsOfStopped,
  locationFilter,
  remainingHours,
} from '../../harness/drivers/compute/records.ts';
import { unknownRegion } from '../../harness/generate/lists.ts';
import { Inconclusive, judgeOrLack, NotExercised } from '../../harness/runner/case.ts';
import { InstanceProbe } from '../../harness/drivers/compute/instance-probe.ts';
import { terminationOfStopped } from '../../harness/drivers/compute/terminating.ts';
import { compareWithList } from '../../harness/drivers/compute/instances.ts';
import { computeSection, idsIn } from '../../harness/drivers/compute/session.ts';
import type { ListQuery } from '../../harness/drivers/collection/reading.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';

const of = idsIn('instance-record');

const BIND_LOCATION = 'bindings: { presets: { items: data, fields: { location: location } } }';
const NO_SKU =
  'the few sizes that the account lists may be those of presets that are offered no more, or there are more than 800';
const UNLISTED = 'the list does not show the stopped instance, searched for by its name';

type Account = Awaited<ReturnType<typeof listedBesidePresets>>['accounts'][number];

/** Relations between listed instances and presets, with the reason when they cannot be judged. */
const besidePresets = [
  [
    'list-region-no-location',
    'shows no location within a region as its region',
    ({ records, locations, exchanges }: Account) =>
      locations.size === 0 ? notObserved : runsInRegions(records, locations, ...exchanges),
    'no preset shows a location and a region, or there are more than 800',
  ],
  ['list-size-sku', 'has a size that is a SKU name', sizesAreSkus, NO_SKU],
  ['list-sizes-are-skus', 'is among others whose sizes are SKU names', someSizeIsSku, NO_SKU],
  [
    'list-fits-preset',
    'is one of the preset that its size names',
    fitsPreset,
    'no preset of a listed size shows CPUs as a number, or a GPU model as the list writes it',
  ],
  [
    'list-storage-in-use',
    'shows the storage that is in use',
    showsUse,
    'fewer than five listed instances have a preset that shows its storage as a number',
  ],
] as const;

/** Queries to combine with a location as the region filter; all must select nothing. */
const besideALocation: readonly ListQuery[] = [
  {},
  { size: 1, free_text_search: 'US' },
  { status: 'running' },
  // The location is that of a stopped instance.
  { status: 'stopped' },
  { sort_field: 'NAME' },
  { date_range_begin: '2000-01-01T00:00:00Z' },
];

export default computeSection('instance-record', (test) => {
  for (const [slug, what, law, lack] of besidePresets) {
    test(`a listed instance ${what}`, { judges: [of(slug)] }, async (t) => {
      const { accounts } = await listedBesidePresets(t);
      judgeOrLack(t, of(slug), together(...accounts.map((account) => law(account))), lack);
    });
  }

  test(
    'the region of a listed instance is not the location that a stop shows',
    { judges: [of('list-region-not-narrower')] },
    async (t) => {
      const id = await t.stopped(1);
      const listed = await t.observeInList(id);
      if (listed === undefined) throw new NotExercised('the list does not show it');
      const stop = await t.api.stop(id);
      const unmapped = t.bindings.locations?.unmapped ?? [];
      const region = textOf(listed.record, 'region');
      const judgement = regionIsNoLocation(listed.record, stop, unmapped);
      const presets =
        judgement.violations.length === 0 || region === undefined
          ? undefined
          : {
              at: await t.api.presets({ region }),
              unknownRegion: await t.api.presets({ region: unknownRegion }),
            };
      judgeOrLack(
        t,
        of('list-region-not-narrower'),
        regionIsNoLocation(listed.record, stop, unmapped, presets),
        'it shows no region, or one at a location that belongs to none',
      );
    },
  );

  test(
    'what a list says of a stopped instance fits what the answer to a stop says',
    {
      judges: [
        of('list-storage-within-disk'),
        of('action-cost-not-reset'),
        of('action-storage-steady'),
      ],
    },
    async (t) => {
      const { first, listed = {}, second } = await stopsOfStopped(t);
      t.judge(of('action-storage-steady'), sameDisk(first, second, 'between two stops'));
      const { places } = await listedBesidePresets(t);
      const within = locationWithinRegion(listed, second, places);
      t.judge(of('action-region-narrower'), within);
      judgeOrLack(t, of('list-storage-within-disk'), withinDisk(listed, second), UNLISTED);
      judgeOrLack(
        t,
        of('action-cost-not-reset'),
        costNotReset(listed, second),
        `${UNLISTED}, or it has cost a credit at most`,
      );
    },
  );

  test(
    'the answer to a stop describes a stopped instance as the list does',
    { judges: [of('action-agrees-with-list')] },
    async (t) => {
      const id = await t.stopped(1);
      const judgement = await compareWithList(
        t,
        id,
        async () => answeredRecord(await t.api.stop(id)),
        (answered, before, after) => [
          sameDescription(after, answered, unmoved(alikeInAnswers, before.record, after.record)),
          sameRuntime(after, answered),
          sameStart(after, answered),
          totalBetween(before, answered, after),
        ],
      );
      if (judgement === undefined) {
        throw new NotExercised(
          'the list does not show the instance, or the answer to a stop holds no record',
        );
      }
      t.judge(of('action-agrees-with-list'), judgement);
    },
  );

  test(
    'the answers to stops show disks, and not what is in use of them',
    { judges: [of('action-storage-not-use'), of('action-size-not-sku')] },
    async (t) => {
      const { disks } = await listedBesidePresets(t);
      const stops = [await stopsOfStopped(t, 0), await stopsOfStopped(t, 1)];
      const pairs = stops.flatMap(({ listed, second: stop }) =>
        listed === undefined ? [] : [{ listed, stop }],
      );
      judgeOrLack(
        t,
        of('action-size-not-sku'),
        sizesAreNoSkus(pairs),
        'two stopped instances are not listed, or their SKU names are a count and the GPU model',
      );
      const storage = pairs.flatMap(({ listed, stop }) => storageIn(listed, stop));
      judgeOrLack(
        t,
        of('action-storage-not-use'),
        showsNoUse(storage, disks),
        'the storage of presets is no number, or both figures of instances are the same by chance',
      );
    },
  );

  test(
    'the answer to a terminate shows the disk, and not what is in use of it',
    { judges: [of('action-storage-not-use')], waitsLong: true },
    async (t) => {
      const { listed, lastStop, answer } = await terminationOfStopped(t);
      judgeOrLack(
        t,
        of('action-storage-not-use'),
        terminateShowsNoUse(listed?.record, lastStop, answer),
        'the list, the stop or the terminate shows no storage, or the disk is full',
      );
    },
  );

  test(
    'the location of an instance as region filter gives no instances',
    { judges: [of('location-filters-no-instances'), of('location-filter-accepted')] },
    async (t) => {
      const region = await locationFilter(t);
      const pages: Exchange[] = [];
      for (const query of besideALocation) pages.push(await t.api.list({ region, ...query }));
      const any = await t.api.list({ size: 1 });
      judgeOrLack(
        t,
        of('location-filters-no-instances'),
        together(...pages.map((page) => noInstancesAt(region, page, any))),
        'the account lists no instances',
      );
      for (const page of pages) {
        const what = `The region filter of ${page.request.query}`;
        t.judge(of('location-filter-accepted'), answeredWith(page, 200, what));
      }
    },
  );

  test(
    'the location of an instance as region filter gives no presets but those at that location',
    { judges: [of('location-filters-no-presets'), of('location-filter-accepted')] },
    async (t) => {
      const location = await locationFilter(t);
      const page = await t.api.presets({ region: location });
      const what = `The region filter ${location}`;
      t.judge(of('location-filter-accepted'), accepted(page, what));
      const id = of('location-filters-no-presets');
      const none = onlyPresetsAt(location, page, await t.api.presets({ size: 1 }), t.bindings);
      if (none.seen > 0) t.judge(id, none);
      else
        t.notExercised(id, 'there are no presets, or their locations are not bound', BIND_LOCATION);
    },
  );

  test(
    'two stopped instances show the same remaining hours',
    { judges: [of('action-ttl-same')] },
    async (t) => {
      const other = await t.stopped(1);
      const judgement = await remainingHours(t, 10, async () => async () => t.api.stop(other));
      if (judgement === 'drifting') {
        throw new Inconclusive(
          'the remaining hours changed each time while two instances were asked',
        );
      }
      judgeOrLack(
        t,
        of('action-ttl-same'),
        judgement,
        'both stopped instances have the same hourly rate, by which hours of their own would be the same',
      );
    },
  );

  test(
    'a terminate shows the same remaining hours as stops do',
    { judges: [of('action-ttl-same')], needs: ['consent.terminate'], waitsLong: true },
    async (t) => {
      const terminateOne = async () => {
        const { id } = await InstanceProbe.stopped(t);
        return async () => t.api.terminate(id);
      };
      const judgement = await remainingHours(t, 4, terminateOne);
      judgeOrLack(
        t,
        of('action-ttl-same'),
        judgement === 'drifting' ? notObserved : judgement,
        'the remaining hours moved meanwhile, or both instances have the same hourly rate',
      );
    },
  );
});
