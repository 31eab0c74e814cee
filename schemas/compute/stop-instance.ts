/** Requirements of stopping an instance. */

import { section } from './section.ts';

const stopped = ['instances.stopped', 'consent.stop'] as const;
const running = ['instances.provision', 'consent.stop'] as const;

export const stopInstanceRequirements = section('stop-instance', {
  'running-accepted': {
    clause: 'compute#states/running-stop',
    strength: 'stated',
    statement: 'A stop of a running instance is accepted with a 2xx status.',
    needs: running,
  },
  'stopped-accepted': {
    clause: 'compute#stop/stopped',
    strength: 'stated',
    statement: 'A stop of an instance that is already stopped is accepted with a 2xx status.',
    needs: stopped,
  },
  'stopped-unchanged': {
    clause: 'compute#stop/stopped',
    strength: 'stated',
    statement:
      'A stop of an instance that is already stopped changes no field of its record but those that time alone moves.',
    needs: stopped,
  },
  'terminated-conflict': {
    clause: 'compute#stop/conflict',
    strength: 'stated',
    statement: 'A stop of a TERMINATED instance is refused with 409.',
    needs: ['instances.terminated', 'consent.stop'],
  },
  'terminating-conflict': {
    clause: 'compute#states/gone-stop',
    strength: 'stated',
    statement: 'A stop of a TERMINATING instance is refused with 409.',
    judged: 'Only when a look before and a look after the call both show TERMINATING or later.',
    needs: ['instances.provision', 'consent.stop', 'consent.terminate', 'bindings.terminate'],
  },
  'response-is-instance': {
    clause: 'compute#stop/response',
    strength: 'stated',
    statement: 'The body of an accepted stop is an instance record.',
    needs: stopped,
    universal: true,
  },
  'response-names-instance': {
    clause: 'compute#stop/id',
    strength: 'stated',
    statement: 'The record in the answer to a stop carries the id that the path named.',
    needs: stopped,
    universal: true,
  },
  'returns-at-once': {
    clause: 'compute#stop/at-once',
    strength: 'implied',
    statement: 'A running instance is not STOPPED yet when its stop is answered.',
    judged: 'Where a look is answered with STOPPED a good while before the stop is.',
    needs: running,
  },
  'response-state': {
    clause: 'compute#stop/response',
    strength: 'implied',
    statement:
      'The state in the answer to a stop lies between the one seen before the call and the one seen after it.',
    needs: running,
  },
  'unknown-id': {
    clause: 'compute#errors/404',
    strength: 'stated',
    statement: 'A stop of an id that exists nowhere is answered with 404.',
  },
  'malformed-id': {
    clause: 'compute#stop/id',
    strength: 'implied',
    statement: 'A stop of an id that is no UUID is refused with 400 or 404.',
  },
  'body-absent': {
    clause: 'compute#stop/body',
    strength: 'stated',
    statement: 'A stop without a body is accepted.',
    needs: stopped,
  },
  'body-empty-object': {
    clause: 'compute#stop/body',
    strength: 'stated',
    statement: 'A stop with an empty JSON object as its body is accepted.',
    needs: stopped,
  },
  'reason-note-accepted': {
    clause: 'compute#stop/reason-note',
    strength: 'stated',
    statement: 'A stop with a short reason note is accepted.',
    needs: stopped,
  },
  'reason-note-maximum': {
    clause: 'compute#stop/reason-note',
    strength: 'stated',
    statement: 'A stop with a reason note of 10000 ASCII characters is accepted.',
    needs: stopped,
  },
  'reason-note-too-long': {
    clause: 'compute#limits/reason-note',
    strength: 'stated',
    statement:
      'A stop with a reason note of 10001 ASCII characters is refused with 400 VALIDATION_ERROR.',
    needs: stopped,
  },
  'refused-note-changes-nothing': {
    clause: 'compute#limits/reason-note',
    strength: 'stated',
    statement:
      'A stop that was refused for its reason note has stopped nothing: the instance runs on.',
    needs: running,
  },
  'malformed-json': {
    clause: 'compute#errors/400',
    strength: 'stated',
    statement: 'A stop whose body is broken JSON is refused with 400 VALIDATION_ERROR.',
    needs: stopped,
  },
  'reason-note-wrong-type': {
    clause: 'compute#stop/reason-note',
    strength: 'stated',
    statement:
      'A stop whose reason note is a number, a list or an object is refused with 400 VALIDATION_ERROR.',
    needs: stopped,
  },
  'body-not-object': {
    clause: 'compute#stop/body',
    strength: 'stated',
    statement:
      'A stop whose JSON body is a list, text or number is refused with 400 VALIDATION_ERROR.',
    needs: stopped,
  },
  'reason-note-null': {
    clause: 'compute#stop/reason-note',
    strength: 'open',
    statement: 'What a stop does with a null reason note, or with null as the whole body.',
    needs: stopped,
  },
  'reason-note-length-unit': {
    clause: 'compute#stop/reason-note',
    strength: 'open',
    statement: 'Whether the length of a reason note counts bytes, UTF-16 units or code points.',
    needs: stopped,
  },
  'body-extra-members': {
    clause: 'compute#stop/body',
    strength: 'open',
    statement: 'What a stop does with members that the contract does not name.',
    needs: stopped,
  },
  'body-content-type': {
    clause: 'compute#stop/body',
    strength: 'open',
    statement: 'What a stop does with a body that is not labelled as JSON.',
    needs: stopped,
  },
  'success-status': {
    clause: 'compute#stop/status-code',
    strength: 'open',
    statement: 'Which 2xx status an accepted stop carries.',
    needs: stopped,
  },
  'state-shown': {
    clause: 'compute#stop',
    strength: 'open',
    statement: 'Which state the answer to the stop of a running instance shows.',
    needs: running,
  },
  elsewhere: {
    clause: 'compute#states/rule-2',
    strength: 'open',
    statement:
      'What a stop does on CREATED, DEPLOYED, STARTING, STOPPING or ERRORED, wherever one was met.',
    needs: running,
  },
});
