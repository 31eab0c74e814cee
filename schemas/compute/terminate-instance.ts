/** Requirements of terminating an instance. */

import { section } from './section.ts';

const disposable = ['instances.provision', 'consent.terminate', 'bindings.terminate'] as const;
const stoppable = [...disposable, 'consent.stop'] as const;

export const terminateInstanceRequirements = section('terminate-instance', {
  'running-accepted': {
    clause: 'compute#states/any-terminate',
    strength: 'stated',
    statement: 'A terminate of a running instance is accepted with a 2xx status.',
    needs: disposable,
  },
  'stopped-accepted': {
    clause: 'compute#states/any-terminate',
    strength: 'stated',
    statement: 'A terminate of a stopped instance is accepted with a 2xx status.',
    needs: stoppable,
  },
  'stopping-accepted': {
    clause: 'compute#states/stopping-terminate',
    strength: 'stated',
    statement: 'A terminate of an instance that is still STOPPING is accepted with a 2xx status.',
    needs: stoppable,
  },
  'early-accepted': {
    clause: 'compute#states/any-terminate',
    strength: 'stated',
    statement: 'A terminate of an instance that has not reached RUNNING yet is accepted.',
    judged: 'Where a disposable instance is met in CREATED, DEPLOYED, STARTING or ERRORED.',
    needs: disposable,
  },
  'terminating-answer': {
    clause: 'compute#terminate/gone',
    strength: 'stated',
    statement:
      'A terminate of a TERMINATING instance is accepted or answered with 500, and nothing else.',
    judged: 'Looks around the call decide whether the instance may have been TERMINATED already.',
    needs: disposable,
  },
  'terminating-no-conflict': {
    clause: 'compute#terminate/conflict',
    strength: 'stated',
    statement: 'A terminate is never refused with 409 before the instance is TERMINATED.',
    needs: disposable,
  },
  'terminated-conflict': {
    clause: 'compute#states/terminated-terminate',
    strength: 'stated',
    statement: 'A terminate of a TERMINATED instance is refused with 409.',
    needs: disposable,
  },
  'response-is-instance': {
    clause: 'compute#terminate/response',
    strength: 'stated',
    statement: 'The body of an accepted terminate is an instance record.',
    needs: disposable,
    universal: true,
  },
  'response-names-instance': {
    clause: 'compute#terminate/id',
    strength: 'stated',
    statement: 'The record in the answer to a terminate carries the id that the path named.',
    needs: disposable,
    universal: true,
  },
  'response-state': {
    clause: 'compute#terminate/response',
    strength: 'implied',
    statement:
      'The state in the answer to a terminate lies between the one seen before the call and the one seen after it.',
    needs: disposable,
  },
  'unknown-id': {
    clause: 'compute#errors/404',
    strength: 'stated',
    statement: 'A terminate of an id that exists nowhere is answered with 404.',
    needs: ['bindings.terminate'],
  },
  'malformed-id': {
    clause: 'compute#terminate/id',
    strength: 'implied',
    statement: 'A terminate of an id that is no UUID is refused with 400 or 404.',
    needs: ['bindings.terminate'],
  },
  'body-absent': {
    clause: 'compute#terminate/body',
    strength: 'stated',
    statement: 'A terminate without a body is accepted.',
    needs: disposable,
  },
  'body-empty-object': {
    clause: 'compute#terminate/body',
    strength: 'stated',
    statement: 'A terminate with an empty JSON object as its body is accepted.',
    needs: disposable,
  },
  'reason-note-accepted': {
    clause: 'compute#terminate/body',
    strength: 'stated',
    statement: 'A terminate with a short reason note is accepted.',
    needs: stoppable,
  },
  'reason-note-maximum': {
    clause: 'compute#terminate/body',
    strength: 'stated',
    statement: 'A terminate with a reason note of 10000 ASCII characters is accepted.',
    needs: disposable,
  },
  'reason-note-too-long': {
    clause: 'compute#limits/reason-note',
    strength: 'stated',
    statement:
      'A terminate with a reason note of 10001 ASCII characters is refused with 400 VALIDATION_ERROR.',
    needs: disposable,
  },
  'refused-note-changes-nothing': {
    clause: 'compute#limits/reason-note',
    strength: 'stated',
    statement:
      'A terminate that was refused for its reason note has destroyed nothing: the instance lives on.',
    needs: disposable,
  },
  'malformed-json': {
    clause: 'compute#errors/400',
    strength: 'stated',
    statement: 'A terminate whose body is broken JSON is refused with 400 VALIDATION_ERROR.',
    needs: disposable,
  },
  'reason-note-wrong-type': {
    clause: 'compute#terminate/body',
    strength: 'stated',
    statement:
      'A terminate whose reason note is a number, a list or an object is refused with 400 VALIDATION_ERROR.',
    needs: disposable,
  },
  'body-not-object': {
    clause: 'compute#terminate/body',
    strength: 'stated',
    statement:
      'A terminate whose JSON body is a list, text or number is refused with 400 VALIDATION_ERROR.',
    needs: disposable,
  },
  'reason-note-null': {
    clause: 'compute#terminate/body',
    strength: 'open',
    statement: 'What a terminate does with a null reason note.',
    needs: disposable,
  },
  'success-status': {
    clause: 'compute#terminate',
    strength: 'open',
    statement: 'Which 2xx status an accepted terminate carries.',
    needs: disposable,
  },
  'state-shown': {
    clause: 'compute#terminate',
    strength: 'open',
    statement: 'Which state the answer to a first terminate shows.',
    needs: disposable,
  },
  'gone-answer': {
    clause: 'compute#states/terminating-terminate/gone',
    strength: 'open',
    statement: 'Whether repeated terminates met a 500 before the instance settled.',
    needs: disposable,
  },
});
