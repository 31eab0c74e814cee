/** Bodies that are no JSON, and labels that say something else. */

import { declareFaults } from '../../fault.ts';
import { type Reply, withHeader } from '../../http/reply.ts';
import type { ComputeRules, RequestContext } from '../context.ts';

/** Replies that `applies` picks, changed. */
function replying(
  rules: ComputeRules,
  applies: (context: RequestContext, reply: Reply) => boolean,
  change: (reply: Reply) => Reply,
): ComputeRules {
  return {
    ...rules,
    onReply: async (context, reply) => {
      const sent = await rules.onReply(context, reply);
      return applies(context, sent) ? change(sent) : sent;
    },
  };
}

const labelled =
  (label: string | undefined) =>
  (reply: Reply): Reply =>
    withHeader(reply, 'Content-Type', label);

const bodied =
  (change: (text: string) => string) =>
  (reply: Reply): Reply => ({ ...reply, body: change(String(reply.body)) });

export const mediaFaults = declareFaults<ComputeRules>([
  {
    name: 'single-instance-is-labelled-text',
    summary: 'A single instance is labelled as plain text.',
    breaks: ['compute.media.success-label'],
    patch: (rules) =>
      replying(
        rules,
        ({ operation }, { status }) => operation === 'get-instance' && status === 200,
        labelled('text/plain'),
      ),
  },
  {
    name: 'one-response-in-200-is-labelled-text',
    summary: 'Every 200th response is labelled as plain text.',
    breaks: ['compute.media.success-label'],
    patch: (rules) =>
      replying(
        rules,
        ({ sequence }, { status }) => sequence % 200 === 0 && status < 300,
        labelled('text/plain'),
      ),
  },
  {
    name: 'later-pages-have-no-label',
    summary: 'Pages after the first carry no content type.',
    breaks: ['compute.media.success-label'],
    exercisedBy: ['compute.list-instances.newest-first-later-pages'],
    patch: (rules) =>
      replying(
        rules,
        ({ query }, { status }) => query.includes('cursor=') && status === 200,
        labelled(undefined),
      ),
  },
  {
    name: 'conflict-is-labelled-html',
    summary: 'A 409 is labelled as HTML.',
    breaks: ['compute.media.error-label'],
    patch: (rules) =>
      replying(rules, (_context, { status }) => status === 409, labelled('text/html')),
  },
  {
    name: 'problem-json-label',
    summary: 'A 404 is labelled as problem+json.',
    breaks: ['compute.media.error-label'],
    patch: (rules) =>
      replying(
        rules,
        (_context, { status }) => status === 404,
        labelled('application/problem+json'),
      ),
  },
  {
    name: 'malformed-id-is-an-html-page',
    summary: 'Reading a malformed id is answered with a page of HTML.',
    breaks: ['compute.media.error-json', 'compute.media.error-label', 'compute.errors.envelope'],
    exercisedBy: ['compute.get-instance.malformed-id'],
    patch: (rules) =>
      replying(
        rules,
        ({ operation }, { status }) => operation === 'get-instance' && status === 400,
        (reply) => ({
          ...labelled('text/html')(reply),
          body: '<html><body>Bad Request</body></html>',
        }),
      ),
  },
  {
    name: 'conflict-is-cut-short',
    summary: 'The body of a 409 lacks its last brace.',
    breaks: ['compute.media.error-json', 'compute.errors.envelope'],
    patch: (rules) =>
      replying(
        rules,
        (_context, { status }) => status === 409,
        bodied((text) => text.slice(0, -1)),
      ),
  },
  {
    name: 'errored-instances-have-nan-bandwidth',
    summary: 'The list of errored instances has NaN where a number belongs.',
    breaks: [
      'compute.media.success-json',
      'compute.list-instances.status-errored',
      'compute.list-instances.data-array',
      'compute.pagination.object-on-instances',
    ],
    patch: (rules) =>
      replying(
        rules,
        ({ query }, { status }) => query.includes('status=errored') && status === 200,
        bodied((text) => text.replace(/"bandwidth":\d+/u, '"bandwidth":NaN')),
      ),
  },
  {
    name: 'single-instance-has-a-trailing-comma',
    summary: 'The body of a single instance ends in a comma before its brace.',
    breaks: ['compute.media.success-json'],
    patch: (rules) =>
      replying(
        rules,
        ({ operation, sequence }, { status }) =>
          operation === 'get-instance' && status === 200 && sequence % 4 === 0,
        bodied((text) => text.replace(/\}$/u, ',}')),
      ),
  },
]);
