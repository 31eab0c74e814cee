/** Stop, terminate and start requests whose outcome contradicts the table of states. */

import {
  errorCodes,
  type Instance,
  type InstanceState,
  notFound,
  Refusal,
  type StopOutcome,
} from '../model.ts';
import {
  amend,
  before,
  type Body,
  chained,
  fails,
  faultTable,
  forces,
  goneAtOnce,
  hasJustStopped,
  lingering,
  listing,
  namedInstance,
  namingAnother,
  onceForEach,
  onceStarted,
  type Patch,
  type Shown,
  succeeding,
  telling,
  unknownAnswers,
  gathered,
} from './words.ts';

/** A stop has another outcome in one state. */
function outcome(state: InstanceState, instead: StopOutcome): Patch {
  return forces('stopOutcome', instead, (instance) => instance.state === state);
}

const gone = () => new Error('The resource is gone.');

const noHost = () => new Refusal(500, errorCodes[500], 'No host.');

/** In some states, a terminate is refused with 409 or 404; the instance lingers in these, and in a state before them. */
const refused = gathered(
  [
    [['RUNNING'], 'running-accepted + body-empty-object + reason-note-maximum'],
    [['STOPPED'], 'stopped-accepted + body-absent'],
    [['STOPPING'], 'stopping-accepted'],
    [['CREATED', 'DEPLOYED', 'STARTING'], 'early-accepted'],
    [['DEPLOYED'], 'early-accepted', 'CREATED'],
    [['TERMINATING'], 'terminating-answer'],
  ],
  ([states, broken, ...earlier]) => ({
    [`${broken} + terminating-no-conflict: ${states[0].toLowerCase()}-cannot-be-terminated`]:
      chained(
        lingering(...earlier, ...states),
        forces('terminateOutcome', 'conflict', ({ state }) => states.some((one) => one === state)),
      ),
  }),
);

const missed = gathered(
  [
    ['RUNNING', 'running-accepted + body-empty-object + reason-note-maximum'],
    ['STOPPING', 'stopping-accepted'],
    ['TERMINATED', 'terminated-conflict'],
    ['TERMINATING', 'terminating-answer'],
  ],
  ([missedIn, broken]) => ({
    [`${broken}: ${missedIn.toLowerCase()}-terminate-is-404`]: chained(
      lingering(missedIn),
      fails('terminateOutcome', notFound, ({ state }) => state === missedIn),
    ),
  }),
);

/** Changes the records of instances that were started in this run, in lists or in responses to actions. */
function ofStarted(showing: typeof listing, fields: (shown: Shown) => Body): Patch {
  return onceStarted((isStarted) => showing((shown) => isStarted(shown.instance) && fields(shown)));
}

const renamed = ({ name }: Shown): Body => ({ name: `${name}-1` });

/** A start resets one of the totals. */
function forgetting(total: 'settledRunMs' | 'settledCost'): Patch {
  return before('beginStart', (instance) => {
    instance[total] = 0;
  });
}

/** A terminate of an instance that was started in this run is refused in one state. */
function startedCannotEnd(state: InstanceState): Patch {
  return onceStarted((isStarted) =>
    forces('terminateOutcome', 'conflict', (one) => isStarted(one) && one.state === state),
  );
}

export const actionsFaults = [
  ...faultTable('compute.stop-instance', {
    'running-accepted: started-again-cannot-be-stopped': onceStarted((isStarted) =>
      forces('stopOutcome', 'conflict', (one) => isStarted(one) && one.state === 'RUNNING'),
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
    'stopped-accepted, met by compute.states.storage-kept: what-was-stopped-cannot-be-stopped-again':
      forces('stopOutcome', 'conflict', (instance) => hasJustStopped(instance)),
    'stopped-accepted + body-absent + body-empty-object + reason-note-accepted + reason-note-maximum: stopped-cannot-be-stopped':
      outcome('STOPPED', 'conflict'),
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
    'terminated-conflict, met by compute.terminate-instance.running-accepted: stop-of-what-was-just-terminated-is-500':
      fails(
        'stopOutcome',
        gone,
        ({ state, origin }) => state === 'TERMINATED' && origin === 'provision',
      ),
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
    'stopped-unchanged: noted-stop-moves-the-start': before('stopOutcome', (instance, context) => {
      if (instance.state === 'STOPPED' && context.body.length > 2) instance.startedAt = context.now;
    }),
    'stopped-unchanged: each-stop-has-a-fee': before('stopOutcome', (instance) => {
      if (instance.state === 'STOPPED') instance.settledCost += 0.5;
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
  ...faultTable('compute.terminate-instance', {
    'early-accepted: started-again-cannot-be-terminated-until-it-runs': chained(
      lingering('STARTING'),
      startedCannotEnd('STARTING'),
    ),
    'stopped-accepted + terminating-no-conflict: started-again-cannot-be-terminated-once-stopped':
      startedCannotEnd('STOPPED'),
    // A terminate of an instance that was TERMINATED before the run is accepted and does nothing.
    'terminated-conflict: terminated-long-ago-can-be-terminated': chained(
      forces(
        'terminateOutcome',
        'reissue',
        ({ state, origin }) => state === 'TERMINATED' && origin === 'fixture',
      ),
      forces('reissueTerminate', undefined, ({ state }) => state === 'TERMINATED'),
    ),
    'unknown-id + response-is-instance: unknown-terminate-is-accepted': unknownAnswers(
      'terminate-instance',
      204,
    ),
    'terminating-no-conflict + terminating-answer: gone-resource-is-409': chained(
      goneAtOnce,
      lingering('TERMINATING'),
      amend('terminateOutcome', (result) => (result === 'gone' ? 'conflict' : result)),
    ),
    'terminating-no-conflict + terminating-answer: gone-resource-is-409-for-its-last-moments':
      chained(
        forces(
          'isResourceGone',
          true,
          ({ state, stateSince }, { now }) => state === 'TERMINATING' && now - stateSince > 900,
        ),
        amend('successor', (next, { state }) =>
          next !== undefined && state === 'TERMINATING' ? { ...next, delayMs: 1_600 } : next,
        ),
        amend('terminateOutcome', (result) => (result === 'gone' ? 'conflict' : result)),
      ),
    'response-is-instance: terminate-answers-with-an-id': succeeding(
      'terminate-instance',
      ({ instance_id: id }) => ({ id }),
    ),
    'response-is-instance: terminate-answers-with-a-list': succeeding(
      'terminate-instance',
      (record) => [record],
    ),
    'response-names-instance: terminate-names-another-instance':
      namingAnother('terminate-instance'),
    'response-state: terminate-shows-created': succeeding('terminate-instance', (record) => ({
      ...record,
      status: 'CREATED',
      termination_reason: null,
      terminated_at: null,
    })),
    'stopped-accepted + body-absent: terminate-of-stopped-is-500': fails(
      'terminateOutcome',
      noHost,
      ({ state }) => state === 'STOPPED',
    ),
    'keeps-totals: the-end-forgets-the-total-cost': listing(
      ({ state }) => state === 'TERMINATED' && { total_cost_incurred: 0 },
    ),
    ...refused,
    ...missed,
  }),
  ...faultTable('compute.start-instance', {
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
      ofStarted(listing, renamed),
      ofStarted(telling, renamed),
    ),
    'keeps-storage: start-gives-a-smaller-disk': ofStarted(telling, ({ preset }) => ({
      storage_used_gb: preset.storageGb / 2,
    })),
    'started-anew: start-keeps-the-date-of-the-first-one': (rules) => {
      const first = new Map<Instance, unknown>();
      return listing(({ record, instance }) => {
        const date = first.get(instance) ?? record['started_at'];
        if (date !== null) first.set(instance, date);
        return { started_at: date };
      })(rules);
    },
    'cost-of-new-run: start-continues-the-cost-of-the-run-before': ofStarted(
      listing,
      ({ record, settledCost }) => ({ current_cost: Number(record['current_cost']) + settledCost }),
    ),
    'unknown-id: unknown-start-is-accepted': unknownAnswers('start-instance', 202),
    'keeps-totals + cost-of-new-run: start-forgets-the-total-cost': forgetting('settledCost'),
    'keeps-totals: start-forgets-the-runtime': forgetting('settledRunMs'),
  }),
];
