/** That an instance that was made in this run was created in this run (compute#list-instances/date_range_begin). */

import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import type { Extent } from '../collection/bracket.ts';

/**
 * `before` is the whole list before the instance was made, `window` what the dates around now select. What was there
 * before, or in a window that was cut, says nothing.
 */
export function createdNow(id: string, before: Extent, window: Extent): Judgement {
  const one = id.toLowerCase();
  if (before.end !== 'last-page' || before.ids.includes(one)) return notObserved;
  const isInside = window.ids.includes(one);
  if (!isInside && window.end !== 'last-page') return notObserved;
  return expectThat(
    isInside,
    'Dates from yesterday to tomorrow leave out an instance that was made a moment ago.',
    { expected: one, actual: window.ids },
    ...window.exchanges.slice(-1),
  );
}
