/** Bodies that are no JSON, and labels that say something else. */

import { type Reply, withHeader } from '../../http.ts';
import type { RequestContext } from '../context.ts';
import { type Patch, faultTable } from './answering.ts';

/** Replies that `applies` picks, changed. */
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

export const mediaFaults = faultTable({
  'compute.media.success-label': {
    'single-instance-is-labelled-text': replying(
      ({ operation }, { status }) => operation === 'get-instance' && status === 200,
      labelled('text/plain'),
    ),
    'one-response-in-200-is-labelled-text': replying(
      ({ sequence }, { status }) => sequence % 200 === 0 && status < 300,
      labelled('text/plain'),
    ),
    'later-pages-have-no-label': {
      says: 'Pages after the first carry no content type.',
      exercisedBy: ['compute.list-instances.newest-first-later-pages'],
      patch: replying(
        ({ query }, { status }) => query.includes('cursor=') && status === 200,
        labelled(undefined),
      ),
    },
  },
  'compute.media.error-label': {
    'conflict-is-labelled-html': replying(
      (_context, { status }) => status === 409,
      labelled('text/html'),
    ),
    'problem-json-label': replying(
      (_context, { status }) => status === 404,
      labelled('application/problem+json'),
    ),
  },
  'compute.media.error-json': {
    'conflict-is-an-html-page': {
      besides: ['compute.media.error-label', 'compute.errors.envelope'],
      patch: replying(
        (_context, { status }) => status === 409,
        (reply) => ({ ...labelled('text/html')(reply), body: '<html>Conflict</html>' }),
      ),
    },
    'conflict-is-cut-short': {
      says: 'The body of a 409 lacks its last brace.',
      besides: ['compute.errors.envelope'],
      patch: replying(
        (_context, { status }) => status === 409,
        bodied((text) => text.slice(0, -1)),
      ),
    },
  },
  'compute.media.success-json': {
    'start-answers-words': {
      exercisedBy: ['compute.start-instance.stopped-accepted'],
      patch: replying(
        ({ operation }, { status }) => operation === 'start-instance' && status < 300,
        (reply) => ({ ...reply, body: 'starting' }),
      ),
    },
    'errored-instances-have-nan-bandwidth': {
      besides: [
        'compute.list-instances.status-errored',
        'compute.list-instances.data-array',
        'compute.pagination.object-on-instances',
      ],
      patch: replying(
        ({ query }, { status }) => query.includes('status=errored') && status === 200,
        bodied((text) => text.replace(/"bandwidth":\d+/u, '"bandwidth":NaN')),
      ),
    },
    'single-instance-has-a-trailing-comma': replying(
      ({ operation, sequence }, { status }) =>
        operation === 'get-instance' && status === 200 && sequence % 4 === 0,
      bodied((text) => text.replace(/\}$/u, ',}')),
    ),
  },
});
