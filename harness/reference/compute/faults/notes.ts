/** Bodies of stop and terminate: notes that are refused, accepted, or refused although the action takes effect. */

import { type InstanceState, invalid } from '../model.ts';
import { headerValues, type RequestContext } from '../context.ts';
import {
  chained,
  fails,
  faultTable,
  lingering,
  rows,
  forces,
  namedInstance,
  type Patch,
  replace,
  type When,
} from './words.ts';

/** Reads the first object of an invalid body and ignores the rest, as a stream decoder does. */
function readsTheFirst(action: Action): Patch {
  return replace('parseBody', (original, context) => {
    const text = textOf(context);
    const body = Buffer.from(text.slice(0, text.indexOf('}') + 1));
    return is(action, context) && !isJson(context) && isJson({ ...context, body })
      ? original({ ...context, body })
      : original(context);
  });
}

/** Reads a note as if it were another one. */
function readsNotes(change: (note: string, context: RequestContext) => string): Patch {
  return replace('parseReasonNote', (original, note, context) =>
    original(typeof note === 'string' ? change(note, context) : note, context),
  );
}

const MAX_REASON_NOTE = 10_000;

const metRunning = new WeakMap<RequestContext, boolean>();

/** True for a stop that found its instance RUNNING. Remembered, since the body is read again after the action. */
function isStopOfRunning(context: RequestContext): boolean {
  const known = metRunning.get(context);
  if (known !== undefined) return known;
  const instance = namedInstance(context);
  const isMet = context.operation === 'stop-instance' && instance?.state === 'RUNNING';
  metRunning.set(context, isMet);
  return isMet;
}

/** True for a note of one length in a stop of a running instance. */
function isMeant(note: unknown, context: RequestContext, length: number): boolean {
  return isStopOfRunning(context) && typeof note === 'string' && note.length === length;
}

/** A terminate in one state is a conflict if it comes with a short note. */
function refusesNoted(met: InstanceState): Patch {
  return forces('terminateOutcome', 'conflict', ({ state }, context) => {
    const length = lengthOf(context);
    return state === met && length > 0 && length < 200;
  });
}

type Action = 'stop' | 'terminate';

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

/** The `reason_note` of a body, if the body is an object that has one. */
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

const hasLongNote: When = (context) => lengthOf(context) > 10_000;

/** The body of an action is refused, or makes it fail. */
function refuses(
  action: Action,
  when: When,
  error: () => Error = () => invalid('No such note.'),
): Patch {
  return fails('readReasonNote', error, (context) => is(action, context) && when(context));
}

/** The body of an action passes as if it had a valid note. */
function takes(action: Action, when: When): Patch {
  return forces('readReasonNote', 'note', (context) => is(action, context) && when(context));
}

/** The body of an action is refused, but a running instance is stopped or terminated all the same. */
function actsAllTheSame(action: Action, when: When): Patch {
  return (rules) => ({
    readReasonNote: (context) => {
      const instance = namedInstance(context);
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
  // Terminates are expensive, so cases try notes on terminated instances, where a 409 is due.
  const tried = action === 'stop' ? 'reason-note-accepted' : 'terminated-conflict';
  return faultTable(`compute.${action}-instance`, {
    [`body-absent + stopped-accepted: ${action}-without-body-is-refused`]: refuses(
      action,
      ({ body }) => body.byteLength === 0,
    ),
    [`body-empty-object: ${action}-with-empty-object-is-refused`]: refuses(action, (context) =>
      /^\s*\{\s*\}\s*$/u.test(textOf(context)),
    ),
    // A case terminates a running instance with a note of that length.
    [`reason-note-maximum${action === 'stop' ? '' : ' + running-accepted'}: ${action}-note-of-10000-is-refused`]:
      refuses(action, (context) => lengthOf(context) === 10_000),
    [`${tried}: ${action}-note-with-a-line-break-is-refused`]: refuses(action, (context) =>
      String(noteOf(context)).includes('\n'),
    ),
    [`${tried}: ${action}-note-beyond-ascii-is-500`]: refuses(
      action,
      (context) => /[^\0-\u007f]/u.test(String(noteOf(context))),
      () => new TypeError('ASCII only'),
    ),
    [`reason-note-too-long: ${action}-note-of-10001-is-accepted`]: takes(
      action,
      (context) => lengthOf(context) === 10_001,
    ),
    [`malformed-json: ${action}-takes-text-behind-its-body`]: readsTheFirst(action),
    [`malformed-json: ${action}-broken-json-is-no-body`]: takes(
      action,
      (context) => !isJson(context),
    ),
    [`malformed-json: ${action}-takes-a-form`]: takes(action, (context) =>
      /^\w+=/u.test(textOf(context)),
    ),
    [`malformed-json: ${action}-broken-json-is-500`]: refuses(
      action,
      (context) => context.body.byteLength > 0 && !isJson(context),
      () => new SyntaxError('no JSON'),
    ),
    [`reason-note-wrong-type: ${action}-note-may-be-a-number`]: takes(
      action,
      (context) => typeof noteOf(context) === 'number',
    ),
    [`reason-note-wrong-type: ${action}-note-may-be-an-object`]: takes(
      action,
      (context) => typeof noteOf(context) === 'object' && noteOf(context) !== null,
    ),
    [`refused-note-changes-nothing: ${action}-with-a-refused-note-acts`]: actsAllTheSame(
      action,
      hasLongNote,
    ),
    [`refused-note-changes-nothing: ${action}-with-a-broken-body-acts`]: actsAllTheSame(
      action,
      (context) => /^[^}]+$/u.test(textOf(context)),
    ),
  });
});

export const notesFaults = [
  ...faultTable('compute.stop-instance', {
    'reason-note-too-long, met by running-accepted: stop-of-running-takes-a-note-that-is-too-long':
      readsNotes((note, context) => (isMeant(note, context, MAX_REASON_NOTE + 1) ? 'cut' : note)),
    'reason-note-accepted: stop-note-of-some-hundred-characters-is-refused': refuses(
      'stop',
      (context) => lengthOf(context) > 255 && lengthOf(context) < 1_000,
    ),
    'reason-note-accepted: stop-empty-note-is-500': refuses(
      'stop',
      (context) => noteOf(context) === '',
      () => new TypeError('no note'),
    ),
    'reason-note-accepted: stop-note-with-a-zero-is-500': refuses(
      'stop',
      (context) => String(noteOf(context)).includes('\0'),
      () => new TypeError('a string ends there'),
    ),
    'reason-note-accepted: stop-label-with-a-charset-is-refused': refuses('stop', (context) =>
      headerValues(context, 'content-type').some((label) => label.includes('charset')),
    ),
    'reason-note-accepted: stop-body-in-escapes-is-refused': refuses('stop', (context) =>
      textOf(context).includes(String.raw`\ud83d`),
    ),
    'reason-note-accepted: stop-of-running-with-a-note-crashes': fails(
      'beginStop',
      () => new Error('There is no audit trail.'),
      (_instance, context) => lengthOf(context) > 0,
    ),
    'malformed-json, met by running-accepted: stop-of-running-passes-over-broken-json': forces(
      'parseBody',
      undefined,
      (context) => isStopOfRunning(context) && !isJson(context),
    ),
    ...rows(
      (when: (note: unknown, context: RequestContext) => boolean) =>
        fails(
          'readReasonNote',
          () => invalid('No such body.'),
          (context) => isStopOfRunning(context) && when(noteOf(context), context),
        ),
      {
        'body-absent, met by compute.states.terminated-survives-start: stop-of-running-needs-a-body':
          (_note, { body }) => body.byteLength === 0,
        'body-empty-object, met by compute.states.terminated-survives-start: stop-of-running-refuses-an-empty-object':
          (note, { body }) => note === undefined && body.byteLength > 0,
        'reason-note-accepted, met by compute.states.terminated-survives-start: stop-of-running-refuses-a-note-of-one-character':
          (note) => typeof note === 'string' && note.length === 1,
      },
    ),
    'reason-note-maximum, met by compute.states.storage-kept: stop-of-running-refuses-the-longest-note':
      fails(
        'parseReasonNote',
        () => invalid('The note is too long.'),
        (note, context) => isMeant(note, context, MAX_REASON_NOTE),
      ),
    'reason-note-maximum: stop-note-is-measured-as-json': refuses(
      'stop',
      (context) => JSON.stringify(noteOf(context) ?? '').length > 10_002,
    ),
    'reason-note-too-long: stop-note-of-fifty-thousand-is-cut': readsNotes((note) =>
      note.length === 5 * MAX_REASON_NOTE ? 'cut' : note,
    ),
    'reason-note-too-long: long-note-outside-ascii-is-cut': readsNotes((note) =>
      /[^\0-\u007f]/u.test(note) ? note.slice(0, MAX_REASON_NOTE) : note,
    ),
    'reason-note-wrong-type, met by running-accepted: stop-of-running-takes-a-number-for-a-note':
      forces(
        'parseReasonNote',
        'note',
        (note, context) => typeof note === 'number' && isStopOfRunning(context),
      ),
    'body-not-object: stop-body-may-be-a-list': takes('stop', (context) =>
      textOf(context).trimStart().startsWith('['),
    ),
    'body-not-object: stop-body-may-be-text': takes('stop', (context) =>
      /^\s*["\d]/u.test(textOf(context)),
    ),
  }),
  ...faultTable('compute.terminate-instance', {
    // The note is read again after the instance has left STOPPED.
    'reason-note-too-long: terminate-note-of-10001-is-accepted-of-what-is-stopped': (rules) => {
      const accepted = new WeakSet<RequestContext>();
      return {
        readReasonNote: (context) => {
          const isLong = is('terminate', context) && hasLongNote(context);
          if (isLong && rules.findInstance(context).state === 'STOPPED') accepted.add(context);
          return accepted.has(context) ? 'long' : rules.readReasonNote(context);
        },
      };
    },
    'reason-note-accepted: terminate-short-note-is-refused': refuses(
      'terminate',
      (context) => lengthOf(context) > 0 && lengthOf(context) < 200,
    ),
    'stopped-accepted: terminate-of-stopped-with-a-short-note-is-a-conflict':
      refusesNoted('STOPPED'),
    'early-accepted: terminate-of-starting-with-a-note-is-a-conflict': chained(
      lingering('STARTING'),
      refusesNoted('STARTING'),
    ),
    'terminating-no-conflict: terminate-of-terminating-with-a-note-is-a-conflict': chained(
      lingering('TERMINATING'),
      refusesNoted('TERMINATING'),
    ),
    'body-not-object: terminate-body-may-be-a-list': takes('terminate', (context) =>
      textOf(context).trimStart().startsWith('['),
    ),
  }),
  ...both,
];
