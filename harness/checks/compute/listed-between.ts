/** What a filter shows over a while stands in the whole list all that time (compute#list-instances). */

import { type Judgement, pass, notObserved, violated } from '../judgement.ts';
import { type Part, notAnswered } from './selection.ts';
import { idsOf, textOf } from './records.ts';

/** Whether terminated instances stay listed is open. */
const gone: ReadonlySet<string | undefined> = new Set(['TERMINATING', 'TERMINATED']);

/**
 * What a filter selected before the whole list was read, and selects after it, was there in between, whoever else came
 * and went. A walk over many pages may miss an item that slips from one to the other: only what all walks lack counts.
 */
export function listedBetween(
  first: Part,
  wholes: readonly Part[],
  later: Part,
  filter: string,
): Judgement {
  const broken = notAnswered(first, filter) ?? notAnswered(later, filter);
  if (broken !== undefined) return broken;
  if (wholes.length === 0 || wholes.some(({ end }) => end !== 'last-page')) return notObserved;
  const before = new Set(first.ids);
  const live = idsOf(later.records.filter((record) => !gone.has(textOf(record, 'status'))));
  const stood = live.filter((id) => before.has(id));
  if (stood.length === 0) return notObserved;
  const listed = new Set(wholes.flatMap(({ ids }) => ids));
  const hidden = stood.filter((id) => !listed.has(id));
  if (hidden.length === 0) return pass(stood.length);
  return violated(
    `The filter ${filter} shows what the full list does not.`,
    { expected: 'a part of the full list', actual: hidden.slice(0, 10).join(', ') },
    ...later.exchanges,
    ...wholes.flatMap(({ exchanges }) => exchanges),
  );
}
