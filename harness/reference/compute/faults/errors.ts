/** Incomplete envelopes, statuses and codes that do not match, and bodies that are not JSON. */

import { errorCodes, Refusal } from '../model.ts';
import {
  chained,
  enveloping,
  fails,
  faultTable,
  goneAtOnce,
  limited,
  namedInstance,
  nowAndThen,
  type Patch,
  refusing,
  type When,
  rows,
  gathered,
  slugOf,
} from './words.ts';
import { headerValues, type RequestContext } from '../context.ts';
import { type Reply, withHeader } from '../../http.ts';

type Status = keyof typeof errorCodes;

/** Patches that make a deployment use this status at all. */
const provoked = { 429: limited, 500: goneAtOnce };

/** Refusals with a status carry another code. */
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

/** Requests for which a wrong code breaks few other requirements, since most refusals are stated with their code. */
const narrow: Partial<Record<Status, { readonly when: When; readonly besides: string }>> = {
  400: { when: ({ operation }) => operation === 'get-instance', besides: '' },
  401: {
    when: (context) => namedInstance(context) !== undefined,
    besides: ' + compute.authentication.tells-nothing',
  },
  404: {
    when: ({ operation, world, pathParameters }) =>
      operation === 'stop-instance' && world.instance(pathParameters['id'] ?? '') === undefined,
    besides: ' + compute.stop-instance.unknown-id + compute.scoping.foreign-stop-same',
  },
};

/** Each status with the documented code of another status. */
const wrongCodes = gathered(
  [
    [400, 404],
    [401, 403],
    [403, 401],
    [404, 400],
    [404, 500],
    [429, 500],
    [429, 403],
    [500, 429],
  ],
  ([status, other]) => {
    const code = errorCodes[other];
    const { when, besides = '' } = narrow[status] ?? {};
    return {
      [`code-${slugOf(code)} + status-${status}${besides}: ${status}-says-${slugOf(code)}`]: codeOf(
        status,
        code,
        when,
      ),
    };
  },
);

/** Each status with an undocumented code. */
const unknownCodes = gathered(
  [
    [400, 'BAD_REQUEST'],
    [401, 'unauthorized'],
    [403, 'ACCESS_DENIED'],
    [404, 'INSTANCE_NOT_FOUND'],
    [429, 'RATE_LIMITED'],
    [500, '500'],
  ],
  ([status, code]) => {
    const { when, besides = '' } = narrow[status] ?? {};
    return {
      [`status-${status} + code-known${besides}: ${status}-says-${slugOf(code)}`]: codeOf(
        status,
        code,
        when,
      ),
    };
  },
);

/** Changes the replies for which `applies` returns true. */
function replying(
  applies: (context: RequestContext, reply: Reply) => boolean,
  change: (reply: Reply) => Reply,
): Patch {
  return (rules) => ({
    onReply: async (context, reply) => {
      const sent = await rules.onReply(context, reply);
      return applies(context, sent) ? change(sent) : sent;
    },
  });
}

const labelled =
  (label: string | undefined) =>
  (reply: Reply): Reply =>
    withHeader(reply, 'Content-Type', label);

const bodied =
  (change: (text: string) => string) =>
  (reply: Reply): Reply => ({ ...reply, body: change(String(reply.body)) });

export const errorsFaults = [
  ...faultTable('compute.errors', {
    'status-409: conflict-without-code': () => ({
      conflict: (message) => new Refusal(409, '', message),
    }),
    ...rows(enveloping, {
      'status-409: conflict-code-is-a-number': (error, { status }) => ({
        error: status === 409 ? { ...error, code: 409 } : error,
      }),
      'envelope, met by compute.get-instance.malformed-id: envelope-is-flat': (
        error,
        { status },
        { operation },
      ) => (operation === 'get-instance' && status === 400 ? error : { error }),
      'envelope: envelope-holds-text': (error, { status, message }) => ({
        error: status === 409 ? message : error,
      }),
      'message-text: message-is-absent-from-409': ({ message, ...error }, { status }) => ({
        error: status === 409 ? error : { ...error, message },
      }),
      'message-text: message-is-a-list': (error, { status, message }) => ({
        error: status === 400 ? { ...error, message: [message] } : error,
      }),
      'request-id-text: request-id-is-absent-from-401': ({ request_id, ...error }, { status }) => ({
        error: status === 401 ? error : { ...error, request_id },
      }),
      'request-id-text: request-id-is-a-number': (error, _refusal, { sequence }) => ({
        error: { ...error, request_id: sequence },
      }),
      'request-id-fresh: request-id-repeats-within-a-second': (error, _refusal, { now }) => ({
        error: { ...error, request_id: `req-${Math.floor(now / 1_000)}` },
      }),
    }),
    'status-404 + code-forbidden + compute.terminate-instance.unknown-id: unknown-terminate-says-forbidden':
      codeOf(404, errorCodes[403], ({ operation }) => operation === 'terminate-instance'),
    'code-known + status-400 + compute.pagination.garbage-cursor-refused: bad-cursor-has-a-code-of-its-own':
      codeOf(400, 'INVALID_CURSOR', ({ query }) => query.includes('cursor=')),
    'other-status-envelope: terminated-read-is-a-bare-410': chained(
      fails(
        'singleRecord',
        () => new Refusal(410, errorCodes[404], 'Gone.'),
        (instance) => instance.state === 'TERMINATED',
      ),
      enveloping((error, { status }) => (status === 410 ? { gone: true } : { error })),
    ),
    'other-status-code, met by compute.stop-instance.reason-note-null: null-note-is-422-with-a-code-of-its-own':
      fails(
        'readReasonNote',
        () => new Refusal(422, 'UNPROCESSABLE', 'reason_note must be text.'),
        (context) => /"reason_note"\s*:\s*null/u.test(Buffer.from(context.body).toString()),
      ),
    'request-id-fresh: request-id-repeats-once-in-twenty': nowAndThen(20, (isDue) => {
      let last: unknown;
      return enveloping((error) => {
        if (isDue()) return { error: { ...error, request_id: last } };
        last = error['request_id'];
        return { error };
      });
    }),
    // Every twentieth read of presets in a region answers 500.
    'no-internal-error: regions-crash-now-and-then': nowAndThen(20, (isDue) =>
      fails(
        'presetMatchesRegion',
        () => new Error('No connection.'),
        (preset, query, { world }) =>
          query.region !== undefined && preset === world.presets[0] && isDue(),
      ),
    ),
    ...wrongCodes,
    ...unknownCodes,
  }),
  ...faultTable('compute.media', {
    'success-label: one-response-in-200-is-labelled-text': replying(
      ({ sequence }, { status }) => sequence % 200 === 0 && status < 300,
      labelled('text/plain'),
    ),
    'success-label, met by compute.list-instances.newest-first-later-pages: later-pages-have-no-label':
      replying(
        ({ query }, { status }) => query.includes('cursor=') && status === 200,
        labelled(undefined),
      ),
    'error-label: conflict-is-labelled-html': replying(
      (_context, { status }) => status === 409,
      labelled('text/html'),
    ),
    'error-label: problem-json-label': replying(
      (_context, { status }) => status === 404,
      labelled('application/problem+json'),
    ),
    'error-json + error-label + compute.errors.envelope: browsers-get-a-page-for-an-error':
      replying(
        (context, { status }) =>
          status >= 400 && headerValues(context, 'accept')[0]?.startsWith('text/html') === true,
        (reply) => ({ ...labelled('text/html')(reply), body: '<html>Error</html>' }),
      ),
    'error-json + error-label + compute.errors.envelope: conflict-is-an-html-page': replying(
      (_context, { status }) => status === 409,
      (reply) => ({ ...labelled('text/html')(reply), body: '<html>Conflict</html>' }),
    ),
    'error-json + compute.errors.envelope: conflict-is-cut-short': replying(
      (_context, { status }) => status === 409,
      bodied((text) => text.slice(0, -1)),
    ),
    'success-json, met by compute.start-instance.stopped-accepted: start-answers-words': replying(
      ({ operation }, { status }) => operation === 'start-instance' && status < 300,
      (reply) => ({ ...reply, body: 'starting' }),
    ),
    'success-json: single-instance-has-a-trailing-comma': replying(
      ({ operation, sequence }, { status }) =>
        operation === 'get-instance' && status === 200 && sequence % 4 === 0,
      bodied((text) => text.replace(/\}$/u, ',}')),
    ),
    'success-json: regions-are-cut-short': replying(
      ({ operation }, { status }) => operation === 'regions' && status === 200,
      (reply) => ({ ...reply, cutAfter: reply.body.length - 1 }),
    ),
  }),
];
