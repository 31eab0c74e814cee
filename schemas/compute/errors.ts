/** Error codes, how they pair with statuses, and the requirements of the error envelope. */

import { clause, excluded, stated, implied, open, section } from '../requirement.ts';

/** Status to code, for every status whose code the contract names (the code of 409 is not shown). */
export const codeOfStatus = {
  400: 'VALIDATION_ERROR',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_ERROR',
} as const;

export type DocumentedStatus = keyof typeof codeOfStatus;

/** The one documented status whose code is not shown (compute#errors/409). */
export const conflictStatus = 409;

export const errors = section('compute', 'errors', [
  clause('errors/envelope', 'Errors, one envelope', {
    envelope: stated.universal(
      'Every error answer of a documented operation is an object with an error object in it.',
    ),
    'other-statuses': open(
      'Which error statuses outside the documented table were met, and with what body.',
    ),
    'other-status-envelope': implied.universal(
      'An error whose status is not in the documented table has the envelope all the same.',
      {
        judged:
          'Not for statuses with which a web server or proxy refuses a request in front of the service.',
      },
    ),
    'wrong-method': open('What a documented path answers to a method that it does not have.'),
  }),
  clause('errors/code', 'Errors, row code', {
    'code-known': stated.universal(
      'An error whose status has a documented code carries one of the six codes.',
    ),
    'other-status-code': implied.universal(
      'An error whose status is not in the documented table carries one of the six codes.',
    ),
  }),
  clause('errors/message', 'Errors, row message', {
    'message-text': stated.universal('An error carries a message, which is text.'),
  }),
  clause('errors/request_id', 'Errors, row request_id', {
    'request-id-text': stated.universal(
      'An error carries a request id, which is text and not empty.',
    ),
    'request-id-fresh': implied.universal('Two requests never get the same request id.'),
  }),
  clause('errors/400', 'Errors, row 400', {
    'status-400': stated.universal('Every 400 carries the code VALIDATION_ERROR.'),
    'code-validation-error': stated.universal(
      'Of the statuses with a documented code, only 400 carries VALIDATION_ERROR.',
    ),
    precedence: open('Which error comes first when a request is wrong in two ways.'),
  }),
  clause('errors/401', 'Errors, row 401', {
    'status-401': stated.universal('Every 401 carries the code UNAUTHORIZED.'),
    'code-unauthorized': stated.universal(
      'Of the statuses with a documented code, only 401 carries UNAUTHORIZED.',
    ),
  }),
  clause('errors/403', 'Errors, row 403', {
    'status-403': stated.universal('Every 403 carries the code FORBIDDEN.', ['keys.forbidden']),
    'code-forbidden': stated.universal(
      'Of the statuses with a documented code, only 403 carries FORBIDDEN.',
      ['keys.forbidden'],
    ),
  }),
  clause('errors/404', 'Errors, row 404', {
    'status-404': stated.universal('Every 404 carries the code NOT_FOUND.'),
    'code-not-found': stated.universal(
      'Of the statuses with a documented code, only 404 carries NOT_FOUND.',
    ),
    'unknown-route': open('What a path that the contract does not know answers.'),
  }),
  clause('errors/409', 'Errors, row 409', {
    'status-409': stated.universal('Every 409 carries some code, which is text and not empty.', [
      'instances.terminated',
      'consent.stop',
    ]),
    'conflict-code': open('Which code a 409 carries.', ['instances.terminated', 'consent.stop']),
  }),
  clause('errors/429', 'Errors, row 429', {
    'status-429': stated.universal('Every 429 carries the code TOO_MANY_REQUESTS.', [
      'consent.exhaustRateLimit',
    ]),
    'code-too-many-requests': stated.universal(
      'Of the statuses with a documented code, only 429 carries TOO_MANY_REQUESTS.',
      ['consent.exhaustRateLimit'],
    ),
  }),
  clause('errors/500', 'Errors, row 500', {
    'status-500': stated.universal('Every 500 carries the code INTERNAL_ERROR.', {
      judged: 'Wherever a 500 is met; nothing provokes one on purpose but a repeated terminate.',
      needs: ['instances.provision', 'consent.terminate', 'bindings.terminate'],
    }),
    'code-internal-error': stated.universal(
      'Of the statuses with a documented code, only 500 carries INTERNAL_ERROR.',
      ['instances.provision', 'consent.terminate', 'bindings.terminate'],
    ),
    'no-internal-error': implied(
      'Ordinary requests to the documented operations do not end in a 500.',
      {
        judged:
          'One that passes says nothing. A repeated terminate before TERMINATED is the one place where a 500 is expected.',
      },
    ),
  }),
  excluded('errors/500/clients', 'Errors, row 500, what clients do', 'Advice to clients.'),
]);
