/** Holds answers against a whole list, on an account that others change meanwhile. */

import { isSameSequence } from '../../checks/collection/bracket.ts';
import type { UniversalJudgement } from '../../checks/universal.ts';
import { Inconclusive } from '../../runner/case.ts';
import type { Listing } from '../collection/reading.ts';

/** The whole list, before and after what is held against it. */
export interface Around<List> {
  readonly before: List;
  readonly after: List;
}

/** Brackets that are tried before we give up, and how many of them must show something wrong. */
const ROUNDS = 6;
const ROUNDS_THAT_CONVINCE = 2;

export class WholeList<List extends Omit<Listing, 'end'> = Listing> {
  readonly #read: () => Promise<List>;
  #last: List | undefined;

  constructor(read: () => Promise<List>) {
    this.#read = read;
  }

  /** The list as it was last read. Throws `Inconclusive` when it cannot be read. */
  async known(): Promise<List> {
    return this.#last ?? this.#again();
  }

  /**
   * Takes an answer and judges it against the list as it was last read. What looks wrong then is looked at anew,
   * between two fresh reads, and counts when it is wrong twice: an account where others create, stop and
   * terminate must not be blamed for it. What never comes to rest is left out; throws `Inconclusive` when that is
   * everything that looked wrong.
   */
  async against<Other, Id extends string>(
    take: () => Promise<Other>,
    relate: (whole: Around<List>, other: Other) => readonly UniversalJudgement<Id>[],
  ): Promise<readonly UniversalJudgement<Id>[]> {
    const { verdicts, unsettled } = await this.#judge(take, relate);
    // Where one part of what was judged never came to rest, the others do not make it right.
    const told = verdicts.filter(
      (verdict) => isWrong(verdict) || !unsettled.includes(verdict.requirement),
    );
    if (unsettled.length > 0 && told.every((verdict) => !saysSomething(verdict))) {
      throw new Inconclusive('the list changed each time while answers were held against it');
    }
    return told;
  }

  /** The same for one value of many: what never comes to rest says nothing of this value. */
  async againstOne<Other, Id extends string>(
    take: () => Promise<Other>,
    relate: (whole: Around<List>, other: Other) => readonly UniversalJudgement<Id>[],
  ): Promise<readonly UniversalJudgement<Id>[]> {
    return (await this.#judge(take, relate)).verdicts;
  }

  async #judge<Other, Id extends string>(
    take: () => Promise<Other>,
    relate: (whole: Around<List>, other: Other) => readonly UniversalJudgement<Id>[],
  ): Promise<{
    readonly verdicts: readonly UniversalJudgement<Id>[];
    readonly unsettled: readonly Id[];
  }> {
    const known = await this.known();
    const first = relate({ before: known, after: known }, await take());
    const settled: UniversalJudgement<Id>[] = first.filter((verdict) => !isWrong(verdict));
    const wrong = new Map(first.filter(isWrong).map(({ requirement }) => [requirement, 0]));
    for (let round = 0; round < ROUNDS && wrong.size > 0; round += 1) {
      const before = await this.#again();
      const other = await take();
      const after = await this.#again();
      const verdicts = relate({ before, after }, other);
      for (const [requirement, times] of wrong) {
        const anew = of(verdicts, requirement);
        const isWrongAgain = anew.some(isWrong);
        // Where fewer verdicts say something than at first, the one that was wrong may be among the others: unless the list
        // stood still, and what looked wrong was about something that is gone for good.
        const saysAll =
          stoodStill(before, after) || telling(anew) >= telling(of(first, requirement));
        const isRight = !isWrongAgain && saysAll;
        if (isWrongAgain) wrong.set(requirement, times + 1);
        const convinced = isWrongAgain && times + 1 >= ROUNDS_THAT_CONVINCE;
        if (convinced || isRight) {
          settled.push(...anew);
          wrong.delete(requirement);
        }
      }
    }
    return { verdicts: settled, unsettled: [...wrong.keys()] };
  }

  async #again(): Promise<List> {
    const list = await this.#read();
    if (!list.readable) {
      const status = list.exchanges.at(-1)?.response?.status ?? 'nothing';
      throw new Inconclusive(
        `the list that others are held against cannot be read: it answered ${status}`,
      );
    }
    this.#last = list;
    return list;
  }
}

/** True when nothing came, went or entered another state between two reads. */
function stoodStill(before: Omit<Listing, 'end'>, after: Omit<Listing, 'end'>): boolean {
  const statesIn = ({ records }: Omit<Listing, 'end'>) => records.map(({ status }) => status);
  return isSameSequence(before.ids, after.ids) && isSameSequence(statesIn(before), statesIn(after));
}

function isWrong(verdict: UniversalJudgement): boolean {
  return verdict.judgement.violations.length > 0;
}

function of<Id extends string>(
  verdicts: readonly UniversalJudgement<Id>[],
  requirement: Id,
): readonly UniversalJudgement<Id>[] {
  return verdicts.filter((verdict) => verdict.requirement === requirement);
}

function telling(verdicts: readonly UniversalJudgement[]): number {
  return verdicts.filter(saysSomething).length;
}

function saysSomething(verdict: UniversalJudgement): boolean {
  return verdict.judgement.seen > 0;
}
