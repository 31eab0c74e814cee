/** Compares responses with a whole list on an account that others change meanwhile. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import type { Judgement } from '../../checks/judgement.ts';
import { type TestContext, Inconclusive, NotExercised } from '../../runner/case.ts';
import { retry } from '../../runner/retry.ts';
import type { ComputeContext } from '../compute/api.ts';
import {
  type Around,
  Comparison,
  isConclusive,
  isWrong,
  type Read,
  type Relate,
  type Verdicts,
} from './comparison.ts';
import { type Listing, type ListingOptions, type ListQuery, WHOLE_PAGES } from './reading.ts';

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
   * longer than any lag: replicas may be out of sync, and a cache may hold each query separately. What a response shows
   * by itself needs no lag. Requirements that never settle are left out; throws `Inconclusive` when nothing conclusive
   * remains.
   */
  async compare<Other, Id extends string>(
    take: () => Promise<Other>,
    relate: Relate<List, Other, Id>,
  ): Promise<Verdicts<Id>> {
    const { settled, open } = await this.#judge(take, relate);
    // A requirement with an unsettled verdict is not right because its other verdicts are.
    const conclusive = settled.filter(
      (verdict) => isWrong(verdict) || !open.has(verdict.requirement),
    );
    if (open.size > 0 && conclusive.every((verdict) => !isConclusive(verdict))) {
      throw new Inconclusive('the list changed during every comparison with it');
    }
    return conclusive;
  }

  /** Like `compare`, for one value of many: verdicts that never settle are left out. */
  async compareOne<Other, Id extends string>(
    take: () => Promise<Other>,
    relate: Relate<List, Other, Id>,
  ): Promise<Verdicts<Id>> {
    return (await this.#judge(take, relate)).settled;
  }

  async #judge<Other, Id extends string>(
    take: () => Promise<Other>,
    relate: Relate<List, Other, Id>,
  ): Promise<Comparison<List, Other, Id>> {
    const known = await this.known();
    const taken = await take();
    const comparison = new Comparison<List, Other, Id>(relate, known, taken, this.#shared?.failed);
    // Most apparent violations come from changes since the list was read.
    if (comparison.open.size > 0)
      comparison.weigh({ before: known, after: await this.#again() }, taken);
    const compareAgain = async () => {
      const before = await this.known();
      const other = await take();
      return comparison.weigh({ before, after: await this.#again() }, other);
    };
    const look = async (): Promise<void> => {
      if (comparison.isDoubtful) await this.#again();
      const isClear = ({ size }: ReadonlyMap<Id, unknown>) => size === comparison.open.size;
      comparison.sight(await retry(this.#t, 'bracketAgain', compareAgain, isClear));
    };
    if (comparison.open.size > 0)
      await retry(this.#t, 'lagPasses', look, () => !comparison.isDoubtful);
    return comparison;
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
