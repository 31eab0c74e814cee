/** Instances that were stopped since the service began: other than those that rest for long. */

import { declareFaults } from '../../fault.ts';
import type { ComputeRules, RequestContext } from '../context.ts';
import type { Instance } from '../model.ts';
import { invalid } from '../refusal.ts';

/** The case that follows a stop of a running instance to its end, and further. */
const FOLLOWED = ['compute.states.storage-kept'];
const MAX_REASON_NOTE = 10_000;

/** True for what has stopped since it was made in this run. */
function hasJustStopped({ state, origin }: Instance): boolean {
  return state === 'STOPPED' && origin === 'provision';
}

const metRunning = new WeakMap<RequestContext, boolean>();

/** True for a stop that met an instance running: its body is read once more after it was acted upon. */
function isStopOfRunning(context: RequestContext): boolean {
  const known = metRunning.get(context);
  if (known !== undefined) return known;
  const instance = context.world.instance(context.pathParameters['id'] ?? '');
  const isMet = context.operation === 'stop-instance' && instance?.state === 'RUNNING';
  metRunning.set(context, isMet);
  return isMet;
}

export const justStoppedFaults = declareFaults<ComputeRules>([
  {
    name: 'what-was-stopped-cannot-be-stopped-again',
    summary: 'A stop of an instance that was stopped through the service is a conflict.',
    breaks: ['compute.stop-instance.stopped-accepted'],
    exercisedBy: FOLLOWED,
    patch: (rules) => ({
      ...rules,
      stopOutcome: (instance, context) =>
        hasJustStopped(instance) ? 'conflict' : rules.stopOutcome(instance, context),
    }),
  },
  {
    name: 'runtime-goes-on-after-a-stop',
    summary: 'The runtime of an instance that was stopped through the service goes on growing.',
    breaks: ['compute.states.runtime-rests'],
    exercisedBy: FOLLOWED,
    patch: (rules) => ({
      ...rules,
      runtimeHours: (instance, at, context) =>
        rules.runtimeHours(instance, at, context) +
        (hasJustStopped(instance) ? (at - instance.stateSince) / 3_600_000 : 0),
    }),
  },
  {
    name: 'stop-forgets-what-is-in-use',
    summary: 'Lists show that nothing is in use of the storage of an instance once it has stopped.',
    breaks: ['compute.states.storage-use-kept'],
    patch: (rules) => ({
      ...rules,
      listRecord: (instance, at, context, query) => {
        const record = rules.listRecord(instance, at, context, query);
        return hasJustStopped(instance) ? { ...record, storage_used_gb: 0 } : record;
      },
    }),
  },
  ...[
    {
      name: 'stop-of-running-takes-a-note-that-is-too-long',
      summary: 'A stop of a running instance is accepted whatever the length of its note.',
      breaks: ['compute.stop-instance.reason-note-too-long'],
      longest: MAX_REASON_NOTE + 1,
      cut: true,
    },
    {
      name: 'stop-of-running-refuses-the-longest-note',
      summary: 'A stop of a running instance is refused with a note of 10000 characters.',
      breaks: ['compute.stop-instance.reason-note-maximum'],
      longest: MAX_REASON_NOTE,
      cut: false,
    },
  ].map(({ longest, cut, ...fault }) => ({
    ...fault,
    exercisedBy: [cut ? 'compute.stop-instance.running-accepted' : 'compute.states.storage-kept'],
    patch: (rules: ComputeRules): ComputeRules => ({
      ...rules,
      parseReasonNote: (note, context) => {
        const isMeant =
          isStopOfRunning(context) && typeof note === 'string' && note.length === longest;
        if (isMeant && !cut) throw invalid('The note is too long.');
        return rules.parseReasonNote(isMeant ? note.slice(0, 100) : note, context);
      },
    }),
  })),
  {
    name: 'stop-of-running-passes-over-broken-json',
    summary: 'A stop of a running instance is accepted with a body that is no JSON.',
    breaks: ['compute.stop-instance.malformed-json'],
    exercisedBy: ['compute.stop-instance.running-accepted'],
    patch: (rules) => ({
      ...rules,
      parseBody: (context) => {
        if (!isStopOfRunning(context)) return rules.parseBody(context);
        try {
          return rules.parseBody(context);
        } catch {
          return undefined;
        }
      },
    }),
  },
]);
