/** Instances that were stopped since the service began: other than those that rest for long. */

import type { RequestContext } from '../context.ts';
import { type Instance, invalid } from '../model.ts';
import { fails, unless, replace, amend, faultTable } from './answering.ts';

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

export const justStoppedFaults = [
  ...faultTable({
    'compute.stop-instance.stopped-accepted': {
      'what-was-stopped-cannot-be-stopped-again': {
        exercisedBy: ['compute.states.storage-kept'],
        patch: unless('stopOutcome', (instance) => hasJustStopped(instance), 'conflict'),
      },
    },
    'compute.states.runtime-rests': {
      'runtime-goes-on-after-a-stop': {
        exercisedBy: ['compute.states.storage-kept'],
        patch: replace(
          'runtimeHours',
          (original, instance, at, context) =>
            original(instance, at, context) +
            (hasJustStopped(instance) ? (at - instance.stateSince) / 3_600_000 : 0),
        ),
      },
    },
    'compute.states.storage-use-kept': {
      'stop-forgets-what-is-in-use': amend('listRecord', (record, instance) =>
        hasJustStopped(instance) ? { ...record, storage_used_gb: 0 } : record,
      ),
    },
    'compute.stop-instance.malformed-json': {
      'stop-of-running-passes-over-broken-json': {
        exercisedBy: ['compute.stop-instance.running-accepted'],
        patch: replace('parseBody', (original, context) => {
          if (!isStopOfRunning(context)) return original(context);
          try {
            return original(context);
          } catch {
            return undefined;
          }
        }),
      },
    },
  }),
  ...faultTable({
    'compute.stop-instance.reason-note-too-long': {
      'stop-of-running-takes-a-note-that-is-too-long': {
        exercisedBy: ['compute.stop-instance.running-accepted'],
        patch: replace('parseReasonNote', (original, note, context) =>
          original(isMeant(note, context, MAX_REASON_NOTE + 1) ? 'cut' : note, context),
        ),
      },
    },
    'compute.stop-instance.reason-note-maximum': {
      'stop-of-running-refuses-the-longest-note': {
        exercisedBy: ['compute.states.storage-kept'],
        patch: fails(
          'parseReasonNote',
          (note, context) => isMeant(note, context, MAX_REASON_NOTE),
          () => invalid('The note is too long.'),
        ),
      },
    },
  }),
];

/** A note of some length with a stop of what runs. */
function isMeant(note: unknown, context: RequestContext, length: number): boolean {
  return isStopOfRunning(context) && typeof note === 'string' && note.length === length;
}
