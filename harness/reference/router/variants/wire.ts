/** Variants in how answers look on the wire. */

import { randomBytes } from 'node:crypto';
import { choosing } from './variant.ts';

export const wireVariants = [
  choosing('wordy', 'Has messages of its own and more members in every envelope, a moment too.', {
    message: (code, text) => (code === 'unauthorized' ? text : `Sorry: ${code}!`),
    envelopeExtras: {
      top: {
        trace: 1,
        get at() {
          return new Date().toISOString();
        },
      },
      error: { hint: null, type: 'error' },
    },
  }),
  choosing('ids-of-its-own', 'Has an id in every envelope that is no UUID.', {
    envelopeExtras: {
      top: {},
      error: {
        get request_id() {
          return randomBytes(12).toString('base64url');
        },
      },
    },
  }),
  choosing('refusals-timed', 'Says in every error when it was told, and how long it took.', {
    envelopeExtras: {
      top: {
        get at() {
          return new Date().toUTCString();
        },
      },
      error: {
        get took_ms() {
          return Math.random() < 0.25 ? 1 : 0;
        },
      },
    },
  }),
  choosing('speechless', 'Leaves its messages empty, but for the one that the contract gives.', {
    message: (code, text) => (code === 'unauthorized' ? text : ''),
  }),
  choosing('lower-case-chunked', 'Writes header names in lower case and bodies in chunks.', {
    framing: { headerCase: 'lower', chunkBytes: 3 },
  }),
  choosing('upper-case', 'Writes header names in upper case, with headers of its own.', {
    framing: { headerCase: 'upper', chunkBytes: undefined },
    extraHeaders: [
      ['X-Extra', '1'],
      ['X-Session-ID', 'abc'],
    ],
  }),
  choosing('labelled-with-charset', 'Names a charset in the content type of its errors.', {
    errorContentType: 'application/json; charset=utf-8',
    realm: 'another router, eu',
  }),
  choosing('untraced-echo', 'Keeps the UUID of a client and sends no trace context.', {
    requestId: 'echo',
    traceparent: 'never',
    schemeCase: 'exact',
  }),
  choosing('silent-refusals', 'Answers unknown paths and oversize bodies without a body.', {
    notFound: 'empty',
    oversize: 'empty',
    adminErrors: 'envelope',
  }),
  choosing('oversize-json', 'Explains an oversize body in JSON, and 404 too.', {
    oversize: 'json',
    notFound: 'json',
    wrongMethod: 405,
  }),
  choosing('oversize-reset', 'Resets the connection after a 413.', { oversize: 'reset' }),
  choosing('closing', 'Closes the connection after each answer, and continues traces.', {
    extraHeaders: [['Connection', 'close']],
    traceparent: 'continue',
  }),
  choosing('slow', 'Takes its time for every answer.', { latencyMs: 30 }),
] as const;
