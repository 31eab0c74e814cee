/** Reads of one instance, and records of lists whose fields are well-formed and do not hang together. */

import { errorCodes, type Instance, invalid, notFound, Refusal } from '../model.ts';
import { type Answer, callerOf, operating } from '../context.ts';
import {
  amend,
  type Body,
  fails,
  faultTable,
  denies,
  affirms,
  instancesOf,
  namedInstance,
  type Patch,
  refusalIn,
  replace,
  succeeding,
  each,
} from './words.ts';
import { refusesRegion } from './words-lists.ts';

/** Records of single instances, changed. */
function reading(change: (record: Body) => Body): Patch {
  return succeeding('get-instance', (record) => change(record));
}

/** What reading an id does that exists nowhere. */
function unknownRead(answer: () => Answer): Patch {
  return operating(['get-instance'], (original, context) => {
    const refused = refusalIn(() => original(context));
    return refused?.status === 404 && namedInstance(context) === undefined
      ? answer()
      : original(context);
  });
}

const HOUR_MS = 3_600_000;

/** What was made for a run tells one of its dates a week too early. */
function dateAWeekBefore(field: 'started_at' | 'terminated_at') {
  return (record: Body, { origin }: Instance): Body => {
    const date = record[field];
    return origin === 'provision' && typeof date === 'string'
      ? { ...record, [field]: new Date(Date.parse(date) - 168 * HOUR_MS).toISOString() }
      : record;
  };
}

export const instanceRecordListsFaults = [
  ...faultTable('compute.get-instance', {
    'own-instance: own-instance-is-not-found': fails(
      'singleRecord',
      notFound,
      (instance) => instance.origin === 'seed',
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
    ...each.amend('listRecord', {
      'terminated-has-reason: terminated-has-no-reason': (record, { state }) =>
        state === 'TERMINATED' ? { ...record, termination_reason: null } : record,
      'list-cost-of-current-run: list-current-cost-is-of-the-whole-life': (record) => ({
        ...record,
        current_cost: record['total_cost_incurred'],
      }),
      'list-storage-in-use: list-storage-is-the-disk': (record, { preset }) => ({
        ...record,
        storage_used_gb: preset.storageGb,
      }),
      'list-fits-preset: lists-count-half-of-the-cpus': (record, { preset }) => ({
        ...record,
        cpu_count: Math.ceil(preset.cpu / 2),
      }),
      'list-fits-preset: lists-show-another-gpu-model': (record) =>
        record['gpu_type'] === 'H200' ? { ...record, gpu_type: 'H100' } : record,
      'dates-fit-the-clock: starts-are-dated-to-the-automatic-stop': (
        record,
        { state, startedAt, ttlHours },
      ) =>
        state === 'RUNNING'
          ? { ...record, started_at: new Date((startedAt ?? 0) + ttlHours * HOUR_MS).toISOString() }
          : record,
      'terminated-after-start: terminated-long-before-the-start': (record, { startedAt }) =>
        record['terminated_at'] === null || startedAt === undefined
          ? record
          : { ...record, terminated_at: new Date(startedAt - 86_400_000).toISOString() },
      'terminated-has-date: terminated-has-no-date': (record, { state }) =>
        state === 'TERMINATED' ? { ...record, terminated_at: null } : record,
      'lists-describe-alike: filtered-lists-count-one-cpu-more': (
        record,
        _instance,
        _at,
        _context,
        query,
      ) =>
        query?.gpuType === undefined
          ? record
          : { ...record, cpu_count: Number(record['cpu_count']) + 1 },
      'lists-describe-alike: later-pages-count-one-cpu-more': (
        record,
        _instance,
        _at,
        _context,
        query,
      ) =>
        query === undefined || query.page === 1
          ? record
          : { ...record, cpu_count: Number(record['cpu_count']) + 1 },
      'alive-has-no-date: stopped-has-a-date-of-termination': (record, { state, stateSince }) =>
        state === 'STOPPED'
          ? { ...record, terminated_at: new Date(stateSince).toISOString() }
          : record,
      'alive-has-no-date: every-state-has-a-date-of-termination': (record) => ({
        ...record,
        terminated_at: record['terminated_at'] ?? '1970-01-01T00:00:00Z',
      }),
      'list-region-code, met by compute.list-instances.status-errored: list-region-is-a-location-when-errored':
        (record, { preset }, _at, _context, query) =>
          query?.status === 'ERRORED' ? { ...record, region: preset.location } : record,
      'list-region-not-narrower + list-region-code + list-region-no-location: list-region-of-what-is-stopped-is-its-location':
        (record, { state, preset }) =>
          state === 'STOPPED' ? { ...record, region: preset.location } : record,
      'list-region-offered + compute.list-instances.region-filter + compute.list-instances.filters-combine: list-region-is-another-one':
        (record) => (record['region'] === 'FR' ? { ...record, region: 'US' } : record),
      'list-cost-within-total: list-cost-above-total': (record) => ({
        ...record,
        current_cost: Number(record['total_cost_incurred']) * 2 + 1,
      }),
      'list-storage-within-disk: list-storage-above-disk': (record, { preset }) => ({
        ...record,
        storage_used_gb: preset.storageGb * 10,
      }),
    }),
    ...each.amend('listRecord', {
      'dates-fit-the-clock: terminations-are-dated-to-the-last-week':
        dateAWeekBefore('terminated_at'),
      'dates-fit-the-clock: starts-of-new-instances-are-dated-to-the-last-week':
        dateAWeekBefore('started_at'),
      'running-has-started: running-does-not-tell-its-start': (record, instance, _at, { world }) =>
        instance.state === 'RUNNING' && world.account(instance.account).instances[0] === instance
          ? { ...record, started_at: null }
          : record,
      'terminated-has-date, met by compute.terminate-instance.early-accepted: instances-that-never-ran-end-without-a-date':
        (record, instance) => {
          const neverRan = instance.state === 'TERMINATED' && instance.startedAt === undefined;
          return neverRan ? { ...record, terminated_at: null } : record;
        },
      'list-region-no-location + list-region-code: list-region-of-the-second-account-is-a-location':
        (record, instance, _at, context) =>
          context.key?.role === 'second' ? { ...record, region: instance.preset.location } : record,
    }),
    'id-unique, met by compute.list-instances.date-window: id-twice-on-a-page-of-a-window':
      succeeding('list-instances', (json, { query }) => {
        const data = json['data'];
        return query.includes('date_range_begin') && Array.isArray(data) && data.length > 0
          ? { ...json, data: [data[0], ...data] }
          : json;
      }),
    'list-region-offered + compute.list-instances.region-filter: newest-instance-is-under-no-region':
      denies(
        'matchesRegion',
        (instance, query, context) =>
          query.region !== undefined &&
          context.world
            .account(instance.account)
            .instances.findLast(({ origin }) => origin === 'seed') === instance,
      ),
    'list-sizes-are-skus + list-size-sku: list-size-is-the-headline': (rules) => ({
      listRecord: (instance, at, context, query) => ({
        ...rules.listRecord(instance, at, context, query),
        size: rules.headlineSize(instance.preset, context),
      }),
    }),
    'location-filters-no-instances: location-filters-instances': affirms(
      'matchesRegion',
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
