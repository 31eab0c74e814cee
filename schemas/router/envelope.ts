/** Envelope: the form of an error on the known client routes, and the cases that it does not cover. */

import { z } from 'zod';
import { clause, excluded, stated, implied, open, section } from '../requirement.ts';

export const errorSources = ['router', 'backend'] as const;

export type ErrorSource = (typeof errorSources)[number];

/** The error envelope; further fields are allowed on both levels. */
export const errorEnvelope = z.looseObject({
  error: z.looseObject({ code: z.string(), message: z.string(), source: z.enum(errorSources) }),
});

export const envelope = section('router', 'envelope', [
  clause('envelope', 'Errors, Envelope: first sentence', {
    object: stated.universal(
      'An error of a known client route is a JSON object with an object `error`.',
      { judged: 'on every status of 400 and above but those that the HTTP server itself may give' },
    ),
    'content-type': implied.universal('An error envelope is labelled as JSON.'),
  }),
  clause('envelope/code', 'Errors, Envelope: table, code', {
    code: stated.universal('The `code` of an error envelope is a string.'),
  }),
  clause('envelope/message', 'Errors, Envelope: table, message', {
    message: stated.universal('The `message` of an error envelope is a string.'),
  }),
  clause('envelope/source', 'Errors, Envelope: table, source', {
    source: stated.universal('The `source` of an error envelope is router or backend.'),
  }),
  clause('envelope/admin-shape', 'Errors, Envelope: first exception, admin errors', {
    'admin-error-body': open('Which form an error of an administrator route has.'),
  }),
  clause('envelope/unregistered', 'Errors, Envelope: second exception, other routes', {
    'unregistered-not-found': implied(
      'A path that no route has is answered 404 for a valid client key.',
    ),
    'unregistered-body': open('What the 404 of a path that no route has says.'),
    'wrong-method': open('What a known path answers to a method that it does not have.'),
  }),
  clause('envelope/body-size', 'Errors, Envelope: third exception, oversize bodies', {
    'oversize-body': open('Which body and code a 413 has.', ['limits.maxRequestBytes']),
  }),
  excluded(
    'envelope/connections',
    'Errors, Envelope: fourth exception, lost connections',
    'says what may happen and forbids nothing',
  ),
  excluded.notShown('envelope/admin-errors', 'Errors, Envelope: last sentence'),
]);
