/** Requirements of starting a stopped instance. */

import { clause, cited, stated, section } from '../requirement.ts';
import { needing, running } from './needs.ts';

const startable = needing('bindings.start', ...running.needs);

export const startInstance = section('compute', 'start-instance', [
  clause('overview/restartable', 'What the service does, bullet: a stopped instance, first half', {
    'leaves-stopped': startable.implied('A stopped instance that was started leaves STOPPED.'),
    'keeps-storage': startable.stated(
      'The provisioned disk of an instance is the same before and after a start.',
      { judged: 'By the figure in stop answers before the start and after it.' },
    ),
  }),
  clause('states/stopped-start', 'States table, start of STOPPED', {
    'keeps-identity': startable.implied(
      'A start keeps the id, the name and the GPU model of an instance.',
    ),
  }),
  clause('start', 'Start an instance, that it exists', {
    'stopped-accepted': startable.stated(
      'A start of a stopped instance is accepted with a 2xx status.',
      { judged: 'A refusal with 402, 403, 409 or 503 may be for want of credit, leave or a host.' },
    ),
  }),
  clause('start/not-shown', 'Start an instance, what is not shown', {
    answer: startable.open('Which status and body the start of a stopped instance gets.'),
    elsewhere: startable.open('What a start does on an instance that is not stopped.'),
  }),
  cited('instance/started_at', {
    'started-anew': startable.stated(
      'An instance that was started again and runs has another date of its last start than before.',
      { judged: 'Where the two starts are further apart than the dates can tell.' },
    ),
  }),
  cited('variants/rule-1/current-cost', {
    'cost-of-new-run': startable.stated(
      'After a start, the current cost in the list is not above what the total grew by since the stop.',
      { judged: 'Where the runs before have cost more than a credit and the price of an hour.' },
    ),
  }),
  cited('instance/total_runtime_hours', {
    'keeps-totals': startable.stated(
      'A start does not set the total runtime and the total cost of an instance back: they go on from where they were.',
      {
        judged:
          'Less than half of what two answers showed while the instance was stopped is wrong.',
      },
    ),
  }),
  cited('errors/404', {
    'unknown-id': stated('A start of an id that exists nowhere is answered with 404.', [
      'bindings.start',
    ]),
  }),
]);
