/** Requirements of authentication: missing and invalid credentials, and the operations that need a valid one. */

import { clause, cited, excluded, stated, implied, open, section } from '../requirement.ts';

export const authentication = section('compute', 'authentication', [
  clause('endpoints/bearer', 'Endpoints, opening sentence', {
    'list-instances': stated(
      'The instance list refuses every form of a missing or false key with 401.',
    ),
    'get-instance': stated(
      'Reading one instance refuses every form of a missing or false key with 401.',
    ),
    'stop-instance': stated('Stopping refuses every form of a missing or false key with 401.', {
      judged: 'Only against ids that exist nowhere.',
    }),
    'terminate-instance': stated(
      'Terminating refuses every form of a missing or false key with 401.',
      { judged: 'Only against ids that exist nowhere.', needs: ['bindings.terminate'] },
    ),
    'start-instance': stated('Starting refuses every form of a missing or false key with 401.', {
      judged: 'Only against ids that exist nowhere.',
      needs: ['bindings.start'],
    }),
    regions: stated('The regions refuse every form of a missing or false key with 401.'),
    presets: stated('The presets refuse every form of a missing or false key with 401.'),
  }),
  clause('authentication/rule-1', 'Authentication rule 1', {
    'header-missing': stated('A request without a credential is refused with 401 UNAUTHORIZED.'),
    'scheme-alone': stated(
      'A credential that is the word Bearer alone is refused with 401 UNAUTHORIZED.',
    ),
    'scheme-wrong': stated(
      'A valid key under another scheme than Bearer is refused with 401 UNAUTHORIZED.',
    ),
    'tells-nothing': implied(
      'Without a key, an id that exists gets the same answer as one that does not.',
    ),
    'scheme-case': open('Whether a valid key passes under the scheme in another case.'),
    'key-elsewhere': implied(
      'A valid key in another header than Authorization, and there alone, lets nobody in.',
    ),
  }),
  excluded.procedure('authentication/rule-2', 'Authentication rule 2'),
  clause('authentication/rule-3', 'Authentication rule 3', {
    'key-stays-valid': implied.universal(
      'A key that was let in is not refused with 401 later in the run.',
      { judged: 'An operator may revoke a key at any time.' },
    ),
  }),
  excluded('authentication/rule-4', 'Authentication rule 4', 'Advice to clients.'),
  clause('authentication/rule-5', 'Authentication rule 5', {
    'policy-refusal': stated(
      'A valid key that access policy keeps out is refused with 403 or 404, and not as unknown.',
      {
        judged: 'Which of the two, and on which operations, is the policy of the deployment.',
        needs: ['keys.forbidden'],
      },
    ),
  }),
  clause('authentication/rule-7', 'Authentication rule 7', {
    'empty-account': stated(
      'A valid key of an account without instances gets 200 and an empty list.',
      ['keys.empty'],
    ),
  }),
  excluded.procedure('authentication/rule-8', 'Authentication rule 8'),
  excluded('events', 'Events', 'Not shown.'),
  cited('errors/401', {
    'token-empty': stated('An empty token is refused with 401 UNAUTHORIZED.'),
    'token-with-space': stated('A token with a space in it is refused with 401 UNAUTHORIZED.'),
    'token-unknown': stated('A token that was never issued is refused with 401 UNAUTHORIZED.'),
    'key-altered': stated(
      'A valid key with one character changed, added or removed is refused with 401 UNAUTHORIZED.',
      {
        judged:
          'Where no other key can come of it: the case of a hexadecimal key and the padding of a base64 key are let be.',
      },
    ),
    challenge: open('Whether a 401 carries a challenge.'),
  }),
  cited('errors/403', {
    'policy-refuses-stop': stated(
      'A stop with a valid key that policy lets read and not act is refused with 403.',
      ['keys.forbidden.instance', 'consent.stop'],
    ),
    'policy-refuses-start': stated(
      'A start with a valid key that policy lets read and not act is refused with 403.',
      ['keys.forbidden.instance', 'consent.stop', 'bindings.start'],
    ),
    'policy-refuses-terminate': stated(
      'A terminate with a valid key that policy lets read and not act is refused with 403.',
      ['keys.forbidden.instance', 'consent.terminate', 'bindings.terminate'],
    ),
  }),
]);
