/** Starts that are refused, do nothing, or give back another instance. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { ComputeRules } from '../context.ts';
import { notFound } from '../refusal.ts';

const start = (slug: string): string => `compute.start-instance.${slug}`;

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

export const startInstanceFaults = declareFaults<ComputeRules>([
  {
    name: 'stopped-cannot-be-started',
    summary: 'A start of a stopped instance is refused as not found.',
    breaks: [start('stopped-accepted')],
    patch: (rules) => ({
      ...rules,
      startOutcome: (instance, context) => {
        if (instance.state === 'STOPPED') throw notFound();
        return rules.startOutcome(instance, context);
      },
    }),
  },
  {
    name: 'start-does-nothing',
    summary: 'A start of a stopped instance is accepted and does nothing.',
    breaks: [start('leaves-stopped')],
    patch: (rules) => ({
      ...rules,
      startOutcome: (instance, context) =>
        instance.state === 'STOPPED' ? 'ignore' : rules.startOutcome(instance, context),
    }),
  },
  {
    name: 'start-renames',
    summary: 'A started instance has another name.',
    breaks: [start('keeps-identity')],
    patch: (rules) => {
      const { started, beginStart } = rememberingStarts(rules);
      return {
        ...rules,
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
  },
  {
    name: 'start-gives-a-smaller-disk',
    summary: 'A started instance has half of its disk.',
    breaks: [start('keeps-storage')],
    patch: (rules) => {
      const { started, beginStart } = rememberingStarts(rules);
      return {
        ...rules,
        beginStart,
        actionRecord: (instance, at, context) => {
          const record = rules.actionRecord(instance, at, context);
          return started.has(instance.id)
            ? { ...record, storage_used_gb: instance.preset.storageGb / 2 }
            : record;
        },
      };
    },
  },
  {
    name: 'start-keeps-the-date-of-the-first-one',
    summary: 'A started instance tells that it began to run when it did so for the first time.',
    breaks: [start('started-anew')],
    patch: (rules) => {
      const first = new Map<string, unknown>();
      return {
        ...rules,
        listRecord: (instance, at, context, query) => {
          const record = rules.listRecord(instance, at, context, query);
          const date = first.get(instance.id) ?? record['started_at'];
          if (date !== null) first.set(instance.id, date);
          return { ...record, started_at: date };
        },
      };
    },
  },
  ...(['settledRunMs', 'settledCost'] as const).map((total): Fault<ComputeRules> => ({
    name: total === 'settledCost' ? 'start-forgets-the-total-cost' : 'start-forgets-the-runtime',
    summary: `A start sets the total ${total === 'settledCost' ? 'cost' : 'runtime'} of an instance to what the new run comes to.`,
    breaks: [start('keeps-totals')],
    patch: (rules) => ({
      ...rules,
      beginStart: (instance, context) => {
        instance[total] = 0;
        rules.beginStart(instance, context);
      },
    }),
  })),
  {
    name: 'start-continues-the-cost-of-the-run-before',
    summary: 'The current cost of a started instance begins with what the run before has cost.',
    breaks: [start('cost-of-new-run')],
    patch: (rules) => {
      const { started, beginStart } = rememberingStarts(rules);
      return {
        ...rules,
        beginStart,
        // What the run before has cost is less than a report shows: so it is made more, in both figures.
        listRecord: (instance, at, context, query) => {
          const record = rules.listRecord(instance, at, context, query);
          const current = Number(record['current_cost']) + (started.has(instance.id) ? 30 : 0);
          return { ...record, current_cost: current };
        },
        totalCost: (instance, at, context) => rules.totalCost(instance, at, context) + 40,
      };
    },
  },
]);
