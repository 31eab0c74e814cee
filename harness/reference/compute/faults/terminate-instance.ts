/** Terminates that are refused, accepted or answered against the table of states. */

import { errorCodes, notFound, Refusal } from '../model.ts';
import {
  amend,
  chained,
  fails,
  faultTable,
  forces,
  goneAtOnce,
  lingering,
  namingAnother,
  onceStarted,
  succeeding,
  unknownAnswers,
} from './words.ts';

const noHost = () => new Refusal(500, errorCodes[500], 'No host.');

/** A terminate is a conflict, or 404, in some states. */
const refused = (
  [
    [['RUNNING'], ['running-accepted', 'body-empty-object', 'reason-note-maximum']],
    [['STOPPED'], ['stopped-accepted', 'body-absent']],
    [['STOPPING'], ['stopping-accepted']],
    [['CREATED', 'DEPLOYED', 'STARTING'], ['early-accepted']],
    [['TERMINATING'], ['terminating-answer']],
  ] as const
).flatMap(([states, [aim, ...besides]]) =>
  faultTable('compute.terminate-instance', {
    [`${aim}: ${states[0].toLowerCase()}-cannot-be-terminated`]: {
      besides: [...besides, 'terminating-no-conflict'],
      patch: chained(
        lingering(...states),
        forces('terminateOutcome', 'conflict', ({ state }) => states.some((one) => one === state)),
      ),
    },
  }),
);

const missed = (
  [
    ['RUNNING', ['running-accepted', 'body-empty-object', 'reason-note-maximum']],
    ['STOPPING', ['stopping-accepted']],
    ['TERMINATED', ['terminated-conflict']],
    ['TERMINATING', ['terminating-answer']],
  ] as const
).flatMap(([missedIn, [aim, ...besides]]) =>
  faultTable('compute.terminate-instance', {
    [`${aim}: ${missedIn.toLowerCase()}-terminate-is-404`]: {
      besides,
      patch: chained(
        lingering(missedIn),
        fails('terminateOutcome', notFound, ({ state }) => state === missedIn),
      ),
    },
  }),
);

export const terminateInstanceFaults = [
  ...faultTable('compute.terminate-instance', {
    'early-accepted: started-again-cannot-be-terminated-until-it-runs': chained(
      lingering('STARTING'),
      onceStarted((isStarted) =>
        forces(
          'terminateOutcome',
          'conflict',
          (instance) => isStarted(instance) && instance.state === 'STARTING',
        ),
      ),
    ),
    'terminated-conflict: terminated-long-ago-can-be-terminated': {
      says: 'A terminate of an instance that was terminated before the run is accepted and does nothing.',
      patch: chained(
        forces(
          'terminateOutcome',
          'reissue',
          ({ state, origin }) => state === 'TERMINATED' && origin === 'fixture',
        ),
        forces('reissueTerminate', undefined, ({ state }) => state === 'TERMINATED'),
      ),
    },
    'unknown-id + response-is-instance: unknown-terminate-is-accepted': unknownAnswers(
      'terminate-instance',
      204,
    ),
    'terminating-no-conflict + terminating-answer: gone-resource-is-409': chained(
      goneAtOnce,
      lingering('TERMINATING'),
      amend('terminateOutcome', (outcome) => (outcome === 'gone' ? 'conflict' : outcome)),
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
    'stopping-accepted: terminate-of-stopping-is-500': chained(
      lingering('STOPPING'),
      fails('terminateOutcome', noHost, ({ state }) => state === 'STOPPING'),
    ),
    'stopped-accepted + body-absent: terminate-of-stopped-is-500': fails(
      'terminateOutcome',
      noHost,
      ({ state }) => state === 'STOPPED',
    ),
  }),
  ...refused,
  ...missed,
];
