/** Terminates that are refused, accepted or answered against the table of states. */

import { errorCodes, notFound, Refusal } from '../model.ts';
import {
  chained,
  fails,
  faultTable,
  forces,
  goneAtOnce,
  slowly,
  startedBefore,
  succeeding,
  unknownAnswers,
} from './words.ts';

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
        (rules) => slowly(rules, ...states),
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
        (rules) => slowly(rules, missedIn),
        fails('terminateOutcome', notFound, ({ state }) => state === missedIn),
      ),
    },
  }),
);

export const terminateInstanceFaults = [
  ...faultTable('compute.terminate-instance', {
    'early-accepted: started-again-cannot-be-terminated-until-it-runs': (conforming) => {
      const { started, rules } = startedBefore(slowly(conforming, 'STARTING'));
      return {
        ...rules,
        terminateOutcome: (instance, context) =>
          started.has(instance) && instance.state === 'STARTING'
            ? 'conflict'
            : rules.terminateOutcome(instance, context),
      };
    },
    'terminated-conflict: terminated-long-ago-can-be-terminated': {
      says: 'A terminate of an instance that was terminated before the run is accepted and does nothing.',
      patch: (rules) => ({
        terminateOutcome: (instance, context) =>
          instance.state === 'TERMINATED' && instance.origin === 'fixture'
            ? 'reissue'
            : rules.terminateOutcome(instance, context),
        reissueTerminate: (instance, context) => {
          if (instance.state !== 'TERMINATED') rules.reissueTerminate(instance, context);
        },
      }),
    },
    'unknown-id + response-is-instance: unknown-terminate-is-accepted': unknownAnswers(
      'terminate-instance',
      204,
    ),
    'terminating-no-conflict + terminating-answer: gone-resource-is-409': (rules) => ({
      ...slowly(goneAtOnce(rules), 'TERMINATING'),
      terminateOutcome: (instance, context) => {
        const outcome = rules.terminateOutcome(instance, context);
        return outcome === 'gone' ? 'conflict' : outcome;
      },
    }),
    'response-is-instance: terminate-answers-with-an-id': succeeding(
      'terminate-instance',
      (record) => ({
        id: record['instance_id'],
      }),
    ),
    'response-is-instance: terminate-answers-with-a-list': succeeding(
      'terminate-instance',
      (record) => [record],
    ),
    'response-names-instance: terminate-names-another-instance': succeeding(
      'terminate-instance',
      (record) => ({
        ...record,
        instance_id: '00000000-0000-4000-8000-000000000000',
      }),
    ),
    'response-state: terminate-shows-created': succeeding('terminate-instance', (record) => ({
      ...record,
      status: 'CREATED',
      termination_reason: null,
      terminated_at: null,
    })),
    'stopping-accepted: terminate-of-stopping-is-500': chained(
      (rules) => slowly(rules, 'STOPPING'),
      fails(
        'terminateOutcome',
        () => new Refusal(500, errorCodes[500], 'No host.'),
        ({ state }) => state === 'STOPPING',
      ),
    ),
    'stopped-accepted + body-absent: terminate-of-stopped-is-500': fails(
      'terminateOutcome',
      () => new Refusal(500, errorCodes[500], 'No host.'),
      (instance) => instance.state === 'STOPPED',
    ),
  }),
  ...refused,
  ...missed,
];
