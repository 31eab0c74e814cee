/** Starts that are refused, do nothing, or give back another instance. */

import { type Instance, notFound } from '../model.ts';
import {
  amend,
  before,
  type Body,
  chained,
  fails,
  faultTable,
  forces,
  onceStarted,
  type Patch,
  unknownAnswers,
} from './words.ts';

/** A record of what was started in this run, changed. */
function ofStarted(
  rule: 'listRecord' | 'actionRecord',
  change: (record: Body, instance: Instance) => Body,
): Patch {
  return onceStarted((isStarted) => {
    const changed = (record: Body, instance: Instance): Body =>
      isStarted(instance) ? change(record, instance) : record;
    return rule === 'listRecord' ? amend('listRecord', changed) : amend('actionRecord', changed);
  });
}

const renamed = (record: Body, { name }: Instance): Body => ({ ...record, name: `${name}-1` });

/** A start makes one of the totals begin anew. */
function forgetting(total: 'settledRunMs' | 'settledCost'): Patch {
  return before('beginStart', (instance) => {
    instance[total] = 0;
  });
}

export const startInstanceFaults = faultTable('compute.start-instance', {
  'stopped-accepted: stopped-cannot-be-started': fails(
    'startOutcome',
    notFound,
    ({ state }) => state === 'STOPPED',
  ),
  'leaves-stopped: start-does-nothing': forces(
    'startOutcome',
    'ignore',
    (instance) => instance.state === 'STOPPED',
  ),
  'keeps-identity: start-renames': chained(
    ofStarted('listRecord', renamed),
    ofStarted('actionRecord', renamed),
  ),
  'keeps-storage: start-gives-a-smaller-disk': ofStarted('actionRecord', (record, { preset }) => ({
    ...record,
    storage_used_gb: preset.storageGb / 2,
  })),
  'started-anew: start-keeps-the-date-of-the-first-one': (rules) => {
    const first = new Map<Instance, unknown>();
    return amend('listRecord', (record, instance) => {
      const date = first.get(instance) ?? record['started_at'];
      if (date !== null) first.set(instance, date);
      return { ...record, started_at: date };
    })(rules);
  },
  'cost-of-new-run: start-continues-the-cost-of-the-run-before': ofStarted(
    'listRecord',
    (record, { settledCost }) => ({
      ...record,
      current_cost: Number(record['current_cost']) + settledCost,
    }),
  ),
  'unknown-id: unknown-start-is-accepted': unknownAnswers('start-instance', 202),
  'keeps-totals + cost-of-new-run: start-forgets-the-total-cost': forgetting('settledCost'),
  'keeps-totals: start-forgets-the-runtime': forgetting('settledRunMs'),
});
