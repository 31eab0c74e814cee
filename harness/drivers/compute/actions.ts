/** What stop, terminate and start have in common: whom they act on, and the bodies that they take and refuse. */

import { LONGEST_NOTE, brokenBodies, noteOf } from '../../generate/bodies.ts';
import type { ActionOptions } from './api.ts';

/** An operation on one instance. */
export interface Action {
  readonly call: 'stop' | 'terminate' | 'start' | 'get';
  /** As the subject of a sentence. */
  readonly what: string;
}

export const actions = {
  'stop-instance': { call: 'stop', what: 'A stop' },
  'terminate-instance': { call: 'terminate', what: 'A terminate' },
  'start-instance': { call: 'start', what: 'A start' },
  'get-instance': { call: 'get', what: 'Reading' },
} as const satisfies Readonly<Record<string, Action>>;

/** A body that is refused: by which requirement, in words, and itself. */
export interface WrongBody {
  readonly slug:
    | 'reason-note-too-long'
    | 'malformed-json'
    | 'reason-note-wrong-type'
    | 'body-not-object';
  readonly what: string;
  readonly options: ActionOptions;
}

/** Bodies that a stop and a terminate refuse, the one with a note that is just too long first. */
export const wrongBodies: readonly WrongBody[] = [
  ...[LONGEST_NOTE + 1, 2 * LONGEST_NOTE].map((length) => ({
    slug: 'reason-note-too-long' as const,
    what: `a note of ${length} characters`,
    options: { json: { reason_note: noteOf(length) } },
  })),
  ...brokenBodies.map((body) => ({
    slug: 'malformed-json' as const,
    what: `the body ${String(body)}`,
    options: { body },
  })),
  ...[0, 1.5, ['text'], [], { text: 'text' }, {}].map((note) => ({
    slug: 'reason-note-wrong-type' as const,
    what: `the note ${JSON.stringify(note)}`,
    options: { json: { reason_note: note } },
  })),
  ...[[], [{ reason_note: 'text' }], 'text', 7].map((json) => ({
    slug: 'body-not-object' as const,
    what: `the body ${JSON.stringify(json)}`,
    options: { json },
  })),
];
