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

export type ErrorCode = (typeof codeOfStatus)[DocumentedStatus];

/** The one documented status whose code is not shown (compute#errors/409). */
export const conflictStatus = 409;

export const errors = section('compute', 'errors', [
  clause('errors/envelope', 'Errors, one envelope', {
    envelope: stated(
      'Every error answer of a documented operation is an object with an error object in it.',
      { universal: true },
    ),
    'other-statuses': open(
      'Which error statuses outside the documented table were met, and with what body.',
    ),
    'other-status-envelope': implied(
      'An error whose status is not in the documented table has the envelope all the same.',
      {
        judged:
          'Not for statuses with which a web server or proxy refuses a request in front of the service.',
        universal: true,
      },
    ),
    'wrong-method': open('What a documented path answers to a method that it does not have.'),
  }),
  clause('errors/code', 'Errors, row code', {
    'code-known': stated(
      'An error whose status has a documented code carries one of the six codes.',
      { universal: true },
    ),
    'other-status-code': implied(
      'An error whose status is not in the documented table carries one of the six codes.',
      { universal: true },
    ),
  }),
  clause('errors/message', 'Errors, row message', {
    'message-text': stated('An error carries a message, which is text.', { universal: true }),
  }),
  clause('errors/request_id', 'Errors, row request_id', {
    'request-id-text': stated('An error carries a request id, which is text and not empty.', {
      universal: true,
    }),
    'request-id-fresh': implied('Two requests never get the same request id.', { universal: true }),
  }),
  clause('errors/400', 'Errors, row 400', {
    'status-400': stated('Every 400 carries the code VALIDATION_ERROR.', { universal: true }),
    'code-validation-error': stated(
      'Of the statuses with a documented code, only 400 carries VALIDATION_ERROR.',
      { universal: true },
    ),
    precedence: open('Which error comes first when a request is wrong in two ways.'),
  }),
  clause('errors/401', 'Errors, row 401', {
    'status-401': stated('Every 401 carries the code UNAUTHORIZED.', { universal: true }),
    'code-unauthorized': stated(
      'Of the statuses with a documented code, only 401 carries UNAUTHORIZED.',
      { universal: true },
    ),
  }),
  clause('errors/403', 'Errors, row 403', {
    'status-403': stated('Every 403 carries the code FORBIDDEN.', {
      needs: ['keys.forbidden'],
      universal: true,
    }),
    'code-forbidden': stated(
      'Of the statuses with a documented code, only 403 carries FORBIDDEN.',
      { needs: ['keys.forbidden'], universal: true },
    ),
  }),
  clause('errors/404', 'Errors, row 404', {
    'status-404': stated('Every 404 carries the code NOT_FOUND.', { universal: true }),
    'code-not-found': stated(
      'Of the statuses with a documented code, only 404 carries NOT_FOUND.',
      { universal: true },
    ),
    'unknown-route': open('What a path that the contract does not know answers.'),
  }),
  clause('errors/409', 'Errors, row 409', {
    'status-409': stated('Every 409 carries some code, which is text and not empty.', {
      needs: ['instances.terminated', 'consent.stop'],
      universal: true,
    }),
    'conflict-code': open('Which code a 409 carries.', ['instances.terminated', 'consent.stop']),
  }),
  clause('errors/429', 'Errors, row 429', {
    'status-429': stated('Every 429 carries the code TOO_MANY_REQUESTS.', {
      needs: ['consent.exhaustRateLimit'],
      universal: true,
    }),
    'code-too-many-requests': stated(
      'Of the statuses with a documented code, only 429 carries TOO_MANY_REQUESTS.',
      { needs: ['consent.exhaustRateLimit'], universal: true },
    ),
  }),
  clause('errors/500', 'Errors, row 500', {
    'status-500': stated('Every 500 carries the code INTERNAL_ERROR.', {
      judged: 'Wherever a 500 is met; nothing provokes one on purpose but a repeated terminate.',
      needs: ['instances.provision', 'consent.terminate', 'bindings.terminate'],
      universal: true,
    }),
    'code-internal-error': stated(
      'Of the statuses with a documented code, only 500 carries INTERNAL_ERROR.',
      {
        needs: ['instances.provision', 'consent.terminate', 'bindings.terminate'],
        universal: true,
      },
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
