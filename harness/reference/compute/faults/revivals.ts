/** Instances that were terminated while something else was under way, which ends later and brings them back. */

import type { ComputeRules, Deployment } from '../context.ts';
import type { Instance, InstanceState } from '../model.ts';
import { slowly } from './slowly.ts';
import { amend, faultTable } from './answering.ts';

/** Milliseconds from TERMINATED until a task that was under way ends. */
const TASK_ENDS_MS = 500;
/** Milliseconds for which an instance that is torn down shows what a task has made of it. */
const TASK_SHOWS_MS = 6_000;
/** Milliseconds of a teardown after which lists are read again that were read at its beginning. */
const LONG_TEARDOWN_MS = 6_000;
/** Milliseconds for which a list may be behind, and more. */
const LONGER_THAN_A_COPY_LAGS_MS = 4_400;

/** Takes note of what is terminated in a state; `end` is what becomes of it in the place of TERMINATED. */
function overtaken(
  conforming: ComputeRules,
  state: InstanceState,
  end: (instance: Instance, deployment: Deployment, rules: ComputeRules) => void,
): ComputeRules {
  const rules = slowly(conforming, state);
  const overtaking = new Set<string>();
  return {
    ...rules,
    beginTerminate: (instance, context) => {
      if (instance.state === state) overtaking.add(instance.id);
      rules.beginTerminate(instance, context);
    },
    enter: (instance, next, deployment) => {
      if (next === 'TERMINATED' && overtaking.delete(instance.id)) end(instance, deployment, rules);
      else rules.enter(instance, next, deployment);
    },
  };
}

/** It is terminated, and comes to another state a while later. */
function endsLater(
  state: InstanceState,
): (instance: Instance, deployment: Deployment, rules: ComputeRules) => void {
  return (instance, deployment, rules) => {
    rules.enter(instance, 'TERMINATED', deployment);
    deployment.schedule(instance, TASK_ENDS_MS, () => {
      instance.terminatedAt = undefined;
      instance.terminationReason = undefined;
      rules.enter(instance, state, deployment);
    });
  };
}

export const revivalFaults = faultTable({
  'compute.states.order-kept': {
    'start-under-way-revives-what-was-terminated': {
      exercisedBy: ['compute.terminate-instance.early-accepted'],
      patch: (rules) => overtaken(rules, 'STARTING', endsLater('RUNNING')),
    },
    'boot-under-way-revives-what-was-terminated': {
      says: 'An instance that was terminated while it was CREATED is DEPLOYED some time after.',
      exercisedBy: ['compute.terminate-instance.early-accepted'],
      patch: (rules) => overtaken(rules, 'CREATED', endsLater('DEPLOYED')),
    },
    'stop-under-way-revives-what-was-terminated': {
      exercisedBy: ['compute.terminate-instance.stopping-accepted'],
      patch: (rules) => overtaken(rules, 'STOPPING', endsLater('STOPPED')),
    },
    'start-under-way-shows-in-the-teardown': {
      says: 'An instance that was terminated while it was STARTING runs for a moment before it is TERMINATED.',
      besides: ['compute.states.terminate-settles', 'compute.instance-record.alive-has-no-reason'],
      exercisedBy: ['compute.terminate-instance.early-accepted'],
      patch: (conforming) =>
        overtaken(conforming, 'STARTING', (instance, deployment, rules) => {
          rules.enter(instance, 'RUNNING', deployment);
          deployment.schedule(instance, TASK_SHOWS_MS, () => {
            rules.enter(instance, 'TERMINATED', deployment);
          });
        }),
    },
  },
  'compute.instance-record.terminated-has-date': {
    'instances-that-never-ran-end-without-a-date': {
      exercisedBy: ['compute.terminate-instance.early-accepted'],
      patch: amend('listRecord', (record, instance) => {
        const neverRan = instance.state === 'TERMINATED' && instance.startedAt === undefined;
        return neverRan ? { ...record, terminated_at: null } : record;
      }),
    },
  },
  'compute.states.terminated-stays': {
    'terminated-instances-come-back-after-a-while': {
      says: 'What was listed as TERMINATED is listed as STOPPED some seconds later.',
      exercisedBy: [
        'compute.terminate-instance.early-accepted',
        'compute.list-instances.status-terminated',
      ],
      patch: (rules) => {
        const firstListed = new Map<string, number>();
        return {
          successor: (instance, deployment) => {
            const next = rules.successor(instance, deployment);
            return next !== undefined && instance.state === 'TERMINATING'
              ? { ...next, delayMs: Math.max(next.delayMs, LONG_TEARDOWN_MS) }
              : next;
          },
          listRecord: (instance, at, context, query) => {
            const record = rules.listRecord(instance, at, context, query);
            if (instance.state !== 'TERMINATED' || instance.origin !== 'seed') return record;
            const now = Date.now();
            const first = firstListed.get(instance.id) ?? now;
            firstListed.set(instance.id, first);
            return now - first < LONGER_THAN_A_COPY_LAGS_MS
              ? record
              : { ...record, status: 'STOPPED', terminated_at: null, termination_reason: null };
          },
        };
      },
    },
  },
});
