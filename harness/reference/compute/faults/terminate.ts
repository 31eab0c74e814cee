/** Terminates that are refused, accepted or answered against the table of states. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { InstanceState } from '../model.ts';
import { Refusal, errorCodes, notFound } from '../refusal.ts';
import type { ComputeRules } from '../context.ts';
import { goneAtOnce } from './gone.ts';
import { slowly } from './slowly.ts';
import { succeeding } from './answering.ts';

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

export const terminateFaults = declareFaults<ComputeRules>([
  refusedIn(['RUNNING'], ['running-accepted', 'body-empty-object', 'reason-note-maximum']),
  refusedIn(['STOPPED'], ['stopped-accepted', 'body-absent']),
  refusedIn(['STOPPING'], ['stopping-accepted']),
  refusedIn(['CREATED', 'DEPLOYED', 'STARTING'], ['early-accepted']),
  refusedIn(['TERMINATING'], ['terminating-answer']),
  missedIn('RUNNING', 'running-accepted', 'body-empty-object', 'reason-note-maximum'),
  missedIn('STOPPING', 'stopping-accepted'),
  missedIn('TERMINATED', 'terminated-conflict'),
  missedIn('TERMINATING', 'terminating-answer'),
  {
    name: 'terminated-can-be-terminated',
    summary: 'A terminate of a TERMINATED instance is accepted and does nothing.',
    breaks: [terminate('terminated-conflict')],
    patch: (rules) => ({
      ...rules,
      terminateOutcome: (instance, context) =>
        instance.state === 'TERMINATED' ? 'reissue' : rules.terminateOutcome(instance, context),
      reissueTerminate: (instance, context) => {
        if (instance.state !== 'TERMINATED') rules.reissueTerminate(instance, context);
      },
    }),
  },
  {
    name: 'gone-resource-is-409',
    summary: 'A terminate whose resource is gone already is 409 before TERMINATED.',
    breaks: [terminate('terminating-no-conflict'), terminate('terminating-answer')],
    patch: (rules) => ({
      ...slowly(goneAtOnce(rules), 'TERMINATING'),
      terminateOutcome: (instance, context) => {
        const outcome = rules.terminateOutcome(instance, context);
        return outcome === 'gone' ? 'conflict' : outcome;
      },
    }),
  },
  {
    name: 'terminating-terminate-is-400',
    summary: 'A terminate of a TERMINATING instance is 400.',
    breaks: [terminate('terminating-answer')],
    patch: (rules) => ({
      ...slowly(rules, 'TERMINATING'),
      terminateOutcome: (instance, context) => {
        if (instance.state === 'TERMINATING') {
          throw new Refusal(400, errorCodes[400], 'It is being terminated.');
        }
        return rules.terminateOutcome(instance, context);
      },
    }),
  },
  {
    name: 'terminate-answers-with-an-id',
    summary: 'The answer to a terminate has no field of an instance.',
    breaks: [terminate('response-is-instance')],
    patch: (rules) =>
      succeeding(rules, 'terminate-instance', (record) => ({ id: record['instance_id'] })),
  },
  {
    name: 'terminate-answers-with-a-list',
    summary: 'The answer to a terminate is a list with the instance in it.',
    breaks: [terminate('response-is-instance')],
    patch: (rules) => succeeding(rules, 'terminate-instance', (record) => [record]),
  },
  {
    name: 'terminate-names-another-instance',
    summary: 'The record in the answer to a terminate carries another id.',
    breaks: [terminate('response-names-instance')],
    patch: (rules) =>
      succeeding(rules, 'terminate-instance', (record) => ({
        ...record,
        instance_id: '00000000-0000-4000-8000-000000000000',
      })),
  },
  {
    name: 'terminate-shows-created',
    summary: 'The answer to a first terminate shows CREATED.',
    breaks: [terminate('response-state')],
    patch: (rules) =>
      succeeding(rules, 'terminate-instance', (record) => ({
        ...record,
        status: 'CREATED',
        termination_reason: null,
        terminated_at: null,
      })),
  },
  {
    name: 'terminate-of-stopping-is-500',
    summary: 'A terminate of an instance that is STOPPING is 500.',
    breaks: [terminate('stopping-accepted')],
    patch: (rules) => ({
      ...slowly(rules, 'STOPPING'),
      terminateOutcome: (instance, context) => {
        if (instance.state === 'STOPPING') throw new Refusal(500, errorCodes[500], 'No host.');
        return rules.terminateOutcome(instance, context);
      },
    }),
  },
  {
    name: 'terminate-of-stopped-is-500',
    summary: 'A terminate of a stopped instance is 500.',
    breaks: [terminate('stopped-accepted'), terminate('body-absent')],
    patch: (rules) => ({
      ...rules,
      terminateOutcome: (instance, context) => {
        if (instance.state === 'STOPPED') throw new Refusal(500, errorCodes[500], 'No host.');
        return rules.terminateOutcome(instance, context);
      },
    }),
  },
]);
