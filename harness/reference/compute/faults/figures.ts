/** Time, money, storage and hardware in records that are well-formed and not true. */

import type { Instance } from '../model.ts';
import { type Body, type Patch, amend, faultTable } from './answering.ts';

const HOUR_MS = 3_600_000;

/** Records of lists, changed. */
function listing(change: (record: Body, instance: Instance) => Body): Patch {
  return amend('listRecord', (record, instance) => change(record, instance));
}

/** The runtime in all records, changed. */
function runtime(change: (hours: number) => number): Patch {
  return amend('runtimeHours', change);
}

/** A SKU name that is more than a count and the GPU model. */
const longer = (sku: unknown): string => `${String(sku)}-gen-b`;

/** What was made for a run tells one of its dates a week too early. */
function dateAWeekBefore(field: 'started_at' | 'terminated_at') {
  return (record: Body, { origin }: Instance): Body => {
    const date = record[field];
    return origin === 'provision' && typeof date === 'string'
      ? { ...record, [field]: new Date(Date.parse(date) - 168 * HOUR_MS).toISOString() }
      : record;
  };
}

export const figureFaults = faultTable({
  'compute.instance-record.terminated-has-reason': {
    'terminated-has-no-reason': listing((record, { state }) =>
      state === 'TERMINATED' ? { ...record, termination_reason: null } : record,
    ),
  },
  'compute.instance-record.list-cost-of-current-run': {
    'list-current-cost-is-of-the-whole-life': listing((record) => ({
      ...record,
      current_cost: record['total_cost_incurred'],
    })),
  },
  'compute.instance-record.list-storage-in-use': {
    'list-storage-is-the-disk': listing((record, { preset }) => ({
      ...record,
      storage_used_gb: preset.storageGb,
    })),
  },
  'compute.instance-record.list-fits-preset': {
    'lists-count-half-of-the-cpus': listing((record, { preset }) => ({
      ...record,
      cpu_count: Math.ceil(preset.cpu / 2),
    })),
    'lists-show-another-gpu-model': listing((record) =>
      record['gpu_type'] === 'H200' ? { ...record, gpu_type: 'H100' } : record,
    ),
  },
  'compute.instance-record.runtime-in-hours': {
    'runtime-in-minutes': runtime((hours) => hours * 60),
    'runtime-in-seconds': runtime((hours) => hours * 3_600),
    'runtime-in-days': runtime((hours) => hours / 24),
  },
  'compute.instance-record.figures-not-negative': {
    'runtime-counts-down': runtime((hours) => -hours),
  },
  'compute.instance-record.dates-fit-the-clock': {
    'starts-are-dated-to-the-automatic-stop': listing((record, { state, startedAt, ttlHours }) =>
      state === 'RUNNING'
        ? { ...record, started_at: new Date((startedAt ?? 0) + ttlHours * HOUR_MS).toISOString() }
        : record,
    ),
    'terminations-are-dated-to-the-last-week': amend(
      'listRecord',
      dateAWeekBefore('terminated_at'),
    ),
    'starts-of-new-instances-are-dated-to-the-last-week': amend(
      'listRecord',
      dateAWeekBefore('started_at'),
    ),
  },
  'compute.stop-instance.returns-at-once': {
    'stop-waits-until-it-is-over': (rules) => ({
      onResponse: async (context, answer) => {
        const instance = context.world.instance(context.pathParameters['id'] ?? '');
        const waits = context.operation === 'stop-instance' && instance?.state === 'STOPPING';
        if (waits) await new Promise((done) => setTimeout(done, 1_000));
        return rules.onResponse(context, answer);
      },
    }),
  },
  'compute.instance-record.action-size-not-sku': {
    'action-size-is-the-sku': (rules) => ({
      ...listing((record) => ({ ...record, size: longer(record['size']) }))(rules),
      presetRecord: (preset, context, query) => {
        const { sku } = context.choices.presets.fields;
        const shown = rules.presetRecord(preset, context, query);
        return { ...shown, [sku]: longer(shown[sku]) };
      },
      presetMatchesSku: (preset, query, context) =>
        rules.presetMatchesSku({ ...preset, sku: longer(preset.sku) }, query, context),
      presetMatchesText: (preset, query, context) =>
        rules.presetMatchesText({ ...preset, sku: longer(preset.sku) }, query, context),
      actionRecord: (instance, at, context) => ({
        ...rules.actionRecord(instance, at, context),
        size: longer(instance.preset.sku),
      }),
    }),
  },
});
