/** Answers to stop and terminate whose fields are well-formed and do not hang together. */

import type { Instance, Operation } from '../model.ts';
import type { RequestContext } from '../context.ts';
import { amend, before, type Body, faultTable, listing, type Patch, replace } from './words.ts';

/** Answers to one operation that say something else of the instance than the list does. */
function saying(operation: Operation, change: (instance: Instance) => Body): Patch {
  return amend('actionRecord', (record, instance, _at, context) => ({
    ...record,
    ...(context.operation === operation ? change(instance) : {}),
  }));
}

/** The runtime in all records, changed. */
function runtime(change: (hours: number) => number): Patch {
  return amend('runtimeHours', change);
}

/** Records in answers to stop and terminate, changed. */
function answeringActions(
  change: (record: Body, instance: Instance, context: RequestContext, at: number) => Body,
): Patch {
  return replace('actionRecord', (original, instance, at, context) =>
    change(original(instance, at, context), instance, context, at),
  );
}

function withoutNulls(record: Body): Body {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

export const instanceRecordActionsFaults = faultTable('compute.instance-record', {
  // The day that has begun is billed until an instance has stopped, and is forgotten then.
  'action-cost-not-reset: stop-resets-the-cost-when-it-has-settled': amend(
    'totalCost',
    (cost, { origin, state, preset }) =>
      origin === 'provision' && (state === 'RUNNING' || state === 'STOPPING')
        ? cost + 24 * preset.hourlyPrice
        : cost,
  ),
  'action-cost-not-reset: action-costs-are-reset': answeringActions((record, { state }) =>
    state === 'STOPPED' ? { ...record, current_cost: 0, total_cost_incurred: 0 } : record,
  ),
  'action-agrees-with-list: stop-of-running-shows-more-cores': saying(
    'stop-instance',
    ({ state, preset }) => (state === 'STOPPING' ? { cpu_count: preset.cpu + 1 } : {}),
  ),
  'action-agrees-with-list: terminate-shows-another-start': saying('terminate-instance', () => ({
    started_at: '2020-01-01T00:00:00Z',
  })),
  'action-agrees-with-list: actions-name-instances-by-their-ids': answeringActions(
    (record, { id }) => ({ ...record, name: id }),
  ),
  'runtime-in-hours: runtime-in-minutes': runtime((hours) => hours * 60),
  'runtime-in-hours: runtime-in-days': runtime((hours) => hours / 24),
  'figures-not-negative: runtime-counts-down': runtime((hours) => -hours),
  'action-size-not-sku: action-size-is-the-sku': answeringActions((record, { preset }) => ({
    ...record,
    size: preset.sku,
  })),
  'terminated-date-stays: refused-stop-dates-the-termination-anew': before(
    'stopOutcome',
    (instance, { now }) => {
      if (instance.state === 'TERMINATED') instance.terminatedAt = now;
    },
  ),
  'list-nullable-there: list-leaves-nulls-out': listing(withoutNulls),
  'action-nullable-there: actions-leave-nulls-out': answeringActions(withoutNulls),
  'dates-are-instants: dates-without-offset': replace('formatDate', (original, instant, context) =>
    original(instant, context).replace('Z', ''),
  ),
  'alive-has-no-reason: stopping-has-a-reason-of-termination': answeringActions(
    (record, { state }) =>
      state === 'STOPPING' || state === 'STOPPED'
        ? { ...record, termination_reason: 'Stopped on request.' }
        : record,
  ),
  'action-region-narrower: action-region-is-the-region': answeringActions((record, { preset }) => ({
    ...record,
    region: preset.region,
  })),
  'action-region-narrower: terminate-region-is-the-region': answeringActions(
    (record, { preset }, { operation }) =>
      operation === 'terminate-instance' ? { ...record, region: preset.region } : record,
  ),
  'action-size-headline: action-size-is-a-word': answeringActions((record) => ({
    ...record,
    size: 'large',
  })),
  'action-storage-not-use: action-storage-is-what-is-in-use': answeringActions(
    (record, { usedGb }) => ({ ...record, storage_used_gb: usedGb }),
  ),
  'action-storage-not-use: terminate-shows-what-is-in-use': answeringActions(
    (record, { usedGb }, { operation }) =>
      operation === 'terminate-instance' ? { ...record, storage_used_gb: usedGb } : record,
  ),
  'action-storage-steady: action-storage-is-in-use': (rules) => {
    let calls = 0;
    return answeringActions((record, { usedGb }) => {
      calls += 1;
      return { ...record, storage_used_gb: usedGb + calls };
    })(rules);
  },
  'action-cost-whole-life + action-cost-not-reset: action-cost-is-of-the-current-run': (rules) => ({
    actionRecord: (instance, at, context) => ({
      ...rules.actionRecord(instance, at, context),
      current_cost: rules.currentRunCost(instance, at, context),
    }),
  }),
  'action-cost-whole-life: action-cost-has-tax': answeringActions((record) => ({
    ...record,
    current_cost: Number(record['total_cost_incurred']) * 1.2 + 0.01,
  })),
  'action-ttl-same: action-ttl-is-of-each-instance': answeringActions(
    (record, { preset, account }, { world }) => ({
      ...record,
      ttl_remaining_hours: Math.round(world.account(account).credits / preset.hourlyPrice),
    }),
  ),
  'action-ttl-same: terminate-ttl-is-of-each-instance': answeringActions(
    (record, { preset, account }, { world, operation }) =>
      operation === 'terminate-instance'
        ? {
            ...record,
            ttl_remaining_hours: Math.round(world.account(account).credits / preset.hourlyPrice),
          }
        : record,
  ),
});
