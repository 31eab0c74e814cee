/** The form of a check that runs on every exchange, whoever made it: suite, proxy or recording. */

import type { Exchange } from '../exchange/exchange.ts';
import type { Judgement } from './judgement.ts';

/** A verdict-to-be of one requirement, from one exchange. */
export interface UniversalJudgement<Id extends string = string> {
  readonly requirement: Id;
  readonly judgement: Judgement;
}

/**
 * Judges one exchange. `Knowledge` is what the check may know of the deployment beside the exchange
 * (the bindings), so that a recording can be judged with as little as a target file.
 * Yields nothing for requirements of which the exchange shows nothing.
 */
export type UniversalCheck<Knowledge, Id extends string = string> = (
  exchange: Exchange,
  knowledge: Knowledge,
) => Iterable<UniversalJudgement<Id>>;
