/** States of an instance, the lifecycle order, and the requirements of the section on states. */

import { clause, cited, excluded, stated, implied, open, section } from '../requirement.ts';
import { disposable, needing, running, stopped } from './needs.ts';

/** Every state of an instance, in the order in which the contract lists them. */
export const instanceStates = [
  'CREATED',
  'DEPLOYED',
  'STARTING',
  'RUNNING',
  'ERRORED',
  'STOPPING',
  'STOPPED',
  'TERMINATING',
  'TERMINATED',
] as const;

export type InstanceState = (typeof instanceStates)[number];

/** The lifecycle order without a restart; ERRORED has no place in it (compute#states/order). */
export const lifecycleOrder = [
  'CREATED',
  'DEPLOYED',
  'STARTING',
  'RUNNING',
  'STOPPING',
  'STOPPED',
  'TERMINATING',
  'TERMINATED',
] as const satisfies readonly InstanceState[];

/** The outcome of a stop by state; absent states have no stated outcome (compute#states/rule-2). */
export const stopOutcomes = {
  RUNNING: 'accepted',
  STOPPED: 'accepted',
  TERMINATING: 'conflict',
  TERMINATED: 'conflict',
} as const satisfies Partial<Record<InstanceState, 'accepted' | 'conflict'>>;

const stoppedAndEnded = needing(...running.needs, 'consent.terminate', 'bindings.terminate');

export const states = section('compute', 'states', [
  clause(
    'overview/terminated-final',
    'What the service does, bullet: a terminated instance, second half',
    {
      'terminated-stays': stated.universal(
        'A terminated instance that is watched for a while is never seen in another state.',
        {
          judged:
            'Over a whole run, too, from four seconds on after it was first shown so: a copy may be behind.',
          needs: ['instances.terminated'],
          hasCases: true,
        },
      ),
      'terminated-survives-start': stated('A start never brings a terminated instance back.', [
        'instances.provision',
        'consent.stop',
        'consent.terminate',
        'bindings.terminate',
        'bindings.start',
      ]),
    },
  ),
  excluded(
    'overview/base-address',
    'What the service does, bullet: base address',
    'An address and not behaviour: the target file names it.',
  ),
  clause('states', 'States and transitions, list of states', {
    'concurrent-calls': stoppedAndEnded.implied(
      'Stops and terminates of one instance in flight together each get an answer that some order of them allows.',
    ),
  }),
  clause('states/order', 'States and transitions, lifecycle order', {
    'order-kept': running.stated(
      'Between two looks at one instance its state moves only forward in the documented order, or to ERRORED, unless it was started in between.',
      {
        judged:
          'Looks may skip states; whatever follows ERRORED is left open, and so are steps among the states up to RUNNING.',
      },
    ),
    'early-order-kept': running.implied(
      'Up to RUNNING, the state of an instance moves only forward in the documented order between two looks.',
      { judged: 'Which transitions lead out of these states is not shown.' },
    ),
  }),
  clause('states/errored', 'States and transitions, ERRORED', {
    'errored-entry': open(
      'From which states instances were seen to enter ERRORED, and what followed.',
    ),
  }),
  clause('states/running-stop', 'States table, stop of RUNNING', {
    'running-stop-settles': running.stated(
      'A running instance that was stopped settles at STOPPED by itself.',
      { judged: 'Only STOPPING and STOPPED may be seen on the way; ERRORED is open.' },
    ),
  }),
  clause('states/running-stop/at-once', 'States table, stop of RUNNING: when the call returns', {
    'stop-return-time': running.open('How long the stop of a running instance took to answer.'),
  }),
  clause('states/running-stop/billing', 'States table, stop of RUNNING: billing', {
    'runtime-rests': stated.universal(
      'The runtime of a stopped instance does not go on growing while it stays stopped, and a stop does not reset it.',
      {
        judged:
          'What is terminated runs no more, either. A meter may lag behind: what grows is read again ten seconds later. Figures of few digits are held against each other over a whole run.',
        needs: ['instances.stopped'],
        hasCases: true,
      },
    ),
  }),
  clause('states/running-stop/storage', 'States table, stop of RUNNING: storage', {
    'storage-kept': running.stated(
      'The provisioned disk of an instance is the same before and after it has stopped.',
    ),
    'storage-use-kept': running.implied(
      'A list that showed a gigabyte or more in use of a running instance does not show 0 once it has stopped.',
    ),
  }),
  clause('states/stopped-stop', 'States table, stop of STOPPED', {
    'stopped-stays': stopped.stated(
      'A stopped instance is still STOPPED after it was stopped again.',
    ),
  }),
  clause('states/gone-stop', 'States table, stop of TERMINATING or TERMINATED', {
    'refused-stop-keeps-terminated': stated(
      'A refused stop leaves a terminated instance TERMINATED.',
      ['instances.terminated', 'consent.stop'],
    ),
    'refused-stop-keeps-terminating': disposable.stated(
      'A stop that is refused while an instance is TERMINATING does not bring it back: it still ends TERMINATED.',
    ),
  }),
  clause('states/stopping-terminate', 'States table, terminate of STOPPING', {
    'terminate-while-stopping-settles': stoppedAndEnded.stated(
      'An instance that is terminated while STOPPING ends TERMINATED, whether or not the stop had settled.',
    ),
  }),
  clause('states/terminating-terminate', 'States table, terminate of TERMINATING', {
    'terminate-again-settles': disposable.stated(
      'An instance that is terminated again while TERMINATING still ends TERMINATED.',
    ),
  }),
  excluded(
    'states/terminating-terminate/recovers',
    'States table, terminate of TERMINATING: recovery of a failed teardown',
    'A teardown that fails part-way cannot be brought about from outside.',
  ),
  clause('states/terminated-terminate', 'States table, terminate of TERMINATED', {
    'terminated-survives-terminate': disposable.stated(
      'A refused terminate leaves a terminated instance TERMINATED.',
    ),
  }),
  clause('states/any-terminate', 'States table, terminate of any other state', {
    'terminate-settles': disposable.stated(
      'An instance whose termination was accepted settles at TERMINATED by itself.',
    ),
  }),
  clause('states/not-shown', 'States table, transitions that are not shown', {
    'passed-through': open(
      'Which states instances were seen to pass through on the way to RUNNING.',
    ),
  }),
  clause('states/rule-1/poll', 'States rule 1, polling', {
    'polling-settles': implied(
      'Reading the single record over and over shows the instance settle.',
      ['instances.provision', 'consent.stop', 'bindings.getInstance.record'],
    ),
  }),
  excluded('states/rule-1/no-timer', 'States rule 1, repeated terminate', 'Advice to clients.'),
  excluded(
    'states/rule-3',
    'States rule 3, automatic stop',
    'Condition and transition are expressly not stated.',
  ),
  cited('instance/started_at', {
    'stop-keeps-start': running.stated(
      'A stop does not change the date on which the instance last began to run.',
      { judged: 'As finely as both dates are written; that the date goes away is let be.' },
    ),
  }),
]);
