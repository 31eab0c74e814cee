/** Instances that go where the table of states does not let them go. */

import { notFound } from '../model.ts';
import {
  amend,
  answering,
  type Body,
  faultTable,
  forces,
  hasJustStopped,
  isBody,
  replace,
} from './words.ts';

export const statesFaults = faultTable('compute.states', {
  'runtime-rests: stop-resets-the-runtime': {
    says: 'The hour that has begun counts as long as an instance runs, and a stop forgets it.',
    patch: replace(
      'runtimeHours',
      (original, instance, at, context) =>
        original(instance, at, context) +
        (instance.origin === 'provision' && instance.state === 'RUNNING' ? 1 : 0),
    ),
  },
  'runtime-rests: runtime-goes-on-after-a-stop': {
    exercisedBy: ['storage-kept'],
    patch: replace(
      'runtimeHours',
      (original, instance, at, context) =>
        original(instance, at, context) +
        (hasJustStopped(instance) ? (at - instance.stateSince) / 3_600_000 : 0),
    ),
  },
  'runtime-rests: every-stop-adds-to-the-runtime': (rules) => {
    const stops = new Map<string, number>();
    return {
      stopOutcome: (instance, context) => {
        if (instance.state === 'STOPPED') stops.set(instance.id, (stops.get(instance.id) ?? 0) + 1);
        return rules.stopOutcome(instance, context);
      },
      runtimeHours: (instance, at, context) =>
        rules.runtimeHours(instance, at, context) + (stops.get(instance.id) ?? 0),
    };
  },
  'storage-use-kept: stop-forgets-what-is-in-use': amend('listRecord', (record, instance) =>
    hasJustStopped(instance) ? { ...record, storage_used_gb: 0 } : record,
  ),
  'early-order-kept: starting-falls-back-to-created': (rules) => {
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
  'running-stop-settles + polling-settles + order-kept: stop-ends-in-running': forces(
    'successor',
    { state: 'RUNNING', delayMs: 300 },
    (instance) => instance.state === 'STOPPING' && instance.origin === 'provision',
  ),
  'stopped-stays: stop-resets-what-is-stopped': {
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
  'stop-keeps-start: start-is-dated-to-the-stop': replace(
    'enter',
    (original, instance, state, deployment) => {
      original(instance, state, deployment);
      if (state === 'STOPPED') instance.startedAt = Date.now();
    },
  ),
  'storage-kept: stop-frees-the-disk': amend('actionRecord', (record, instance) =>
    instance.state === 'STOPPED' && instance.origin === 'provision'
      ? { ...record, storage_used_gb: 1 }
      : record,
  ),
  'storage-kept: stop-wipes-the-disk': amend('actionRecord', (record, instance) =>
    instance.origin === 'provision' ? { ...record, storage_used_gb: 0 } : record,
  ),
  'polling-settles: single-instance-is-kept-from-the-first-read': (rules) => {
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
  'concurrent-calls: calls-in-flight-together-collide': {
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
});
