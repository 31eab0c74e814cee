/** Records whose fields are well-formed and do not hang together. */

import type { RequestContext } from '../context.ts';
import { errorCodes, type Instance, type InstanceQuery, Refusal } from '../model.ts';
import {
  type Patch,
  replace,
  amend,
  unless,
  faultTable,
  type Body,
  succeeding,
} from './answering.ts';

/** Records of lists, changed. */
function listing(
  change: (record: Body, instance: Instance, query: InstanceQuery | undefined) => Body,
): Patch {
  return replace('listRecord', (original, instance, at, context, query) =>
    change(original(instance, at, context, query), instance, query),
  );
}

/** Records in answers to stop and terminate, changed. */
function answeringActions(
  change: (record: Body, instance: Instance, context: RequestContext, at: number) => Body,
): Patch {
  return replace('actionRecord', (original, instance, at, context) =>
    change(original(instance, at, context), instance, context, at),
  );
}

/** The oldest instance of an account. */
function isOldest(instance: Instance, { world }: RequestContext): boolean {
  return world.account(instance.account).instances[0] === instance;
}

export const recordRelationFaults = faultTable({
  'compute.instance-record.id-unique': {
    'id-twice-on-a-page-of-a-window': {
      exercisedBy: ['compute.list-instances.date-window'],
      patch: succeeding('list-instances', (json, { query }) => {
        const data = json['data'];
        return query.includes('date_range_begin') && Array.isArray(data) && data.length > 0
          ? { ...json, data: [data[0], ...data] }
          : json;
      }),
    },
  },
  'compute.instance-record.action-agrees-with-list': {
    'actions-name-instances-by-their-ids': answeringActions((record, { id }) => ({
      ...record,
      name: id,
    })),
    'actions-tell-no-runtime': {
      says: 'Answers to stop and terminate give a runtime of zero.',
      patch: answeringActions((record) => ({ ...record, total_runtime_hours: 0 })),
    },
  },
  'compute.instance-record.terminated-after-start': {
    'terminated-long-before-the-start': listing((record, { startedAt }) =>
      record['terminated_at'] === null || startedAt === undefined
        ? record
        : { ...record, terminated_at: new Date(startedAt - 86_400_000).toISOString() },
    ),
  },
  'compute.instance-record.terminated-date-stays': {
    'refused-stop-dates-the-termination-anew': replace(
      'stopOutcome',
      (original, instance, context) => {
        if (instance.state === 'TERMINATED') instance.terminatedAt = context.now;
        return original(instance, context);
      },
    ),
  },
  'compute.instance-record.list-nullable-there': {
    'list-leaves-nulls-out': listing(withoutNulls),
  },
  'compute.instance-record.action-nullable-there': {
    'actions-leave-nulls-out': answeringActions(withoutNulls),
  },
  'compute.instance-record.dates-are-instants': {
    'dates-without-offset': {
      says: 'Dates of records carry no UTC offset.',
      patch: replace('formatDate', (original, instant, context) =>
        original(instant, context).replace('Z', ''),
      ),
    },
  },
  'compute.instance-record.running-has-started': {
    'running-does-not-tell-its-start': amend('listRecord', (record, instance, _at, context) =>
      instance.state === 'RUNNING' && isOldest(instance, context)
        ? { ...record, started_at: null }
        : record,
    ),
  },
  'compute.instance-record.terminated-has-date': {
    'terminated-has-no-date': listing((record, { state }) =>
      state === 'TERMINATED' ? { ...record, terminated_at: null } : record,
    ),
  },
  'compute.instance-record.lists-describe-alike': {
    'filtered-lists-count-one-cpu-more': listing((record, _, query) =>
      query?.gpuType === undefined
        ? record
        : { ...record, cpu_count: Number(record['cpu_count']) + 1 },
    ),
    'later-pages-count-one-cpu-more': listing((record, _, query) =>
      query === undefined || query.page === 1
        ? record
        : { ...record, cpu_count: Number(record['cpu_count']) + 1 },
    ),
  },
  'compute.instance-record.alive-has-no-date': {
    'stopped-has-a-date-of-termination': listing((record, { state, stateSince }) =>
      state === 'STOPPED'
        ? { ...record, terminated_at: new Date(stateSince).toISOString() }
        : record,
    ),
    'every-state-has-a-date-of-termination': listing((record) => ({
      ...record,
      terminated_at: record['terminated_at'] ?? '1970-01-01T00:00:00Z',
    })),
  },
  'compute.instance-record.alive-has-no-reason': {
    'stopping-has-a-reason-of-termination': answeringActions((record, { state }) =>
      state === 'STOPPING' || state === 'STOPPED'
        ? { ...record, termination_reason: 'Stopped on request.' }
        : record,
    ),
  },
  'compute.instance-record.list-region-code': {
    'list-region-is-a-location-when-errored': {
      exercisedBy: ['compute.list-instances.status-errored'],
      patch: listing((record, { preset }, query) =>
        query?.status === 'ERRORED' ? { ...record, region: preset.location } : record,
      ),
    },
  },
  'compute.instance-record.list-region-no-location': {
    'list-region-of-the-second-account-is-a-location': {
      besides: ['compute.instance-record.list-region-code'],
      patch: amend('listRecord', (record, instance, _at, context) =>
        context.key?.role === 'second' ? { ...record, region: instance.preset.location } : record,
      ),
    },
  },
  'compute.instance-record.list-region-not-narrower': {
    'list-region-of-what-is-stopped-is-its-location': {
      besides: [
        'compute.instance-record.list-region-code',
        'compute.instance-record.list-region-no-location',
      ],
      patch: listing((record, { state, preset }) =>
        state === 'STOPPED' ? { ...record, region: preset.location } : record,
      ),
    },
  },
  'compute.instance-record.list-region-offered': {
    'list-region-is-another-one': {
      says: 'The list shows instances in FR as running in the US.',
      besides: ['compute.list-instances.region-filter', 'compute.list-instances.filters-combine'],
      patch: listing((record) =>
        record['region'] === 'FR' ? { ...record, region: 'US' } : record,
      ),
    },
    'newest-instance-is-under-no-region': {
      besides: ['compute.list-instances.region-filter'],
      patch: unless(
        'matchesRegion',
        (instance, query, context) =>
          query.region !== undefined &&
          context.world
            .account(instance.account)
            .instances.findLast(({ origin }) => origin === 'seed') === instance,
        false,
      ),
    },
  },
  'compute.instance-record.list-sizes-are-skus': {
    'list-size-is-the-headline': {
      besides: ['compute.instance-record.list-size-sku'],
      patch: (rules) => ({
        listRecord: (instance, at, context, query) => ({
          ...rules.listRecord(instance, at, context, query),
          size: rules.headlineSize(instance.preset, context),
        }),
      }),
    },
  },
  'compute.instance-record.list-cost-within-total': {
    'list-cost-above-total': listing((record) => ({
      ...record,
      current_cost: Number(record['total_cost_incurred']) * 2 + 1,
    })),
  },
  'compute.instance-record.list-storage-within-disk': {
    'list-storage-above-disk': listing((record, { preset }) => ({
      ...record,
      storage_used_gb: preset.storageGb * 10,
    })),
  },
  'compute.instance-record.action-region-narrower': {
    'action-region-is-the-region': {
      says: 'Answers to stop and terminate show the region in the place of the location.',
      patch: answeringActions((record, { preset }) => ({ ...record, region: preset.region })),
    },
    'terminate-region-is-the-region': answeringActions((record, { preset }, { operation }) =>
      operation === 'terminate-instance' ? { ...record, region: preset.region } : record,
    ),
  },
  'compute.instance-record.location-filters-no-instances': {
    'location-filters-instances': unless(
      'matchesRegion',
      (instance, query) => instance.preset.location === query.region,
      true,
    ),
  },
  'compute.presets.region-mapped-location': {
    'location-filters-presets-that-are-sorted': unless(
      'presetMatchesRegion',
      (preset, query) => query.sortField !== undefined && preset.location === query.region,
      true,
    ),
  },
  'compute.instance-record.location-filters-no-presets': {
    'location-filters-presets-by-its-region': {
      besides: ['compute.presets.region-mapped-location'],
      patch: replace('parseRegion', (original, text, context) => {
        const preset = context.world.presets.find(({ location }) => location === text);
        return context.operation === 'presets' && preset?.region !== undefined
          ? preset.region
          : original(text, context);
      }),
    },
  },
  'compute.instance-record.location-filter-accepted': {
    'location-filter-is-an-error': {
      besides: ['compute.instance-record.location-filters-no-instances'],
      patch: replace('parseRegion', (original, text, context) => {
        const isLocation = context.world.presets.some(({ location }) => location === text);
        if (isLocation && context.operation === 'list-instances') {
          throw new Refusal(400, errorCodes[400], 'That is a location.');
        }
        return original(text, context);
      }),
    },
  },
  'compute.instance-record.action-size-headline': {
    'action-size-is-a-word': answeringActions((record) => ({ ...record, size: 'large' })),
  },
  'compute.instance-record.action-storage-not-use': {
    'action-storage-is-what-is-in-use': answeringActions((record, { usedGb }) => ({
      ...record,
      storage_used_gb: usedGb,
    })),
  },
  'compute.instance-record.action-storage-steady': {
    'action-storage-is-in-use': {
      says: 'Answers to stop show what the disk holds, which changes from call to call.',
      patch: (rules) => {
        let calls = 0;
        return answeringActions((record, { usedGb }) => {
          calls += 1;
          return { ...record, storage_used_gb: usedGb + calls };
        })(rules);
      },
    },
  },
  'compute.instance-record.action-cost-whole-life': {
    'action-cost-is-of-the-current-run': {
      besides: ['compute.instance-record.action-cost-not-reset'],
      patch: (rules) => ({
        actionRecord: (instance, at, context) => ({
          ...rules.actionRecord(instance, at, context),
          current_cost: rules.currentRunCost(instance, at, context),
        }),
      }),
    },
    'action-cost-has-tax': {
      says: 'The current cost in answers to stop and terminate is above the total cost incurred.',
      patch: answeringActions((record) => ({
        ...record,
        current_cost: Number(record['total_cost_incurred']) * 1.2 + 0.01,
      })),
    },
  },
  'compute.instance-record.action-cost-not-reset': {
    'action-costs-are-reset': {
      says: 'Answers to stop show no cost at all any more once an instance has stopped.',
      patch: answeringActions((record, { state }) =>
        state === 'STOPPED' ? { ...record, current_cost: 0, total_cost_incurred: 0 } : record,
      ),
    },
  },
  'compute.instance-record.action-ttl-same': {
    'action-ttl-is-of-each-instance': {
      says: 'Answers to stop show hours that differ from instance to instance.',
      patch: answeringActions((record, { preset, account }, { world }) => ({
        ...record,
        ttl_remaining_hours: Math.round(world.account(account).credits / preset.hourlyPrice),
      })),
    },
  },
});

function withoutNulls(record: Body): Body {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
