/** Odd requests against plain ones. */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, notObserved } from '../judgement.ts';
import { isTelling, noServerError } from './answers.ts';
import { isSuccess } from './records.ts';

/**
 * An odd request brings about no 5xx. `plain` is an ordinary request made just after one that did: a target
 * that fails that as well is unwell, and says nothing about the odd one.
 */
export function noCrash(odd: Exchange, plain: Exchange | undefined, what: string): Judgement {
  if (!isTelling(odd)) return notObserved;
  const judgement = noServerError(odd, `The query "${what}"`);
  if (judgement.violations.length === 0) return judgement;
  return plain !== undefined && isSuccess(plain) ? judgement : notObserved;
}
