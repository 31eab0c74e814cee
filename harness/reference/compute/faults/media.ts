/** Bodies that are no JSON, and labels that say something else. */

import type { RequestContext } from '../context.ts';
import { type Reply, withHeader } from '../../http.ts';
import { faultTable, type Patch } from './words.ts';

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

export const mediaFaults = faultTable('compute.media', {
  'success-label: one-response-in-200-is-labelled-text': replying(
    ({ sequence }, { status }) => sequence % 200 === 0 && status < 300,
    labelled('text/plain'),
  ),
  'success-label: later-pages-have-no-label': {
    exercisedBy: ['compute.list-instances.newest-first-later-pages'],
    patch: replying(
      ({ query }, { status }) => query.includes('cursor=') && status === 200,
      labelled(undefined),
    ),
  },
  'error-label: conflict-is-labelled-html': replying(
    (_context, { status }) => status === 409,
    labelled('text/html'),
  ),
  'error-label: problem-json-label': replying(
    (_context, { status }) => status === 404,
    labelled('application/problem+json'),
  ),
  'error-json + error-label + compute.errors.envelope: conflict-is-an-html-page': replying(
    (_context, { status }) => status === 409,
    (reply) => ({ ...labelled('text/html')(reply), body: '<html>Conflict</html>' }),
  ),
  'error-json + compute.errors.envelope: conflict-is-cut-short': replying(
    (_context, { status }) => status === 409,
    bodied((text) => text.slice(0, -1)),
  ),
  'success-json: start-answers-words': {
    exercisedBy: ['compute.start-instance.stopped-accepted'],
    patch: replying(
      ({ operation }, { status }) => operation === 'start-instance' && status < 300,
      (reply) => ({ ...reply, body: 'starting' }),
    ),
  },
  'success-json: single-instance-has-a-trailing-comma': replying(
    ({ operation, sequence }, { status }) =>
      operation === 'get-instance' && status === 200 && sequence % 4 === 0,
    bodied((text) => text.replace(/\}$/u, ',}')),
  ),
});
