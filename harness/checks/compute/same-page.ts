/** One page asked for twice, and one list read several times. */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, pass, notObserved, violated } from '../judgement.ts';
import { answered, isTelling } from './answers.ts';
import { type Bracket, type Seen, isSameSequence } from './bracket.ts';
import { idsOf, instancesOf } from './records.ts';

function instanceIds(page: Exchange): readonly string[] | undefined {
  const records = instancesOf(page);
  return records === undefined ? undefined : idsOf(records);
}

/** The second use of a cursor gives what the first gave, while the list stands still. */
export function samePage(
  whole: Bracket<string>,
  first: Exchange,
  again: Exchange,
  idsIn: (page: Exchange) => readonly string[] | undefined = instanceIds,
): Judgement {
  if (!isTelling(first) || !isTelling(again)) return notObserved;
  const [one, other] = [idsIn(first), idsIn(again)];
  if (one === undefined || !isSameSequence(whole.before, whole.after)) return notObserved;
  return expectThat(
    other !== undefined && isSameSequence(one, other),
    'The same cursor, used again, gives something else.',
    {
      expected: one.slice(0, 10),
      actual: other === undefined ? answered(again) : other.slice(0, 10),
    },
    again,
    first,
  );
}

/** So often in a row of reads a list is not changed: other items by then are those of another order. */
const MOVES_OF_AN_ORDER = 3;

/**
 * Reads of one list in a row come in one order. Other items may be a change of the list; the same items in another
 * order are not, and neither are other items time and again: but for items that have no `names`, and are told apart by
 * all that they say, which may have moved each time.
 */
export function stableOrder(reads: readonly Seen[], names = true): Judgement {
  const [first] = reads;
  if (first === undefined || reads.length < 2 || first.ids.length < 2) return notObserved;
  const pairs = reads.slice(1).map((after, index) => ({ before: reads[index] ?? first, after }));
  const moved = pairs.filter(({ before, after }) => !isSameSequence(before.ids, after.ids));
  if (moved.length === 0) return pass();
  const turned = moved.find(({ before, after }) =>
    isSameSequence(before.ids.toSorted(), after.ids.toSorted()),
  );
  const isDrawn = names && moved.length >= MOVES_OF_AN_ORDER;
  const shown = turned ?? (isDrawn ? moved[0] : undefined);
  if (shown === undefined) return notObserved;
  return violated(
    'Two reads of one list come in another order.',
    { expected: shown.before.ids.slice(0, 5), actual: shown.after.ids.slice(0, 5) },
    ...shown.before.exchanges,
    ...shown.after.exchanges,
  );
}
