/** Counts of a script for the unit tests of what looks at them. */

import type { ScriptCounts } from '../../backend/control.ts';

const none: ScriptCounts = {
  hits: 0,
  held: 0,
  open: 0,
  peak: 0,
  answered: 0,
  dropped: 0,
  left: 0,
  ended: 0,
};

/** The counts of a script that was asked for so often. */
export function countsOf(hits: number): ScriptCounts {
  return { ...none, hits };
}
