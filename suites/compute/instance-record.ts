/** The instance record: its fields in both variants, and what they say together. */

import {
  instanceFieldNames,
  instanceFields,
  isInstanceField,
  fieldRequirement,
} from '../../schemas/compute/wire.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import {
  alikeInAnswers,
  sameDescription,
  sameRuntime,
  sameStart,
  unmoved,
} from '../../harness/checks/compute/record-relations.ts';
import { accepted, answeredWith } from '../../harness/checks/compute/answers.ts';
import { distinctTexts } from '../../harness/checks/collection/chosen-values.ts';
import {
  fitsPreset,
  locationsWithin,
  noInstancesAt,
  onlyPresetsAt,
  regionIsNoLocation,
  runsInRegions,
  sizesAreNoSkus,
  sizesAreSkus,
  someSizeIsSku,
} from '../../harness/checks/compute/variants.ts';
import { presetValue } from '../../harness/checks/compute/presets.ts';
import { type WireRecord, actionRecordOf, textOf } from '../../harness/checks/compute/records.ts';
import { findsAll } from '../../harness/checks/collection/filter.ts';
import {
  costNotReset,
  costOfCurrentRun,
  datesNotAhead,
  inBothReadings,
  runtimeHoldsRun,
  withinLife,
} from '../../harness/checks/compute/figures.ts';
import {
  type StorageSight,
  sameDisk,
  showsNoUse,
  showsUse,
  storageIn,
  withinDisk,
} from '../../harness/checks/compute/storage.ts';
import { notObserved, together } from '../../harness/checks/judgement.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import {
  locationFilter,
  remainingHours,
  runtimeClaims,
} from '../../harness/drivers/compute/records.ts';
import { unknownRegion } from '../../harness/generate/lists.ts';
import { judgeOrLack } from '../../harness/runner/judge-or-lack.ts';
import { againstList } from '../../harness/drivers/compute/instances.ts';
import { readInstances } from '../../harness/drivers/collection/reading.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import {
  having,
  tell,
  wholeInstances,
  wholePresets,
} from '../../harness/drivers/collection/whole-list.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

/** Fields that have to be there: whether a nullable one may be absent is not said. */
const slugs = instanceFieldNames
  .filter((name) => !instanceFields[name].nullable)
  .map((name) => instanceFields[name].slug);

/** True for a record that tells both when the instance began to run and when it was terminated. */
function hasBothDates(record: WireRecord): boolean {
  return ['started_at', 'terminated_at'].every((field) => typeof record[field] === 'string');
}

const newest = { mostPages: 1 } as const;
const NO_LOCATION = 'compute.instance-record.list-region-no-location' as const;
const NOT_NARROWER = 'compute.instance-record.list-region-not-narrower' as const;
const BIND_LOCATION = 'bindings: { presets: { items: data, fields: { location: location } } }';
const NO_SKU =
  'the few sizes that the account lists may be those of presets that are offered no more';

export default computeSection('instance-record', (test) => {
  // The checks of every exchange judge the fields: these cases bring records about.
  test(
    'the items of a list page have the documented fields',
    {
      judges: [
        'compute.instance-record.id-unique',
        'compute.instance-record.list-nullable-there',
        'compute.instance-record.figures-not-negative',
        ...slugs.map((slug) => fieldRequirement('list', slug)),
      ],
      requests: 1,
    },
    async (t) => {
      await having(wholeInstances(t, {}, newest), 1, 'instances');
    },
  );

  test(
    'the answer to a stop has the documented fields',
    {
      judges: [
        'compute.instance-record.action-nullable-there',
        'compute.instance-record.action-region-narrower',
        'compute.instance-record.action-size-headline',
        'compute.instance-record.action-cost-whole-life',
        ...slugs.map((slug) => fieldRequirement('action', slug)),
      ],
      requests: 1,
    },
    async (t) => {
      await t.api.stop(await t.stopped());
    },
  );

  for (const [slug, status] of [
    ['running-has-started', 'running'],
    ['terminated-has-date', 'terminated'],
    ['terminated-has-reason', 'terminated'],
    ['terminated-after-start', 'terminated'],
    ['alive-has-no-date', 'stopped'],
    ['alive-has-no-reason', 'stopped'],
  ] as const) {
    const id = `compute.instance-record.${slug}` as const;
    test(
      `dates and reasons of ${status} instances (${slug})`,
      { judges: [id], requests: 1 },
      async (t) => {
        const { records } = await readInstances(t.api, { status }, newest);
        if (records.length === 0) t.notExercised(id, `no instance of the account is ${status}`);
        else if (slug === 'terminated-after-start' && !records.some(hasBothDates)) {
          t.notExercised(id, 'no terminated instance shows both dates');
        }
      },
    );
  }

  test(
    'an instance is found under its own region',
    { judges: ['compute.instance-record.list-region-offered'], requests: 5 },
    async (t) => {
      const whole = wholeInstances(t, {}, newest);
      const { records } = await having(whole, 1, 'instances');
      const codes = distinctTexts(records, 'region').filter((region) =>
        regionCodes.some((code) => code === region),
      );
      if (codes.length === 0) throw new NotExercised('no instance shows a region code');
      for (const region of codes) {
        const matches = (record: WireRecord) => record['region'] === region;
        const verdicts = await whole.against(
          async () => readInstances(t.api, { region }),
          (around, part) => [
            {
              requirement: 'compute.instance-record.list-region-offered' as const,
              judgement: findsAll({ ...around, part, matches, filter: `region=${region}` }),
            },
          ],
        );
        tell(t, verdicts);
      }
    },
  );

  test(
    'the region of a listed instance is no location within a region',
    { judges: [NO_LOCATION], requests: 3 },
    async (t) => {
      const presets = await having(wholePresets(t), 1, 'presets');
      const unmapped = t.bindings.locations?.unmapped ?? [];
      const locations = locationsWithin(presets.records, unmapped, t.bindings);
      if (presets.end !== 'last-page' || locations.size === 0) {
        throw new NotExercised(
          'no preset shows a location and a region, or there are more than 800',
        );
      }
      const lists = [await having(wholeInstances(t), 1, 'instances')];
      if (t.target.keys.second !== undefined) {
        lists.push(await readInstances(t.api, {}, { ...newest, as: 'second' }));
      }
      for (const { records, exchanges } of lists) {
        t.judge(NO_LOCATION, runsInRegions(records, locations, ...exchanges, ...presets.exchanges));
      }
    },
  );

  test(
    'the region of a listed instance is not the location that a stop shows',
    { judges: [NOT_NARROWER], requests: 4 },
    async (t) => {
      const id = await t.stopped(1);
      const listed = await t.lookInList(id);
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
              nowhere: await t.api.presets({ region: unknownRegion }),
            };
      judgeOrLack(
        t,
        NOT_NARROWER,
        regionIsNoLocation(listed.record, stop, unmapped, presets),
        'it shows no region, or one at a location that belongs to none',
      );
    },
  );

  test(
    'the size of a listed instance is a SKU name',
    {
      judges: [
        'compute.instance-record.list-size-sku',
        'compute.instance-record.list-sizes-are-skus',
      ],
      requests: 3,
    },
    async (t) => {
      const presets = await having(wholePresets(t), 1, 'presets');
      const { records, exchanges } = await having(wholeInstances(t, {}, newest), 1, 'instances');
      const skus = presets.records
        .map((preset) => presetValue(preset, 'sku', t.bindings))
        .filter((sku) => typeof sku === 'string');
      const [page] = exchanges;
      if (presets.end !== 'last-page' || page === undefined) {
        throw new NotExercised('there are more than 800 presets');
      }
      judgeOrLack(
        t,
        'compute.instance-record.list-size-sku',
        sizesAreSkus(records, new Set(skus), page),
        NO_SKU,
      );
      judgeOrLack(
        t,
        'compute.instance-record.list-sizes-are-skus',
        someSizeIsSku(records, new Set(skus), page),
        NO_SKU,
      );
    },
  );

  test(
    'a listed instance is one of the preset that its size names',
    {
      judges: [
        'compute.instance-record.list-fits-preset',
        'compute.instance-record.list-storage-in-use',
      ],
      requests: 3,
    },
    async (t) => {
      const presets = await having(wholePresets(t), 1, 'presets');
      const { records, exchanges } = await having(wholeInstances(t, {}, newest), 1, 'instances');
      judgeOrLack(
        t,
        'compute.instance-record.list-fits-preset',
        fitsPreset(records, presets.records, t.bindings, ...exchanges),
        'no preset of a listed size shows CPUs as a number, or a GPU model as the list writes it',
      );
      judgeOrLack(
        t,
        'compute.instance-record.list-storage-in-use',
        showsUse(records, presets.records, t.bindings, ...exchanges),
        'fewer than five listed instances have a preset that shows its storage as a number',
      );
    },
  );

  test(
    'hours, dates and the cost of a run fit the clock',
    {
      judges: [
        'compute.instance-record.dates-fit-the-clock',
        'compute.instance-record.list-cost-of-current-run',
        'compute.instance-record.runtime-in-hours',
      ],
      requests: 8,
    },
    async (t) => {
      const [first, second] = [await t.api.list({ size: 200 }), await t.api.list({ size: 200 })];
      judgeOrLack(
        t,
        'compute.instance-record.dates-fit-the-clock',
        inBothReadings(first, second, datesNotAhead),
        'no instance has a date',
      );
      judgeOrLack(
        t,
        'compute.instance-record.list-cost-of-current-run',
        inBothReadings(first, second, costOfCurrentRun),
        'no running instance has cost far more than its current run',
      );
      judgeOrLack(
        t,
        'compute.instance-record.runtime-in-hours',
        together(
          inBothReadings(first, second, runtimeHoldsRun),
          withinLife(await runtimeClaims(t, second)),
        ),
        'no instance runs since yesterday, or has run for hours',
      );
    },
  );

  test(
    'what a list says of a stopped instance fits what the answer to a stop says',
    {
      judges: [
        'compute.instance-record.list-storage-within-disk',
        'compute.instance-record.action-cost-not-reset',
        'compute.instance-record.action-storage-steady',
      ],
      requests: 4,
    },
    async (t) => {
      const id = await t.stopped();
      const first = await t.api.stop(id);
      // The list is searched by name: the instance may be far down in a large account.
      const name = textOf(actionRecordOf(first) ?? {}, 'name') ?? '';
      const found = await readInstances(t.api, { free_text_search: name.slice(0, 255) });
      const listed = found.records.find((_, index) => found.ids[index] === id.toLowerCase());
      const second = await t.api.stop(id);
      t.judge(
        'compute.instance-record.action-storage-steady',
        sameDisk(first, second, 'between two stops'),
      );
      if (listed === undefined) {
        const reason = 'the list does not show the stopped instance, searched for by its name';
        t.notExercised('compute.instance-record.list-storage-within-disk', reason);
        t.notExercised('compute.instance-record.action-cost-not-reset', reason);
        return;
      }
      t.judge('compute.instance-record.list-storage-within-disk', withinDisk(listed, second));
      judgeOrLack(
        t,
        'compute.instance-record.action-cost-not-reset',
        costNotReset(listed, second),
        'the stopped instance has cost a credit at most',
      );
    },
  );

  test(
    'the answer to a stop describes a stopped instance as the list does',
    { judges: ['compute.instance-record.action-agrees-with-list'], requests: 3 },
    async (t) => {
      const id = await t.stopped(1);
      const judgement = await againstList(
        t,
        id,
        async () => {
          const answer = await t.api.stop(id);
          const record = actionRecordOf(answer);
          return record === undefined ? undefined : { answer, record };
        },
        ({ answer, record }, before, after) => [
          sameDescription(
            after.record,
            record,
            unmoved(alikeInAnswers, before.record, after.record),
            answer,
            after.exchange,
          ),
          sameRuntime(after.record, record, answer, after.exchange),
          sameStart(after.record, record, answer, after.exchange),
        ],
      );
      if (judgement === undefined) {
        throw new NotExercised('the list does not show it, or the answer to a stop no record');
      }
      t.judge('compute.instance-record.action-agrees-with-list', judgement);
    },
  );

  test(
    'the answers to stops show disks, and not what is in use of them',
    {
      judges: [
        'compute.instance-record.action-storage-not-use',
        'compute.instance-record.action-size-not-sku',
      ],
      requests: 5,
    },
    async (t) => {
      const presets = await having(wholePresets(t), 1, 'presets');
      const disks = presets.records
        .map((preset) => presetValue(preset, 'storage', t.bindings))
        .filter((disk) => typeof disk === 'number');
      const sights: StorageSight[] = [];
      const sizes: { readonly listed: WireRecord; readonly stop: Exchange }[] = [];
      for (const index of [0, 1] as const) {
        const id = await t.stopped(index);
        const listed = await t.lookInList(id);
        const stop = await t.api.stop(id);
        if (listed === undefined) continue;
        sights.push(...storageIn(listed.record, stop));
        sizes.push({ listed: listed.record, stop });
      }
      judgeOrLack(
        t,
        'compute.instance-record.action-size-not-sku',
        sizesAreNoSkus(sizes),
        'two stopped instances are not listed, or their SKU names are a count and the GPU model',
      );
      judgeOrLack(
        t,
        'compute.instance-record.action-storage-not-use',
        disks.length === 0 ? notObserved : showsNoUse(sights, new Set(disks)),
        'the storage of presets is no number, or both figures of instances are the same by chance',
      );
    },
  );

  test(
    'the location of an instance as region filter gives no instances',
    {
      judges: [
        'compute.instance-record.location-filters-no-instances',
        'compute.instance-record.location-filter-accepted',
      ],
      requests: 3,
    },
    async (t) => {
      const location = await locationFilter(t);
      const page = await t.api.list({ region: location });
      judgeOrLack(
        t,
        'compute.instance-record.location-filters-no-instances',
        noInstancesAt(location, page, await t.api.list({ size: 1 })),
        'the account lists no instances',
      );
      const what = `The region filter ${location}`;
      t.judge('compute.instance-record.location-filter-accepted', answeredWith(page, 200, what));
    },
  );

  test(
    'the location of an instance as region filter gives no presets but those at that location',
    {
      judges: [
        'compute.instance-record.location-filters-no-presets',
        'compute.instance-record.location-filter-accepted',
      ],
      requests: 3,
    },
    async (t) => {
      const location = await locationFilter(t);
      const page = await t.api.presets({ region: location });
      const what = `The region filter ${location}`;
      t.judge('compute.instance-record.location-filter-accepted', accepted(page, what));
      const id = 'compute.instance-record.location-filters-no-presets';
      const none = onlyPresetsAt(location, page, await t.api.presets({ size: 1 }), t.bindings);
      if (none.seen > 0) t.judge(id, none);
      else
        t.notExercised(id, 'there are no presets, or their locations are not bound', BIND_LOCATION);
    },
  );

  test(
    'two stopped instances show the same remaining hours',
    { judges: ['compute.instance-record.action-ttl-same'], requests: 4 },
    async (t) => {
      judgeOrLack(
        t,
        'compute.instance-record.action-ttl-same',
        await remainingHours(t),
        'both stopped instances have the same hourly rate, by which hours of their own would be the same',
      );
    },
  );

  test(
    'dates of instances name one instant',
    { judges: ['compute.instance-record.dates-are-instants'], requests: 1 },
    async (t) => {
      const { records } = await having(wholeInstances(t, {}, newest), 1, 'instances');
      if (records.some((record) => typeof record['started_at'] === 'string')) return;
      t.notExercised('compute.instance-record.dates-are-instants', 'no instance has a date');
    },
  );

  test(
    'what the contract leaves open of a record is recorded',
    {
      judges: [
        'compute.instance-record.terminated-date-while-terminating',
        'compute.instance-record.guest-ready-values',
        'compute.instance-record.extra-fields',
      ],
      requests: 1,
    },
    async (t) => {
      const { records, exchanges } = await having(wholeInstances(t), 1, 'instances');
      const terminating = records.filter((record) => record['status'] === 'TERMINATING');
      const dated = terminating.filter((record) => typeof record['terminated_at'] === 'string');
      t.record(
        'compute.instance-record.terminated-date-while-terminating',
        `${dated.length} of ${terminating.length} TERMINATING instances have a date`,
        exchanges[0],
      );
      t.record(
        'compute.instance-record.guest-ready-values',
        distinctTexts(records, 'guest_ready').slice(0, 10).join(', '),
        exchanges[0],
      );
      const extra = new Set(records.flatMap((record) => Object.keys(record)));
      const names = [...extra].filter((name) => !isInstanceField(name));
      t.record(
        'compute.instance-record.extra-fields',
        names.length === 0 ? 'none' : names.join(', '),
        exchanges[0],
      );
    },
  );
});
