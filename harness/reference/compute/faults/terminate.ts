/** Terminates that are refused, accepted or answered against the table of states. */

import { Refusal, errorCodes, notFound } from '../model.ts';
import { goneAtOnce } from './gone.ts';
import { slowly } from './slowly.ts';
import { unless, chained, fails, faultTable, succeeding } from './answering.ts';

const terminate = (slug: string): string => `compute.terminate-instance.${slug}`;

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
  faultTable({
    [terminate(aim)]: {
      [`${states[0].toLowerCase()}-cannot-be-terminated`]: {
        besides: [...besides, 'terminating-no-conflict'].map(terminate),
        patch: chained(
          (rules) => slowly(rules, ...states),
          unless(
            'terminateOutcome',
            ({ state }) => states.some((one) => one === state),
            'conflict',
          ),
        ),
      },
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
  faultTable({
    [terminate(aim)]: {
      [`${missedIn.toLowerCase()}-terminate-is-404`]: {
        besides: besides.map(terminate),
        patch: chained(
          (rules) => slowly(rules, missedIn),
          fails('terminateOutcome', ({ state }) => state === missedIn, notFound),
        ),
      },
    },
  }),
);

export const terminateFaults = [
  ...faultTable({
    'compute.terminate-instance.terminating-no-conflict': {
      'gone-resource-is-409': {
        besides: ['compute.terminate-instance.terminating-answer'],
        patch: (rules) => ({
          ...slowly(goneAtOnce(rules), 'TERMINATING'),
          terminateOutcome: (instance, context) => {
            const outcome = rules.terminateOutcome(instance, context);
            return outcome === 'gone' ? 'conflict' : outcome;
          },
        }),
      },
    },
    'compute.terminate-instance.response-is-instance': {
      'terminate-answers-with-an-id': succeeding('terminate-instance', (record) => ({
        id: record['instance_id'],
      })),
      'terminate-answers-with-a-list': succeeding('terminate-instance', (record) => [record]),
    },
    'compute.terminate-instance.response-names-instance': {
      'terminate-names-another-instance': succeeding('terminate-instance', (record) => ({
        ...record,
        instance_id: '00000000-0000-4000-8000-000000000000',
      })),
    },
    'compute.terminate-instance.response-state': {
      'terminate-shows-created': succeeding('terminate-instance', (record) => ({
        ...record,
        status: 'CREATED',
        termination_reason: null,
        terminated_at: null,
      })),
    },
    'compute.terminate-instance.stopping-accepted': {
      'terminate-of-stopping-is-500': chained(
        (rules) => slowly(rules, 'STOPPING'),
        fails(
          'terminateOutcome',
          ({ state }) => state === 'STOPPING',
          () => new Refusal(500, errorCodes[500], 'No host.'),
        ),
      ),
    },
    'compute.terminate-instance.stopped-accepted': {
      'terminate-of-stopped-is-500': {
        besides: ['compute.terminate-instance.body-absent'],
        patch: fails(
          'terminateOutcome',
          (instance) => instance.state === 'STOPPED',
          () => new Refusal(500, errorCodes[500], 'No host.'),
        ),
      },
    },
  }),
  ...refused,
  ...missed,
];
