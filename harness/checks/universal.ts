/** The form of a check that runs on every exchange, whoever made it: suite, proxy or recording. */

import type { Exchange } from '../exchange/exchange.ts';
import { expectThat, type Judgement } from './judgement.ts';

/** A verdict-to-be of one requirement, from one exchange. */
export interface UniversalJudgement<Id extends string = string> {
  readonly requirement: Id;
  readonly judgement: Judgement;
}

/** What a condition says of a requirement. */
export function judgedAs<Id extends string>(
  requirement: Id,
  ...said: Parameters<typeof expectThat>
): UniversalJudgement<Id> {
  return { requirement, judgement: expectThat(...said) };
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

/** What a check says of an exchange, and what it learns from it by key; an entry without a value is forgotten. */
export interface Learned<Entry> {
  readonly judgement: Judgement;
  readonly learned: readonly (readonly [key: string, entry: Entry | undefined])[];
}

/** A check over the exchanges of a run: what is known so far goes in, a verdict and what is learned come out. */
export interface Fold<Subject, Id extends string = string, Entry = unknown> {
  readonly requirement: Id;
  judge(this: void, subject: Subject, known: ReadonlyMap<string, Entry>): Learned<Entry>;
}
