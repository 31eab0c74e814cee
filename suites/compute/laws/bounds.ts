/** Laws of what every paged list accepts and rejects: sizes, parameter values and cursors. */

import { refusedWith } from '../../../harness/checks/compute/answers.ts';
import { leadsOn, samePage } from '../../../harness/checks/collection/walk.ts';
import { nextCursor, noCrash, shownSize } from '../../../harness/checks/collection/bounds.ts';
import {
  type Collection,
  type Context,
  type Define,
  wholeOf,
} from '../../../harness/drivers/collection/collection.ts';
import { requireItems, judgeAround } from '../../../harness/drivers/collection/whole-list.ts';
import {
  negativeSize,
  oddQuery,
  oddText,
  oddTexts,
  servedSize,
  sizeAbove,
} from '../../../harness/generate/lists.ts';
import { isSuccess } from '../../../harness/checks/compute/records.ts';
import { notObserved, together } from '../../../harness/checks/judgement.ts';
import type { Query } from '../../../harness/drivers/compute/api.ts';
import type { Exchange } from '../../../harness/exchange/exchange.ts';
import { judgeOrLack, NotExercised } from '../../../harness/runner/case.ts';
import { eventually } from '../../../harness/runner/retry.ts';

/** A cursor that no server issues. Cursors are opaque, so the suite never makes up a more realistic one. */
export const GARBAGE = 'plumbline-no-such-cursor';

/** Odd values as URL text: NUL, percent sign, quotes, line break, an astral character, a broken escape. */
const oddValues = ['%00', '%25', '%27%22%5C', '%0D%0A', '%F0%9F%9A%80', '%E0%A4'];

/** A valid value of each parameter, each in its own query: a server may forget a rule when a parameter is given. */
export function goodValues(t: Context, { withFilters }: Collection) {
  return Object.entries(withFilters(t, {})).map(([name, value]) => ({ [name]: value }));
}

/** Asks for instances with the key of another account, if there is one: a server may forget a rule for some accounts. */
async function askOther(t: Context, { call }: Collection, query: Query): Promise<Exchange> {
  if (call === 'presets' || t.target.keys.second === undefined) return t.api[call](query);
  const answer = await t.api.list(query, { as: 'second' });
  // Policy may keep that key out.
  return answer.response?.status === 403 ? t.api.list(query) : answer;
}

/** Different sizes for two consecutive pages, which show whether a list uses the size of the second request. */
const [FIRST, SECOND] = [1, 2];

/**
 * Judges that a later page of a size out of bounds is rejected too. A list may use the first page's size for later pages:
 * for such a list, and for one with a single item, nothing is observed.
 */
async function refusedOnLaterPages(t: Context, { call, slug, size }: Collection): Promise<void> {
  const cursor = nextCursor(await t.api[call]({ size: FIRST }));
  if (typeof cursor !== 'string') return;
  if (shownSize(await t.api[call]({ cursor, size: SECOND })) !== SECOND) return;
  for (const [bound, wrong] of [
    ['above-maximum', size.maximum + 1],
    ['zero', 0],
  ] as const) {
    const page = await t.api[call]({ cursor, size: wrong });
    t.judge(`compute.${slug}.size-${bound}`, refusedWith(page, 400, `A later page of ${wrong}`));
  }
}

/** Page sizes within and beyond the bounds. */
export function sizes(test: Define, c: Collection): void {
  const { id, judge: isAnswered } = c.answers;

  test(
    'the list is answered, without any parameter and with a size',
    { judges: [`compute.${c.slug}.parameters-optional`, id] },
    async (t) => {
      const bare = await t.api[c.call]();
      t.judge(
        `compute.${c.slug}.parameters-optional`,
        isAnswered(bare, 'A list without parameters'),
      );
      t.judge(id, isAnswered(await t.api[c.call]({ size: 10 }), 'A list of 10'));
    },
  );

  for (const bound of ['minimum', 'maximum'] as const) {
    const slug = `compute.${c.slug}.size-${bound}` as const;
    test(`a page of ${c.size[bound]} is served`, { judges: [slug] }, async (t) => {
      const size = c.size[bound];
      t.judge(slug, isAnswered(await t.api[c.call]({ size }), `A page of ${size}`));
      for (const query of t.some(goodValues(t, c))) {
        // The server may refuse a direction without a field, and a model that it does not know.
        if (!isSuccess(await t.api[c.call](query))) continue;
        const what = `A page of ${size} with ${JSON.stringify(query)}`;
        t.judge(slug, isAnswered(await t.api[c.call]({ ...query, size }), what));
      }
    });
  }

  test(
    'every size between the bounds is served, and tells itself',
    { judges: [id, 'compute.pagination.size-type'] },
    async (t) =>
      t.property(
        `${c.what} by sizes within bounds`,
        servedSize(c.size),
        async (size, judge) =>
          judge(id, isAnswered(await t.api[c.call]({ size }), `A page of ${size}`)),
        { weight: 0.4 },
      ),
  );

  const above = `compute.${c.slug}.size-above-maximum` as const;
  test(
    'no whole number out of bounds is taken for a size',
    { judges: [above, `compute.${c.slug}.size-negative`] },
    async (t) => {
      await refusedOnLaterPages(t, c);
      const beside = goodValues(t, c);
      for (const [at, query] of beside.entries()) {
        const size = String(c.size.maximum + 1);
        const what = `A list of ${size} with ${JSON.stringify(query)}`;
        const asked = { ...query, size };
        const answer = at % 2 === 0 ? await t.api[c.call](asked) : await askOther(t, c, asked);
        t.judge(above, refusedWith(answer, 400, what));
      }
      for (const [requirement, generated] of [
        [above, sizeAbove(c.size.maximum)],
        [`compute.${c.slug}.size-negative`, negativeSize],
      ] as const) {
        await t.property(
          requirement,
          generated,
          async (size, judge) => {
            const query = { size, ...[{}, ...beside][Number(size.at(-1)) % (beside.length + 1)] };
            const what = `A list with ${JSON.stringify(query)}`;
            judge(requirement, refusedWith(await t.api[c.call](query), 400, what));
          },
          { weight: 0.25 },
        );
      }
    },
  );
}

/** Invalid values, alone and, from the second account if there is one, with valid values of every other parameter. */
export function refusals<Slug extends string>(
  test: Define,
  c: Collection,
  slugs: readonly Slug[],
  idOf: (slug: Slug) => Parameters<Context['judge']>[0],
): void {
  for (const slug of slugs) {
    const id = idOf(slug);
    test(`${slug}: refused, alone and among others`, { judges: [id] }, async (t) => {
      const values = c.refused(t)[slug] ?? [];
      const alone = t.some(values, 2);
      const combined = t.some(values.toReversed(), 0, Math.ceil(values.length / 3));
      const judge = (asked: Query, answer: Exchange): void =>
        t.judge(id, refusedWith(answer, 400, `A list with ${JSON.stringify(asked).slice(0, 300)}`));
      for (const query of alone) judge(query, await t.api[c.call](query));
      for (const query of combined) {
        const all = c.withFilters(t, query);
        judge(all, await askOther(t, c, all));
      }
    });
  }
}

/** Judges that an odd request causes no server error if the target otherwise works. */
async function unshaken(t: Context, c: Collection, query: Parameters<Context['api']['list']>[0]) {
  const answer = await t.api[c.call](query);
  const plain = (answer.response?.status ?? 0) < 500 ? undefined : await t.api[c.call]();
  return noCrash(answer, plain, JSON.stringify(query));
}

/** Odd values of every parameter, and made-up cursors. */
export function oddities(test: Define, c: Collection): void {
  const odd = `compute.${c.slug}.odd-parameters` as const;
  test('odd queries never bring about a server error', { judges: [odd] }, async (t) => {
    const texts = c.parameters(t).filter((name) => !/^(?:size|status|date_|sort_d)/u.test(name));
    const search = c.search.parameter(t);
    const filters = texts.filter((name) => name !== search && !/^(?:cursor|sort_)/u.test(name));
    await t.property(
      `odd queries for ${c.what}`,
      oddQuery(...c.parameters(t)),
      async (query, judge) => judge(odd, await unshaken(t, c, query)),
      {
        weight: c.slug === 'presets' ? 0.25 : 0.5,
        examples: oddValues.flatMap((value, at) => {
          const tried = t.thorough ? texts : [search, filters[at % filters.length]];
          return tried.flatMap((name) => (name === undefined ? [] : [`${name}=${value}`]));
        }),
      },
    );
  });

  const crash = `compute.${c.paging}.garbage-cursor-no-5xx` as const;
  test('odd cursors never bring about a server error', { judges: [crash] }, async (t) =>
    t.property(
      `odd cursors of ${c.what}`,
      oddText,
      async (cursor, judge) => judge(crash, await unshaken(t, c, { cursor })),
      { weight: 0.25, examples: t.some(oddTexts, 3, 5) },
    ),
  );

  const refused = `compute.${c.paging}.garbage-cursor-refused` as const;
  test('a cursor that nobody issued is refused', { judges: [refused] }, async (t) => {
    const answer = await t.api[c.call]({ cursor: GARBAGE });
    t.judge(refused, refusedWith(answer, 400, 'A cursor that nobody issued'));
  });
}

/** Cursors from a page: each leads to the following page, and to the same one each time. */
export function cursors(test: Define, c: Collection): void {
  const id = `compute.${c.paging}.cursor-leads-on` as const;
  test(`a cursor that a page gives leads on`, { judges: [id] }, async (t) => {
    const judgements = [];
    for (const size of [1, 200]) {
      // A cursor fails only if a new one fails too, since the list may have changed between the two requests.
      const judged = eventually(t, 'onceMore', async () => {
        const page = await t.api[c.call]({ size });
        const cursor = nextCursor(page);
        if (typeof cursor !== 'string') return notObserved;
        return leadsOn(page, await t.api[c.call]({ size, cursor }));
      });
      judgements.push(await judged);
    }
    const lack = 'the list has one item at most, and gives no cursor';
    judgeOrLack(t, id, together(...judgements), lack);
  });

  const repeats = `compute.${c.paging}.cursor-repeats` as const;
  test('the same cursor twice gives the same page', { judges: [repeats] }, async (t) => {
    const whole = wholeOf(t, c, {}, { mostPages: 1 });
    await requireItems(whole, 2, c.what);
    const namesOn = (page: Parameters<Collection['itemsIn']>[1]) => {
      const items = c.itemsIn(t, page);
      return items === undefined ? undefined : c.namesOf(t, items);
    };
    for (const size of [1, undefined]) {
      await judgeAround(
        t,
        whole,
        repeats,
        async () => {
          const cursor = nextCursor(await t.api[c.call]({ size: 1 }));
          if (typeof cursor !== 'string') throw new NotExercised('the list has no second page');
          const once = await t.api[c.call]({ cursor, size });
          return { once, repeated: await t.api[c.call]({ cursor, size }) };
        },
        ({ before, after }, { once, repeated }) =>
          samePage({ before: before.ids, after: after.ids }, once, repeated, namesOn),
      );
    }
  });
}
