/** Instances that enter states against the table of states, come back, or were never torn down. */

import type { Instance, InstanceState } from '../model.ts';
import {
  amend,
  answering,
  before,
  type Body,
  chained,
  faultTable,
  forces,
  hasJustStopped,
  isBody,
  lingering,
  listing,
  nowAndThen,
  onceForEach,
  type Patch,
  replace,
  telling,
  each,
} from './words.ts';
import type { Deployment } from '../context.ts';

/** Milliseconds from TERMINATED until a background task ends. */
const TASK_ENDS_MS = 500;

/** Milliseconds of a slow teardown: cases read a list at its beginning and again after it. */
const LONG_TEARDOWN_MS = 6_000;

/** Longer than a stale list may lag behind. */
const LONGER_THAN_A_COPY_LAGS_MS = 4_400;

/** Removes what shows that an instance was terminated. */
function unannounced(instance: Instance): void {
  instance.terminatedAt = undefined;
  instance.terminationReason = undefined;
}

/** Puts a TERMINATED instance back into STOPPED after a rule has decided about it. */
function revived<T>(outcome: T, instance: Instance): T {
  if (instance.state === 'TERMINATED') {
    unannounced(instance);
    instance.state = 'STOPPED';
  }
  return outcome;
}

type Enter = (instance: Instance, state: InstanceState, deployment: Deployment) => void;

/** What happens to an instance instead of becoming TERMINATED. */
type End = (instance: Instance, deployment: Deployment, enter: Enter) => void;

/** Instances that `rule` meets in a state come to another end. */
function overtaken(
  state: InstanceState,
  end: End,
  rule: 'beginTerminate' | 'reissueTerminate' = 'beginTerminate',
): Patch {
  return (rules) => {
    const overtaking = new Set<Instance>();
    return chained(
      lingering(state),
      before(rule, (instance, _context) => {
        if (instance.state === state) overtaking.add(instance);
      }),
      replace('enter', (enter, instance, next, deployment) => {
        if (next === 'TERMINATED' && overtaking.delete(instance)) end(instance, deployment, enter);
        else enter(instance, next, deployment);
      }),
    )(rules);
  };
}

/** The instance becomes TERMINATED, and enters another state a while later. */
function endsLater(state: InstanceState): End {
  return (instance, deployment, enter) => {
    enter(instance, 'TERMINATED', deployment);
    deployment.timers.schedule(instance, TASK_ENDS_MS, () => {
      unannounced(instance);
      enter(instance, state, deployment);
    });
  };
}

/** The teardown fails, and the instance is STOPPED again. */
function revive(instance: Instance, deployment: Deployment): void {
  unannounced(instance);
  deployment.rules.enter(instance, 'STOPPED', deployment);
}

export const statesFaults = faultTable('compute.states', {
  ...each.amend('runtimeHours', {
    // While an instance runs, an hour is added in advance, which is dropped when it stops.
    'runtime-rests: stop-resets-the-runtime': (hours, { origin, state }) =>
      origin === 'provision' && state === 'RUNNING' ? hours + 1 : hours,
    'runtime-rests, met by storage-kept: runtime-goes-on-after-a-stop': (hours, instance, at) =>
      hasJustStopped(instance) ? hours + (at - instance.stateSince) / 3_600_000 : hours,
  }),
  'runtime-rests: every-stop-adds-to-the-runtime': (rules) => {
    const stops = new Map<Instance, number>();
    return chained(
      before('stopOutcome', (instance) => {
        if (instance.state === 'STOPPED') stops.set(instance, (stops.get(instance) ?? 0) + 1);
      }),
      amend('runtimeHours', (hours, instance) => hours + (stops.get(instance) ?? 0)),
    )(rules);
  },
  'storage-use-kept: stop-forgets-what-is-in-use': listing(
    (shown) => hasJustStopped(shown) && { storage_used_gb: 0 },
  ),
  'early-order-kept: starting-falls-back-to-created': (rules) => {
    const fallen = new Set<Instance>();
    const falls = { state: 'CREATED', delayMs: 150 } as const;
    // Longer than a replica may lag behind.
    const comesBack = { state: 'DEPLOYED', delayMs: 6_000 } as const;
    return amend('successor', (next, instance) => {
      if (fallen.has(instance)) return instance.state === 'CREATED' ? comesBack : next;
      if (instance.state !== 'STARTING' || instance.origin !== 'provision') return next;
      fallen.add(instance);
      return falls;
    })(rules);
  },
  'running-stop-settles + polling-settles + order-kept: stop-ends-in-running': forces(
    'successor',
    { state: 'RUNNING', delayMs: 300 },
    (instance) => instance.state === 'STOPPING' && instance.origin === 'provision',
  ),
  // An instance is CREATED again a moment after a repeated stop.
  'stopped-stays: stop-resets-what-is-stopped': before(
    'stopOutcome',
    (instance, { deployment }) => {
      if (instance.state !== 'STOPPED' || instance.origin !== 'fixture') return;
      deployment.timers.schedule(instance, 1, () => {
        instance.state = 'CREATED';
      });
    },
  ),
  'stop-keeps-start: start-is-dated-to-the-stop': amend('enter', (_entered, instance, state) => {
    if (state === 'STOPPED') instance.startedAt = Date.now();
  }),
  'storage-kept: stop-frees-the-disk': telling(
    (shown) => hasJustStopped(shown) && { storage_used_gb: 1 },
  ),
  'storage-kept: stop-wipes-the-disk': telling(
    ({ origin }) => origin === 'provision' && { storage_used_gb: 0 },
  ),
  'compute.stop-instance.stopped-unchanged: second-stop-halves-storage-in-use': before(
    'stopOutcome',
    (instance) => {
      if (instance.state === 'STOPPED') instance.usedGb /= 2;
    },
  ),
  'compute.stop-instance.stopped-unchanged + compute.instance-record.action-cost-not-reset: second-stop-forgets-the-cost':
    before('stopOutcome', (instance) => {
      if (instance.state === 'STOPPED') instance.settledCost = 0;
    }),
  'polling-settles: single-instance-is-kept-from-the-first-read': (rules) => {
    const kept = new Map<string, Body>();
    const keeping = answering((answer, { operation, pathParameters }) => {
      const id = pathParameters['id'] ?? '';
      if (operation === 'stop-instance' || operation === 'start-instance') kept.delete(id);
      if (operation !== 'get-instance' || !isBody(answer.json)) return answer;
      const first = kept.get(id);
      if (first !== undefined) return { ...answer, json: first };
      if (answer.json['status'] === 'STOPPING') kept.set(id, answer.json);
      return answer;
    });
    return chained(lingering('STOPPING'), keeping)(rules);
  },
  'terminate-settles: terminate-of-what-boots-does-nothing': chained(
    lingering('CREATED'),
    forces('beginTerminate', undefined, ({ state }) => state === 'CREATED'),
  ),
  'terminate-settles + order-kept: teardown-of-running-fails': overtaken('RUNNING', revive),
  'order-kept + terminate-settles + compute.instance-record.alive-has-no-reason: terminated-comes-by-stopped':
    overtaken('RUNNING', (instance, deployment, enter) => {
      enter(instance, 'STOPPED', deployment);
      deployment.timers.schedule(instance, 1_200, () => {
        enter(instance, 'TERMINATED', deployment);
      });
    }),
  'order-kept, met by compute.terminate-instance.early-accepted: boot-under-way-revives-what-was-terminated':
    overtaken('CREATED', endsLater('DEPLOYED')),
  'order-kept, met by compute.terminate-instance.stopping-accepted: stop-under-way-revives-what-was-terminated':
    overtaken('STOPPING', endsLater('STOPPED')),
  // An instance that was terminated while STARTING runs for a moment before it is TERMINATED.
  'order-kept + terminate-settles + compute.instance-record.alive-has-no-reason, met by compute.terminate-instance.early-accepted: start-under-way-shows-in-the-teardown':
    overtaken('STARTING', (instance, deployment, enter) => {
      enter(instance, 'RUNNING', deployment);
      deployment.timers.schedule(instance, LONG_TEARDOWN_MS, () => {
        enter(instance, 'TERMINATED', deployment);
      });
    }),
  'order-kept: what-has-stopped-starts-again': onceForEach((isFirst) =>
    amend('successor', (next, instance) =>
      instance.state === 'STOPPED' && instance.origin === 'provision' && isFirst(instance)
        ? { state: 'STARTING' as const, delayMs: 1_200 }
        : next,
    ),
  ),
  'terminated-stays, met by compute.terminate-instance.early-accepted, compute.list-instances.status-terminated: terminated-instances-come-back-after-a-while':
    (rules) => {
      const firstListed = new Map<Instance, number>();
      return chained(
        amend('successor', (next, { state }) =>
          next !== undefined && state === 'TERMINATING'
            ? { ...next, delayMs: Math.max(next.delayMs, LONG_TEARDOWN_MS) }
            : next,
        ),
        listing(({ instance, state, origin }) => {
          if (state !== 'TERMINATED' || origin !== 'seed') return false;
          const first = firstListed.get(instance) ?? Date.now();
          firstListed.set(instance, first);
          const isLate = Date.now() - first >= LONGER_THAN_A_COPY_LAGS_MS;
          const alive = { status: 'STOPPED', terminated_at: null, termination_reason: null };
          return isLate && alive;
        }),
      )(rules);
    },
  'terminated-stays: terminated-flickers': nowAndThen(3, (isDue) =>
    listing(
      ({ origin, state }) =>
        origin === 'fixture' && state === 'TERMINATED' && isDue() && { status: 'TERMINATING' },
    ),
  ),
  'refused-stop-keeps-terminated: refused-stop-revives-terminated': amend('stopOutcome', revived),
  'refused-stop-keeps-terminating: refused-stop-ends-the-teardown': chained(
    lingering('TERMINATING'),
    amend('stopOutcome', (outcome, instance, { deployment }) => {
      if (instance.state === 'TERMINATING') revive(instance, deployment);
      return outcome;
    }),
  ),
  'terminate-while-stopping-settles + order-kept: stop-wins-over-terminate': overtaken(
    'STOPPING',
    revive,
  ),
  'terminate-again-settles + order-kept: second-terminate-ends-the-teardown': chained(
    // Without this, a repeated terminate might answer 500 and never reach `reissueTerminate`.
    () => ({ isResourceGone: () => false }),
    overtaken('TERMINATING', revive, 'reissueTerminate'),
  ),
  'terminated-survives-start: start-revives-terminated': amend(
    'startOutcome',
    (outcome, instance, { deployment }) => {
      if (instance.state === 'TERMINATED') {
        unannounced(instance);
        deployment.rules.enter(instance, 'STARTING', deployment);
      }
      return outcome;
    },
  ),
  'terminated-survives-start: start-revives-what-is-being-destroyed': replace(
    'startOutcome',
    (original, instance, context) => {
      if (instance.state !== 'TERMINATING') return original(instance, context);
      instance.terminationReason = undefined;
      return 'start';
    },
  ),
  'terminated-survives-terminate + terminated-stays + order-kept: refused-terminate-revives': amend(
    'terminateOutcome',
    revived,
  ),
  'compute.terminate-instance.early-accepted: terminate-of-what-erred-is-a-conflict': chained(
    nowAndThen(3, (isDue) =>
      amend('successor', (next, { origin, state }) =>
        next !== undefined && origin === 'provision' && state === 'STARTING' && isDue()
          ? { ...next, state: 'ERRORED' as const }
          : next,
      ),
    ),
    forces('terminateOutcome', 'conflict', ({ state }) => state === 'ERRORED'),
  ),
  'compute.instance-record.action-ttl-same: terminate-of-stopped-shows-no-hours': (rules) => {
    let was: string | undefined;
    return chained(
      // As long as the resource is there, a terminate that is repeated is accepted.
      forces('isResourceGone', false, () => true),
      before('terminateOutcome', ({ state }) => (was = state)),
      telling(() => was === 'STOPPED' && { ttl_remaining_hours: 0 }, 'terminate-instance'),
    )(rules);
  },
});
