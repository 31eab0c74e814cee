/** GET /instances: the free-text search, judged where the contract leaves no choice. */

import { freeTextLength } from '../../schemas/compute/list-instances.ts';
import { regionCodes } from '../../schemas/compute/regions.ts';
import { answeredWith, refusedWith } from '../../harness/checks/compute/answers.ts';
import { standing } from '../../harness/checks/compute/extent.ts';
import { distinctTexts } from '../../harness/checks/compute/instance-query.ts';
import { finds, findsOne, selectsNone } from '../../harness/checks/compute/selection.ts';
import { textIn } from '../../harness/drivers/compute/preset-filters.ts';
import { type WireRecord, textOf } from '../../harness/checks/compute/records.ts';
import {
  absentPatterns,
  awkwardSearches,
  hasWord,
  isSearchable,
  searchedTexts,
  telling,
  textsApart,
  textsElsewhere,
  wordsOf,
} from '../../harness/checks/compute/search-texts.ts';
import {
  bareWildcards,
  fillingSigns,
  signsSelectNone,
} from '../../harness/checks/compute/sign-search.ts';
import { amongInstanceFilters } from '../../harness/generate/beside.ts';
import {
  readInstances,
  readPresetList,
  WHOLE_PAGES,
} from '../../harness/drivers/compute/listing.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { having, tell, wholeInstances } from '../../harness/drivers/compute/whole-lists.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

/** Regions and GPU models that are searched for. */
const TRIED_TEXTS = 4;
const codes: ReadonlySet<string> = new Set(regionCodes);
/** Locations that are searched for: few instances may run at any of them. */
const MAX_PLACES = 6;

export default computeSection('list-instances', (test) => {
  test(
    'a search for the full name of an instance finds it',
    { judges: ['compute.list-instances.free-text-full-name'], requests: 12 },
    async (t) => {
      const whole = wholeInstances(t);
      const { records } = await having(whole, 1, 'instances');
      const named = records.filter((record) => {
        const name = textOf(record, 'name') ?? '';
        return hasWord(name) && isSearchable(name);
      });
      if (named.length === 0)
        throw new NotExercised('no instance has a name with a word to search for');
      // One in each state, since a search may leave some out. Whether it finds what is terminated is open, as for the list.
      const inEachState = distinctTexts(named, 'status')
        .filter((status) => status !== 'TERMINATED')
        .flatMap((status) => named.filter((one) => one['status'] === status).slice(0, 1));
      // The oldest one as well: a search may look at what is new alone.
      for (const record of new Set([
        ...telling(named, 'name'),
        ...inEachState,
        ...named.slice(-1),
      ])) {
        const name = textOf(record, 'name') ?? '';
        const sought = {
          id: (textOf(record, 'instance_id') ?? '').toLowerCase(),
          matches: (seen: WireRecord) => seen['name'] === name,
        };
        const verdicts = await whole.againstOne(
          async () => readInstances(t.api, { free_text_search: name }),
          (around, part) => [
            {
              requirement: 'compute.list-instances.free-text-full-name' as const,
              judgement: finds(around, part, sought, `free_text_search=${name}`),
            },
          ],
        );
        tell(t, verdicts);
      }
    },
  );

  for (const [id, field] of [
    ['compute.list-instances.free-text-region', 'region'],
    ['compute.list-instances.free-text-other-members', 'gpu_type'],
  ] as const) {
    test(
      `a search for a whole ${field} finds an instance with it`,
      { judges: [id], requests: 1 + TRIED_TEXTS },
      async (t) => {
        const whole = wholeInstances(t);
        const { records } = await having(whole, 1, 'instances');
        // A region is searched for by its code, however short; what else may show there is open.
        const texts = distinctTexts(records, field).filter((text) =>
          field === 'region' ? codes.has(text) : hasWord(text) && isSearchable(text),
        );
        if (texts.length === 0) throw new NotExercised(`no instance has a ${field} to search for`);
        for (const text of texts.slice(0, TRIED_TEXTS)) {
          const query = { free_text_search: text };
          const matches = (seen: WireRecord) => seen[field] === text;
          const verdicts = await whole.againstOne(
            async () => readInstances(t.api, query),
            (around, part) => [
              {
                requirement: id,
                judgement: findsOne(around, part, matches, JSON.stringify(query)),
              },
            ],
          );
          tell(t, verdicts);
        }
      },
    );
  }

  test(
    'a search for what is nowhere finds nothing, wildcards or not',
    { judges: ['compute.list-instances.free-text-absent'], requests: 13 },
    async (t) => {
      const whole = await having(wholeInstances(t), 1, 'instances');
      const names = distinctTexts(whole.records, 'name').filter((name) =>
        /^[\w -]{6,60}$/u.test(name),
      );
      const models = distinctTexts(whole.records, 'gpu_type');
      const texts = [
        `qzxjvw-${t.unknownInstanceId()}`,
        ...absentPatterns([...names, ...models], searchedTexts(whole.records)),
        ...(whole.end === 'last-page' ? textsElsewhere(whole.records) : []),
      ];
      for (const text of texts) {
        const part = await readInstances(t.api, { free_text_search: text });
        t.judge('compute.list-instances.free-text-absent', selectsNone(whole, part, text));
      }
    },
  );

  test(
    'a search for a location finds nothing, unless something else is called so',
    { judges: ['compute.list-instances.free-text-location'], requests: 4 + MAX_PLACES },
    async (t) => {
      const id = 'compute.list-instances.free-text-location';
      const whole = await having(wholeInstances(t), 1, 'instances');
      if (whole.end !== 'last-page') throw new NotExercised('the account cannot be seen whole');
      const presets = await readPresetList(t.api, t.bindings, {}, { mostPages: WHOLE_PAGES });
      const regions = new Set(distinctTexts(whole.records, 'region'));
      const runsAt = (preset: WireRecord) => Number(regions.has(textIn(t, preset, 'region')));
      // Those first where instances run.
      const located = presets.records
        .toSorted((one, other) => runsAt(other) - runsAt(one))
        .map((preset) => textIn(t, preset, 'location'));
      // A word of it may be apart where its number is not.
      const places = [...located, ...located.flatMap((place) => wordsOf(place))];
      const texts = textsApart(searchedTexts(whole.records), places, MAX_PLACES);
      if (texts.length === 0) throw new NotExercised('every location resembles what is searched');
      for (const text of texts) {
        const part = await readInstances(t.api, { free_text_search: text });
        t.judge(id, selectsNone(whole, part, text));
      }
    },
  );

  test(
    'a search for signs alone finds nothing without them',
    { judges: ['compute.list-instances.free-text-signs'], requests: 6 + bareWildcards.length },
    async (t) => {
      const whole = await having(wholeInstances(t), 1, 'instances');
      const read = async (free_text_search: string) =>
        readInstances(t.api, { free_text_search }, { mostPages: 1 });
      const textsOf = (record: WireRecord) => searchedTexts([record]);
      const before = await read('');
      const found = [];
      for (const signs of [...bareWildcards, ...fillingSigns(whole.records.map(textsOf))]) {
        found.push({ signs, part: await read(signs) });
      }
      const empty = standing({ before: before.ids, after: (await read('')).ids });
      for (const { signs, part } of found) {
        t.judge(
          'compute.list-instances.free-text-signs',
          signsSelectNone(whole, part, signs, empty, textsOf),
        );
      }
    },
  );

  test(
    'a search may hold quotes, brackets and backslashes',
    { judges: ['compute.list-instances.free-text-characters'], requests: awkwardSearches.length },
    async (t) => {
      for (const free_text_search of awkwardSearches) {
        const answer = await t.api.list({ free_text_search, size: 1 });
        t.judge(
          'compute.list-instances.free-text-characters',
          answeredWith(answer, 200, `A search for ${free_text_search}`),
        );
      }
    },
  );

  test(
    'a search for 255 characters is accepted, and finds nothing where they are nowhere',
    {
      judges: [
        'compute.list-instances.free-text-maximum',
        'compute.list-instances.free-text-absent',
      ],
      requests: 2,
    },
    async (t) => {
      const whole = await wholeInstances(t, {}, { mostPages: 1 }).known();
      const free_text_search = 'q'.repeat(freeTextLength);
      const found = await readInstances(t.api, { free_text_search }, { mostPages: 1 });
      const [page] = found.exchanges;
      if (page === undefined) return;
      t.judge(
        'compute.list-instances.free-text-maximum',
        answeredWith(page, 200, 'A search for 255 characters'),
      );
      if (found.readable) {
        t.judge(
          'compute.list-instances.free-text-absent',
          selectsNone(whole, found, 'free_text_search=qqq…'),
        );
      }
      if (whole.ids.length === 0) {
        t.notExercised('compute.list-instances.free-text-absent', 'the account lists no instances');
      }
    },
  );

  test(
    'a search for more than 255 characters is refused',
    { judges: ['compute.list-instances.free-text-too-long'], requests: 3 },
    async (t) => {
      for (const [length, beside] of [
        [freeTextLength + 1, {}],
        [4 * freeTextLength, {}],
        [freeTextLength + 1, amongInstanceFilters({})],
      ] as const) {
        const refusal = await t.api.list({ ...beside, free_text_search: 'q'.repeat(length) });
        t.judge(
          'compute.list-instances.free-text-too-long',
          refusedWith(refusal, 400, `A search for ${length} characters`),
        );
      }
    },
  );

  test(
    'how a search matches and how its length counts is recorded',
    {
      judges: [
        'compute.list-instances.free-text-match',
        'compute.list-instances.free-text-length-unit',
      ],
      requests: 8,
    },
    async (t) => {
      const { records } = await wholeInstances(t).known();
      const [name = ''] = distinctTexts(records, 'name');
      const searches = [
        ['the name', name],
        ['the name in upper case', name.toUpperCase()],
        ['the start of the name', name.slice(0, Math.ceil(name.length / 2))],
        ['the region', distinctTexts(records, 'region')[0] ?? ''],
        ['the GPU model', distinctTexts(records, 'gpu_type')[0] ?? ''],
      ] as const;
      if (name === '') {
        t.notExercised('compute.list-instances.free-text-match', 'no instance has a name');
      }
      for (const [what, text] of searches.filter(([, value]) => value !== '')) {
        const query = { free_text_search: text.slice(0, freeTextLength) };
        const found = await readInstances(t.api, query, { mostPages: 1 });
        t.record(
          'compute.list-instances.free-text-match',
          `${what}: ${found.ids.length} of ${records.length} instances`,
          found.exchanges[0],
        );
      }
      // 128 astral characters: 128 code points, 256 UTF-16 units, 512 bytes of UTF-8.
      for (const [characters, text] of [
        ['128 emoji', '🚀'.repeat(128)],
        ['200 accented letters', 'é'.repeat(200)],
      ] as const) {
        const page = await t.api.list({ free_text_search: text });
        t.record(
          'compute.list-instances.free-text-length-unit',
          `a search for ${characters} is answered with ${page.response?.status}`,
          page,
        );
      }
    },
  );
});
