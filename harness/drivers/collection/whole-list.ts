/** Compares responses with a whole list on an account that others change meanwhile. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import { isSameSequence } from '../../checks/collection/bracket.ts';
import { idsOf, instancesOf } from '../../checks/compute/records.ts';
import type { Judgement } from '../../checks/judgement.ts';
import type { UniversalJudgement } from '../../checks/universal.ts';
import type { Exchange } from '../../exchange/exchange.ts';
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

/** What is wrong at one time, and the items that it names. */
interface Sighting<Id extends string> {
  readonly verdicts: Verdicts<Id>;
  readonly items: ReadonlySet<string>;
}

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
   * Takes a response and judges it against the list as last read. What looks wrong is judged again between fresh reads,
   * since others may create, stop and terminate instances. It counts when it is wrong again for the same item after
   * longer than any lag: replicas may be out of sync, and a cache may hold each query separately. Requirements that never
   * settle are left out; throws `Inconclusive` when nothing conclusive remains.
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
    const open = new Set(first.filter(isWrong).map(({ requirement }) => requirement));
    const close = (requirement: Id, verdicts: Verdicts<Id>): void => {
      settled.push(...verdicts);
      open.delete(requirement);
    };
    /** Closes what a comparison shows to be right, and returns what it shows to be wrong. */
    const weigh = (whole: Around<List>, other: Other): ReadonlyMap<Id, Sighting<Id>> => {
      const all = relate(whole, other);
      const wrong = new Map<Id, Sighting<Id>>();
      for (const requirement of open) {
        const verdicts = of(all, requirement);
        // With fewer conclusive verdicts than at first, the wrong one may be missing. If the list stood still, it is
        // missing because its instance is gone for good.
        const saysAll =
          stoodStill(whole) || countConclusive(verdicts) >= countConclusive(of(first, requirement));
        if (verdicts.some(isWrong))
          wrong.set(requirement, { verdicts, items: itemsNamed(verdicts, whole) });
        else if (saysAll) close(requirement, verdicts);
      }
      return wrong;
    };
    /** Compares between fresh reads until each open requirement is right or wrong. */
    const look = async (): Promise<ReadonlyMap<Id, Sighting<Id>>> => {
      const compareAgain = async () => {
        const before = await this.known();
        const other = await take();
        return weigh({ before, after: await this.#again() }, other);
      };
      const isClear = (wrong: ReadonlyMap<Id, unknown>) => wrong.size === open.size;
      return retry(this.#t, 'bracketAgain', compareAgain, isClear);
    };
    // Most apparent violations come from changes since the list was read.
    if (open.size > 0) weigh({ before: known, after: await this.#again() }, taken);
    const failed = this.#shared?.failed ?? new Set();
    const seen = new Map<Id, Sighting<Id>>();
    const lookAgain = async (): Promise<void> => {
      if (seen.size > 0) await this.#again();
      for (const [requirement, now] of await look()) {
        const earlier = seen.get(requirement);
        seen.set(requirement, now);
        const isSame = earlier !== undefined && isSameWrong(earlier, now);
        // What has failed once in this run needs no second wait: each further value is only more evidence.
        if (!isSame && !failed.has(requirement)) continue;
        failed.add(requirement);
        close(requirement, now.verdicts);
      }
    };
    const isOver = () => !Array.from(open).some((requirement) => seen.has(requirement));
    if (open.size > 0) await retry(this.#t, 'lagPasses', lookAgain, isOver);
    return { verdicts: settled, unsettled: [...open] };
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

/** Items that change between two looks are wrong once each. A violation that names no item is taken for the same. */
function isSameWrong(earlier: Sighting<string>, now: Sighting<string>): boolean {
  if (earlier.items.size === 0 || now.items.size === 0) return true;
  return Array.from(now.items).some((id) => earlier.items.has(id));
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
  /** The requirements that a comparison has shown to be broken. */
  readonly failed: Set<string>;
}

type What = 'instances' | 'presets';
type Lists = Readonly<Record<What, Map<string, Promise<Listing>>>> & {
  readonly failed: Set<string>;
};
const listsBySession = new WeakMap<object, Lists>();

function listsOf(session: object): Lists {
  const lists = listsBySession.get(session) ?? {
    instances: new Map(),
    presets: new Map(),
    failed: new Set(),
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
  const { [what]: lists, failed } = listsOf(session);
  const key = JSON.stringify([query, size]);
  return {
    last: async () => {
      const list = await lists.get(key)?.catch(() => undefined);
      const pages = list?.exchanges.length ?? 0;
      const isEnough = list?.end === 'last-page' ? pages <= mostPages : pages === mostPages;
      return isEnough ? list : undefined;
    },
    keep: (reading) => lists.set(key, reading),
    failed,
  };
}

/** Forgets the reads of instances, because the run acts on an instance or makes one. */
export function instancesChange(session: object): void {
  listsOf(session).instances.clear();
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
