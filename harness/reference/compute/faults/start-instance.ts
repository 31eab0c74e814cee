/** Starts that are refused, do nothing, or give back another instance. */

import { notFound } from '../model.ts';
import type { ComputeRules } from '../context.ts';
import { faultTable, forces, type Patch, replace, unknownAnswers } from './words.ts';

/** How instances are started, and the ids of those that were. */
function rememberingStarts(rules: ComputeRules): {
  readonly started: ReadonlySet<string>;
  readonly beginStart: ComputeRules['beginStart'];
} {
  const started = new Set<string>();
  return {
    started,
    beginStart: (instance, context) => {
      started.add(instance.id);
      rules.beginStart(instance, context);
    },
  };
}

/** A start makes one of the totals begin anew. */
function forgetting(total: 'settledRunMs' | 'settledCost'): Patch {
  return replace('beginStart', (original, instance, context) => {
    instance[total] = 0;
    original(instance, context);
  });
}

export const startInstanceFaults = faultTable('compute.start-instance', {
  'stopped-accepted: stopped-cannot-be-started': forces(
    'startOutcome',
    () => {
      throw notFound();
    },
    (instance) => instance.state === 'STOPPED',
  ),
  'leaves-stopped: start-does-nothing': forces(
    'startOutcome',
    'ignore',
    (instance) => instance.state === 'STOPPED',
  ),
  'keeps-identity: start-renames': (rules) => {
    const { started, beginStart } = rememberingStarts(rules);
    return {
      beginStart,
      listRecord: (instance, at, context, query) => {
        const record = rules.listRecord(instance, at, context, query);
        return started.has(instance.id) ? { ...record, name: `${instance.name}-1` } : record;
      },
      actionRecord: (instance, at, context) => {
        const record = rules.actionRecord(instance, at, context);
        return started.has(instance.id) ? { ...record, name: `${instance.name}-1` } : record;
      },
    };
  },
  'keeps-storage: start-gives-a-smaller-disk': (rules) => {
    const { started, beginStart } = rememberingStarts(rules);
    return {
      beginStart,
      actionRecord: (instance, at, context) => {
        const record = rules.actionRecord(instance, at, context);
        return started.has(instance.id)
          ? { ...record, storage_used_gb: instance.preset.storageGb / 2 }
          : record;
      },
    };
  },
  'started-anew: start-keeps-the-date-of-the-first-one': (rules) => {
    const first = new Map<string, unknown>();
    return {
      listRecord: (instance, at, context, query) => {
        const record = rules.listRecord(instance, at, context, query);
        const date = first.get(instance.id) ?? record['started_at'];
        if (date !== null) first.set(instance.id, date);
        return { ...record, started_at: date };
      },
    };
  },
  'cost-of-new-run: start-continues-the-cost-of-the-run-before': (rules) => {
    const { started, beginStart } = rememberingStarts(rules);
    return {
      beginStart,
      listRecord: (instance, at, context, query) => {
        const record = rules.listRecord(instance, at, context, query);
        const before = started.has(instance.id) ? instance.settledCost : 0;
        return { ...record, current_cost: Number(record['current_cost']) + before };
      },
    };
  },
  'unknown-id: unknown-start-is-accepted': unknownAnswers('start-instance', 202),
  'keeps-totals + cost-of-new-run: start-forgets-the-total-cost': forgetting('settledCost'),
  'keeps-totals: start-forgets-the-runtime': forgetting('settledRunMs'),
});
