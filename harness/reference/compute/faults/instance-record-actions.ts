/** Answers to stop and terminate whose fields are well-formed and do not hang together. */

import type { Instance, Operation } from '../model.ts';
import { amend, before, type Body, faultTable, type Patch, replace } from './words.ts';

/** Answers to one operation that say something else of the instance than the list does. */
function saying(operation: Operation, change: (instance: Instance) => Body): Patch {
  return amend('actionRecord', (record, instance, _at, context) => ({
    ...record,
    ...(context.operation === operation ? change(instance) : {}),
  }));
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
  'action-cost-not-reset: action-costs-are-reset': amend('actionRecord', (record, { state }) =>
    state === 'STOPPED' ? { ...record, current_cost: 0, total_cost_incurred: 0 } : record,
  ),
  'action-agrees-with-list: stop-of-running-shows-more-cores': saying(
    'stop-instance',
    ({ state, preset }) => (state === 'STOPPING' ? { cpu_count: preset.cpu + 1 } : {}),
  ),
  'action-agrees-with-list: terminate-shows-another-start': saying('terminate-instance', () => ({
    started_at: '2020-01-01T00:00:00Z',
  })),
  'action-agrees-with-list: actions-name-instances-by-their-ids': amend(
    'actionRecord',
    (record, { id }) => ({ ...record, name: id }),
  ),
  'runtime-in-hours: runtime-in-minutes': amend('runtimeHours', (hours) => hours * 60),
  'runtime-in-hours: runtime-in-days': amend('runtimeHours', (hours) => hours / 24),
  'figures-not-negative: runtime-counts-down': amend('runtimeHours', (hours) => -hours),
  'action-size-not-sku: action-size-is-the-sku': amend('actionRecord', (record, { preset }) => ({
    ...record,
    size: preset.sku,
  })),
  'terminated-date-stays: refused-stop-dates-the-termination-anew': before(
    'stopOutcome',
    (instance, { now }) => {
      if (instance.state === 'TERMINATED') instance.terminatedAt = now;
    },
  ),
  'list-nullable-there: list-leaves-nulls-out': amend('listRecord', withoutNulls),
  'action-nullable-there: actions-leave-nulls-out': amend('actionRecord', withoutNulls),
  'dates-are-instants: dates-without-offset': replace('formatDate', (original, instant, context) =>
    original(instant, context).replace('Z', ''),
  ),
  'alive-has-no-reason: stopping-has-a-reason-of-termination': amend(
    'actionRecord',
    (record, { state }) =>
      state === 'STOPPING' || state === 'STOPPED'
        ? { ...record, termination_reason: 'Stopped on request.' }
        : record,
  ),
  'action-region-narrower: action-region-is-the-region': amend(
    'actionRecord',
    (record, { preset }) => ({
      ...record,
      region: preset.region,
    }),
  ),
  'action-region-narrower: terminate-region-is-the-region': amend(
    'actionRecord',
    (record, { preset }, _at, { operation }) =>
      operation === 'terminate-instance' ? { ...record, region: preset.region } : record,
  ),
  'action-size-headline: action-size-is-a-word': amend('actionRecord', (record) => ({
    ...record,
    size: 'large',
  })),
  'action-storage-not-use: action-storage-is-what-is-in-use': amend(
    'actionRecord',
    (record, { usedGb }) => ({ ...record, storage_used_gb: usedGb }),
  ),
  'action-storage-not-use: terminate-shows-what-is-in-use': amend(
    'actionRecord',
    (record, { usedGb }, _at, { operation }) =>
      operation === 'terminate-instance' ? { ...record, storage_used_gb: usedGb } : record,
  ),
  'action-storage-steady: action-storage-is-in-use': (rules) => {
    let calls = 0;
    return amend('actionRecord', (record, { usedGb }) => {
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
  'action-cost-whole-life: action-cost-has-tax': amend('actionRecord', (record) => ({
    ...record,
    current_cost: Number(record['total_cost_incurred']) * 1.2 + 0.01,
  })),
  'action-ttl-same: action-ttl-is-of-each-instance': amend(
    'actionRecord',
    (record, { preset, account }, _at, { world }) => ({
      ...record,
      ttl_remaining_hours: Math.round(world.account(account).credits / preset.hourlyPrice),
    }),
  ),
  'action-ttl-same: terminate-ttl-is-of-each-instance': amend(
    'actionRecord',
    (record, { preset, account }, _at, { world, operation }) =>
      operation === 'terminate-instance'
        ? {
            ...record,
            ttl_remaining_hours: Math.round(world.account(account).credits / preset.hourlyPrice),
          }
        : record,
  ),
});
