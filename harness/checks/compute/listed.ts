/** That the list holds what the account has (compute#list-instances). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, pass, notObserved, violated } from '../judgement.ts';
import type { Extent } from './extent.ts';

/** `shown` is an accepted request for the instance: it exists, and is the caller's. A list that was cut tells nothing. */
export function isListed(id: string, list: Extent, shown: Exchange): Judgement {
  if (list.ids.includes(id.toLowerCase())) return pass();
  if (list.end !== 'last-page') return notObserved;
  return violated(
    'The list does not hold an instance that the caller can act on.',
    { expected: id, actual: `${list.ids.length} other instances` },
    ...list.exchanges.slice(-1),
    shown,
  );
}
