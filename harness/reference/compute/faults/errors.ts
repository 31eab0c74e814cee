/** Envelopes that lack something, and statuses and codes that do not belong together. */

import type { RequestContext } from '../context.ts';
import { Refusal, errorCodes } from '../model.ts';
import { type Patch, chained, fails, faultTable, enveloping, refusing } from './answering.ts';
import { goneAtOnce } from './gone.ts';
import { limited } from './limited.ts';

type Status = keyof typeof errorCodes;
type When = (context: RequestContext) => boolean;

/** The end of the requirement id of a code: `VALIDATION_ERROR` is `validation-error`. */
const slugOf = (code: string): string => code.toLowerCase().replaceAll('_', '-');

/** A patch of a deployment that answers with a status at all. */
const provoked = { 429: limited, 500: goneAtOnce };

/** Refusals of a status carry another code. */
function codeOf(status: Status, code: string, when: When = () => true): Patch {
  return chained(
    status === 429 || status === 500 ? provoked[status] : () => ({}),
    refusing((refusal, context) =>
      refusal.status === status && when(context)
        ? new Refusal(status, code, refusal.message, refusal.headers)
        : refusal,
    ),
  );
}

/**
 * Where a wrong code breaks as little else as can be: nearly every refusal is stated with its code. A malformed id
 * may be 400 or 404, an id that exists is probed without a key for what it tells, and unknown ids are stopped.
 */
const narrow: Partial<
  Record<Status, { readonly when: When; readonly besides: readonly string[] }>
> = {
  400: { when: ({ operation }) => operation === 'get-instance', besides: [] },
  401: {
    when: ({ world, pathParameters }) => world.instance(pathParameters['id'] ?? '') !== undefined,
    besides: ['compute.authentication.tells-nothing'],
  },
  404: {
    when: ({ operation, world, pathParameters }) =>
      operation === 'stop-instance' && world.instance(pathParameters['id'] ?? '') === undefined,
    besides: ['compute.stop-instance.unknown-id', 'compute.scoping.foreign-stop-same'],
  },
};

/** Each status with a code that is that of another one. */
const wrongCodes = (
  [
    [400, 404],
    [401, 403],
    [403, 401],
    [404, 400],
    [404, 500],
    [429, 500],
    [429, 403],
    [500, 429],
  ] as const
).flatMap(([status, other]) => {
  const code = errorCodes[other];
  return faultTable({
    [`compute.errors.code-${slugOf(code)}`]: {
      [`${status}-says-${slugOf(code)}`]: {
        besides: [`compute.errors.status-${status}`, ...(narrow[status]?.besides ?? [])],
        patch: codeOf(status, code, narrow[status]?.when),
      },
    },
  });
});

/** Each status with a code that is none of the documented ones. */
const unknownCodes = (
  [
    [400, 'BAD_REQUEST'],
    [401, 'unauthorized'],
    [403, 'ACCESS_DENIED'],
    [404, 'INSTANCE_NOT_FOUND'],
    [429, 'RATE_LIMITED'],
    [500, '500'],
  ] as const
).flatMap(([status, code]) =>
  faultTable({
    [`compute.errors.status-${status}`]: {
      [`${status}-says-${slugOf(code)}`]: {
        besides: ['compute.errors.code-known', ...(narrow[status]?.besides ?? [])],
        patch: codeOf(status, code, narrow[status]?.when),
      },
    },
  }),
);

export const errorFaults = [
  ...faultTable({
    'compute.errors.status-409': {
      'conflict-without-code': {
        says: 'A 409 carries an empty code.',
        patch: () => ({ conflict: (message) => new Refusal(409, '', message) }),
      },
      'conflict-code-is-a-number': enveloping((error, { status }) => ({
        error: status === 409 ? { ...error, code: 409 } : error,
      })),
    },
    'compute.errors.status-404': {
      'unknown-terminate-says-forbidden': {
        besides: ['compute.errors.code-forbidden', 'compute.terminate-instance.unknown-id'],
        patch: codeOf(404, errorCodes[403], ({ operation }) => operation === 'terminate-instance'),
      },
    },
    'compute.errors.code-known': {
      'bad-cursor-has-a-code-of-its-own': {
        besides: ['compute.errors.status-400', 'compute.pagination.garbage-cursor-refused'],
        patch: codeOf(400, 'INVALID_CURSOR', ({ query }) => query.includes('cursor=')),
      },
    },
    'compute.errors.other-status-envelope': {
      'terminated-read-is-a-bare-410': chained(
        fails(
          'singleRecord',
          (instance) => instance.state === 'TERMINATED',
          () => new Refusal(410, errorCodes[404], 'Gone.'),
        ),
        enveloping((error, { status }) => (status === 410 ? { gone: true } : { error })),
      ),
    },
    'compute.errors.other-status-code': {
      'null-note-is-422-with-a-code-of-its-own': {
        exercisedBy: ['compute.stop-instance.reason-note-null'],
        patch: fails(
          'readReasonNote',
          (context) => /"reason_note"\s*:\s*null/u.test(Buffer.from(context.body).toString()),
          () => new Refusal(422, 'UNPROCESSABLE', 'reason_note must be text.'),
        ),
      },
    },
    'compute.errors.envelope': {
      'envelope-is-flat': {
        says: 'A 400 of a single instance is the error object itself, without envelope.',
        exercisedBy: ['compute.get-instance.malformed-id'],
        patch: enveloping((error, { status }, { operation }) =>
          operation === 'get-instance' && status === 400 ? error : { error },
        ),
      },
      'envelope-holds-text': enveloping((error, { status, message }) => ({
        error: status === 409 ? message : error,
      })),
    },
    'compute.errors.message-text': {
      'message-is-absent-from-409': enveloping(({ message, ...error }, { status }) => ({
        error: status === 409 ? error : { ...error, message },
      })),
      'message-is-a-list': enveloping((error, { status, message }) => ({
        error: status === 400 ? { ...error, message: [message] } : error,
      })),
    },
    'compute.errors.request-id-text': {
      'request-id-is-absent-from-401': enveloping(({ request_id, ...error }, { status }) => ({
        error: status === 401 ? error : { ...error, request_id },
      })),
      'request-id-is-empty-on-regions-filter': enveloping((error, { status }, { operation }) => ({
        error:
          status === 400 && operation === 'list-instances' ? { ...error, request_id: '' } : error,
      })),
      'request-id-is-a-number': enveloping((error, _refusal, { sequence }) => ({
        error: { ...error, request_id: sequence },
      })),
    },
    'compute.errors.request-id-fresh': {
      'request-id-repeats-within-a-second': enveloping((error, _refusal, { now }) => ({
        error: { ...error, request_id: `req-${Math.floor(now / 1_000)}` },
      })),
      'request-id-repeats-once-in-twenty': (rules) => {
        let errors = 0;
        let last: unknown;
        return enveloping((error) => {
          errors += 1;
          if (errors % 20 === 0) return { error: { ...error, request_id: last } };
          last = error['request_id'];
          return { error };
        })(rules);
      },
    },
  }),
  ...wrongCodes,
  ...unknownCodes,
];
