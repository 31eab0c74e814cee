/** Envelopes that lack something, and statuses and codes that do not belong together. */

import type { Fault } from '../../fault.ts';
import type { ComputeRules, RequestContext } from '../context.ts';
import { Refusal, errorCodes } from '../refusal.ts';
import { replace, faultTable, enveloping, refusing } from './answering.ts';
import { goneAtOnce } from './gone.ts';
import { limited } from './limited.ts';

type Status = keyof typeof errorCodes;

/** The end of the requirement id of a code: `VALIDATION_ERROR` is `validation-error`. */
const slugOf = (code: string): string => code.toLowerCase().replaceAll('_', '-');

/** What a deployment must be before it answers with that status at all. */
function provoked(rules: ComputeRules, status: Status): ComputeRules {
  if (status === 429) return limited(rules);
  return status === 500 ? goneAtOnce(rules) : rules;
}

function codeOf(
  status: Status,
  code: string,
  name: string,
  breaks: readonly string[],
  when: (context: RequestContext) => boolean = () => true,
): Fault<ComputeRules> {
  return {
    name,
    summary: `Answers of status ${status} carry the code ${code}, at least in one place.`,
    breaks,
    patch: (rules) =>
      refusing(provoked(rules, status), (refusal, context) =>
        refusal.status === status && when(context)
          ? new Refusal(status, code, refusal.message, refusal.headers)
          : refusal,
      ),
  };
}

/** Each status with a code that is that of another one. */
const swapped: readonly (readonly [Status, Status])[] = [
  [400, 404],
  [401, 403],
  [403, 401],
  [404, 400],
  [404, 500],
  [429, 500],
  [429, 403],
  [500, 429],
];

/**
 * Where a wrong code breaks as little else as can be: nearly every refusal is stated with its code. A malformed id
 * may be 400 or 404, an id that exists is probed without a key for what it tells, and unknown ids are stopped.
 */
const narrow: Partial<Record<Status, Narrow>> = {
  400: {
    when: ({ operation }) => operation === 'get-instance',
    also: [],
  },
  401: {
    when: ({ world, pathParameters }) => world.instance(pathParameters['id'] ?? '') !== undefined,
    also: ['compute.authentication.tells-nothing'],
  },
  404: {
    when: ({ operation, world, pathParameters }) =>
      operation === 'stop-instance' && world.instance(pathParameters['id'] ?? '') === undefined,
    also: ['compute.stop-instance.unknown-id', 'compute.scoping.foreign-stop-same'],
  },
};

interface Narrow {
  readonly when: (context: RequestContext) => boolean;
  readonly also: readonly string[];
}

const wrongCodes = swapped.map(([status, other]) =>
  codeOf(
    status,
    errorCodes[other],
    `${status}-says-${slugOf(errorCodes[other])}`,
    [
      `compute.errors.code-${slugOf(errorCodes[other])}`,
      `compute.errors.status-${status}`,
      ...(narrow[status]?.also ?? []),
    ],
    narrow[status]?.when,
  ),
);

/** Each status with a code that is none of the documented ones. */
const unknownCodes = ([400, 401, 403, 404, 429, 500] as const).map((status) => {
  const code = {
    400: 'BAD_REQUEST',
    401: 'unauthorized',
    403: 'ACCESS_DENIED',
    404: 'INSTANCE_NOT_FOUND',
    429: 'RATE_LIMITED',
    500: '500',
  }[status];
  return codeOf(
    status,
    code,
    `${status}-says-${slugOf(code)}`,
    [
      `compute.errors.status-${status}`,
      'compute.errors.code-known',
      ...(narrow[status]?.also ?? []),
    ],
    narrow[status]?.when,
  );
});

export const errorFaults = [
  ...faultTable({
    'compute.errors.status-409': {
      'conflict-without-code': {
        says: 'A 409 carries an empty code.',
        patch: () => ({ conflict: (message) => new Refusal(409, '', message) }),
      },
      'conflict-code-is-a-number': (rules) =>
        enveloping(rules, (error, { status }) => ({
          error: status === 409 ? { ...error, code: 409 } : error,
        })),
    },
    'compute.errors.other-status-envelope': {
      'terminated-read-is-a-bare-410': (rules) =>
        enveloping(
          replace('singleRecord', (original, instance, context) => {
            if (instance.state === 'TERMINATED') throw new Refusal(410, errorCodes[404], 'Gone.');
            return original(instance, context);
          })(rules),
          (error, { status }) => (status === 410 ? { gone: true } : { error }),
        ),
    },
    'compute.errors.other-status-code': {
      'null-note-is-422-with-a-code-of-its-own': {
        exercisedBy: ['compute.stop-instance.reason-note-null'],
        patch: replace('readReasonNote', (original, context) => {
          if (/"reason_note"\s*:\s*null/u.test(Buffer.from(context.body).toString())) {
            throw new Refusal(422, 'UNPROCESSABLE', 'reason_note must be text.');
          }
          return original(context);
        }),
      },
    },
    'compute.errors.envelope': {
      'envelope-is-flat': {
        says: 'A 400 of a single instance is the error object itself, without envelope.',
        exercisedBy: ['compute.get-instance.malformed-id'],
        patch: (rules) =>
          enveloping(rules, (error, { status }, { operation }) =>
            operation === 'get-instance' && status === 400 ? error : { error },
          ),
      },
      'envelope-holds-text': (rules) =>
        enveloping(rules, (error, { status, message }) => ({
          error: status === 409 ? message : error,
        })),
    },
    'compute.errors.message-text': {
      'message-is-absent-from-409': (rules) =>
        enveloping(rules, ({ message, ...error }, { status }) => ({
          error: status === 409 ? error : { ...error, message },
        })),
      'message-is-a-list': (rules) =>
        enveloping(rules, (error, { status, message }) => ({
          error: status === 400 ? { ...error, message: [message] } : error,
        })),
    },
    'compute.errors.request-id-text': {
      'request-id-is-absent-from-401': (rules) =>
        enveloping(rules, ({ request_id, ...error }, { status }) => ({
          error: status === 401 ? error : { ...error, request_id },
        })),
      'request-id-is-empty-on-regions-filter': (rules) =>
        enveloping(rules, (error, { status }, { operation }) => ({
          error:
            status === 400 && operation === 'list-instances' ? { ...error, request_id: '' } : error,
        })),
      'request-id-is-a-number': (rules) =>
        enveloping(rules, (error, _refusal, { sequence }) => ({
          error: { ...error, request_id: sequence },
        })),
    },
    'compute.errors.request-id-fresh': {
      'request-id-repeats-within-a-second': (rules) =>
        enveloping(rules, (error, _refusal, { now }) => ({
          error: { ...error, request_id: `req-${Math.floor(now / 1_000)}` },
        })),
      'request-id-repeats-once-in-twenty': (rules) => {
        let errors = 0;
        let last: unknown;
        return enveloping(rules, (error) => {
          errors += 1;
          if (errors % 20 === 0) return { error: { ...error, request_id: last } };
          last = error['request_id'];
          return { error };
        });
      },
    },
  }),
  ...wrongCodes,
  ...unknownCodes,
  codeOf(
    404,
    errorCodes[403],
    'unknown-terminate-says-forbidden',
    [
      'compute.errors.status-404',
      'compute.errors.code-forbidden',
      'compute.terminate-instance.unknown-id',
    ],
    ({ operation }) => operation === 'terminate-instance',
  ),
  codeOf(
    400,
    'INVALID_CURSOR',
    'bad-cursor-has-a-code-of-its-own',
    [
      'compute.errors.code-known',
      'compute.errors.status-400',
      'compute.pagination.garbage-cursor-refused',
    ],
    ({ query }) => query.includes('cursor='),
  ),
];
