/** Compares responses with a whole list on an account that others change meanwhile. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import { isSameSequence } from '../../checks/collection/bracket.ts';
import { LAG_MS } from '../../checks/compute/settling.ts';
import type { Judgement } from '../../checks/judgement.ts';
import type { UniversalJudgement } from '../../checks/universal.ts';
import { type TestContext, Inconclusive, NotExercised } from '../../runner/case.ts';
import { retry } from '../../runner/retry.ts';
import type { ComputeContext } from '../compute/api.ts';
import { type Listing, type ListingOptions, type ListQuery, WHOLE_PAGES } from './reading.ts';

/** The whole list, before and after the response that is compared with it. */
export interface Around<List> {
  readonly before: List;
  readonly after: List;
}

type Read = Omit<Listing, 'end'>;
type Verdicts<Id extends string> = readonly UniversalJudgement<Id>[];
type Relate<List, Other, Id extends string> = (whole: Around<List>, other: Other) => Verdicts<Id>;

/** Rounds that must show a violation. When a cache may have missed the last change, one more round, some time later. */
const ROUNDS_THAT_CONVINCE = 2;
/** Milliseconds after a call in which its instance may still move. */
const MOVES_MS = 10_000;

export class WholeList<List extends Read = Listing> {
  readonly #read: () => Promise<List>;
  readonly #t: Pick<ComputeContext, 'signal'>;
  readonly #shared: Shared<List> | undefined;
  #last: List | undefined;

  constructor(t: Pick<ComputeContext, 'signal'>, read: () => Promise<List>, shared?: Shared<List>) {
    this.#t = t;
    this.#read = read;
    this.#shared = shared;
  }

  /** The list as last read, by this case or another one. Throws `Inconclusive` when it cannot be read. */
  async known(): Promise<List> {
    this.#last ??= await this.#shared?.last();
    return this.#last ?? this.#again();
  }

  /**
   * Takes a response and judges it against the list as last read. What looks wrong is judged again between fresh
   * reads and counts when it is wrong twice, since others may create, stop and terminate instances. Requirements that
   * never settle are left out; throws `Inconclusive` when nothing conclusive remains.
   */
  async compare<Other, Id extends string>(
    take: () => Promise<Other>,
    relate: Relate<List, Other, Id>,
  ): Promise<Verdicts<Id>> {
    const { verdicts, unsettled } = await this.#judge(take, relate);
    // A requirement with an unsettled verdict is not right because its other verdicts are.
    const conclusive = verdicts.filter(
      (verdict) => isWrong(verdict) || !unsettled.includes(verdict.requirement),
    );
    if (unsettled.length > 0 && conclusive.every((verdict) => !isConclusive(verdict))) {
      throw new Inconclusive('the list changed during every comparison with it');
    }
    return conclusive;
  }

  /** Like `compare`, for one value of many: verdicts that never settle are left out. */
  async compareOne<Other, Id extends string>(
    take: () => Promise<Other>,
    relate: Relate<List, Other, Id>,
  ): Promise<Verdicts<Id>> {
    return (await this.#judge(take, relate)).verdicts;
  }

  async #judge<Other, Id extends string>(
    take: () => Promise<Other>,
    relate: Relate<List, Other, Id>,
  ): Promise<{ readonly verdicts: Verdicts<Id>; readonly unsettled: readonly Id[] }> {
    const known = await this.known();
    const taken = await take();
    const first = relate({ before: known, after: known }, taken);
    const settled: UniversalJudgement<Id>[] = first.filter((verdict) => !isWrong(verdict));
    const wrong = new Map(first.filter(isWrong).map(({ requirement }) => [requirement, 0]));
    if (wrong.size > 0) {
      // Most apparent violations come from changes since the list was read.
      const since = relate({ before: known, after: await this.#again() }, taken);
      for (const requirement of wrong.keys()) {
        const latest = of(since, requirement);
        if (
          latest.some(isWrong) ||
          countConclusive(latest) < countConclusive(of(first, requirement))
        )
          continue;
        settled.push(...latest);
        wrong.delete(requirement);
      }
    }
    let rounds = 0;
    const unchangedMs = async () => this.#shared?.unchangedMs() ?? Infinity;
    const later = (await unchangedMs()) < MOVES_MS ? 1 : 0;
    const compareAgain = async () => {
      rounds += 1;
      // A cache may hold each query separately, so the whole list may stay older than a part of it.
      if (later > 0 && rounds === ROUNDS_THAT_CONVINCE + later) {
        await retry(this.#t, 'listExpires', unchangedMs, (ms) => ms >= LAG_MS);
      }
      const isSettled = await this.#settles();
      const before = await this.known();
      const other = await take();
      const after = await this.#again();
      const verdicts = relate({ before, after }, other);
      const isStill = isSettled && verdicts.some(isWrong) && stoodStill(after, await this.#again());
      for (const [requirement, times] of wrong) {
        const latest = of(verdicts, requirement);
        const isStillWrong = latest.some(isWrong);
        // With fewer conclusive verdicts than at first, the wrong one may be missing. If the list stood still, it is
        // missing because its instance is gone for good.
        const saysAll =
          stoodStill(before, after) ||
          countConclusive(latest) >= countConclusive(of(first, requirement));
        // Replicas that are not in sync contradict each other, so a violation counts only if the list stood still.
        const counts = isStillWrong && isStill;
        if (counts) wrong.set(requirement, times + 1);
        const convinced = counts && times + 1 >= ROUNDS_THAT_CONVINCE + later;
        if (convinced || (!isStillWrong && saysAll)) {
          settled.push(...latest);
          wrong.delete(requirement);
        }
      }
    };
    if (wrong.size > 0) await retry(this.#t, 'bracketAgain', compareAgain, () => wrong.size === 0);
    return { verdicts: settled, unsettled: [...wrong.keys()] };
  }

  /** Reads until two reads in a row agree, which replicas that are not in sync do not; returns whether they do. */
  async #settles(): Promise<boolean> {
    let list = await this.#again();
    return retry(
      this.#t,
      'replicasAgree',
      async () => {
        const earlier = list;
        list = await this.#again();
        return stoodStill(earlier, list);
      },
      (agrees) => agrees,
    );
  }

  async #again(): Promise<List> {
    const reading = this.#readWhole();
    this.#shared?.keep(reading);
    this.#last = await reading;
    return this.#last;
  }

  async #readWhole(): Promise<List> {
    const list = await this.#read();
    if (list.readable) return list;
    const status = list.exchanges.at(-1)?.response?.status ?? 'nothing';
    throw new Inconclusive(`the whole list cannot be read for comparison: it answered ${status}`);
  }
}

/** True when nothing was added, removed or changed its state between two reads. */
function stoodStill(before: Read, after: Read): boolean {
  const statesIn = ({ records }: Read) => records.map(({ status }) => status);
  return isSameSequence(before.ids, after.ids) && isSameSequence(statesIn(before), statesIn(after));
}

function isWrong(verdict: UniversalJudgement): boolean {
  return verdict.judgement.violations.length > 0;
}

function of<Id extends string>(verdicts: Verdicts<Id>, requirement: Id): Verdicts<Id> {
  return verdicts.filter((verdict) => verdict.requirement === requirement);
}

function countConclusive(verdicts: readonly UniversalJudgement[]): number {
  return verdicts.filter(isConclusive).length;
}

function isConclusive(verdict: UniversalJudgement): boolean {
  return verdict.judgement.seen > 0;
}

/** What the cases of a session share of a list: the last read, and where to keep a new one. */
interface Shared<List> {
  readonly last: () => Promise<List | undefined>;
  readonly keep: (reading: Promise<List>) => void;
  /** Milliseconds since the run itself last changed the list. */
  readonly unchangedMs: () => number;
}

type What = 'instances' | 'presets';
type Lists = Readonly<Record<What, Map<string, Promise<Listing>>>> & { changedAt: number };
const listsBySession = new WeakMap<object, Lists>();

function listsOf(session: object): Lists {
  const lists = listsBySession.get(session) ?? {
    instances: new Map(),
    presets: new Map(),
    changedAt: -Infinity,
  };
  listsBySession.set(session, lists);
  return lists;
}

/** The shared reads of one query. A list that was read to its end serves any case that wants at least as many pages. */
export function sharedList(
  session: object,
  what: What,
  query: ListQuery,
  { mostPages = Infinity, ...size }: ListingOptions,
): Shared<Listing> {
  const lists = listsOf(session)[what];
  const key = JSON.stringify([query, size]);
  return {
    last: async () => {
      const list = await lists.get(key)?.catch(() => undefined);
      const pages = list?.exchanges.length ?? 0;
      const isEnough = list?.end === 'last-page' ? pages <= mostPages : pages === mostPages;
      return isEnough ? list : undefined;
    },
    keep: (reading) => lists.set(key, reading),
    unchangedMs: () =>
      what === 'instances' ? performance.now() - listsOf(session).changedAt : Infinity,
  };
}

/** Forgets the reads of instances, because the run acts on an instance or makes one. */
export function instancesChange(session: object): void {
  const lists = listsOf(session);
  lists.instances.clear();
  lists.changedAt = performance.now();
}

/** The list of one collection, or the result of a query: the first 800 items. */
export function wholeList(
  t: Pick<ComputeContext, 'signal' | 'session'>,
  what: What,
  read: (query: ListQuery, options: ListingOptions) => Promise<Listing>,
  query: ListQuery = {},
  options: ListingOptions = {},
): WholeList {
  const asked = { mostPages: WHOLE_PAGES, ...options };
  return new WholeList(
    t,
    async () => read(query, asked),
    sharedList(t.session, what, query, asked),
  );
}

/** The list, if it has at least `least` items; otherwise throws `NotExercised`. */
export async function requireItems(list: WholeList, least: number, what: What): Promise<Listing> {
  const known = await list.known();
  if (known.ids.length >= least) return known;
  throw new NotExercised(
    known.ids.length === 0
      ? `the primary key sees no ${what}`
      : `the primary key sees fewer than ${least} ${what}`,
  );
}

/** Reports verdicts to the case; returns the requirements of which something was seen. */
export function reportVerdicts(
  t: Pick<TestContext<ComputeRequirementId>, 'judge'>,
  verdicts: Verdicts<ComputeRequirementId>,
): ReadonlySet<ComputeRequirementId> {
  for (const { requirement, judgement } of verdicts) t.judge(requirement, judgement);
  return new Set(verdicts.filter(isConclusive).map(({ requirement }) => requirement));
}

/** Judges one requirement by what `take` returns and the list around it; reports nothing when the list never settles. */
export async function judgeAround<Other>(
  t: Pick<TestContext<ComputeRequirementId>, 'judge'>,
  list: WholeList,
  requirement: ComputeRequirementId,
  take: () => Promise<Other>,
  judge: (whole: Around<Listing>, other: Other) => Judgement,
): Promise<void> {
  const relate: Relate<Listing, Other, ComputeRequirementId> = (whole, other) => [
    { requirement, judgement: judge(whole, other) },
  ];
  reportVerdicts(t, await list.compareOne(take, relate));
}
