/** Stops that are refused, accepted or answered against the table of states. */

import { errorCodes, type InstanceState, notFound, Refusal, type StopOutcome } from '../model.ts';
import {
  amend,
  before,
  chained,
  fails,
  faultTable,
  forces,
  hasJustStopped,
  lingering,
  namedInstance,
  namingAnother,
  onceForEach,
  onceStarted,
  type Patch,
  succeeding,
  unknownAnswers,
} from './words.ts';

/** Another outcome of a stop in one state. */
function outcome(state: InstanceState, instead: StopOutcome): Patch {
  return forces('stopOutcome', instead, (instance) => instance.state === state);
}

const gone = () => new Error('The resource is gone.');

export const stopInstanceFaults = [
  ...faultTable('compute.stop-instance', {
    'running-accepted: started-again-cannot-be-stopped': onceStarted((isStarted) =>
      forces(
        'stopOutcome',
        'conflict',
        (instance) => isStarted(instance) && instance.state === 'RUNNING',
      ),
    ),
    'running-accepted: stop-of-running-acts-and-fails': amend('beginStop', () => {
      throw new Refusal(500, errorCodes[500], 'The answer was lost.');
    }),
    'running-accepted: running-cannot-be-stopped': outcome('RUNNING', 'conflict'),
    'returns-at-once: stop-waits-until-it-is-over': (rules) => ({
      onResponse: async (context, answer) => {
        const isStop = context.operation === 'stop-instance';
        if (isStop && namedInstance(context)?.state === 'STOPPING') {
          await new Promise((done) => setTimeout(done, 1_000));
        }
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
      patch: fails(
        'stopOutcome',
        gone,
        ({ state, origin }) => state === 'TERMINATED' && origin === 'provision',
      ),
    },
    'terminating-conflict: terminating-stop-is-500': chained(
      lingering('TERMINATING'),
      fails('stopOutcome', gone, ({ state }) => state === 'TERMINATING'),
    ),
    'terminating-conflict: second-stop-of-terminating-is-accepted': chained(
      lingering('TERMINATING'),
      onceForEach((isFirst) =>
        forces(
          'stopOutcome',
          'ignore',
          (instance) => instance.state === 'TERMINATING' && !isFirst(instance),
        ),
      ),
    ),
    'stopped-unchanged: second-stop-moves-the-start': before('stopOutcome', (instance, { now }) => {
      if (instance.state === 'STOPPED') instance.startedAt = now;
    }),
    'stopped-unchanged: second-stop-forgets-the-runtime': before('stopOutcome', (instance) => {
      if (instance.state === 'STOPPED') instance.settledRunMs = 0;
    }),
    'response-is-instance: stop-answers-with-a-task': succeeding('stop-instance', () => ({
      task: 'stop',
      accepted: true,
    })),
    'response-is-instance: stop-wraps-the-instance': succeeding('stop-instance', (instance) => ({
      instance,
    })),
    'response-names-instance: stop-names-another-instance': namingAnother('stop-instance'),
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
