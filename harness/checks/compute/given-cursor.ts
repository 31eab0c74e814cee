/** Where a cursor leads that a page gave (compute#list-instances/cursor, compute#presets/cursor). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, expectThat, notObserved } from '../judgement.ts';
import { answered } from './answers.ts';

/** A cursor that is followed at once is not refused as malformed or unknown; other answers have other causes. */
export function leadsOn(page: Exchange, following: Exchange): Judgement {
  const status = following.response?.status ?? 0;
  if (![200, 400, 404].includes(status)) return notObserved;
  return expectThat(
    status === 200,
    'A cursor that a page gave is refused.',
    { expected: 'a page', actual: answered(following) },
    following,
    page,
  );
}
