/** Bodies of stop and terminate: notes that are refused, accepted, or refused and acted upon. */

import type { Fault } from '../../fault.ts';
import type { ComputeRules, RequestContext } from '../context.ts';
import { invalid, notFound } from '../refusal.ts';
import { replace, faultTable } from './answering.ts';

type Action = 'stop' | 'terminate';

const is = (action: Action, { operation }: RequestContext): boolean =>
  operation === `${action}-instance`;
const textOf = ({ body }: RequestContext): string => Buffer.from(body).toString();

/** One body that is refused although it is right, or the other way round. */
function reads(
  name: string,
  summary: string,
  action: Action,
  slugs: readonly string[],
  read: (note: () => string | undefined, context: RequestContext) => string | undefined,
): Fault<ComputeRules> {
  return {
    name: `${action}-${name}`,
    summary: `On ${action}, ${summary}`,
    breaks: slugs.map((slug) => `compute.${action}-instance.${slug}`),
    patch: (rules) => ({
      ...rules,
      readReasonNote: (context) =>
        is(action, context)
          ? read(() => rules.readReasonNote(context), context)
          : rules.readReasonNote(context),
    }),
  };
}

/** The note of a body, if that is an object with one. */
function noteOf(context: RequestContext): unknown {
  try {
    const body: unknown = JSON.parse(textOf(context));
    return typeof body === 'object' && body !== null && 'reason_note' in body
      ? body.reason_note
      : undefined;
  } catch {
    return undefined;
  }
}

function lengthOf(context: RequestContext): number {
  const note = noteOf(context);
  return typeof note === 'string' ? note.length : 0;
}

const both = (['stop', 'terminate'] as const).flatMap((action) => [
  reads(
    'without-body-is-refused',
    'a request without a body is refused.',
    action,
    ['body-absent', 'stopped-accepted'],
    (note, context) => {
      if (context.body.byteLength === 0) throw invalid('A body is needed.');
      return note();
    },
  ),
  reads(
    'with-empty-object-is-refused',
    'an empty object is refused.',
    action,
    ['body-empty-object'],
    (note, context) => {
      if (/^\s*\{\s*\}\s*$/u.test(textOf(context))) throw invalid('reason_note is missing.');
      return note();
    },
  ),
  reads(
    'note-of-10000-is-refused',
    'a note of 10000 characters is refused.',
    action,
    // The note of that length is what the suite terminates a running instance with.
    action === 'stop' ? ['reason-note-maximum'] : ['reason-note-maximum', 'running-accepted'],
    (note, context) => {
      if (lengthOf(context) === 10_000) throw invalid('The note is too long.');
      return note();
    },
  ),
  reads(
    'note-with-a-line-break-is-refused',
    'a note of two lines is refused.',
    action,
    // A terminate is not to be had for a try: notes are tried on what is terminated, where the conflict is due.
    [action === 'stop' ? 'reason-note-accepted' : 'terminated-conflict'],
    (note, context) => {
      if (String(noteOf(context)).includes('\n')) throw invalid('The note has a line break.');
      return note();
    },
  ),
  reads(
    'note-beyond-ascii-is-500',
    'a note that leaves ASCII brings about a failure.',
    action,
    [action === 'stop' ? 'reason-note-accepted' : 'terminated-conflict'],
    (note, context) => {
      if (/[^\0-\u007f]/u.test(String(noteOf(context)))) throw new TypeError('ASCII only');
      return note();
    },
  ),
  reads(
    'note-of-7500-is-refused',
    'a note of more than 5000 characters is refused, but for the longest.',
    action,
    [action === 'stop' ? 'reason-note-accepted' : 'terminated-conflict'],
    (note, context) => {
      const length = lengthOf(context);
      if (length > 5_000 && length < 10_000) throw invalid('The note is too long.');
      return note();
    },
  ),
  reads(
    'note-of-10001-is-accepted',
    'a note of 10001 characters is accepted.',
    action,
    ['reason-note-too-long'],
    (note, context) => (lengthOf(context) === 10_001 ? 'long' : note()),
  ),
  reads(
    'note-that-is-too-long-is-404',
    'a note of 10001 characters is 404.',
    action,
    ['reason-note-too-long'],
    (note, context) => {
      if (lengthOf(context) > 10_000) throw notFound();
      return note();
    },
  ),
  reads(
    'broken-json-is-no-body',
    'a body that is no JSON is passed over.',
    action,
    ['malformed-json'],
    (note, context) => {
      try {
        JSON.parse(textOf(context));
      } catch {
        return undefined;
      }
      return note();
    },
  ),
  reads(
    'broken-json-is-500',
    'a body that is no JSON is 500.',
    action,
    ['malformed-json'],
    (note, context) => {
      if (context.body.byteLength > 0) JSON.parse(textOf(context));
      return note();
    },
  ),
  reads(
    'note-may-be-a-number',
    'a note that is a number is accepted.',
    action,
    ['reason-note-wrong-type'],
    (note, context) => (typeof noteOf(context) === 'number' ? 'number' : note()),
  ),
  reads(
    'note-may-be-an-object',
    'a note that is an object or a list is accepted.',
    action,
    ['reason-note-wrong-type'],
    (note, context) =>
      typeof noteOf(context) === 'object' && noteOf(context) !== null ? 'object' : note(),
  ),
]);

/** A note that is too long is refused, and the instance is acted upon all the same. */
function actsAllTheSame(
  action: Action,
  act: 'beginStop' | 'beginTerminate',
  [name, what]: readonly [name: string, what: string],
  when: (context: RequestContext) => boolean,
): Fault<ComputeRules> {
  return {
    name: `${action}-with-${name}-acts`,
    summary: `A ${action} whose ${what} is refused, and acted upon all the same.`,
    breaks: [`compute.${action}-instance.refused-note-changes-nothing`],
    patch: (rules) => ({
      ...rules,
      readReasonNote: (context) => {
        if (is(action, context) && when(context)) {
          const instance = context.world.instance(context.pathParameters['id'] ?? '');
          if (instance?.state === 'RUNNING' && rules.visibleTo(instance, context)) {
            rules[act](instance, context);
          }
        }
        return rules.readReasonNote(context);
      },
    }),
  };
}

export const noteFaults = [
  ...faultTable({
    'compute.terminate-instance.reason-note-too-long': {
      'terminate-note-of-10001-is-accepted-of-what-is-stopped': (rules) => {
        const accepted = new WeakSet<RequestContext>();
        return {
          readReasonNote: (context) => {
            const isLong = is('terminate', context) && lengthOf(context) > 10_000;
            if (isLong && rules.findInstance(context).state === 'STOPPED') accepted.add(context);
            return accepted.has(context) ? 'long' : rules.readReasonNote(context);
          },
        };
      },
    },
    'compute.stop-instance.reason-note-accepted': {
      'stop-of-running-with-a-note-crashes': replace('beginStop', (original, instance, context) => {
        if (lengthOf(context) > 0) throw new Error('There is no audit trail.');
        original(instance, context);
      }),
    },
  }),
  ...both,
  reads(
    'note-is-measured-as-json',
    'the length of a note counts what JSON escapes twice.',
    'stop',
    ['reason-note-maximum'],
    (note, context) => {
      if (JSON.stringify(noteOf(context) ?? '').length > 10_002) {
        throw invalid('The note is too long.');
      }
      return note();
    },
  ),
  ...(
    [
      [['a-refused-note', 'note is too long'], (context) => lengthOf(context) > 10_000],
      [['a-broken-body', 'body is no JSON'], (context) => /^[^}]+$/u.test(textOf(context))],
    ] satisfies readonly (readonly [
      readonly [string, string],
      (context: RequestContext) => boolean,
    ])[]
  ).flatMap(([what, when]) => [
    actsAllTheSame('stop', 'beginStop', what, when),
    actsAllTheSame('terminate', 'beginTerminate', what, when),
  ]),
  reads(
    'short-note-is-refused',
    'a note of a few words is refused.',
    'stop',
    ['reason-note-accepted'],
    (note, context) => {
      if (lengthOf(context) > 0 && lengthOf(context) < 200) throw invalid('The note is too short.');
      return note();
    },
  ),
  reads(
    'body-may-be-a-list',
    'a body that is a list is accepted.',
    'stop',
    ['body-not-object'],
    (note, context) => (textOf(context).trimStart().startsWith('[') ? undefined : note()),
  ),
  reads(
    'body-may-be-text',
    'a body that is text or a number is accepted.',
    'stop',
    ['body-not-object'],
    (note, context) => (/^\s*["\d]/u.test(textOf(context)) ? undefined : note()),
  ),
];
