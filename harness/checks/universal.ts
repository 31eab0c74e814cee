/** The form of a check that runs on every exchange, of the suite or recorded, and the memory of such checks. */

import { type Exchange, headerValue } from '../exchange/exchange.ts';
import { expectThat, type Judgement, notObserved } from './judgement.ts';

/** A judgement of one requirement, from one exchange. */
export interface UniversalJudgement<Id extends string = string> {
  readonly requirement: Id;
  readonly judgement: Judgement;
}

/** What a universal check yields. It yields nothing for a requirement that the exchange says nothing about. */
export type Verdicts<Id extends string = string> = Generator<UniversalJudgement<Id>>;

/** Judges one requirement by a condition. */
export function judgedAs<Id extends string>(
  requirement: Id,
  ...said: Parameters<typeof expectThat>
): UniversalJudgement<Id> {
  return { requirement, judgement: expectThat(...said) };
}

/**
 * Judges one exchange. `Knowledge` is what the check may know of the deployment beside the exchange (the bindings). It is
 * kept small, so that recorded traffic can be judged with as little as a target file.
 */
export type UniversalCheck<Knowledge, Id extends string = string> = (
  exchange: Exchange,
  knowledge: Knowledge,
) => Verdicts<Id>;

/** A judgement of an exchange, and the entries to remember from it by key; an entry without a value is forgotten. */
export interface Learned<Entry> {
  readonly judgement: Judgement;
  readonly learned: readonly (readonly [key: string, entry: Entry | undefined])[];
}

/** A check over the exchanges of a run: it takes what is known so far, and returns a judgement and what it learned. */
export interface Fold<Subject, Id extends string = string, Entry = unknown> {
  readonly requirement: Id;
  judge(this: void, subject: Subject, known: ReadonlyMap<string, Entry>): Learned<Entry>;
}

/** More entries than an account usually needs; a hostile list can show new instances on every page. */
const MAX_ENTRIES = 20_000;

/** Keeps what the checks learn. The checks themselves are pure and receive what is known. */
export class History<Subject, Id extends string = string> {
  readonly #folds: readonly (readonly [Fold<Subject, Id>, Map<string, unknown>])[];
  readonly #subjectOf: (exchange: Exchange) => Subject | undefined;
  readonly #most: number;

  /** `subjectOf` reads what is judged, if anything. `most` is how many entries each check remembers (default 20,000). */
  constructor(
    folds: readonly Fold<Subject, Id>[],
    subjectOf: (exchange: Exchange) => Subject | undefined,
    most = MAX_ENTRIES,
  ) {
    this.#folds = folds.map((fold) => [fold, new Map()]);
    this.#subjectOf = subjectOf;
    this.#most = most;
  }

  /** Judges the next exchange and remembers what it shows. Requirements that it says nothing about are left out. */
  judge(exchange: Exchange): readonly UniversalJudgement<Id>[] {
    const subject = this.#subjectOf(exchange);
    if (subject === undefined) return [];
    return this.#folds.flatMap(([{ requirement, judge }, known]) => {
      const { judgement, learned } = judge(subject, known);
      for (const [key, entry] of learned) {
        // Deleted first, so that the entry moves to the end: the oldest entries are dropped.
        known.delete(key);
        if (entry !== undefined) known.set(key, entry);
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
 * No two requests get the same `id`; `known` holds the exchange that carried each id. A server may echo an id that the
 * client sent, so an exchange whose request carries `X-Request-ID` is not judged.
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
