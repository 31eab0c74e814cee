/** Requirements of stopping an instance. */

import { all, clause, cited, excluded, stated, implied, open, section } from '../requirement.ts';
import { running, stopped } from './needs.ts';

export const stopInstance = section('compute', 'stop-instance', [
  clause('states/rule-2', 'States rule 2, stop elsewhere', {
    elsewhere: running.open(
      'What a stop does on CREATED, DEPLOYED, STARTING, STOPPING or ERRORED, wherever one was met.',
    ),
  }),
  clause('stop', 'POST /instances/{id}/stop, heading', {
    'state-shown': running.open('Which state the answer to the stop of a running instance shows.'),
  }),
  clause('stop/id', 'POST /instances/{id}/stop, path parameter', {
    'response-names-instance': stopped.stated.universal(
      'The record in the answer to a stop carries the id that the path named.',
    ),
    'malformed-id': implied('A stop of an id that is no UUID is refused with 400 or 404.'),
  }),
  clause('stop/body', 'POST /instances/{id}/stop, optional body', {
    ...all(stated, stopped.needs, {
      'body-absent': 'A stop without a body is accepted.',
      'body-empty-object': 'A stop with an empty JSON object as its body is accepted.',
      'body-not-object':
        'A stop whose JSON body is a list, text or number is refused with 400 VALIDATION_ERROR.',
    }),
    ...all(open, stopped.needs, {
      'body-extra-members': 'What a stop does with members that the contract does not name.',
      'body-content-type': 'What a stop does with a body that is not labelled as JSON.',
    }),
  }),
  clause('stop/reason-note', 'POST /instances/{id}/stop, reason_note', {
    ...all(stated, stopped.needs, {
      'reason-note-accepted': 'A stop with a short reason note is accepted.',
      'reason-note-maximum': 'A stop with a reason note of 10000 ASCII characters is accepted.',
      'reason-note-wrong-type':
        'A stop whose reason note is a number, a list or an object is refused with 400 VALIDATION_ERROR.',
    }),
    ...all(open, stopped.needs, {
      'reason-note-null':
        'What a stop does with a null reason note, or with null as the whole body.',
      'reason-note-length-unit':
        'Whether the length of a reason note counts bytes, UTF-16 units or code points.',
    }),
  }),
  excluded(
    'stop/audit',
    'POST /instances/{id}/stop, audit trail',
    'The audit trail cannot be read through this interface.',
  ),
  clause('stop/response', 'POST /instances/{id}/stop, shape of the answer', {
    'response-is-instance': stopped.stated.universal(
      'The body of an accepted stop is an instance record.',
    ),
    'response-state': running.implied(
      'The state in the answer to a stop lies between the one seen before the call and the one seen after it.',
    ),
  }),
  clause('stop/at-once', 'POST /instances/{id}/stop, when the call returns', {
    'returns-at-once': running.implied(
      'A running instance is not STOPPED yet when its stop is answered.',
      { judged: 'Where a look is answered with STOPPED a good while before the stop is.' },
    ),
  }),
  clause('stop/status-code', 'POST /instances/{id}/stop, status of success', {
    'success-status': stopped.open('Which 2xx status an accepted stop carries.'),
  }),
  clause('stop/stopped', 'POST /instances/{id}/stop, already stopped', {
    ...all(stated, stopped.needs, {
      'stopped-accepted':
        'A stop of an instance that is already stopped is accepted with a 2xx status.',
      'stopped-unchanged':
        'A stop of an instance that is already stopped changes no field of its record but those that time alone moves.',
    }),
  }),
  clause('stop/conflict', 'POST /instances/{id}/stop, 409', {
    'terminated-conflict': stated('A stop of a TERMINATED instance is refused with 409.', [
      'instances.terminated',
      'consent.stop',
    ]),
  }),
  clause('limits/reason-note', 'Limits, row reason note length', {
    'reason-note-too-long': stopped.stated(
      'A stop with a reason note of 10001 ASCII characters is refused with 400 VALIDATION_ERROR.',
    ),
    'refused-note-changes-nothing': running.stated(
      'A stop that was refused for its reason note has stopped nothing: the instance runs on.',
    ),
  }),
  cited('states/running-stop', {
    'running-accepted': running.stated(
      'A stop of a running instance is accepted with a 2xx status.',
    ),
  }),
  cited('states/gone-stop', {
    'terminating-conflict': stated('A stop of a TERMINATING instance is refused with 409.', {
      judged: 'Only when a look before and a look after the call both show TERMINATING or later.',
      needs: ['instances.provision', 'consent.stop', 'consent.terminate', 'bindings.terminate'],
    }),
  }),
  cited('errors/404', {
    'unknown-id': stated('A stop of an id that exists nowhere is answered with 404.'),
  }),
  cited('errors/400', {
    'malformed-json': stopped.stated(
      'A stop whose body is broken JSON is refused with 400 VALIDATION_ERROR.',
    ),
  }),
]);
