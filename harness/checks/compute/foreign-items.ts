/** Instances of somebody else in an answer (compute#pagination/next/opaque). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { isTelling } from './answers.ts';
import type { Whole } from './extent.ts';
import { idsOf, instancesOf } from './records.ts';

/**
 * An answer shows nothing that is foreign: nothing of a known foreign account, and nothing that is not in the own
 * list, where that was read to its end. A refusal shows nothing.
 */
export function nothingForeign(
  { before, after }: Whole,
  answer: Exchange,
  foreign: readonly string[],
): Judgement {
  if (!isTelling(answer)) return notObserved;
  const shown = idsOf(instancesOf(answer) ?? []);
  const [own, others] = [new Set([...before.ids, ...after.ids]), new Set(foreign)];
  const isWhole = before.end === 'last-page' && after.end === 'last-page';
  const stranger = shown.find((id) => others.has(id) || (isWhole && !own.has(id)));
  return expectThat(
    stranger === undefined,
    'An answer shows an instance of somebody else.',
    { expected: 'own instances or none', actual: stranger },
    answer,
  );
}
