/** Requirements of terminating an instance. */

import { all, clause, cited, excluded, stated, implied, section } from '../requirement.ts';
import { disposable, needing } from './needs.ts';

const stoppable = needing(...disposable.needs, 'consent.stop');

export const terminateInstance = section('compute', 'terminate-instance', [
  clause(
    'states/terminating-terminate/gone',
    'States table, terminate of TERMINATING once the resource is gone',
    {
      'gone-answer': disposable.open(
        'Whether repeated terminates met a 500 before the instance settled.',
      ),
    },
  ),
  clause('terminate', 'Terminate, heading', {
    'success-status': disposable.open('Which 2xx status an accepted terminate carries.'),
    'state-shown': disposable.open('Which state the answer to a first terminate shows.'),
  }),
  excluded('terminate/path', 'Terminate, path', 'Not shown: the target file names it.'),
  clause('terminate/id', 'Terminate, path parameter', {
    'response-names-instance': disposable.stated.universal(
      'The record in the answer to a terminate carries the id that the path named.',
    ),
    'malformed-id': implied('A terminate of an id that is no UUID is refused with 400 or 404.', [
      'bindings.terminate',
    ]),
  }),
  clause('terminate/body', 'Terminate, optional body with reason_note', {
    ...all(stated, disposable.needs, {
      'body-absent': 'A terminate without a body is accepted.',
      'body-empty-object': 'A terminate with an empty JSON object as its body is accepted.',
    }),
    'reason-note-accepted': stoppable.stated('A terminate with a short reason note is accepted.'),
    ...all(stated, disposable.needs, {
      'reason-note-maximum':
        'A terminate with a reason note of 10000 ASCII characters is accepted.',
      'reason-note-wrong-type':
        'A terminate whose reason note is a number, a list or an object is refused with 400 VALIDATION_ERROR.',
      'body-not-object':
        'A terminate whose JSON body is a list, text or number is refused with 400 VALIDATION_ERROR.',
    }),
    'reason-note-null': disposable.open('What a terminate does with a null reason note.'),
  }),
  clause('terminate/response', 'Terminate, shape of the answer', {
    'response-is-instance': disposable.stated.universal(
      'The body of an accepted terminate is an instance record.',
    ),
    'response-state': disposable.implied(
      'The state in the answer to a terminate lies between the one seen before the call and the one seen after it.',
    ),
  }),
  excluded(
    'terminate/by-state',
    'Terminate, reference to the States table',
    'A reference: each row of the table is judged there.',
  ),
  clause('terminate/conflict', 'Terminate, when 409 applies', {
    'terminating-no-conflict': disposable.stated(
      'A terminate is never refused with 409 before the instance is TERMINATED.',
    ),
  }),
  clause('terminate/gone', 'Terminate, 500 while the resource is gone', {
    'terminating-answer': disposable.stated(
      'A terminate of a TERMINATING instance is accepted or answered with 500, and nothing else.',
      {
        judged:
          'Looks around the call decide whether the instance may have been TERMINATED already.',
      },
    ),
  }),
  cited('states/any-terminate', {
    'running-accepted': disposable.stated(
      'A terminate of a running instance is accepted with a 2xx status.',
    ),
    'stopped-accepted': stoppable.stated(
      'A terminate of a stopped instance is accepted with a 2xx status.',
    ),
    'early-accepted': disposable.stated(
      'A terminate of an instance that has not reached RUNNING yet is accepted.',
      { judged: 'Where a disposable instance is met in CREATED, DEPLOYED, STARTING or ERRORED.' },
    ),
  }),
  cited('states/stopping-terminate', {
    'stopping-accepted': stoppable.stated(
      'A terminate of an instance that is still STOPPING is accepted with a 2xx status.',
    ),
  }),
  cited('states/terminated-terminate', {
    'terminated-conflict': disposable.stated(
      'A terminate of a TERMINATED instance is refused with 409.',
    ),
  }),
  cited('instance/total_cost_incurred', {
    'keeps-totals': stoppable.stated(
      'A terminate does not set the total runtime and the total cost of an instance back.',
      {
        judged:
          'Less than half of what two answers showed while the instance was stopped is wrong.',
      },
    ),
  }),
  cited('errors/404', {
    'unknown-id': stated('A terminate of an id that exists nowhere is answered with 404.', [
      'bindings.terminate',
    ]),
  }),
  cited('limits/reason-note', {
    ...all(stated, disposable.needs, {
      'reason-note-too-long':
        'A terminate with a reason note of 10001 ASCII characters is refused with 400 VALIDATION_ERROR.',
      'refused-note-changes-nothing':
        'A terminate that was refused for its reason note has destroyed nothing: the instance lives on.',
    }),
  }),
  cited('errors/400', {
    'malformed-json': disposable.stated(
      'A terminate whose body is broken JSON is refused with 400 VALIDATION_ERROR.',
    ),
  }),
]);
