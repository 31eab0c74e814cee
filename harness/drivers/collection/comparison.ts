/** One comparison of responses with a list that others change meanwhile: what is settled, and what is still open. */

import { isSameSequence } from '../../checks/collection/bracket.ts';
import { idsOf, instancesOf } from '../../checks/compute/records.ts';
import type { UniversalJudgement } from '../../checks/universal.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Listing } from './reading.ts';

/** The whole list, before and after the response that is compared with it. */
export interface Around<List> {
  readonly before: List;
  readonly after: List;
}

export type Read = Omit<Listing, 'end'>;
export type Verdicts<Id extends string> = readonly UniversalJudgement<Id>[];
/** Judges a response by the whole list around it. */
export type Relate<List, Other, Id extends string> = (
  whole: Around<List>,
  other: Other,
) => Verdicts<Id>;

/** What is wrong in one look, and the items that it names. */
interface Sighting<Id extends string> {
  readonly verdicts: Verdicts<Id>;
  readonly items: ReadonlySet<string>;
}

/**
 * What looks wrong stays open until a look shows that it is right, or a later one that it is still wrong for the same
 * item: replicas may be out of sync for a moment, and a cache may hold each query separately.
 */
export class Comparison<List extends Read, Other, Id extends string> {
  readonly settled: UniversalJudgement<Id>[];
  readonly open: Set<Id>;
  readonly #relate: Relate<List, Other, Id>;
  readonly #first: Verdicts<Id>;
  readonly #failed: Set<string>;
  readonly #seen = new Map<Id, Sighting<Id>>();

  /** `failed` has the requirements that other comparisons have shown to be broken, and takes those of this one. */
  constructor(
    relate: Relate<List, Other, Id>,
    known: List,
    taken: Other,
    failed: Set<string> = new Set(),
  ) {
    this.#relate = relate;
    this.#first = relate({ before: known, after: known }, taken);
    this.#failed = failed;
    this.settled = this.#first.filter((verdict) => !isWrong(verdict));
    this.open = new Set(this.#first.filter(isWrong).map(({ requirement }) => requirement));
  }

  /** A look has shown something wrong, and another one, longer than any lag after it, must show whether it stays. */
  get isDoubtful(): boolean {
    return Array.from(this.open).some((requirement) => this.#seen.has(requirement));
  }

  /** Settles what is right in this response, and returns what is wrong. */
  weigh(whole: Around<List>, other: Other): ReadonlyMap<Id, Sighting<Id>> {
    const all = this.#relate(whole, other);
    const wrong = new Map<Id, Sighting<Id>>();
    for (const requirement of this.open) {
      const verdicts = of(all, requirement);
      // With fewer conclusive verdicts than at first, the wrong one may be missing. If the list stood still, it is
      // missing because its instance is gone for good.
      const saysAll =
        stoodStill(whole) ||
        countConclusive(verdicts) >= countConclusive(of(this.#first, requirement));
      if (verdicts.some(isWrong))
        wrong.set(requirement, { verdicts, items: itemsNamed(verdicts, whole) });
      else if (saysAll) this.#settle(requirement, verdicts);
    }
    return wrong;
  }

  /** Settles what was wrong for the same item in the look before, and keeps the rest for the next look. */
  sight(wrong: ReadonlyMap<Id, Sighting<Id>>): void {
    for (const [requirement, now] of wrong) {
      const earlier = this.#seen.get(requirement);
      this.#seen.set(requirement, now);
      // What has failed once in this run needs no second wait: each further value is only more evidence.
      const isSure = this.#failed.has(requirement) || isByItself(now) || isSameWrong(earlier, now);
      if (!isSure) continue;
      this.#failed.add(requirement);
      this.#settle(requirement, now.verdicts);
    }
  }

  #settle(requirement: Id, verdicts: Verdicts<Id>): void {
    this.settled.push(...verdicts);
    this.open.delete(requirement);
  }
}

/** True when nothing was added, removed or changed its state between two reads. */
function stoodStill({ before, after }: Around<Read>): boolean {
  const statesIn = ({ records }: Read) => records.map(({ status }) => status);
  return isSameSequence(before.ids, after.ids) && isSameSequence(statesIn(before), statesIn(after));
}

/** The items of the lists and of the responses that violations name. */
function itemsNamed(
  verdicts: Verdicts<string>,
  { before, after }: Around<Read>,
): ReadonlySet<string> {
  const violations = verdicts.flatMap(({ judgement }) => judgement.violations);
  const text = violations
    .map(({ expected, actual }) => `${expected} ${actual}`)
    .join(' ')
    .toLowerCase();
  const shown = violations.flatMap(({ exchanges }) => exchanges.flatMap(idsOnPage));
  return new Set([...before.ids, ...after.ids, ...shown].filter((id) => text.includes(id)));
}

function idsOnPage(exchange: Exchange): readonly string[] {
  return idsOf(instancesOf(exchange) ?? []).filter((id) => id !== '');
}

function isByItself({ verdicts }: Sighting<string>): boolean {
  return verdicts.some(({ judgement }) => judgement.violations.some((one) => one.byItself));
}

/** Items that change between two looks are wrong once each. A violation that names no item is taken for the same. */
function isSameWrong(earlier: Sighting<string> | undefined, now: Sighting<string>): boolean {
  if (earlier === undefined) return false;
  if (earlier.items.size === 0 || now.items.size === 0) return true;
  return Array.from(now.items).some((id) => earlier.items.has(id));
}

/** True when the verdict has a violation. */
export function isWrong(verdict: UniversalJudgement): boolean {
  return verdict.judgement.violations.length > 0;
}

function of<Id extends string>(verdicts: Verdicts<Id>, requirement: Id): Verdicts<Id> {
  return verdicts.filter((verdict) => verdict.requirement === requirement);
}

function countConclusive(verdicts: readonly UniversalJudgement[]): number {
  return verdicts.filter(isConclusive).length;
}

/** True when the check could judge something. */
export function isConclusive(verdict: UniversalJudgement): boolean {
  return verdict.judgement.seen > 0;
}
