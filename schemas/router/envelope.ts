/** Envelope: the form of an error on the known client routes, and where it is not promised. */

import { z } from 'zod';
import { routerSection } from './section.ts';

export const errorSources = ['router', 'backend'] as const;
export type ErrorSource = (typeof errorSources)[number];

/** The error envelope; further fields are allowed on both levels. */
export const errorEnvelope = z.looseObject({
  error: z.looseObject({
    code: z.string(),
    message: z.string(),
    source: z.enum(errorSources),
  }),
});
export type ErrorEnvelope = z.infer<typeof errorEnvelope>;

export const envelopeRequirements = routerSection('envelope', {
  object: {
    clause: 'router#envelope',
    strength: 'stated',
    statement: 'An error of a known client route is a JSON object with an object `error`.',
    judged: 'on every status of 400 and above but those that the HTTP server itself may give',
    universal: true,
  },
  code: {
    clause: 'router#envelope/code',
    strength: 'stated',
    statement: 'The `code` of an error envelope is a string.',
    universal: true,
  },
  message: {
    clause: 'router#envelope/message',
    strength: 'stated',
    statement: 'The `message` of an error envelope is a string.',
    universal: true,
  },
  source: {
    clause: 'router#envelope/source',
    strength: 'stated',
    statement: 'The `source` of an error envelope is router or backend.',
    universal: true,
  },
  'content-type': {
    clause: 'router#envelope',
    strength: 'implied',
    statement: 'An error envelope is labelled as JSON.',
    universal: true,
  },
  'unregistered-not-found': {
    clause: 'router#envelope/unregistered',
    strength: 'implied',
    statement: 'A path that no route has is answered 404 for a valid client key.',
  },
  'unregistered-body': {
    clause: 'router#envelope/unregistered',
    strength: 'open',
    statement: 'What the 404 of a path that no route has says.',
  },
  'admin-error-body': {
    clause: 'router#envelope/admin-shape',
    strength: 'open',
    statement: 'Which form an error of an administrator route has.',
  },
  'wrong-method': {
    clause: 'router#envelope/unregistered',
    strength: 'open',
    statement: 'What a known path answers to a method that it does not have.',
  },
  'oversize-body': {
    clause: 'router#envelope/body-size',
    strength: 'open',
    statement: 'Which body and code a 413 has.',
    needs: ['limits.maxRequestBytes'],
  },
});
