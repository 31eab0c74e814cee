/** Instances that go where the table of states does not let them go. */

import type { Deployment } from '../context.ts';
import { type Instance, type InstanceState, notFound } from '../model.ts';
import {
  type Patch,
  unless,
  replace,
  amend,
  faultTable,
  type Body,
  answering,
  isBody,
} from './answering.ts';
import { slowly } from './slowly.ts';

export const stateFaults = faultTable({
  'compute.states.early-order-kept': {
    'starting-falls-back-to-created': (rules) => {
      const fallen = new Set<string>();
      return {
        successor: (instance, deployment) => {
          const { id, state, origin } = instance;
          // For longer than a copy may be behind.
          if (state === 'CREATED' && fallen.has(id)) return { state: 'DEPLOYED', delayMs: 6_000 };
          if (state !== 'STARTING' || fallen.has(id) || origin !== 'provision') {
            return rules.successor(instance, deployment);
          }
          fallen.add(id);
          return { state: 'CREATED', delayMs: 150 };
        },
      };
    },
  },
  'compute.states.order-kept': {
    'what-has-stopped-starts-again': (rules) => {
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
  },
  'compute.states.running-stop-settles': {
    'stop-ends-in-running': {
      besides: ['compute.states.polling-settles', 'compute.states.order-kept'],
      patch: unless(
        'successor',
        (instance) => instance.state === 'STOPPING' && instance.origin === 'provision',
        { state: 'RUNNING', delayMs: 300 },
      ),
    },
  },
  'compute.states.stopped-stays': {
    'stop-resets-what-is-stopped': {
      says: 'An instance is CREATED again a moment after it was stopped once more.',
      patch: replace('stopOutcome', (original, instance, context) => {
        if (instance.state === 'STOPPED' && instance.origin === 'fixture') {
          context.deployment.schedule(instance, 1, () => {
            instance.state = 'CREATED';
          });
        }
        return original(instance, context);
      }),
    },
  },
  'compute.states.refused-stop-keeps-terminated': {
    'refused-stop-revives-terminated': amend('stopOutcome', (outcome, instance) => {
      if (instance.state === 'TERMINATED') {
        instance.terminatedAt = undefined;
        instance.terminationReason = undefined;
        instance.state = 'STOPPED';
      }
      return outcome;
    }),
  },
  'compute.states.refused-stop-keeps-terminating': {
    'refused-stop-ends-the-teardown': (conforming) => {
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
  },
  'compute.states.terminate-settles': {
    'teardown-of-running-fails': {
      besides: ['compute.states.order-kept'],
      patch: failing('RUNNING'),
    },
  },
  'compute.states.terminate-while-stopping-settles': {
    'stop-wins-over-terminate': {
      besides: ['compute.states.order-kept'],
      patch: (rules) => failing('STOPPING')(slowly(rules, 'STOPPING')),
    },
  },
  'compute.states.terminate-again-settles': {
    'second-terminate-ends-the-teardown': {
      besides: ['compute.states.order-kept'],
      patch: (conforming) => {
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
    },
  },
  'compute.states.terminated-stays': {
    'terminated-flickers': {
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
  },
  'compute.states.terminated-survives-start': {
    'start-revives-terminated': {
      says: 'A start of a TERMINATED instance is refused, and the instance runs after it.',
      patch: (rules) => ({
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
    },
    'start-revives-what-is-being-destroyed': {
      says: 'A start of a TERMINATING instance is accepted, and the instance runs after it.',
      besides: ['compute.states.order-kept'],
      patch: replace('startOutcome', (original, instance, context) => {
        if (instance.state !== 'TERMINATING') return original(instance, context);
        instance.terminationReason = undefined;
        return 'start';
      }),
    },
  },
  'compute.states.terminated-survives-terminate': {
    'refused-terminate-revives': {
      says: 'A terminate of a TERMINATED instance is refused, and the instance is STOPPED after it.',
      besides: ['compute.states.terminated-stays', 'compute.states.order-kept'],
      patch: amend('terminateOutcome', (outcome, instance) => {
        if (instance.state === 'TERMINATED') {
          instance.terminatedAt = undefined;
          instance.terminationReason = undefined;
          instance.state = 'STOPPED';
        }
        return outcome;
      }),
    },
  },
  'compute.states.stop-keeps-start': {
    'start-is-dated-to-the-stop': replace('enter', (original, instance, state, deployment) => {
      original(instance, state, deployment);
      if (state === 'STOPPED') instance.startedAt = Date.now();
    }),
  },
  'compute.states.storage-kept': {
    'stop-frees-the-disk': amend('actionRecord', (record, instance) =>
      instance.state === 'STOPPED' && instance.origin === 'provision'
        ? { ...record, storage_used_gb: 1 }
        : record,
    ),
    'stop-wipes-the-disk': amend('actionRecord', (record, instance) =>
      instance.origin === 'provision' ? { ...record, storage_used_gb: 0 } : record,
    ),
  },
  'compute.states.polling-settles': {
    'single-instance-is-kept-from-the-first-read': (rules) => {
      const kept = new Map<string, Body>();
      return answering((answer, { operation, pathParameters }) => {
        const id = pathParameters['id'] ?? '';
        if (operation === 'stop-instance' || operation === 'start-instance') kept.delete(id);
        if (operation !== 'get-instance' || !isBody(answer.json)) return answer;
        const before = kept.get(id);
        if (before !== undefined) return { ...answer, json: before };
        if (answer.json['status'] === 'STOPPING') kept.set(id, answer.json);
        return answer;
      })(rules);
    },
  },
  'compute.states.concurrent-calls': {
    'calls-in-flight-together-collide': {
      says: 'A stop or terminate that meets another request under way for its instance is 404.',
      patch: (rules) => {
        const underWay = new Map<string, number>();
        return {
          onRequest: async (context) => {
            const { operation } = context;
            const id = context.pathParameters['id'] ?? '';
            if (operation !== 'stop-instance' && operation !== 'terminate-instance') {
              return rules.onRequest(context);
            }
            underWay.set(id, (underWay.get(id) ?? 0) + 1);
            await new Promise((done) => setTimeout(done, 3));
            return rules.onRequest(context);
          },
          onResponse: async (context, answer) => {
            const sent = await rules.onResponse(context, answer);
            const { operation } = context;
            if (operation !== 'stop-instance' && operation !== 'terminate-instance') return sent;
            const id = context.pathParameters['id'] ?? '';
            const count = underWay.get(id) ?? 1;
            underWay.set(id, count - 1);
            return count > 1 && sent.status < 300 ? rules.errorAnswer(notFound(), context) : sent;
          },
        };
      },
    },
  },
});

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
