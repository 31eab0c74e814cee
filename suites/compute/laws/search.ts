/** Laws of free-text searches, judged only where the contract leaves no doubt about a match. */

import { freeTextLength } from '../../../schemas/compute/list-instances.ts';
import { withoutCount } from '../../../harness/checks/compute/presets.ts';
import { standing } from '../../../harness/checks/collection/bracket.ts';
import type { WireRecord } from '../../../harness/checks/compute/records.ts';
import {
  absentPatterns,
  absentTexts,
  awkwardSearches,
  bareWildcards,
  fillingSigns,
  hasWord,
  isSearchable,
  onlyInOrder,
  signsSelectNone,
  representative,
  turnedRound,
} from '../../../harness/checks/collection/search.ts';
import {
  LATER_PAGES,
  PAGES_TO_THE_END,
  conclusivePages,
} from '../../../harness/checks/collection/chosen-values.ts';
import {
  findsAll,
  findsNone,
  sameInParts,
  selectsNone,
} from '../../../harness/checks/collection/filter.ts';
import type { ListingOptions, ListQuery } from '../../../harness/drivers/collection/reading.ts';
import {
  type Collection,
  type Context,
  type Define,
  type Found,
  parameterOf,
  textOf,
  textsOf,
  wholeOf,
} from '../../../harness/drivers/collection/collection.ts';
import {
  requireItems,
  judgeAround,
  type WholeList,
} from '../../../harness/drivers/collection/whole-list.ts';
import { NotExercised, orInconclusive } from '../../../harness/runner/case.ts';

function searchedIn(t: Context, c: Collection, record: WireRecord): readonly string[] {
  return c.search.members.map((member) => textOf(t, c, record, member));
}

/** The texts of a member to search for: representative ones, one for each value of `eachOf`, the last, and up to `most`. */
function sought(t: Context, c: Collection, all: readonly WireRecord[], found: Found) {
  const { member, most, codes, eachOf } = found;
  const listed = all.filter((record) => !c.mayHide(record));
  const texts = textsOf(t, c, listed, member).filter((text) =>
    codes === undefined ? hasWord(text) && isSearchable(text) : codes.includes(text),
  );
  const ofEach =
    eachOf === undefined
      ? []
      : textsOf(t, c, listed, eachOf).flatMap((value) => {
          const those = listed.filter((record) => textOf(t, c, record, eachOf) === value);
          return textsOf(t, c, those, member)
            .filter((text) => texts.includes(text))
            .slice(0, 1);
        });
  const chosen = new Set([...representative(texts), ...ofEach, ...texts.slice(-1)]);
  return [...new Set([...chosen, ...texts])].slice(0, Math.max(most, chosen.size));
}

/** Judges that a search for the whole text of a member finds what has it; a model is also tried without its displayed count. */
export async function judgeFinding(
  t: Context,
  c: Collection,
  whole: WholeList,
  { member, id, counted }: Pick<Found, 'member' | 'id' | 'counted'>,
  text: string,
  options: ListingOptions = {},
): Promise<void> {
  const name = parameterOf(t, c.search);
  const read = async () => {
    const part = await c.read(t, { [name]: text }, options);
    const model = counted === true && part.ids.length === 0 ? withoutCount(text) : text;
    return model === text ? part : c.read(t, { [name]: model }, options);
  };
  const matches = (record: WireRecord) =>
    textOf(t, c, record, member) === text && !c.mayHide(record);
  await judgeAround(t, whole, id, read, (around, part) =>
    findsAll({ ...around, part, matches, filter: `${name}=${text}` }),
  );
}

export function search(test: Define, c: Collection): void {
  for (const found of c.search.finds) {
    const { member, id } = found;
    test(`a search for a whole ${member} finds what has it`, { judges: [id] }, async (t) => {
      const whole = wholeOf(t, c);
      const { records } = await requireItems(whole, 1, c.what);
      const texts = sought(t, c, records, found);
      if (texts.length === 0) throw new NotExercised(`there is no ${member} to search for`);
      for (const text of t.some(texts)) await judgeFinding(t, c, whole, found, text);
    });
  }

  const absent = `compute.${c.slug}.free-text-absent` as const;
  test(
    'a search for what is nowhere finds nothing, wildcards or not',
    { judges: [absent, `compute.${c.slug}.free-text-maximum`] },
    async (t) => {
      const name = parameterOf(t, c.search);
      const whole = await requireItems(wholeOf(t, c), 1, c.what);
      const all = whole.records.flatMap((record) => searchedIn(t, c, record));
      const names = all.filter((text) => /^[\w -]{3,60}$/u.test(text));
      for (const text of [
        `qzxjvw-${t.unknownInstanceId()}`,
        ...absentTexts,
        ...t.some(c.search.elsewhere(t, whole)),
      ]) {
        t.judge(absent, findsNone(whole, await c.read(t, { [name]: text }), `${name}=${text}`));
      }
      for (const pattern of t.some(absentPatterns([...new Set(names)], all))) {
        const part = await c.read(t, { [name]: pattern });
        const turned =
          part.ids.length === 0 ? part : await c.read(t, { [name]: turnedRound(pattern) });
        t.judge(absent, onlyInOrder(findsNone(whole, part, `${name}=${pattern}`), part, turned));
      }
      const longest = await c.read(t, { [name]: 'q'.repeat(freeTextLength) }, { mostPages: 1 });
      t.judge(absent, selectsNone(whole, longest, `${name}=qqq…`));
      const judgeServed = (length: number, page: (typeof longest.exchanges)[number]) =>
        t.judge(
          `compute.${c.slug}.free-text-maximum`,
          c.answers.judge(page, `A search for ${length} characters`),
        );
      for (const page of longest.exchanges) judgeServed(freeTextLength, page);
      for (const length of [freeTextLength, 128, 2, 1]) {
        const query = { [name]: 'e'.repeat(length), region: 'US', size: 1 };
        judgeServed(length, await t.api[c.call](query));
      }
    },
  );

  const bare = `compute.${c.slug}.free-text-signs` as const;
  test('a search for signs alone finds nothing without them', { judges: [bare] }, async (t) => {
    const whole = await requireItems(wholeOf(t, c), 1, c.what);
    const read = async (text: string) =>
      c.read(t, { [parameterOf(t, c.search)]: text }, { mostPages: 1 });
    const textsIn = (record: WireRecord) => searchedIn(t, c, record);
    const before = await read('');
    const found = [];
    for (const signs of t.some([...bareWildcards, ...fillingSigns(whole.records.map(textsIn))])) {
      found.push({ signs, part: await read(signs) });
    }
    const empty = standing({ before: before.ids, after: (await read('')).ids });
    for (const { signs, part } of found) {
      t.judge(bare, signsSelectNone(whole, part, signs, empty, textsIn));
    }
  });

  const characters = `compute.${c.slug}.free-text-characters` as const;
  test(
    'a search may hold quotes, brackets and backslashes',
    { judges: [characters] },
    async (t) => {
      for (const text of awkwardSearches) {
        const answer = await t.api[c.call]({ [parameterOf(t, c.search)]: text, size: 1 });
        t.judge(characters, c.answers.judge(answer, `A search for ${text}`));
      }
    },
  );

  const match = `compute.${c.slug}.free-text-match` as const;
  test('how a search matches is recorded', { judges: [match] }, async (t) => {
    const { records } = await requireItems(wholeOf(t, c), 1, c.what);
    const [text = ''] = c.search.members.flatMap((member) => textsOf(t, c, records, member));
    const half = text.slice(0, Math.ceil(text.length / 2));
    for (const asked of new Set([text, text.toUpperCase(), text.toLowerCase(), half])) {
      const short = asked.slice(0, freeTextLength);
      const found = await c.read(t, { [parameterOf(t, c.search)]: short }, { mostPages: 1 });
      const said = `${short} finds ${found.ids.length} of ${records.length}`;
      t.record(match, said, found.exchanges[0]);
    }
  });
}

const MAX_SEARCHES = 4;

/** Texts of several records, so that a search for one may fill several pages. */
function sharedTexts(t: Context, c: Collection, records: readonly WireRecord[]): readonly string[] {
  const texts = records.flatMap((record) => searchedIn(t, c, record)).filter(isSearchable);
  const count = (text: string) => texts.filter((one) => one === text).length;
  return [...new Set(texts)].filter((text) => count(text) > 1 && text.length <= freeTextLength);
}

/** A search within a query's results, and a page size for which a later page would show a dropped search. */
async function conclusiveSearch(
  t: Context,
  c: Collection,
  all: ListQuery,
  options: ListingOptions = {},
) {
  const { ids, records } = await wholeOf(t, c, all, options).known();
  const whole = await wholeOf(t, c, {}, options).known();
  // Texts for which a later page would show that the search is dropped, or else the query beside it, come first.
  const tells = (text: string): number => {
    const has = (record: WireRecord) => searchedIn(t, c, record).includes(text);
    const having = whole.ids.filter((_, at) => has(whole.records[at] ?? {}));
    const [ofSearch, ofQuery] = [records.map(has), having.map((id) => ids.includes(id))].map(
      (selected) => Number(conclusivePages(selected, LATER_PAGES) !== undefined),
    );
    return 2 * (ofSearch ?? 0) + (ofQuery ?? 0);
  };
  const texts = sharedTexts(t, c, records).toSorted((one, other) => tells(other) - tells(one));
  for (const text of texts.slice(0, MAX_SEARCHES)) {
    const query = { ...all, [parameterOf(t, c.search)]: text };
    // The search itself tells what it matches. If it finds everything, dropping it would not show.
    const found = new Set((await wholeOf(t, c, query, options).known()).ids);
    const selected = ids.map((one) => found.has(one));
    const pages = conclusivePages(selected, LATER_PAGES);
    if (pages !== undefined) return { query, options: { ...options, size: pages.size } };
  }
  return undefined;
}

/**
 * Searches on later pages, alone and with each query of `c.beside.searchesOverPages`; beside a sort, the second account
 * searches for instances, if there is one with enough of them.
 */
export function searchOnLaterPages(test: Define, c: Collection): void {
  const id = c.search.onLaterPages;
  test('a search holds on the second page and after', { judges: [id] }, async (t) => {
    const part = await c.varied(t);
    const { records } = await wholeOf(t, c).known();
    let tried = 0;
    for (const beside of [{}, ...c.beside.searchesOverPages(records)]) {
      const isForSecond =
        c.call === 'list' && 'sort_field' in beside && t.target.keys.second !== undefined;
      const chosen =
        (isForSecond
          ? await conclusiveSearch(t, c, beside, { as: 'second' }).catch(orInconclusive)
          : undefined) ?? (await conclusiveSearch(t, c, { ...part, ...beside }));
      if (chosen === undefined) continue;
      tried += 1;
      const { query, options } = chosen;
      const { as } = options;
      await judgeAround(
        t,
        wholeOf(t, c, query, as === undefined ? {} : { as }),
        id,
        async () => c.read(t, query, { ...options, mostPages: LATER_PAGES + PAGES_TO_THE_END }),
        (around, walked) => sameInParts(around, walked, JSON.stringify(query)),
      );
    }
    if (tried > 0) return;
    const lack = 'no search that was tried fills two pages that differ from those without it';
    throw new NotExercised(lack);
  });
}
