/** Records whose fields are well-formed and do not hang together. */

import { declareFaults } from '../../fault.ts';
import type { ComputeRules, RequestContext } from '../context.ts';
import type { InstanceQuery } from '../queries.ts';
import type { Instance } from '../model.ts';
import { Refusal, errorCodes } from '../refusal.ts';
import { type Body, succeeding } from './answering.ts';

/** Records of lists, changed. */
function listing(
  rules: ComputeRules,
  change: (record: Body, instance: Instance, query: InstanceQuery | undefined) => Body,
): ComputeRules {
  return {
    ...rules,
    listRecord: (instance, at, context, query) =>
      change(rules.listRecord(instance, at, context, query), instance, query),
  };
}

/** Records in answers to stop and terminate, changed. */
function answeringActions(
  rules: ComputeRules,
  change: (record: Body, instance: Instance, context: RequestContext, at: number) => Body,
): ComputeRules {
  return {
    ...rules,
    actionRecord: (instance, at, context) =>
      change(rules.actionRecord(instance, at, context), instance, context, at),
  };
}

/** The oldest instance of an account. */
function isOldest(instance: Instance, { world }: RequestContext): boolean {
  return world.account(instance.account).instances[0] === instance;
}

export const recordRelationFaults = declareFaults<ComputeRules>([
  {
    name: 'id-twice-on-a-page-of-a-window',
    summary: 'Pages with a begin date show their first instance twice.',
    breaks: ['compute.instance-record.id-unique'],
    exercisedBy: ['compute.list-instances.date-window'],
    patch: (rules) =>
      succeeding(rules, 'list-instances', (json, { query }) => {
        const data = json['data'];
        return query.includes('date_range_begin') && Array.isArray(data) && data.length > 0
          ? { ...json, data: [data[0], ...data] }
          : json;
      }),
  },
  {
    name: 'actions-name-instances-by-their-ids',
    summary: 'Answers to stop and terminate give the id of an instance as its name.',
    breaks: ['compute.instance-record.action-agrees-with-list'],
    patch: (rules) => answeringActions(rules, (record, { id }) => ({ ...record, name: id })),
  },
  {
    name: 'actions-tell-no-runtime',
    summary: 'Answers to stop and terminate give a runtime of zero.',
    breaks: ['compute.instance-record.action-agrees-with-list'],
    patch: (rules) => answeringActions(rules, (record) => ({ ...record, total_runtime_hours: 0 })),
  },
  {
    name: 'terminated-long-before-the-start',
    summary: 'What is terminated was so a day before it last began to run.',
    breaks: ['compute.instance-record.terminated-after-start'],
    patch: (rules) =>
      listing(rules, (record, { startedAt }) =>
        record['terminated_at'] === null || startedAt === undefined
          ? record
          : { ...record, terminated_at: new Date(startedAt - 86_400_000).toISOString() },
      ),
  },
  {
    name: 'refused-stop-dates-the-termination-anew',
    summary:
      'A stop that is refused since the instance is TERMINATED moves the date of its termination.',
    breaks: ['compute.instance-record.terminated-date-stays'],
    patch: (rules) => ({
      ...rules,
      stopOutcome: (instance, context) => {
        if (instance.state === 'TERMINATED') instance.terminatedAt = context.now;
        return rules.stopOutcome(instance, context);
      },
    }),
  },
  {
    name: 'list-leaves-nulls-out',
    summary: 'List pages leave fields out that are null.',
    breaks: ['compute.instance-record.list-nullable-there'],
    patch: (rules) => listing(rules, withoutNulls),
  },
  {
    name: 'actions-leave-nulls-out',
    summary: 'Answers to stop and terminate leave fields out that are null.',
    breaks: ['compute.instance-record.action-nullable-there'],
    patch: (rules) => answeringActions(rules, withoutNulls),
  },
  {
    name: 'dates-without-offset',
    summary: 'Dates of records carry no UTC offset.',
    breaks: ['compute.instance-record.dates-are-instants'],
    patch: (rules) => ({
      ...rules,
      formatDate: (instant, context) => rules.formatDate(instant, context).replace('Z', ''),
    }),
  },
  {
    name: 'running-does-not-tell-its-start',
    summary: 'The oldest RUNNING instance has no date of its start.',
    breaks: ['compute.instance-record.running-has-started'],
    patch: (rules) => ({
      ...rules,
      listRecord: (instance, at, context, query) => {
        const record = rules.listRecord(instance, at, context, query);
        return instance.state === 'RUNNING' && isOldest(instance, context)
          ? { ...record, started_at: null }
          : record;
      },
    }),
  },
  {
    name: 'terminated-has-no-date',
    summary: 'A TERMINATED instance has no date of its termination.',
    breaks: ['compute.instance-record.terminated-has-date'],
    patch: (rules) =>
      listing(rules, (record, { state }) =>
        state === 'TERMINATED' ? { ...record, terminated_at: null } : record,
      ),
  },
  {
    name: 'filtered-lists-count-one-cpu-more',
    summary: 'Lists that are filtered by GPU model show a CPU more than an instance has.',
    breaks: ['compute.instance-record.lists-describe-alike'],
    patch: (rules) =>
      listing(rules, (record, _, query) =>
        query?.gpuType === undefined
          ? record
          : { ...record, cpu_count: Number(record['cpu_count']) + 1 },
      ),
  },
  {
    name: 'later-pages-count-one-cpu-more',
    summary: 'Pages after the first show a CPU more than an instance has.',
    breaks: ['compute.instance-record.lists-describe-alike'],
    patch: (rules) =>
      listing(rules, (record, _, query) =>
        query === undefined || query.page === 1
          ? record
          : { ...record, cpu_count: Number(record['cpu_count']) + 1 },
      ),
  },
  {
    name: 'stopped-has-a-date-of-termination',
    summary: 'A stopped instance shows when it stopped as its date of termination.',
    breaks: ['compute.instance-record.alive-has-no-date'],
    patch: (rules) =>
      listing(rules, (record, { state, stateSince }) =>
        state === 'STOPPED'
          ? { ...record, terminated_at: new Date(stateSince).toISOString() }
          : record,
      ),
  },
  {
    name: 'every-state-has-a-date-of-termination',
    summary: 'A date of termination is always there: the start of the epoch where there is none.',
    breaks: ['compute.instance-record.alive-has-no-date'],
    patch: (rules) =>
      listing(rules, (record) => ({
        ...record,
        terminated_at: record['terminated_at'] ?? '1970-01-01T00:00:00Z',
      })),
  },
  {
    name: 'stopping-has-a-reason-of-termination',
    summary: 'A stop answer gives the stop as the reason of termination.',
    breaks: ['compute.instance-record.alive-has-no-reason'],
    patch: (rules) =>
      answeringActions(rules, (record, { state }) =>
        state === 'STOPPING' || state === 'STOPPED'
          ? { ...record, termination_reason: 'Stopped on request.' }
          : record,
      ),
  },
  {
    name: 'list-region-is-a-location-when-errored',
    summary: 'In the list of errored instances, the region is the location.',
    breaks: ['compute.instance-record.list-region-code'],
    exercisedBy: ['compute.list-instances.status-errored'],
    patch: (rules) =>
      listing(rules, (record, { preset }, query) =>
        query?.status === 'ERRORED' ? { ...record, region: preset.location } : record,
      ),
  },
  {
    name: 'list-region-of-the-second-account-is-a-location',
    summary: 'For the second account the list shows locations in the place of regions.',
    breaks: [
      'compute.instance-record.list-region-no-location',
      'compute.instance-record.list-region-code',
    ],
    patch: (rules) => ({
      ...rules,
      listRecord: (instance, at, context, query) => {
        const record = rules.listRecord(instance, at, context, query);
        return context.key?.role === 'second'
          ? { ...record, region: instance.preset.location }
          : record;
      },
    }),
  },
  {
    name: 'list-region-is-another-one',
    summary: 'The list shows instances in FR as running in the US.',
    breaks: [
      'compute.instance-record.list-region-offered',
      'compute.list-instances.region-filter',
      'compute.list-instances.filters-combine',
    ],
    patch: (rules) =>
      listing(rules, (record) =>
        record['region'] === 'FR' ? { ...record, region: 'US' } : record,
      ),
  },
  {
    name: 'newest-instance-is-under-no-region',
    summary: 'The region filter passes over one of the newer instances of an account.',
    breaks: ['compute.instance-record.list-region-offered', 'compute.list-instances.region-filter'],
    patch: (rules) => ({
      ...rules,
      matchesRegion: (instance, query, context) =>
        rules.matchesRegion(instance, query, context) &&
        (query.region === undefined ||
          context.world
            .account(instance.account)
            .instances.findLast(({ origin }) => origin === 'seed') !== instance),
    }),
  },
  {
    name: 'list-size-is-the-headline',
    summary: 'In list pages, the size is a count and a unit.',
    breaks: [
      'compute.instance-record.list-sizes-are-skus',
      'compute.instance-record.list-size-sku',
    ],
    patch: (rules) => ({
      ...rules,
      listRecord: (instance, at, context, query) => ({
        ...rules.listRecord(instance, at, context, query),
        size: rules.headlineSize(instance.preset, context),
      }),
    }),
  },
  {
    name: 'list-cost-above-total',
    summary: 'The cost of a run counts twice in the list, and once in the total.',
    breaks: ['compute.instance-record.list-cost-within-total'],
    patch: (rules) =>
      listing(rules, (record) => ({
        ...record,
        current_cost: Number(record['total_cost_incurred']) * 2 + 1,
      })),
  },
  {
    name: 'list-storage-above-disk',
    summary: 'The storage in use is shown in another unit: ten times the disk.',
    breaks: ['compute.instance-record.list-storage-within-disk'],
    patch: (rules) =>
      listing(rules, (record, { preset }) => ({
        ...record,
        storage_used_gb: preset.storageGb * 10,
      })),
  },
  {
    name: 'action-region-is-the-region',
    summary: 'Answers to stop and terminate show the region in the place of the location.',
    breaks: ['compute.instance-record.action-region-narrower'],
    patch: (rules) =>
      answeringActions(rules, (record, { preset }) => ({ ...record, region: preset.region })),
  },
  {
    name: 'terminate-region-is-the-region',
    summary: 'Answers to terminate, and not to stop, show the region in the place of the location.',
    breaks: ['compute.instance-record.action-region-narrower'],
    patch: (rules) =>
      answeringActions(rules, (record, { preset }, { operation }) =>
        operation === 'terminate-instance' ? { ...record, region: preset.region } : record,
      ),
  },
  {
    name: 'location-filters-instances',
    summary: 'The instance list takes a location as a region filter.',
    breaks: ['compute.instance-record.location-filters-no-instances'],
    patch: (rules) => ({
      ...rules,
      matchesRegion: (instance, query, context) =>
        instance.preset.location === query.region || rules.matchesRegion(instance, query, context),
    }),
  },
  {
    name: 'location-filters-presets',
    summary: 'The presets take any location as a region filter.',
    breaks: ['compute.presets.region-mapped-location'],
    patch: (rules) => ({
      ...rules,
      presetMatchesRegion: (preset, query, context) =>
        preset.location === query.region || rules.presetMatchesRegion(preset, query, context),
    }),
  },
  {
    name: 'location-filters-presets-that-are-sorted',
    summary: 'Beside a sort, the presets take any location as a region filter.',
    breaks: ['compute.presets.region-mapped-location'],
    patch: (rules) => ({
      ...rules,
      presetMatchesRegion: (preset, query, context) =>
        (query.sortField !== undefined && preset.location === query.region) ||
        rules.presetMatchesRegion(preset, query, context),
    }),
  },
  {
    name: 'location-filters-presets-by-its-region',
    summary: 'The presets read a location as the region that it belongs to.',
    breaks: [
      'compute.instance-record.location-filters-no-presets',
      'compute.presets.region-mapped-location',
    ],
    patch: (rules) => ({
      ...rules,
      parseRegion: (text, context) => {
        const preset = context.world.presets.find(({ location }) => location === text);
        return context.operation === 'presets' && preset?.region !== undefined
          ? preset.region
          : rules.parseRegion(text, context);
      },
    }),
  },
  {
    name: 'location-filter-is-an-error',
    summary: 'A location as region filter of the instance list is refused with 400.',
    breaks: [
      'compute.instance-record.location-filter-accepted',
      'compute.instance-record.location-filters-no-instances',
    ],
    patch: (rules) => ({
      ...rules,
      parseRegion: (text, context) => {
        const isLocation = context.world.presets.some(({ location }) => location === text);
        if (isLocation && context.operation === 'list-instances') {
          throw new Refusal(400, errorCodes[400], 'That is a location.');
        }
        return rules.parseRegion(text, context);
      },
    }),
  },
  {
    name: 'action-size-is-a-word',
    summary: 'Answers to stop and terminate show a size without a count.',
    breaks: ['compute.instance-record.action-size-headline'],
    patch: (rules) => answeringActions(rules, (record) => ({ ...record, size: 'large' })),
  },
  {
    name: 'action-storage-is-what-is-in-use',
    summary: 'Answers to stop and terminate show the storage in use.',
    breaks: ['compute.instance-record.action-storage-not-use'],
    patch: (rules) =>
      answeringActions(rules, (record, { usedGb }) => ({ ...record, storage_used_gb: usedGb })),
  },
  {
    name: 'action-storage-is-in-use',
    summary: 'Answers to stop show what the disk holds, which changes from call to call.',
    breaks: ['compute.instance-record.action-storage-steady'],
    patch: (rules) => {
      let calls = 0;
      return answeringActions(rules, (record, { usedGb }) => {
        calls += 1;
        return { ...record, storage_used_gb: usedGb + calls };
      });
    },
  },
  {
    name: 'action-cost-is-of-the-current-run',
    summary: 'Answers to stop and terminate show the cost of the current run.',
    breaks: [
      'compute.instance-record.action-cost-whole-life',
      'compute.instance-record.action-cost-not-reset',
    ],
    patch: (rules) => ({
      ...rules,
      actionRecord: (instance, at, context) => ({
        ...rules.actionRecord(instance, at, context),
        current_cost: rules.currentRunCost(instance, at, context),
      }),
    }),
  },
  {
    name: 'action-cost-has-tax',
    summary: 'The current cost in answers to stop and terminate is above the total cost incurred.',
    breaks: ['compute.instance-record.action-cost-whole-life'],
    patch: (rules) =>
      answeringActions(rules, (record) => ({
        ...record,
        current_cost: Number(record['total_cost_incurred']) * 1.2 + 0.01,
      })),
  },
  {
    name: 'action-costs-are-reset',
    summary: 'Answers to stop show no cost at all any more once an instance has stopped.',
    breaks: ['compute.instance-record.action-cost-not-reset'],
    patch: (rules) =>
      answeringActions(rules, (record, { state }) =>
        state === 'STOPPED' ? { ...record, current_cost: 0, total_cost_incurred: 0 } : record,
      ),
  },
  {
    name: 'action-ttl-is-of-each-instance',
    summary: 'Answers to stop show hours that differ from instance to instance.',
    breaks: ['compute.instance-record.action-ttl-same'],
    patch: (rules) =>
      answeringActions(rules, (record, { preset, account }, { world }) => ({
        ...record,
        ttl_remaining_hours: Math.round(world.account(account).credits / preset.hourlyPrice),
      })),
  },
]);

function withoutNulls(record: Body): Body {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
