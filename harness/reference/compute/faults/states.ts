/** Instances that go where the table of states does not let them go. */

import { declareFaults } from '../../fault.ts';
import type { ComputeRules, Deployment } from '../context.ts';
import type { Instance, InstanceState } from '../model.ts';
import { notFound } from '../refusal.ts';
import { type Body, answering, isBody } from './answering.ts';
import { slowly } from './slowly.ts';

const states = (slug: string): string => `compute.states.${slug}`;

export const stateFaults = declareFaults<ComputeRules>([
  {
    name: 'starting-falls-back-to-created',
    summary: 'On its way to RUNNING, an instance goes back to CREATED once, for some seconds.',
    breaks: [states('early-order-kept')],
    patch: (rules) => {
      const fallen = new Set<string>();
      return {
        ...rules,
        successor: (instance, deployment) => {
          const next = rules.successor(instance, deployment);
          const { id, state, origin } = instance;
          if (state === 'CREATED' && fallen.has(id)) return { state: 'DEPLOYED', delayMs: 6_000 };
          if (state !== 'STARTING' || fallen.has(id) || origin !== 'provision') return next;
          fallen.add(id);
          return { state: 'CREATED', delayMs: 150 };
        },
      };
    },
  },
  {
    name: 'stop-ends-in-running',
    summary: 'An instance that was stopped runs again in the end.',
    breaks: [states('running-stop-settles'), states('polling-settles'), states('order-kept')],
    patch: (rules) => ({
      ...rules,
      successor: (instance, deployment) =>
        instance.state === 'STOPPING' && instance.origin === 'provision'
          ? { state: 'RUNNING', delayMs: 300 }
          : rules.successor(instance, deployment),
    }),
  },
  {
    name: 'what-has-stopped-starts-again',
    summary: 'An instance that was stopped starts by itself about a second later, once.',
    breaks: [states('order-kept')],
    patch: (rules) => {
      const restarted = new Set<string>();
      return {
        ...rules,
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
  {
    name: 'stop-resets-what-is-stopped',
    summary: 'An instance is CREATED again a moment after it was stopped once more.',
    breaks: [states('stopped-stays')],
    patch: (rules) => ({
      ...rules,
      stopOutcome: (instance, context) => {
        if (instance.state === 'STOPPED' && instance.origin === 'fixture') {
          context.deployment.schedule(instance, 1, () => {
            instance.state = 'CREATED';
          });
        }
        return rules.stopOutcome(instance, context);
      },
    }),
  },
  {
    name: 'refused-stop-revives-terminated',
    summary: 'A stop of a TERMINATED instance is refused, and the instance is STOPPED after it.',
    breaks: [states('refused-stop-keeps-terminated')],
    patch: (rules) => ({
      ...rules,
      stopOutcome: (instance, context) => {
        const outcome = rules.stopOutcome(instance, context);
        if (instance.state === 'TERMINATED') {
          instance.terminatedAt = undefined;
          instance.terminationReason = undefined;
          instance.state = 'STOPPED';
        }
        return outcome;
      },
    }),
  },
  {
    name: 'refused-stop-ends-the-teardown',
    summary: 'A stop of a TERMINATING instance is refused, and the instance is STOPPED after it.',
    breaks: [states('refused-stop-keeps-terminating')],
    patch: (conforming) => {
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
  {
    name: 'teardown-of-running-fails',
    summary: 'A running instance that was terminated is STOPPED in the end.',
    breaks: [states('terminate-settles'), states('order-kept')],
    patch: (rules) => failing(rules, 'RUNNING'),
  },
  {
    name: 'stop-wins-over-terminate',
    summary: 'An instance that is terminated while STOPPING is STOPPED in the end.',
    breaks: [states('terminate-while-stopping-settles'), states('order-kept')],
    patch: (rules) => failing(slowly(rules, 'STOPPING'), 'STOPPING'),
  },
  {
    name: 'second-terminate-ends-the-teardown',
    summary: 'The teardown of an instance that is terminated again ends in STOPPED.',
    breaks: [states('terminate-again-settles'), states('order-kept')],
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
  {
    name: 'terminated-flickers',
    summary: 'Every third look at a TERMINATED instance shows it TERMINATING.',
    breaks: [states('terminated-stays')],
    patch: (rules) => {
      let looks = 0;
      return {
        ...rules,
        listRecord: (instance, at, context, query) => {
          const record = rules.listRecord(instance, at, context, query);
          if (instance.origin !== 'fixture' || instance.state !== 'TERMINATED') return record;
          looks += 1;
          return looks % 3 === 0 ? { ...record, status: 'TERMINATING' } : record;
        },
      };
    },
  },
  {
    name: 'start-revives-terminated',
    summary: 'A start of a TERMINATED instance is refused, and the instance runs after it.',
    breaks: [states('terminated-survives-start')],
    patch: (rules) => ({
      ...rules,
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
  {
    name: 'start-revives-what-is-being-destroyed',
    summary: 'A start of a TERMINATING instance is accepted, and the instance runs after it.',
    breaks: [states('terminated-survives-start'), states('order-kept')],
    patch: (rules) => ({
      ...rules,
      startOutcome: (instance, context) => {
        if (instance.state !== 'TERMINATING') return rules.startOutcome(instance, context);
        instance.terminationReason = undefined;
        return 'start';
      },
    }),
  },
  {
    name: 'refused-terminate-revives',
    summary:
      'A terminate of a TERMINATED instance is refused, and the instance is STOPPED after it.',
    breaks: [
      states('terminated-survives-terminate'),
      states('terminated-stays'),
      states('order-kept'),
    ],
    patch: (rules) => ({
      ...rules,
      terminateOutcome: (instance, context) => {
        const outcome = rules.terminateOutcome(instance, context);
        if (instance.state === 'TERMINATED') {
          instance.terminatedAt = undefined;
          instance.terminationReason = undefined;
          instance.state = 'STOPPED';
        }
        return outcome;
      },
    }),
  },
  {
    name: 'runtime-grows-while-stopped',
    summary: 'The runtime of a stopped instance goes on growing.',
    breaks: [states('runtime-rests')],
    patch: (rules) => ({
      ...rules,
      runtimeHours: (instance, at, context) =>
        rules.runtimeHours(instance, at, context) +
        (instance.state === 'STOPPED' ? (at - instance.stateSince) / 3_600_000 : 0),
    }),
  },
  {
    name: 'start-is-dated-to-the-stop',
    summary: 'An instance that has stopped tells that it began to run when it stopped.',
    breaks: [states('stop-keeps-start')],
    patch: (rules) => ({
      ...rules,
      enter: (instance, state, deployment) => {
        rules.enter(instance, state, deployment);
        if (state === 'STOPPED') instance.startedAt = Date.now();
      },
    }),
  },
  {
    name: 'stop-frees-the-disk',
    summary: 'The disk that an answer to a stop shows is 0 once the instance has stopped.',
    breaks: [states('storage-kept')],
    patch: (rules) => ({
      ...rules,
      actionRecord: (instance, at, context) => {
        const record = rules.actionRecord(instance, at, context);
        return instance.state === 'STOPPED' && instance.origin === 'provision'
          ? { ...record, storage_used_gb: 1 }
          : record;
      },
    }),
  },
  {
    name: 'stop-wipes-the-disk',
    summary: 'From the first stop of an instance on, its disk is 0.',
    breaks: [states('storage-kept')],
    patch: (rules) => ({
      ...rules,
      actionRecord: (instance, at, context) => {
        const record = rules.actionRecord(instance, at, context);
        return instance.origin === 'provision' ? { ...record, storage_used_gb: 0 } : record;
      },
    }),
  },
  {
    name: 'single-instance-is-kept-from-the-first-read',
    summary: 'Reading a stopping instance shows what it was when it was first read as such.',
    breaks: [states('polling-settles')],
    patch: (rules) => {
      const kept = new Map<string, Body>();
      return answering(rules, (answer, { operation, pathParameters }) => {
        const id = pathParameters['id'] ?? '';
        if (operation === 'stop-instance' || operation === 'start-instance') kept.delete(id);
        if (operation !== 'get-instance' || !isBody(answer.json)) return answer;
        const before = kept.get(id);
        if (before !== undefined) return { ...answer, json: before };
        if (answer.json['status'] === 'STOPPING') kept.set(id, answer.json);
        return answer;
      });
    },
  },
  {
    name: 'calls-in-flight-together-collide',
    summary: 'A stop or terminate that meets another request under way for its instance is 404.',
    breaks: [states('concurrent-calls')],
    patch: (rules) => {
      const underWay = new Map<string, number>();
      return {
        ...rules,
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
]);

/** A teardown that came to nothing. */
function revive(instance: Instance, deployment: Deployment): void {
  instance.terminatedAt = undefined;
  instance.terminationReason = undefined;
  deployment.rules.enter(instance, 'STOPPED', deployment);
}

/** Teardowns of what was in that state come to nothing. */
function failing(rules: ComputeRules, state: InstanceState): ComputeRules {
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
}
