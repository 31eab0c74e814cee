/** Backend error classification: the decision tables of the native chat route. */

import type { RouterCode } from './codes.ts';
import { routerSection } from './section.ts';

/** Types that an engine may name, with the code that they become (router#backend-classification). */
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

/** Longest message that is taken from a raw body, in bytes. */
export const RAW_MESSAGE_BYTES = 512;

/** Characters of what an engine said that its message holds beyond doubt. */
export const CERTAIN_CHARACTERS = 128;

const needs = ['backend', 'models.chat'] as const;

export const classificationRequirements = routerSection('backend-classification', {
  'top-level-context-length': {
    clause: 'router#backend-classification/type/context_length_exceeded',
    strength: 'stated',
    statement: 'A top-level type context_length_exceeded becomes the code of that name.',
    needs,
  },
  'nested-context-length': {
    clause: 'router#backend-classification/type-location',
    strength: 'stated',
    statement: 'The type context_length_exceeded under `error` becomes the code of that name.',
    needs,
  },
  'top-level-invalid-request': {
    clause: 'router#backend-classification/type/invalid_request_error',
    strength: 'stated',
    statement: 'A top-level type invalid_request_error becomes invalid_parameter.',
    needs,
  },
  'nested-invalid-request': {
    clause: 'router#backend-classification/type-location',
    strength: 'stated',
    statement: 'The type invalid_request_error under `error` becomes invalid_parameter.',
    needs,
  },
  'top-level-invalid-parameter': {
    clause: 'router#backend-classification/type/invalid_parameter',
    strength: 'stated',
    statement: 'A top-level type invalid_parameter becomes the code of that name.',
    needs,
  },
  'nested-invalid-parameter': {
    clause: 'router#backend-classification/type-location',
    strength: 'stated',
    statement: 'The type invalid_parameter under `error` becomes the code of that name.',
    needs,
  },
  'type-over-429-503': {
    clause: 'router#backend-classification/precedence',
    strength: 'stated',
    statement: 'A known type decides also when the engine says 429 or 503.',
    needs,
  },
  'type-over-other-status': {
    clause: 'router#backend-classification/precedence',
    strength: 'stated',
    statement: 'A known type decides also when the engine gives any other error status.',
    needs,
  },
  'type-over-wording': {
    clause: 'router#backend-classification/precedence',
    strength: 'stated',
    statement: 'A known type decides also when the wording of a 400 speaks of the context.',
    needs,
  },
  'wording-length': {
    clause: 'router#backend-classification/status/wording',
    strength: 'stated',
    statement: 'A 400 or 422 that words context and length is context_length_exceeded.',
    needs,
  },
  'wording-window': {
    clause: 'router#backend-classification/status/wording',
    strength: 'stated',
    statement: 'A 400 or 422 that words context and window is context_length_exceeded.',
    needs,
  },
  'wording-token': {
    clause: 'router#backend-classification/status/wording',
    strength: 'stated',
    statement: 'A 400 or 422 that words context and token is context_length_exceeded.',
    needs,
  },
  'wording-any-order-and-case': {
    clause: 'router#backend-classification/status/wording',
    strength: 'stated',
    statement: 'The wording on context counts in any order and in any case.',
    needs,
  },
  'wording-in-raw-body': {
    clause: 'router#backend-classification/status/wording',
    strength: 'stated',
    statement: 'The wording on context counts in a body that is not JSON too.',
    needs,
  },
  'wording-other-status': {
    clause: 'router#backend-classification/status/other',
    strength: 'stated',
    statement: 'The wording on context changes nothing on a status other than 400 and 422.',
    needs,
  },
  'other-400': {
    clause: 'router#backend-classification/status/400-422',
    strength: 'stated',
    statement: 'A 400 without known type and without that wording is invalid_parameter.',
    needs,
  },
  'other-422': {
    clause: 'router#backend-classification/status/400-422',
    strength: 'stated',
    statement: 'A 422 without known type and without that wording is invalid_parameter.',
    needs,
  },
  'status-429': {
    clause: 'router#backend-classification/status/429-503',
    strength: 'stated',
    statement: 'A 429 of the engine ends as backend_unavailable or as the end of retries.',
    judged: 'backend_unavailable, no_agents_available or no_capacity',
    needs,
  },
  'status-429-not-rate-limit': {
    clause: 'router#backend-classification/status/429-503',
    strength: 'stated',
    statement: 'A 429 of the engine never ends as rate_limit_exceeded or as a 429 to the client.',
    needs,
  },
  'status-503': {
    clause: 'router#backend-classification/status/429-503',
    strength: 'stated',
    statement: 'A 503 of the engine ends as backend_unavailable or as the end of retries.',
    judged: 'backend_unavailable, no_agents_available or no_capacity',
    needs,
  },
  'status-other': {
    clause: 'router#backend-classification/status/other',
    strength: 'stated',
    statement:
      'Any other status of the engine that is no success ends as backend_error or as the end of retries.',
    judged: 'backend_error, no_agents_available or no_capacity, for statuses from 300 to 599',
    needs,
  },
  'unknown-type': {
    clause: 'router#backend-classification/precedence',
    strength: 'stated',
    statement: 'An unknown type, or one that is no string, leaves the decision to the status.',
    needs,
  },
  'json-whatever-its-label': {
    clause: 'router#backend-classification/type-location',
    strength: 'implied',
    statement:
      'A type is known in a JSON error also where its engine labelled it as something else.',
    needs,
  },
  'message-from-json': {
    clause: 'router#backend-classification/message',
    strength: 'stated',
    statement:
      'The message of a classified error holds the message of the JSON that the engine sent.',
    judged: 'its first 128 characters, whatever the router adds around them',
    needs,
  },
  'message-from-raw': {
    clause: 'router#backend-classification/truncation',
    strength: 'stated',
    statement: 'The message of a classified error holds the raw body that the engine sent.',
    judged: 'its first 128 characters, whatever the router adds around them',
    needs,
  },
  'raw-message-truncated': {
    clause: 'router#backend-classification/truncation',
    strength: 'stated',
    statement: 'Of a long raw body at most 512 bytes become the message.',
    needs,
  },
  'raw-message-truncated-multibyte': {
    clause: 'router#limits/backend-message',
    strength: 'stated',
    statement:
      'At most 512 bytes of a raw body become the message when a character straddles the cut.',
    needs,
  },
  'raw-message-is-beginning': {
    clause: 'router#backend-classification/truncation',
    strength: 'implied',
    statement: 'What is left of a long raw body is its beginning.',
    needs,
  },
  'both-types': {
    clause: 'router#backend-classification/type-location',
    strength: 'open',
    statement: 'Which of two known types wins when both places name one.',
    needs,
  },
  'final-codes': {
    clause: 'router#retry-behaviour/4',
    strength: 'open',
    statement: 'With which codes the retried statuses of an engine come out.',
    needs,
  },
});
