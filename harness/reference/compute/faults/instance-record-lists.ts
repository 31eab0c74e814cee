/** Reads of one instance, and list records with well-formed fields that contradict each other. */

import { errorCodes, type Instance, invalid, notFound, Refusal } from '../model.ts';
import { type Answer, callerOf, operating } from '../context.ts';
import {
  amend,
  type Body,
  chained,
  each,
  fails,
  faultTable,
  forces,
  hasJustStopped,
  instancesOf,
  isSecond,
  staying,
  listing,
  namedInstance,
  type Patch,
  refusalIn,
  replace,
  type Shown,
  succeeding,
  rows,
} from './words.ts';
import { refusesRegion } from './words-lists.ts';

/** Changes the body of a single instance. */
function reading(change: (record: Body) => Body): Patch {
  return succeeding('get-instance', (record) => change(record));
}

function unknownRead(answer: () => Answer): Patch {
  return operating(['get-instance'], (original, context) => {
    const refused = refusalIn(() => original(context));
    return refused?.status === 404 && namedInstance(context) === undefined
      ? answer()
      : original(context);
  });
}

const HOUR_MS = 3_600_000;
const dated = (ms: number): string => new Date(ms).toISOString();

/** An instance that was provisioned in this run shows one of its dates a week too early. */
function aWeekBefore({ origin }: Instance, field: string, at: number | undefined) {
  return origin === 'provision' && at !== undefined && { [field]: dated(at - 168 * HOUR_MS) };
}

// What a list shows wrongly, and where.
const headline = ({ preset, context }: Shown) => ({
  size: context.rules.headlineSize(preset, context),
});
const disk = ({ preset }: Shown) => ({ storage_used_gb: preset.storageGb });
const ofWholeLife = ({ record }: Shown) => ({ current_cost: record['total_cost_incurred'] });
const oneCpuMore = ({ preset }: Shown) => ({ cpu_count: preset.cpu + 1 });
const itsLocation = ({ preset }: Shown) => ({ region: preset.location });

const isForSecond = ({ context }: Shown): boolean => isSecond(context);
const isOfModel = ({ query }: Shown): boolean => query?.gpuType !== undefined;
const isLater = ({ query }: Shown): boolean => query !== undefined && query.page > 1;

/** Far longer than the current run of any instance. */
const WHOLE_LIFE_HOURS = 10_000;

export const instanceRecordListsFaults = [
  ...faultTable('compute.get-instance', {
    ...each.fails('singleRecord', notFound, {
      'own-instance: own-instance-is-not-found': ({ origin }) => origin === 'seed',
      'own-instance: own-instance-of-the-second-account-is-not-found': (_instance, context) =>
        isSecond(context),
      'own-instance: what-is-deployed-is-not-found': ({ state }) => state === 'DEPLOYED',
    }),
    'own-instance: what-is-being-stopped-is-not-found': chained(
      staying('STOPPING', 60_000),
      fails(
        'singleRecord',
        notFound,
        ({ state, origin }) => state === 'STOPPING' && origin === 'provision',
      ),
    ),
    'terminated-no-5xx: reading-what-is-terminated-crashes': fails(
      'singleRecord',
      () => new Error('There is no host.'),
      ({ state }) => state === 'TERMINATED',
    ),
    'own-instance: one-id-in-four-is-malformed': fails(
      'isInstanceId',
      () => invalid('id must be a UUID.'),
      (text, context) =>
        context.operation === 'get-instance' && /^[0-9a-f]{8}-.{4}-4.{3}-8/u.test(text),
    ),
    'names-instance + agrees-with-list: single-instance-is-another-one': replace(
      'singleRecord',
      (original, instance, context) =>
        original(
          instance.origin === 'seed' ? (callerOf(context).instances[0] ?? instance) : instance,
          context,
        ),
    ),
    'agrees-with-list: single-instance-has-another-gpu': reading((record) => ({
      ...record,
      gpu_type: String(record['gpu_type']).toLowerCase().concat(' gpu'),
    })),
    'agrees-with-list: single-instance-has-another-rate': reading((record) => ({
      ...record,
      hourly_rate: Number(record['hourly_rate']) * 1.2,
    })),
    'unknown-id: unknown-id-reads-as-null': unknownRead(() => ({
      status: 200,
      headers: [],
      json: null,
    })),
    'unknown-id: unknown-id-reads-as-400': unknownRead(() => {
      throw new Refusal(400, errorCodes[400], 'There is no such instance.');
    }),
    'malformed-id: malformed-id-is-403': amend('isInstanceId', (isId, _text, { operation }) => {
      if (!isId && operation === 'get-instance') throw new Refusal(403, errorCodes[403], 'No.');
      return isId;
    }),
    'malformed-id: ids-are-found-by-their-beginning': operating(
      ['get-instance'],
      (original, context) => {
        const id = context.pathParameters['id'] ?? '';
        const whole = instancesOf(context).find((one) => id.length > 6 && one.id.startsWith(id));
        return original(
          whole === undefined ? context : { ...context, pathParameters: { id: whole.id } },
        );
      },
    ),
  }),
  ...faultTable('compute.instance-record', {
    ...rows(listing, {
      'terminated-has-reason: terminated-has-no-reason': ({ state }) =>
        state === 'TERMINATED' && { termination_reason: null },
      'list-cost-of-current-run: list-current-cost-is-of-the-whole-life': ofWholeLife,
      'list-cost-of-current-run: lists-book-a-run-when-it-ends': ({ state }) =>
        state === 'RUNNING' && { current_cost: 0 },
      'list-cost-of-current-run: second-account-sees-the-cost-of-the-whole-life': (shown) => {
        const cost = WHOLE_LIFE_HOURS * shown.preset.hourlyPrice;
        const hours = { total_runtime_hours: WHOLE_LIFE_HOURS };
        return isForSecond(shown) && { current_cost: cost, total_cost_incurred: cost, ...hours };
      },
      'list-sizes-are-skus + list-size-sku: second-account-sees-headlines': (shown) =>
        isForSecond(shown) && headline(shown),
      'list-storage-in-use: second-account-sees-disks': (shown) =>
        isForSecond(shown) && disk(shown),
      'list-cost-of-current-run: filtered-lists-show-the-cost-of-the-whole-life': (shown) =>
        isOfModel(shown) && ofWholeLife(shown),
      'list-cost-of-current-run: later-pages-show-the-cost-of-the-whole-life': (shown) =>
        isLater(shown) && ofWholeLife(shown),
      'list-storage-in-use: sorted-lists-show-disks': (shown) =>
        shown.query?.sortField !== undefined && disk(shown),
      'list-storage-in-use: later-pages-show-disks': (shown) => isLater(shown) && disk(shown),
      'list-storage-in-use: list-storage-is-the-disk': disk,
      'list-storage-in-use: list-storage-is-the-disk-until-it-is-destroyed': (shown) =>
        shown.state === 'TERMINATED' ? { storage_used_gb: 0 } : disk(shown),
      'list-fits-preset: lists-count-half-of-the-cpus': ({ preset }) => ({
        cpu_count: Math.ceil(preset.cpu / 2),
      }),
      'list-fits-preset: lists-show-another-gpu-model': ({ preset }) =>
        preset.gpu === 'H200' && { gpu_type: 'H100' },
      'dates-fit-the-clock: starts-are-dated-to-the-automatic-stop': (shown) =>
        shown.state === 'RUNNING' && {
          started_at: dated((shown.startedAt ?? 0) + shown.ttlHours * HOUR_MS),
        },
      'dates-fit-the-clock: terminations-are-dated-to-the-last-week': (shown) =>
        shown.record['terminated_at'] !== null &&
        aWeekBefore(shown, 'terminated_at', shown.terminatedAt),
      'dates-fit-the-clock: starts-of-new-instances-are-dated-to-the-last-week': (shown) =>
        aWeekBefore(shown, 'started_at', shown.startedAt),
      'running-has-started: running-does-not-tell-its-start': ({ instance, context }) =>
        instance.state === 'RUNNING' &&
        context.world.account(instance.account).instances[0] === instance && { started_at: null },
      'terminated-after-start: terminated-long-before-the-start': ({ record, startedAt }) =>
        record['terminated_at'] !== null &&
        startedAt !== undefined && { terminated_at: dated(startedAt - 24 * HOUR_MS) },
      'terminated-has-date: terminated-has-no-date': ({ state }) =>
        state === 'TERMINATED' && { terminated_at: null },
      'terminated-has-date, met by compute.terminate-instance.early-accepted: instances-that-never-ran-end-without-a-date':
        ({ state, startedAt }) =>
          state === 'TERMINATED' && startedAt === undefined && { terminated_at: null },
      'lists-describe-alike: filtered-lists-count-one-cpu-more': (shown) =>
        isOfModel(shown) && oneCpuMore(shown),
      'lists-describe-alike: later-pages-count-one-cpu-more': (shown) =>
        isLater(shown) && oneCpuMore(shown),
      'lists-describe-alike: terminated-is-listed-as-it-was-answered': (shown) =>
        shown.state === 'TERMINATED' && headline(shown),
      'lists-describe-alike: what-was-stopped-is-listed-as-it-was-answered': (shown) =>
        hasJustStopped(shown) && headline(shown),
      'alive-has-no-date: stopped-has-a-date-of-termination': ({ state, stateSince }) =>
        state === 'STOPPED' && { terminated_at: dated(stateSince) },
      'alive-has-no-date: every-state-has-a-date-of-termination': ({ record }) =>
        record['terminated_at'] === null && { terminated_at: '1970-01-01T00:00:00Z' },
      'list-region-code, met by compute.list-instances.status-errored: list-region-is-a-location-when-errored':
        (shown) => shown.query?.status === 'ERRORED' && itsLocation(shown),
      'list-region-not-narrower + list-region-code + list-region-no-location: list-region-of-what-is-stopped-is-its-location':
        (shown) => shown.state === 'STOPPED' && itsLocation(shown),
      'list-region-no-location + list-region-code: list-region-of-the-second-account-is-a-location':
        (shown) => isForSecond(shown) && itsLocation(shown),
      'list-region-offered + compute.list-instances.region-filter + compute.list-instances.filters-combine: list-region-is-another-one':
        ({ record }) => record['region'] === 'FR' && { region: 'US' },
      'list-cost-within-total: list-cost-above-total': ({ record }) => ({
        current_cost: Number(record['total_cost_incurred']) * 2 + 1,
      }),
      'list-storage-within-disk: list-storage-above-disk': ({ preset }) => ({
        storage_used_gb: preset.storageGb * 10,
      }),
      'list-sizes-are-skus: running-instances-are-listed-with-headlines': (shown) =>
        shown.state === 'RUNNING' && headline(shown),
      'list-sizes-are-skus + list-size-sku: list-size-is-the-headline': headline,
    }),
    'id-unique, met by compute.list-instances.date-window: id-twice-on-a-page-of-a-window':
      succeeding('list-instances', (json, { query }) => {
        const data = json['data'];
        return query.includes('date_range_begin') && Array.isArray(data) && data.length > 0
          ? { ...json, data: [data[0], ...data] }
          : json;
      }),
    'list-region-offered + compute.list-instances.region-filter: newest-instance-is-under-no-region':
      forces(
        'matchesRegion',
        false,
        (instance, query, context) =>
          query.region !== undefined &&
          context.world
            .account(instance.account)
            .instances.findLast(({ origin }) => origin === 'seed') === instance,
      ),
    'location-filters-no-instances: location-filters-instances': forces(
      'matchesRegion',
      true,
      (instance, query) => instance.preset.location === query.region,
    ),
    'location-filters-no-presets + compute.presets.region-mapped-location: location-filters-presets-by-its-region':
      replace('parseRegion', (original, text, context) => {
        const preset = context.world.presets.find(({ location }) => location === text);
        return context.operation === 'presets' && preset?.region !== undefined
          ? preset.region
          : original(text, context);
      }),
    'location-filter-accepted + location-filters-no-instances: location-filter-is-an-error':
      refusesRegion(
        'list-instances',
        (text, { world }) => world.presets.some(({ location }) => location === text),
        () => new Refusal(400, errorCodes[400], 'That is a location.'),
      ),
  }),
];
