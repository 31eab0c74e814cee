/** Error codes, how they pair with statuses, and the requirements of the error envelope. */

import { section } from './section.ts';

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

export const errorsRequirements = section('errors', {
  envelope: {
    clause: 'compute#errors/envelope',
    strength: 'stated',
    statement:
      'Every error answer of a documented operation is an object with an error object in it.',
    universal: true,
  },
  'code-known': {
    clause: 'compute#errors/code',
    strength: 'stated',
    statement: 'An error whose status has a documented code carries one of the six codes.',
    universal: true,
  },
  'message-text': {
    clause: 'compute#errors/message',
    strength: 'stated',
    statement: 'An error carries a message, which is text.',
    universal: true,
  },
  'request-id-text': {
    clause: 'compute#errors/request_id',
    strength: 'stated',
    statement: 'An error carries a request id, which is text and not empty.',
    universal: true,
  },
  'request-id-fresh': {
    clause: 'compute#errors/request_id',
    strength: 'implied',
    statement: 'Two requests never get the same request id.',
    universal: true,
  },
  'status-400': {
    clause: 'compute#errors/400',
    strength: 'stated',
    statement: 'Every 400 carries the code VALIDATION_ERROR.',
    universal: true,
  },
  'status-401': {
    clause: 'compute#errors/401',
    strength: 'stated',
    statement: 'Every 401 carries the code UNAUTHORIZED.',
    universal: true,
  },
  'status-403': {
    clause: 'compute#errors/403',
    strength: 'stated',
    statement: 'Every 403 carries the code FORBIDDEN.',
    needs: ['keys.forbidden'],
    universal: true,
  },
  'status-404': {
    clause: 'compute#errors/404',
    strength: 'stated',
    statement: 'Every 404 carries the code NOT_FOUND.',
    universal: true,
  },
  'status-409': {
    clause: 'compute#errors/409',
    strength: 'stated',
    statement: 'Every 409 carries some code, which is text and not empty.',
    needs: ['instances.terminated', 'consent.stop'],
    universal: true,
  },
  'status-429': {
    clause: 'compute#errors/429',
    strength: 'stated',
    statement: 'Every 429 carries the code TOO_MANY_REQUESTS.',
    needs: ['consent.exhaustRateLimit'],
    universal: true,
  },
  'status-500': {
    clause: 'compute#errors/500',
    strength: 'stated',
    statement: 'Every 500 carries the code INTERNAL_ERROR.',
    judged: 'Wherever a 500 is met; nothing provokes one on purpose but a repeated terminate.',
    needs: ['instances.provision', 'consent.terminate', 'bindings.terminate'],
    universal: true,
  },
  'code-validation-error': {
    clause: 'compute#errors/400',
    strength: 'stated',
    statement: 'Of the statuses with a documented code, only 400 carries VALIDATION_ERROR.',
    universal: true,
  },
  'code-unauthorized': {
    clause: 'compute#errors/401',
    strength: 'stated',
    statement: 'Of the statuses with a documented code, only 401 carries UNAUTHORIZED.',
    universal: true,
  },
  'code-forbidden': {
    clause: 'compute#errors/403',
    strength: 'stated',
    statement: 'Of the statuses with a documented code, only 403 carries FORBIDDEN.',
    needs: ['keys.forbidden'],
    universal: true,
  },
  'code-not-found': {
    clause: 'compute#errors/404',
    strength: 'stated',
    statement: 'Of the statuses with a documented code, only 404 carries NOT_FOUND.',
    universal: true,
  },
  'code-too-many-requests': {
    clause: 'compute#errors/429',
    strength: 'stated',
    statement: 'Of the statuses with a documented code, only 429 carries TOO_MANY_REQUESTS.',
    needs: ['consent.exhaustRateLimit'],
    universal: true,
  },
  'code-internal-error': {
    clause: 'compute#errors/500',
    strength: 'stated',
    statement: 'Of the statuses with a documented code, only 500 carries INTERNAL_ERROR.',
    needs: ['instances.provision', 'consent.terminate', 'bindings.terminate'],
    universal: true,
  },
  'no-internal-error': {
    clause: 'compute#errors/500',
    strength: 'implied',
    statement: 'Ordinary requests to the documented operations do not end in a 500.',
    judged:
      'One that passes says nothing. A repeated terminate before TERMINATED is the one place where a 500 is expected.',
  },
  'conflict-code': {
    clause: 'compute#errors/409',
    strength: 'open',
    statement: 'Which code a 409 carries.',
    needs: ['instances.terminated', 'consent.stop'],
  },
  'other-statuses': {
    clause: 'compute#errors/envelope',
    strength: 'open',
    statement: 'Which error statuses outside the documented table were met, and with what body.',
  },
  'other-status-envelope': {
    clause: 'compute#errors/envelope',
    strength: 'implied',
    statement:
      'An error whose status is not in the documented table has the envelope all the same.',
    judged:
      'Not for statuses with which a web server or proxy refuses a request in front of the service.',
    universal: true,
  },
  'other-status-code': {
    clause: 'compute#errors/code',
    strength: 'implied',
    statement: 'An error whose status is not in the documented table carries one of the six codes.',
    universal: true,
  },
  'unknown-route': {
    clause: 'compute#errors/404',
    strength: 'open',
    statement: 'What a path that the contract does not know answers.',
  },
  'wrong-method': {
    clause: 'compute#errors/envelope',
    strength: 'open',
    statement: 'What a documented path answers to a method that it does not have.',
  },
  precedence: {
    clause: 'compute#errors/400',
    strength: 'open',
    statement: 'Which error comes first when a request is wrong in two ways.',
  },
});
