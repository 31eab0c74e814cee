/** States of an instance, the order of its life, and the requirements of the section on states. */

import { section } from './section.ts';

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

/** The order of life without a start in between; ERRORED stands beside it (compute#states/order). */
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

/** What a stop does by state; states that are absent have no stated outcome (compute#states/rule-2). */
export const stopOutcomes = {
  RUNNING: 'accepted',
  STOPPED: 'accepted',
  TERMINATING: 'conflict',
  TERMINATED: 'conflict',
} as const satisfies Partial<Record<InstanceState, 'accepted' | 'conflict'>>;

export const statesRequirements = section('states', {
  'order-kept': {
    clause: 'compute#states/order',
    strength: 'stated',
    statement:
      'Between two looks at one instance its state moves only forward in the documented order, or to ERRORED, unless it was started in between.',
    judged:
      'Looks may skip states; whatever follows ERRORED is left open, and so are steps among the states up to RUNNING.',
    needs: ['instances.provision', 'consent.stop'],
  },
  'early-order-kept': {
    clause: 'compute#states/order',
    strength: 'implied',
    statement:
      'Up to RUNNING, the state of an instance moves only forward in the documented order between two looks.',
    judged: 'Which transitions lead out of these states is not shown.',
    needs: ['instances.provision', 'consent.stop'],
  },
  'running-stop-settles': {
    clause: 'compute#states/running-stop',
    strength: 'stated',
    statement: 'A running instance that was stopped settles at STOPPED by itself.',
    judged: 'Only STOPPING and STOPPED may be seen on the way; ERRORED is open.',
    needs: ['instances.provision', 'consent.stop'],
  },
  'stop-keeps-start': {
    clause: 'compute#instance/started_at',
    strength: 'stated',
    statement: 'A stop does not change the date on which the instance last began to run.',
    judged: 'As finely as both dates are written; that the date goes away is let be.',
    needs: ['instances.provision', 'consent.stop'],
  },
  'stopped-stays': {
    clause: 'compute#states/stopped-stop',
    strength: 'stated',
    statement: 'A stopped instance is still STOPPED after it was stopped again.',
    needs: ['instances.stopped', 'consent.stop'],
  },
  'refused-stop-keeps-terminated': {
    clause: 'compute#states/gone-stop',
    strength: 'stated',
    statement: 'A refused stop leaves a terminated instance TERMINATED.',
    needs: ['instances.terminated', 'consent.stop'],
  },
  'refused-stop-keeps-terminating': {
    clause: 'compute#states/gone-stop',
    strength: 'stated',
    statement:
      'A stop that is refused while an instance is TERMINATING does not bring it back: it still ends TERMINATED.',
    needs: ['instances.provision', 'consent.terminate', 'bindings.terminate'],
  },
  'terminate-settles': {
    clause: 'compute#states/any-terminate',
    strength: 'stated',
    statement: 'An instance whose termination was accepted settles at TERMINATED by itself.',
    needs: ['instances.provision', 'consent.terminate', 'bindings.terminate'],
  },
  'terminate-while-stopping-settles': {
    clause: 'compute#states/stopping-terminate',
    strength: 'stated',
    statement:
      'An instance that is terminated while STOPPING ends TERMINATED, whether or not the stop had settled.',
    needs: ['instances.provision', 'consent.stop', 'consent.terminate', 'bindings.terminate'],
  },
  'terminate-again-settles': {
    clause: 'compute#states/terminating-terminate',
    strength: 'stated',
    statement: 'An instance that is terminated again while TERMINATING still ends TERMINATED.',
    needs: ['instances.provision', 'consent.terminate', 'bindings.terminate'],
  },
  'terminated-stays': {
    clause: 'compute#overview/terminated-final',
    strength: 'stated',
    statement: 'A terminated instance that is watched for a while is never seen in another state.',
    judged:
      'Over a whole run, too, from four seconds on after it was first shown so: a copy may be behind.',
    needs: ['instances.terminated'],
    universal: true,
    hasCases: true,
  },
  'terminated-survives-start': {
    clause: 'compute#overview/terminated-final',
    strength: 'stated',
    statement: 'A start never brings a terminated instance back.',
    needs: [
      'instances.provision',
      'consent.stop',
      'consent.terminate',
      'bindings.terminate',
      'bindings.start',
    ],
  },
  'terminated-survives-terminate': {
    clause: 'compute#states/terminated-terminate',
    strength: 'stated',
    statement: 'A refused terminate leaves a terminated instance TERMINATED.',
    needs: ['instances.provision', 'consent.terminate', 'bindings.terminate'],
  },
  'runtime-rests': {
    clause: 'compute#states/running-stop/billing',
    strength: 'stated',
    statement:
      'The runtime of a stopped instance does not go on growing while it stays stopped, and a stop does not reset it.',
    judged:
      'A meter may lag behind: what grows is read again ten seconds later. Figures of few digits are held against each other over a whole run.',
    needs: ['instances.stopped'],
    universal: true,
    hasCases: true,
  },
  'storage-kept': {
    clause: 'compute#states/running-stop/storage',
    strength: 'stated',
    statement: 'The provisioned disk of an instance is the same before and after it has stopped.',
    needs: ['instances.provision', 'consent.stop'],
  },
  'storage-use-kept': {
    clause: 'compute#states/running-stop/storage',
    strength: 'implied',
    statement:
      'A list that showed a gigabyte or more in use of a running instance does not show 0 once it has stopped.',
    needs: ['instances.provision', 'consent.stop'],
  },
  'polling-settles': {
    clause: 'compute#states/rule-1/poll',
    strength: 'implied',
    statement: 'Reading the single record over and over shows the instance settle.',
    needs: ['instances.provision', 'consent.stop', 'bindings.getInstance.record'],
  },
  'concurrent-calls': {
    clause: 'compute#states',
    strength: 'implied',
    statement:
      'Stops and terminates of one instance in flight together each get an answer that some order of them allows.',
    needs: ['instances.provision', 'consent.stop', 'consent.terminate', 'bindings.terminate'],
  },
  'errored-entry': {
    clause: 'compute#states/errored',
    strength: 'open',
    statement: 'From which states instances were seen to enter ERRORED, and what followed.',
  },
  'passed-through': {
    clause: 'compute#states/not-shown',
    strength: 'open',
    statement: 'Which states instances were seen to pass through on the way to RUNNING.',
  },
  'stop-return-time': {
    clause: 'compute#states/running-stop/at-once',
    strength: 'open',
    statement: 'How long the stop of a running instance took to answer.',
    needs: ['instances.provision', 'consent.stop'],
  },
});
