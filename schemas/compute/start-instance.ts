/** Requirements of starting a stopped instance. */

import { section } from './section.ts';

const startable = ['bindings.start', 'instances.provision', 'consent.stop'] as const;

export const startInstanceRequirements = section('start-instance', {
  'stopped-accepted': {
    clause: 'compute#start',
    strength: 'stated',
    statement: 'A start of a stopped instance is accepted with a 2xx status.',
    judged: 'A refusal with 402, 403, 409 or 503 may be for want of credit, leave or a host.',
    needs: startable,
  },
  'leaves-stopped': {
    clause: 'compute#overview/restartable',
    strength: 'implied',
    statement: 'A stopped instance that was started leaves STOPPED.',
    needs: startable,
  },
  'keeps-identity': {
    clause: 'compute#states/stopped-start',
    strength: 'implied',
    statement: 'A start keeps the id, the name and the GPU model of an instance.',
    needs: startable,
  },
  'keeps-storage': {
    clause: 'compute#overview/restartable',
    strength: 'stated',
    statement: 'The provisioned disk of an instance is the same before and after a start.',
    judged: 'By the figure in stop answers before the start and after it.',
    needs: startable,
  },
  'started-anew': {
    clause: 'compute#instance/started_at',
    strength: 'stated',
    statement:
      'An instance that was started again and runs has another date of its last start than before.',
    judged: 'Where the two starts are further apart than the dates can tell.',
    needs: startable,
  },
  'cost-of-new-run': {
    clause: 'compute#variants/rule-1/current-cost',
    strength: 'stated',
    statement:
      'After a start, the current cost in the list is not above what the total grew by since the stop.',
    judged: 'Where the runs before have cost more than a credit and the price of an hour.',
    needs: startable,
  },
  'keeps-totals': {
    clause: 'compute#instance/total_runtime_hours',
    strength: 'stated',
    statement:
      'A start does not set the total runtime and the total cost of an instance back: they go on from where they were.',
    judged: 'Less than half of what two answers showed while the instance was stopped is wrong.',
    needs: startable,
  },
  'unknown-id': {
    clause: 'compute#errors/404',
    strength: 'stated',
    statement: 'A start of an id that exists nowhere is answered with 404.',
    needs: ['bindings.start'],
  },
  answer: {
    clause: 'compute#start/not-shown',
    strength: 'open',
    statement: 'Which status and body the start of a stopped instance gets.',
    needs: startable,
  },
  elsewhere: {
    clause: 'compute#start/not-shown',
    strength: 'open',
    statement: 'What a start does on an instance that is not stopped.',
    needs: startable,
  },
});
