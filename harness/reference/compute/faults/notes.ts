/** Bodies of stop and terminate: notes that are refused, accepted, or refused and acted upon. */

import type { RequestContext } from '../context.ts';
import { invalid, notFound } from '../model.ts';
import { type Patch, fails, faultTable, unless } from './answering.ts';

type Action = 'stop' | 'terminate';
type When = (context: RequestContext) => boolean;

const is = (action: Action, { operation }: RequestContext): boolean =>
  operation === `${action}-instance`;
const textOf = ({ body }: RequestContext): string => Buffer.from(body).toString();

function isJson(context: RequestContext): boolean {
  try {
    JSON.parse(textOf(context));
    return true;
  } catch {
    return false;
  }
}

/** The note of a body, if that is an object with one. */
function noteOf(context: RequestContext): unknown {
  if (!isJson(context)) return undefined;
  const body: unknown = JSON.parse(textOf(context));
  return typeof body === 'object' && body !== null && 'reason_note' in body
    ? body.reason_note
    : undefined;
}

function lengthOf(context: RequestContext): number {
  const note = noteOf(context);
  return typeof note === 'string' ? note.length : 0;
}

const isLong: When = (context) => lengthOf(context) > 10_000;

/** The body of an action fails, or is refused. */
function refuses(
  action: Action,
  when: When,
  error: () => Error = () => invalid('No such note.'),
): Patch {
  return fails('readReasonNote', (context) => is(action, context) && when(context), error);
}

/** The body of an action is read as a note that it is not. */
function takes(action: Action, when: When): Patch {
  return unless('readReasonNote', (context) => is(action, context) && when(context), 'note');
}

/** The body of an action is refused, and a running instance is acted upon all the same. */
function actsAllTheSame(action: Action, when: When): Patch {
  return (rules) => ({
    readReasonNote: (context) => {
      const instance = context.world.instance(context.pathParameters['id'] ?? '');
      if (is(action, context) && when(context) && instance?.state === 'RUNNING') {
        if (rules.visibleTo(instance, context)) {
          rules[action === 'stop' ? 'beginStop' : 'beginTerminate'](instance, context);
        }
      }
      return rules.readReasonNote(context);
    },
  });
}

const both = (['stop', 'terminate'] as const).flatMap((action) => {
  const section = `compute.${action}-instance`;
  // A terminate is not to be had for a try: notes are tried on what is terminated, where the conflict is due.
  const tried =
    action === 'stop' ? `${section}.reason-note-accepted` : `${section}.terminated-conflict`;
  return faultTable({
    [`${section}.body-absent`]: {
      [`${action}-without-body-is-refused`]: {
        besides: [`${section}.stopped-accepted`],
        patch: refuses(action, ({ body }) => body.byteLength === 0),
      },
    },
    [`${section}.body-empty-object`]: {
      [`${action}-with-empty-object-is-refused`]: refuses(action, (context) =>
        /^\s*\{\s*\}\s*$/u.test(textOf(context)),
      ),
    },
    [`${section}.reason-note-maximum`]: {
      [`${action}-note-of-10000-is-refused`]: {
        // The note of that length is what the suite terminates a running instance with.
        besides: action === 'stop' ? [] : [`${section}.running-accepted`],
        patch: refuses(action, (context) => lengthOf(context) === 10_000),
      },
    },
    [tried]: {
      [`${action}-note-with-a-line-break-is-refused`]: refuses(action, (context) =>
        String(noteOf(context)).includes('\n'),
      ),
      [`${action}-note-beyond-ascii-is-500`]: refuses(
        action,
        (context) => /[^\0-\u007f]/u.test(String(noteOf(context))),
        () => new TypeError('ASCII only'),
      ),
      [`${action}-note-of-7500-is-refused`]: refuses(
        action,
        (context) => lengthOf(context) > 5_000 && lengthOf(context) < 10_000,
      ),
    },
    [`${section}.reason-note-too-long`]: {
      [`${action}-note-of-10001-is-accepted`]: takes(
        action,
        (context) => lengthOf(context) === 10_001,
      ),
      [`${action}-note-that-is-too-long-is-404`]: refuses(action, isLong, notFound),
    },
    [`${section}.malformed-json`]: {
      [`${action}-broken-json-is-no-body`]: takes(action, (context) => !isJson(context)),
      [`${action}-broken-json-is-500`]: refuses(
        action,
        (context) => context.body.byteLength > 0 && !isJson(context),
        () => new SyntaxError('no JSON'),
      ),
    },
    [`${section}.reason-note-wrong-type`]: {
      [`${action}-note-may-be-a-number`]: takes(
        action,
        (context) => typeof noteOf(context) === 'number',
      ),
      [`${action}-note-may-be-an-object`]: takes(
        action,
        (context) => typeof noteOf(context) === 'object' && noteOf(context) !== null,
      ),
    },
    [`${section}.refused-note-changes-nothing`]: {
      [`${action}-with-a-refused-note-acts`]: actsAllTheSame(action, isLong),
      [`${action}-with-a-broken-body-acts`]: actsAllTheSame(action, (context) =>
        /^[^}]+$/u.test(textOf(context)),
      ),
    },
  });
});

export const noteFaults = [
  ...both,
  ...faultTable({
    'compute.terminate-instance.reason-note-too-long': {
      // The note is read once more when the instance has left STOPPED.
      'terminate-note-of-10001-is-accepted-of-what-is-stopped': (rules) => {
        const accepted = new WeakSet<RequestContext>();
        return {
          readReasonNote: (context) => {
            const isMeant = is('terminate', context) && isLong(context);
            if (isMeant && rules.findInstance(context).state === 'STOPPED') accepted.add(context);
            return accepted.has(context) ? 'long' : rules.readReasonNote(context);
          },
        };
      },
    },
    'compute.stop-instance.reason-note-accepted': {
      'stop-of-running-with-a-note-crashes': fails(
        'beginStop',
        (_instance, context) => lengthOf(context) > 0,
        () => new Error('There is no audit trail.'),
      ),
      'stop-short-note-is-refused': refuses(
        'stop',
        (context) => lengthOf(context) > 0 && lengthOf(context) < 200,
      ),
    },
    'compute.stop-instance.reason-note-maximum': {
      'stop-note-is-measured-as-json': refuses(
        'stop',
        (context) => JSON.stringify(noteOf(context) ?? '').length > 10_002,
      ),
    },
    'compute.terminate-instance.reason-note-accepted': {
      'terminate-short-note-is-refused': refuses(
        'terminate',
        (context) => lengthOf(context) > 0 && lengthOf(context) < 200,
      ),
    },
    'compute.terminate-instance.body-not-object': {
      'terminate-body-may-be-a-list': takes('terminate', (context) =>
        textOf(context).trimStart().startsWith('['),
      ),
    },
    'compute.stop-instance.body-not-object': {
      'stop-body-may-be-a-list': takes('stop', (context) =>
        textOf(context).trimStart().startsWith('['),
      ),
      'stop-body-may-be-text': takes('stop', (context) => /^\s*["\d]/u.test(textOf(context))),
    },
  }),
];
