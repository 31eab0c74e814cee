/** The form of a check that runs on every exchange, of the suite and of others, and what such checks remember of those before it. */

import { type Exchange, headerValue } from '../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved } from './judgement.ts';

/** A verdict-to-be of one requirement, from one exchange. */
export interface UniversalJudgement<Id extends string = string> {
  readonly requirement: Id;
  readonly judgement: Judgement;
}

/** What checks of every exchange yield: nothing for requirements of which the exchange shows nothing. */
export type Verdicts<Id extends string = string> = Generator<UniversalJudgement<Id>>;

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
 */
export type UniversalCheck<Knowledge, Id extends string = string> = (
  exchange: Exchange,
  knowledge: Knowledge,
) => Verdicts<Id>;

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

/** More than accounts have as a rule: each page of a hostile list shows as many new instances as it holds. */
const MAX_ENTRIES = 20_000;

/** Keeps what checks learn: they are pure, and are given what is known. */
export class History<Subject, Id extends string = string> {
  readonly #folds: readonly (readonly [Fold<Subject, Id>, Map<string, unknown>])[];
  readonly #subjectOf: (exchange: Exchange) => Subject | undefined;
  readonly #most: number;

  /**
   * `subjectOf` reads what the checks are about; undefined for an exchange that shows nothing of it. `most` is how many of the
   * latest entries of each check are remembered (default 20,000).
   */
  constructor(
    folds: readonly Fold<Subject, Id>[],
    subjectOf: (exchange: Exchange) => Subject | undefined,
    most = MAX_ENTRIES,
  ) {
    this.#folds = folds.map((fold) => [fold, new Map()]);
    this.#subjectOf = subjectOf;
    this.#most = most;
  }

  /** Judges the next exchange, and remembers what it shows. Requirements of which that is nothing are left out. */
  judge(exchange: Exchange): readonly UniversalJudgement<Id>[] {
    const subject = this.#subjectOf(exchange);
    if (subject === undefined) return [];
    return this.#folds.flatMap(([{ requirement, judge }, known]) => {
      const { judgement, learned } = judge(subject, known);
      for (const [key, entry] of learned) {
        if (entry === undefined) known.delete(key);
        else known.set(key, entry);
      }
      for (const oldest of known.keys()) {
        if (known.size <= this.#most) break;
        known.delete(oldest);
      }
      return judgement.seen > 0 ? [{ requirement, judgement }] : [];
    });
  }
}

/**
 * No two requests get the same `id`; known is the exchange that carried each. A server may echo an id that the client chose, so
 * an exchange whose request brought one says nothing.
 */
export function freshId(
  exchange: Exchange,
  id: string | undefined,
  known: ReadonlyMap<string, string>,
): Learned<string> {
  const isChosen = headerValue(exchange.request.headers, 'x-request-id') !== undefined;
  if (id === undefined || isChosen) return { judgement: notObserved, learned: [] };
  const earlier = known.get(id);
  const judgement = expectThat(
    earlier === undefined || earlier === exchange.id,
    'Two requests were given the same request id, so a log cannot tell them apart.',
    { expected: 'an id of its own for each request', actual: `${id}, as in exchange ${earlier}` },
    exchange,
  );
  return { judgement, learned: earlier === undefined ? [[id, exchange.id]] : [] };
}
