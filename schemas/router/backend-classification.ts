/** Backend error classification: the decision tables of the native chat route. */

import { chat } from './needs.ts';
import type { RouterCode } from './codes.ts';
import { all, clause, cited, excluded, stated, section } from '../requirement.ts';

/** The error types that the agent recognises, with the code of each (router#backend-classification). */
export const codeOfBackendType = {
  context_length_exceeded: 'context_length_exceeded',
  invalid_request_error: 'invalid_parameter',
  invalid_parameter: 'invalid_parameter',
} as const satisfies Readonly<Record<string, RouterCode>>;

export type KnownBackendType = keyof typeof codeOfBackendType;

/** Wording that turns a 400 or 422 of unknown type into context_length_exceeded. */
export const contextWording = {
  subject: 'context',
  companions: ['length', 'window', 'token'],
} as const;

/** Longest message that the agent takes from a raw body, in bytes. */
export const RAW_MESSAGE_BYTES = 512;

/** Number of leading characters of a raw body that certainly fit into 512 bytes of UTF-8. */
export const CERTAIN_CHARACTERS = 128;

export const classification = section('router', 'backend-classification', [
  excluded.heading('backend-classification', 'Errors, Backend error classification'),
  clause(
    'backend-classification/type-location',
    'Errors, Backend error classification: where a type stands',
    {
      ...all(stated, chat.needs, {
        'nested-context-length':
          'The type context_length_exceeded under `error` becomes the code of that name.',
        'nested-invalid-request':
          'The type invalid_request_error under `error` becomes invalid_parameter.',
        'nested-invalid-parameter':
          'The type invalid_parameter under `error` becomes the code of that name.',
      }),
      'json-whatever-its-label': chat.implied(
        'A type is known in a JSON error also where its engine labelled it as something else.',
      ),
      'type-in-large-error': chat.open(
        'Whether a type is known in an error of more than 64 KiB, of which an agent may not read the whole.',
      ),
      'one-known-type': chat.implied(
        'A known type in one place counts beside an unknown one in the other.',
      ),
      'both-types': chat.open('Which of two known types wins when both places name one.'),
    },
  ),
  clause(
    'backend-classification/type/context_length_exceeded',
    'Errors, Backend error classification: types, context_length_exceeded',
    {
      'top-level-context-length': chat.stated(
        'A top-level type context_length_exceeded becomes the code of that name.',
      ),
    },
  ),
  clause(
    'backend-classification/type/invalid_request_error',
    'Errors, Backend error classification: types, invalid_request_error',
    {
      'top-level-invalid-request': chat.stated(
        'A top-level type invalid_request_error becomes invalid_parameter.',
      ),
    },
  ),
  clause(
    'backend-classification/type/invalid_parameter',
    'Errors, Backend error classification: types, invalid_parameter',
    {
      'top-level-invalid-parameter': chat.stated(
        'A top-level type invalid_parameter becomes the code of that name.',
      ),
    },
  ),
  clause(
    'backend-classification/precedence',
    'Errors, Backend error classification: type before status',
    all(stated, chat.needs, {
      'type-over-429-503': 'A known type decides also when the engine says 429 or 503.',
      'type-over-other-status':
        'A known type decides also when the engine gives any other error status.',
      'type-over-wording':
        'A known type decides also when the wording of a 400 speaks of the context.',
      'unknown-type':
        'An unknown type, or one that is no string, leaves the decision to the status.',
    }),
  ),
  clause(
    'backend-classification/status/wording',
    'Errors, Backend error classification: statuses, wording',
    all(stated, chat.needs, {
      'wording-length': 'A 400 or 422 that words context and length is context_length_exceeded.',
      'wording-window': 'A 400 or 422 that words context and window is context_length_exceeded.',
      'wording-token': 'A 400 or 422 that words context and token is context_length_exceeded.',
      'wording-any-order-and-case': 'The wording on context counts in any order and in any case.',
      'wording-in-raw-body': 'The wording on context counts in a body that is not JSON too.',
    }),
  ),
  clause(
    'backend-classification/status/400-422',
    'Errors, Backend error classification: statuses, other 400 and 422',
    all(stated, chat.needs, {
      'other-400': 'A 400 without known type and without that wording is invalid_parameter.',
      'other-422': 'A 422 without known type and without that wording is invalid_parameter.',
    }),
  ),
  clause(
    'backend-classification/status/429-503',
    'Errors, Backend error classification: statuses, 429 and 503',
    {
      'status-429': chat.stated(
        'A 429 of the engine ends as backend_unavailable or as the end of retries.',
        'backend_unavailable, no_agents_available or no_capacity',
      ),
      'status-429-not-rate-limit': chat.stated(
        'A 429 of the engine never ends as rate_limit_exceeded or as a 429 to the client.',
      ),
      'status-503': chat.stated(
        'A 503 of the engine ends as backend_unavailable or as the end of retries.',
        'backend_unavailable, no_agents_available or no_capacity',
      ),
    },
  ),
  clause(
    'backend-classification/status/other',
    'Errors, Backend error classification: statuses, all others',
    {
      'wording-other-status': chat.stated(
        'The wording on context changes nothing on a status other than 400 and 422.',
      ),
      'status-other': chat.stated(
        'Any other status of the engine that is no success ends as backend_error or as the end of retries.',
        'backend_error, no_agents_available or no_capacity, for statuses from 300 to 599',
      ),
    },
  ),
  clause(
    'backend-classification/message',
    'Errors, Backend error classification: message from JSON',
    {
      'message-from-json': chat.stated(
        'The message of a classified error holds the message of the JSON that the engine sent.',
        'its first 128 characters, whatever the router adds around them',
      ),
    },
  ),
  clause('backend-classification/truncation', 'Errors, Backend error classification: raw body', {
    'message-from-raw': chat.stated(
      'The message of a classified error holds the raw body that the engine sent.',
      'its first 128 characters, whatever the router adds around them',
    ),
    'raw-message-truncated': chat.stated(
      'Of a long raw body at most 512 bytes become the message.',
    ),
    'raw-message-is-beginning': chat.implied('What is left of a long raw body is its beginning.'),
  }),
  clause('limits/backend-message', 'Limits: length of a raw backend message', {
    'raw-message-truncated-multibyte': chat.stated(
      'At most 512 bytes of a raw body become the message when a character straddles the cut.',
    ),
  }),
  cited('retry-behaviour/4', {
    'final-codes': chat.open('With which codes the retried statuses of an engine come out.'),
  }),
]);
