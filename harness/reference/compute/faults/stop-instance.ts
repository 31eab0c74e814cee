/** Stops that are refused, accepted or answered against the table of states. */

import { errorCodes, type InstanceState, notFound, Refusal, type StopOutcome } from '../model.ts';
import {
  amend,
  fails,
  faultTable,
  forces,
  hasJustStopped,
  type Patch,
  replace,
  slowly,
  startedBefore,
  succeeding,
  unknownAnswers,
} from './words.ts';

/** Another outcome of a stop in one state. */
function outcome(state: InstanceState, instead: StopOutcome): Patch {
  return (rules) => ({
    ...(state === 'TERMINATING' ? slowly(rules, state) : rules),
    stopOutcome: (instance, context) =>
      instance.state === state ? instead : rules.stopOutcome(instance, context),
  });
}

export const stopInstanceFaults = [
  ...faultTable('compute.stop-instance', {
    'running-accepted: started-again-cannot-be-stopped': (conforming) => {
      const { started, rules } = startedBefore(conforming);
      return {
        ...rules,
        stopOutcome: (instance, context) =>
          started.has(instance) && instance.state === 'RUNNING'
            ? 'conflict'
            : rules.stopOutcome(instance, context),
      };
    },
    'running-accepted: stop-of-running-acts-and-fails': replace(
      'beginStop',
      (original, instance, context) => {
        original(instance, context);
        throw new Refusal(500, errorCodes[500], 'The answer was lost.');
      },
    ),
    'running-accepted: running-cannot-be-stopped': outcome('RUNNING', 'conflict'),
    'returns-at-once: stop-waits-until-it-is-over': (rules) => ({
      onResponse: async (context, answer) => {
        const instance = context.world.instance(context.pathParameters['id'] ?? '');
        const waits = context.operation === 'stop-instance' && instance?.state === 'STOPPING';
        if (waits) await new Promise((done) => setTimeout(done, 1_000));
        return rules.onResponse(context, answer);
      },
    }),
    'stopped-accepted: what-was-stopped-cannot-be-stopped-again': {
      exercisedBy: ['compute.states.storage-kept'],
      patch: forces('stopOutcome', 'conflict', (instance) => hasJustStopped(instance)),
    },
    'stopped-accepted: stopped-cannot-be-stopped': {
      besides: ['body-absent', 'body-empty-object', 'reason-note-accepted', 'reason-note-maximum'],
      patch: outcome('STOPPED', 'conflict'),
    },
    'terminated-conflict: terminated-can-be-stopped-with-a-note': forces(
      'stopOutcome',
      'ignore',
      (instance, context) => instance.state === 'TERMINATED' && context.body.byteLength > 0,
    ),
    'terminated-conflict: terminated-stop-is-404': fails(
      'stopOutcome',
      notFound,
      (instance) => instance.state === 'TERMINATED',
    ),
    'terminated-conflict: stop-of-what-was-just-terminated-is-500': {
      exercisedBy: ['compute.terminate-instance.running-accepted'],
      patch: (rules) => {
        const started = Date.now();
        return {
          stopOutcome: (instance, context) => {
            if (instance.state === 'TERMINATED' && instance.stateSince > started) {
              throw new Error('The resource is gone.');
            }
            return rules.stopOutcome(instance, context);
          },
        };
      },
    },
    'terminating-conflict: terminating-stop-is-500': (rules) => ({
      ...slowly(rules, 'TERMINATING'),
      stopOutcome: (instance, context) => {
        if (instance.state === 'TERMINATING') throw new Error('The resource is gone.');
        return rules.stopOutcome(instance, context);
      },
    }),
    'terminating-conflict: second-stop-of-terminating-is-accepted': (rules) => {
      const refused = new Set<string>();
      return {
        ...slowly(rules, 'TERMINATING'),
        stopOutcome: (instance, context) => {
          if (instance.state !== 'TERMINATING' || !refused.has(instance.id)) {
            if (instance.state === 'TERMINATING') refused.add(instance.id);
            return rules.stopOutcome(instance, context);
          }
          return 'ignore';
        },
      };
    },
    'stopped-unchanged: second-stop-moves-the-start': replace(
      'stopOutcome',
      (original, instance, context) => {
        if (instance.state === 'STOPPED') instance.startedAt = context.now;
        return original(instance, context);
      },
    ),
    'stopped-unchanged: second-stop-forgets-the-runtime': replace(
      'stopOutcome',
      (original, instance, context) => {
        if (instance.state === 'STOPPED') instance.settledRunMs = 0;
        return original(instance, context);
      },
    ),
    'response-is-instance: stop-answers-with-a-task': succeeding('stop-instance', () => ({
      task: 'stop',
      accepted: true,
    })),
    'response-is-instance: stop-wraps-the-instance': succeeding('stop-instance', (instance) => ({
      instance,
    })),
    'response-names-instance: stop-names-another-instance': succeeding(
      'stop-instance',
      (record) => ({
        ...record,
        instance_id: '00000000-0000-4000-8000-000000000000',
      }),
    ),
    'response-state: stop-shows-created': succeeding('stop-instance', (record) =>
      record['status'] === 'STOPPING' ? { ...record, status: 'CREATED' } : record,
    ),
    'unknown-id + response-is-instance: unknown-stop-is-accepted': unknownAnswers(
      'stop-instance',
      204,
    ),
  }),
  ...(['stop', 'terminate'] as const).flatMap((action) =>
    faultTable(`compute.${action}-instance`, {
      [`malformed-id: malformed-${action}-is-500`]: amend(
        'isInstanceId',
        (right, _text, context) => {
          if (!right && context.operation === `${action}-instance`) throw new Error('No UUID.');
          return right;
        },
      ),
    }),
  ),
];
