/** Instances that come back after they were terminated, or were never torn down. */

import { type Instance, type InstanceState } from '../model.ts';
import type { ComputeRules, Deployment } from '../context.ts';
import { amend, faultTable, type Patch, replace, slowly } from './words.ts';

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

/** A teardown that came to nothing. */
function revive(instance: Instance, deployment: Deployment): void {
  instance.terminatedAt = undefined;
  instance.terminationReason = undefined;
  deployment.rules.enter(instance, 'STOPPED', deployment);
}

/** Teardowns of what was in that state come to nothing. */
function failing(state: InstanceState): Patch {
  return (rules) => {
    const doomed = new Set<string>();
    return {
      ...rules,
      beginTerminate: (instance, context) => {
        if (instance.state === state) doomed.add(instance.id);
        rules.beginTerminate(instance, context);
      },
      enter: (instance, next, deployment) => {
        if (next === 'TERMINATED' && doomed.has(instance.id)) revive(instance, deployment);
        else rules.enter(instance, next, deployment);
      },
    };
  };
}

export const statesTerminatedFaults = faultTable('compute.states', {
  'terminate-settles: terminate-of-what-boots-does-nothing': (conforming) => {
    const rules = slowly(conforming, 'CREATED');
    return {
      ...rules,
      beginTerminate: (instance, context) => {
        if (instance.state !== 'CREATED') rules.beginTerminate(instance, context);
      },
    };
  },
  'terminate-settles + order-kept: teardown-of-running-fails': failing('RUNNING'),
  'order-kept: boot-under-way-revives-what-was-terminated': {
    exercisedBy: ['compute.terminate-instance.early-accepted'],
    patch: (rules) => overtaken(rules, 'CREATED', endsLater('DEPLOYED')),
  },
  'order-kept: stop-under-way-revives-what-was-terminated': {
    exercisedBy: ['compute.terminate-instance.stopping-accepted'],
    patch: (rules) => overtaken(rules, 'STOPPING', endsLater('STOPPED')),
  },
  'order-kept: start-under-way-shows-in-the-teardown': {
    says: 'An instance that was terminated while it was STARTING runs for a moment before it is TERMINATED.',
    besides: ['terminate-settles', 'compute.instance-record.alive-has-no-reason'],
    exercisedBy: ['compute.terminate-instance.early-accepted'],
    patch: (conforming) =>
      overtaken(conforming, 'STARTING', (instance, deployment, rules) => {
        rules.enter(instance, 'RUNNING', deployment);
        deployment.schedule(instance, TASK_SHOWS_MS, () => {
          rules.enter(instance, 'TERMINATED', deployment);
        });
      }),
  },
  'order-kept: what-has-stopped-starts-again': (rules) => {
    const restarted = new Set<string>();
    return {
      successor: (instance, deployment) => {
        if (instance.state !== 'STOPPED' || instance.origin !== 'provision') {
          return rules.successor(instance, deployment);
        }
        if (restarted.has(instance.id)) return undefined;
        restarted.add(instance.id);
        return { state: 'STARTING', delayMs: 1_200 };
      },
    };
  },
  'terminated-stays: terminated-instances-come-back-after-a-while': {
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
  'terminated-stays: terminated-flickers': {
    says: 'Every third look at a TERMINATED instance shows it TERMINATING.',
    patch: (rules) => {
      let looks = 0;
      return {
        listRecord: (instance, at, context, query) => {
          const record = rules.listRecord(instance, at, context, query);
          if (instance.origin !== 'fixture' || instance.state !== 'TERMINATED') return record;
          looks += 1;
          return looks % 3 === 0 ? { ...record, status: 'TERMINATING' } : record;
        },
      };
    },
  },
  'refused-stop-keeps-terminated: refused-stop-revives-terminated': amend(
    'stopOutcome',
    (outcome, instance) => {
      if (instance.state === 'TERMINATED') {
        instance.terminatedAt = undefined;
        instance.terminationReason = undefined;
        instance.state = 'STOPPED';
      }
      return outcome;
    },
  ),
  'refused-stop-keeps-terminating: refused-stop-ends-the-teardown': (conforming) => {
    const rules = slowly(conforming, 'TERMINATING');
    return {
      ...rules,
      stopOutcome: (instance, context) => {
        const outcome = rules.stopOutcome(instance, context);
        if (instance.state === 'TERMINATING') revive(instance, context.deployment);
        return outcome;
      },
    };
  },
  'terminate-while-stopping-settles + order-kept: stop-wins-over-terminate': (rules) =>
    failing('STOPPING')(slowly(rules, 'STOPPING')),
  'terminate-again-settles + order-kept: second-terminate-ends-the-teardown': (conforming) => {
    const rules = slowly(conforming, 'TERMINATING');
    const again = new Set<string>();
    return {
      ...rules,
      // A second terminate that is a 500 is not issued again.
      isResourceGone: () => false,
      reissueTerminate: (instance, context) => {
        again.add(instance.id);
        rules.reissueTerminate(instance, context);
      },
      enter: (instance, next, deployment) => {
        if (next === 'TERMINATED' && again.has(instance.id)) revive(instance, deployment);
        else rules.enter(instance, next, deployment);
      },
    };
  },
  'terminated-survives-start: start-revives-terminated': (rules) => ({
    startOutcome: (instance, context) => {
      const outcome = rules.startOutcome(instance, context);
      if (instance.state === 'TERMINATED') {
        instance.terminatedAt = undefined;
        instance.terminationReason = undefined;
        rules.enter(instance, 'STARTING', context.deployment);
      }
      return outcome;
    },
  }),
  'terminated-survives-start + order-kept: start-revives-what-is-being-destroyed': replace(
    'startOutcome',
    (original, instance, context) => {
      if (instance.state !== 'TERMINATING') return original(instance, context);
      instance.terminationReason = undefined;
      return 'start';
    },
  ),
  'terminated-survives-terminate + terminated-stays + order-kept: refused-terminate-revives': amend(
    'terminateOutcome',
    (outcome, instance) => {
      if (instance.state === 'TERMINATED') {
        instance.terminatedAt = undefined;
        instance.terminationReason = undefined;
        instance.state = 'STOPPED';
      }
      return outcome;
    },
  ),
});
