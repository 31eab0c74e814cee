/** Requirements of authentication: the forms of a credential that is none, and the operations that ask for one. */

import { section } from './section.ts';

export const authenticationRequirements = section('authentication', {
  'header-missing': {
    clause: 'compute#authentication/rule-1',
    strength: 'stated',
    statement: 'A request without a credential is refused with 401 UNAUTHORIZED.',
  },
  'scheme-alone': {
    clause: 'compute#authentication/rule-1',
    strength: 'stated',
    statement: 'A credential that is the word Bearer alone is refused with 401 UNAUTHORIZED.',
  },
  'scheme-wrong': {
    clause: 'compute#authentication/rule-1',
    strength: 'stated',
    statement: 'A valid key under another scheme than Bearer is refused with 401 UNAUTHORIZED.',
  },
  'token-empty': {
    clause: 'compute#errors/401',
    strength: 'stated',
    statement: 'An empty token is refused with 401 UNAUTHORIZED.',
  },
  'token-with-space': {
    clause: 'compute#errors/401',
    strength: 'stated',
    statement: 'A token with a space in it is refused with 401 UNAUTHORIZED.',
  },
  'token-unknown': {
    clause: 'compute#errors/401',
    strength: 'stated',
    statement: 'A token that was never issued is refused with 401 UNAUTHORIZED.',
  },
  'key-altered': {
    clause: 'compute#errors/401',
    strength: 'stated',
    statement:
      'A valid key with one character changed, added or removed is refused with 401 UNAUTHORIZED.',
    judged:
      'Where no other key can come of it: the case of a hexadecimal key and the padding of a base64 key are let be.',
  },
  'list-instances': {
    clause: 'compute#endpoints/bearer',
    strength: 'stated',
    statement: 'The instance list refuses every form of a missing or false key with 401.',
  },
  'get-instance': {
    clause: 'compute#endpoints/bearer',
    strength: 'stated',
    statement: 'Reading one instance refuses every form of a missing or false key with 401.',
  },
  'stop-instance': {
    clause: 'compute#endpoints/bearer',
    strength: 'stated',
    statement: 'Stopping refuses every form of a missing or false key with 401.',
    judged: 'Only against ids that exist nowhere.',
  },
  'terminate-instance': {
    clause: 'compute#endpoints/bearer',
    strength: 'stated',
    statement: 'Terminating refuses every form of a missing or false key with 401.',
    judged: 'Only against ids that exist nowhere.',
    needs: ['bindings.terminate'],
  },
  'start-instance': {
    clause: 'compute#endpoints/bearer',
    strength: 'stated',
    statement: 'Starting refuses every form of a missing or false key with 401.',
    judged: 'Only against ids that exist nowhere.',
    needs: ['bindings.start'],
  },
  regions: {
    clause: 'compute#endpoints/bearer',
    strength: 'stated',
    statement: 'The regions refuse every form of a missing or false key with 401.',
  },
  presets: {
    clause: 'compute#endpoints/bearer',
    strength: 'stated',
    statement: 'The presets refuse every form of a missing or false key with 401.',
  },
  'policy-refusal': {
    clause: 'compute#authentication/rule-5',
    strength: 'stated',
    statement:
      'A valid key that access policy keeps out is refused with 403 or 404, and not as unknown.',
    judged: 'Which of the two, and on which operations, is the policy of the deployment.',
    needs: ['keys.forbidden'],
  },
  'policy-refuses-stop': {
    clause: 'compute#errors/403',
    strength: 'stated',
    statement: 'A stop with a valid key that policy lets read and not act is refused with 403.',
    needs: ['keys.forbidden.instance', 'consent.stop'],
  },
  'policy-refuses-start': {
    clause: 'compute#errors/403',
    strength: 'stated',
    statement: 'A start with a valid key that policy lets read and not act is refused with 403.',
    needs: ['keys.forbidden.instance', 'consent.stop', 'bindings.start'],
  },
  'policy-refuses-terminate': {
    clause: 'compute#errors/403',
    strength: 'stated',
    statement:
      'A terminate with a valid key that policy lets read and not act is refused with 403.',
    needs: ['keys.forbidden.instance', 'consent.terminate', 'bindings.terminate'],
  },
  'empty-account': {
    clause: 'compute#authentication/rule-7',
    strength: 'stated',
    statement: 'A valid key of an account without instances gets 200 and an empty list.',
    needs: ['keys.empty'],
  },
  'tells-nothing': {
    clause: 'compute#authentication/rule-1',
    strength: 'implied',
    statement: 'Without a key, an id that exists gets the same answer as one that does not.',
  },
  'scheme-case': {
    clause: 'compute#authentication/rule-1',
    strength: 'open',
    statement: 'Whether a valid key passes under the scheme in another case.',
  },
  'key-elsewhere': {
    clause: 'compute#authentication/rule-1',
    strength: 'open',
    statement: 'Whether a valid key passes in another header.',
  },
  challenge: {
    clause: 'compute#errors/401',
    strength: 'open',
    statement: 'Whether a 401 carries a challenge.',
  },
});
