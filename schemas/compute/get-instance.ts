/** Requirements of GET /instances/{id}. */

import { all, clause, stated, implied, open, section } from '../requirement.ts';

export const getInstance = section('compute', 'get-instance', [
  clause('get', 'GET /instances/{id}, what it gives', {
    'own-instance': stated('An instance of the own list can be read by its id with a 2xx status.'),
    ...all(implied, ['bindings.getInstance.record'], {
      'names-instance': 'The record of a single instance carries the id that was asked for.',
      'agrees-with-list':
        'What both variants describe alike (name, GPU model, CPU count, rate) is the same in the single record and in the list.',
    }),
    'terminated-no-5xx': implied(
      'Reading a terminated instance by its id never brings about a 5xx.',
      ['instances.terminated'],
    ),
    'terminated-readable': open('Whether a terminated instance can still be read by its id.', [
      'instances.terminated',
    ]),
  }),
  clause('get/not-found', 'GET /instances/{id}, 404', {
    'unknown-id': stated('Reading an id that exists nowhere is answered with 404.'),
    'malformed-id': implied('Reading an id that is no UUID is refused with 400 or 404.'),
  }),
  clause('get/body', 'GET /instances/{id}, body shape', {
    variant: open(
      'Which variant of the record the single read follows, and where the body holds it.',
    ),
    'success-status': open('Which 2xx status a single read carries.'),
  }),
]);
