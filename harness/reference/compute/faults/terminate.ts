/** Terminates that are refused, accepted or answered against the table of states. */

import type { Fault } from '../../fault.ts';
import type { InstanceState } from '../model.ts';
import { Refusal, errorCodes, notFound } from '../refusal.ts';
import type { ComputeRules } from '../context.ts';
import { goneAtOnce } from './gone.ts';
import { slowly } from './slowly.ts';
import { fails, faultTable, succeeding } from './answering.ts';

const terminate = (slug: string): string => `compute.terminate-instance.${slug}`;

/** A terminate is a conflict in one state. */
function refusedIn(
  states: readonly InstanceState[],
  slugs: readonly string[],
): Fault<ComputeRules> {
  const [first = ''] = states;
  return {
    name: `${first.toLowerCase()}-cannot-be-terminated`,
    summary: `A terminate of an instance that is ${states.join(' or ')} is a conflict.`,
    breaks: [...slugs, 'terminating-no-conflict'].map(terminate),
    patch: (rules) => ({
      ...slowly(rules, ...states),
      terminateOutcome: (instance, context) =>
        states.includes(instance.state) ? 'conflict' : rules.terminateOutcome(instance, context),
    }),
  };
}

/** A terminate is 404 in one state. */
function missedIn(state: InstanceState, ...slugs: readonly string[]): Fault<ComputeRules> {
  return {
    name: `${state.toLowerCase()}-terminate-is-404`,
    summary: `A terminate of an instance that is ${state} is 404.`,
    breaks: slugs.map(terminate),
    patch: (rules) => ({
      ...slowly(rules, state),
      terminateOutcome: (instance, context) => {
        if (instance.state === state) throw notFound();
        return rules.terminateOutcome(instance, context);
      },
    }),
  };
}

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
      'terminate-of-stopping-is-500': (rules) => ({
        ...slowly(rules, 'STOPPING'),
        terminateOutcome: (instance, context) => {
          if (instance.state === 'STOPPING') throw new Refusal(500, errorCodes[500], 'No host.');
          return rules.terminateOutcome(instance, context);
        },
      }),
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
  refusedIn(['RUNNING'], ['running-accepted', 'body-empty-object', 'reason-note-maximum']),
  refusedIn(['STOPPED'], ['stopped-accepted', 'body-absent']),
  refusedIn(['STOPPING'], ['stopping-accepted']),
  refusedIn(['CREATED', 'DEPLOYED', 'STARTING'], ['early-accepted']),
  refusedIn(['TERMINATING'], ['terminating-answer']),
  missedIn('RUNNING', 'running-accepted', 'body-empty-object', 'reason-note-maximum'),
  missedIn('STOPPING', 'stopping-accepted'),
  missedIn('TERMINATED', 'terminated-conflict'),
  missedIn('TERMINATING', 'terminating-answer'),
];
