/** Stops that are refused, accepted or answered against the table of states. */

import { type InstanceState, notFound, type StopOutcome } from '../model.ts';
import { fails, unless, replace, amend, faultTable, type Patch, succeeding } from './answering.ts';
import { slowly } from './slowly.ts';

/** Another outcome of a stop in one state. */
function outcome(state: InstanceState, instead: StopOutcome): Patch {
  return (rules) => ({
    ...(state === 'TERMINATING' ? slowly(rules, state) : rules),
    stopOutcome: (instance, context) =>
      instance.state === state ? instead : rules.stopOutcome(instance, context),
  });
}

export const stopFaults = [
  ...faultTable({
    'compute.stop-instance.running-accepted': {
      'running-cannot-be-stopped': outcome('RUNNING', 'conflict'),
    },
    'compute.stop-instance.stopped-accepted': {
      'stopped-cannot-be-stopped': {
        besides: [
          'compute.stop-instance.body-absent',
          'compute.stop-instance.body-empty-object',
          'compute.stop-instance.reason-note-accepted',
          'compute.stop-instance.reason-note-maximum',
        ],
        patch: outcome('STOPPED', 'conflict'),
      },
      'fourth-stop-is-refused': (rules) => {
        const stops = new Map<string, number>();
        return {
          stopOutcome: (instance, context) => {
            const right = rules.stopOutcome(instance, context);
            if (instance.state !== 'STOPPED') return right;
            const count = (stops.get(instance.id) ?? 0) + 1;
            stops.set(instance.id, count);
            return count === 4 ? 'conflict' : right;
          },
        };
      },
    },
    'compute.stop-instance.terminated-conflict': {
      'terminated-can-be-stopped': outcome('TERMINATED', 'ignore'),
      'terminated-can-be-stopped-with-a-note': unless(
        'stopOutcome',
        (instance, context) => instance.state === 'TERMINATED' && context.body.byteLength > 0,
        'ignore',
      ),
      'terminated-stop-is-404': fails(
        'stopOutcome',
        (instance) => instance.state === 'TERMINATED',
        () => notFound(),
      ),
      'stop-of-what-was-just-terminated-is-500': {
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
    },
    'compute.stop-instance.terminating-conflict': {
      'terminating-can-be-stopped': outcome('TERMINATING', 'ignore'),
      'terminating-stop-is-500': (rules) => ({
        ...slowly(rules, 'TERMINATING'),
        stopOutcome: (instance, context) => {
          if (instance.state === 'TERMINATING') throw new Error('The resource is gone.');
          return rules.stopOutcome(instance, context);
        },
      }),
      'second-stop-of-terminating-is-accepted': (rules) => {
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
    },
    'compute.states.runtime-rests': {
      'every-stop-adds-to-the-runtime': (rules) => {
        const stops = new Map<string, number>();
        return {
          stopOutcome: (instance, context) => {
            if (instance.state === 'STOPPED')
              stops.set(instance.id, (stops.get(instance.id) ?? 0) + 1);
            return rules.stopOutcome(instance, context);
          },
          runtimeHours: (instance, at, context) =>
            rules.runtimeHours(instance, at, context) + (stops.get(instance.id) ?? 0),
        };
      },
    },
    'compute.stop-instance.stopped-unchanged': {
      'second-stop-moves-the-start': replace('stopOutcome', (original, instance, context) => {
        if (instance.state === 'STOPPED') instance.startedAt = context.now;
        return original(instance, context);
      }),
      'second-stop-forgets-the-runtime': replace('stopOutcome', (original, instance, context) => {
        if (instance.state === 'STOPPED') instance.settledRunMs = 0;
        return original(instance, context);
      }),
    },
    'compute.stop-instance.response-is-instance': {
      'stop-answers-with-a-task': succeeding('stop-instance', () => ({
        task: 'stop',
        accepted: true,
      })),
      'stop-wraps-the-instance': succeeding('stop-instance', (instance) => ({ instance })),
    },
    'compute.stop-instance.response-names-instance': {
      'stop-names-another-instance': succeeding('stop-instance', (record) => ({
        ...record,
        instance_id: '00000000-0000-4000-8000-000000000000',
      })),
    },
    'compute.stop-instance.response-state': {
      'stop-shows-created': succeeding('stop-instance', (record) =>
        record['status'] === 'STOPPING' ? { ...record, status: 'CREATED' } : record,
      ),
    },
    'compute.stop-instance.unknown-id': {
      'unknown-stop-is-accepted': {
        besides: ['compute.stop-instance.response-is-instance'],
        patch: unknownAnswers('stop-instance', 204),
      },
    },
    'compute.terminate-instance.unknown-id': {
      'unknown-terminate-is-accepted': {
        besides: ['compute.terminate-instance.response-is-instance'],
        patch: unknownAnswers('terminate-instance', 204),
      },
    },
    'compute.start-instance.unknown-id': {
      'unknown-start-is-accepted': unknownAnswers('start-instance', 202),
    },
  }),
  ...(['stop', 'terminate'] as const).flatMap((action) =>
    faultTable({
      [`compute.${action}-instance.malformed-id`]: {
        [`malformed-${action}-is-500`]: amend('isInstanceId', (right, _text, context) => {
          if (!right && context.operation === `${action}-instance`) throw new Error('No UUID.');
          return right;
        }),
      },
    }),
  ),
];

/** An action on an id that exists nowhere succeeds. */
function unknownAnswers(
  operation: 'stop-instance' | 'terminate-instance' | 'start-instance',
  status: number,
): Patch {
  return (rules) => ({
    operate: {
      ...rules.operate,
      [operation]: (context: Parameters<typeof rules.findInstance>[0]) => {
        const id = context.pathParameters['id'] ?? '';
        return rules.isInstanceId(id, context) && context.world.instance(id) === undefined
          ? { status, headers: [], json: undefined }
          : rules.operate[operation](context);
      },
    },
  });
}
