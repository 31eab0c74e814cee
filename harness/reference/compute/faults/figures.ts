/** Time, money, storage and hardware in records that are well-formed and not true. */

import { declareFaults } from '../../fault.ts';
import type { ComputeRules } from '../context.ts';
import type { Instance } from '../model.ts';
import type { Body } from './answering.ts';

const record = (slug: string): string => `compute.instance-record.${slug}`;
const HOUR_MS = 3_600_000;

/** Records of lists, changed. */
function listing(
  rules: ComputeRules,
  change: (record: Body, instance: Instance) => Body,
): ComputeRules {
  return {
    ...rules,
    listRecord: (instance, at, context, query) =>
      change(rules.listRecord(instance, at, context, query), instance),
  };
}

/** The runtime in all records, changed. */
function runtime(change: (hours: number) => number): (rules: ComputeRules) => ComputeRules {
  return (rules) => ({
    ...rules,
    runtimeHours: (instance, at, context) => change(rules.runtimeHours(instance, at, context)),
  });
}

/** A SKU name that is more than a count and the GPU model. */
const longer = (sku: unknown): string => `${String(sku)}-gen-b`;

export const figureFaults = declareFaults<ComputeRules>([
  {
    name: 'terminated-has-no-reason',
    summary: 'A terminated instance does not tell why.',
    breaks: [record('terminated-has-reason')],
    patch: (rules) =>
      listing(rules, (one, { state }) =>
        state === 'TERMINATED' ? { ...one, termination_reason: null } : one,
      ),
  },
  {
    name: 'list-current-cost-is-of-the-whole-life',
    summary: 'The current cost in lists is the total cost.',
    breaks: [record('list-cost-of-current-run')],
    patch: (rules) =>
      listing(rules, (one) => ({ ...one, current_cost: one['total_cost_incurred'] })),
  },
  {
    name: 'list-storage-is-the-disk',
    summary: 'Lists show the provisioned disk as the storage in use.',
    breaks: [record('list-storage-in-use')],
    patch: (rules) =>
      listing(rules, (one, { preset }) => ({ ...one, storage_used_gb: preset.storageGb })),
  },
  {
    name: 'lists-count-half-of-the-cpus',
    summary: 'Instances have half of the CPUs of their presets.',
    breaks: [record('list-fits-preset')],
    patch: (rules) =>
      listing(rules, (one, { preset }) => ({ ...one, cpu_count: Math.ceil(preset.cpu / 2) })),
  },
  {
    name: 'lists-show-another-gpu-model',
    summary: 'Instances of one GPU model are listed as those of another.',
    breaks: [record('list-fits-preset')],
    patch: (rules) =>
      listing(rules, (one) => (one['gpu_type'] === 'H200' ? { ...one, gpu_type: 'H100' } : one)),
  },
  {
    name: 'runtime-in-minutes',
    summary: 'The total runtime counts minutes.',
    breaks: [record('runtime-in-hours')],
    patch: runtime((hours) => hours * 60),
  },
  {
    name: 'runtime-in-seconds',
    summary: 'The total runtime counts seconds.',
    breaks: [record('runtime-in-hours')],
    patch: runtime((hours) => hours * 3_600),
  },
  {
    name: 'runtime-in-days',
    summary: 'The total runtime counts days.',
    breaks: [record('runtime-in-hours')],
    patch: runtime((hours) => hours / 24),
  },
  {
    name: 'runtime-counts-down',
    summary: 'The total runtime is below zero.',
    breaks: [record('figures-not-negative')],
    patch: runtime((hours) => -hours),
  },
  {
    name: 'starts-are-in-the-future',
    summary: 'The date of a start is that of the automatic stop.',
    breaks: [record('dates-fit-the-clock')],
    patch: (rules) =>
      listing(rules, (one, { state, startedAt, ttlHours }) =>
        state === 'RUNNING'
          ? { ...one, started_at: new Date((startedAt ?? 0) + ttlHours * HOUR_MS).toISOString() }
          : one,
      ),
  },
  {
    name: 'action-size-is-the-sku',
    summary: 'Answers to stop and terminate show the SKU name as the size.',
    breaks: [record('action-size-not-sku')],
    patch: (rules) => ({
      ...listing(rules, (one) => ({ ...one, size: longer(one['size']) })),
      presetRecord: (preset, context, query) => {
        const { sku } = context.choices.presets.fields;
        const shown = rules.presetRecord(preset, context, query);
        return { ...shown, [sku]: longer(shown[sku]) };
      },
      presetMatchesSku: (preset, query, context) =>
        rules.presetMatchesSku({ ...preset, sku: longer(preset.sku) }, query, context),
      actionRecord: (instance, at, context) => ({
        ...rules.actionRecord(instance, at, context),
        size: longer(instance.preset.sku),
      }),
    }),
  },
]);
