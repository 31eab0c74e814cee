/** GET /presets: region, SKU and free-text filters against the full list. */

import { accepted } from '../../harness/checks/compute/answers.ts';
import { freeTextLength } from '../../schemas/compute/list-instances.ts';
import { isCodeInAnyCase, regionCodes } from '../../schemas/compute/regions.ts';
import { isEmptyPage } from '../../harness/checks/compute/empty-page.ts';
import { findsPresets } from '../../harness/checks/compute/preset-filter.ts';
import { presetsOf, presetValue, withoutCount } from '../../harness/checks/compute/presets.ts';
import {
  absentPatterns,
  awkwardSearches,
  hasWord,
  textApart,
  unlike,
  wildcardsFor,
} from '../../harness/checks/compute/search-texts.ts';
import type { WireRecord } from '../../harness/checks/compute/records.ts';
import { selectsNone } from '../../harness/checks/compute/selection.ts';
import { unknownRegions } from '../../harness/generate/unknown-regions.ts';
import {
  bareWildcards,
  fillingSigns,
  signsSelectNone,
} from '../../harness/checks/compute/sign-search.ts';
import { readPresetList } from '../../harness/drivers/compute/listing.ts';
import {
  distinct,
  judgeFilter,
  regionFilters,
  textIn,
} from '../../harness/drivers/compute/preset-filters.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';
import { having, tell, wholePresets } from '../../harness/drivers/compute/whole-lists.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

/** Values of one field that are tried: an offer may be missing from one alone. */
const TRIED_VALUES = 20;
/** GPU models and locations that are searched for. */
const SEARCHED_TEXTS = 2;
/** Names that are cut short in search of one that is taken for the whole. */
const CUT_NAMES = 3;

export default computeSection('presets', (test) => {
  for (const [id, code] of regionFilters) {
    test(
      `the region filter ${code} gives the presets offered there`,
      { judges: [id], requests: 4 },
      async (t) => {
        const isThere = (preset: WireRecord) => presetValue(preset, 'region', t.bindings) === code;
        const seen = await judgeFilter(t, id, { region: code }, isThere);
        // The smallest page is that of another region than the one that the list begins with.
        await judgeFilter(t, id, { region: code }, isThere, {}, { size: 1, mostPages: 1 });
        if (!seen) t.notExercised(id, `no preset is offered in ${code}`);
      },
    );
  }

  test(
    'a region that does not exist gives an empty page of presets',
    { judges: ['compute.presets.region-unknown-empty'], requests: 1 + unknownRegions.length },
    async (t) => {
      const plain = await t.api.presets();
      for (const region of unknownRegions) {
        if (t.bindings.locations?.unmapped?.includes(region) === true) continue;
        const page = await t.api.presets({ region });
        t.judge(
          'compute.presets.region-unknown-empty',
          isEmptyPage(page, `The preset filter region=${region}`, plain, t.bindings),
        );
      }
      if (presetsOf(plain, t.bindings)?.length === 0) {
        t.notExercised('compute.presets.region-unknown-empty', 'there are no presets');
      }
    },
  );

  test(
    'a location that belongs to no region gives the presets at that location',
    { judges: ['compute.presets.region-unmapped-location'], requests: 8 },
    async (t) => {
      const id = 'compute.presets.region-unmapped-location';
      const unmapped = t.bindings.locations?.unmapped ?? [];
      const name = t.bindings.presets?.filters?.sku;
      const { records } = await wholePresets(t).known();
      for (const location of unmapped) {
        const isThere = (preset: WireRecord) => textIn(t, preset, 'location') === location;
        const seen = await judgeFilter(t, id, { region: location }, isThere);
        if (!seen) t.notExercised(id, `no preset is at the location ${location}`);
        const [sku] = distinct(t, records.filter(isThere), 'sku');
        if (name === undefined || sku === undefined) continue;
        await judgeFilter(t, id, { region: location }, isThere, { [name]: sku });
      }
    },
  );

  test(
    'a location that belongs to a region gives an empty page of presets',
    { judges: ['compute.presets.region-mapped-location'], requests: 10 },
    async (t) => {
      const { records } = await having(wholePresets(t), 1, 'presets');
      const unmapped = t.bindings.locations?.unmapped ?? [];
      const mapped = records.filter((preset) =>
        regionCodes.some((code) => code === textIn(t, preset, 'region')),
      );
      const locations = distinct(t, mapped, 'location').filter(
        (location) => !unmapped.includes(location) && !isCodeInAnyCase(location),
      );
      if (locations.length === 0) throw new NotExercised('no preset shows a location and a region');
      const plain = await t.api.presets();
      for (const location of locations.slice(0, TRIED_VALUES)) {
        for (const sort of [{}, { sort_field: 'HOURLY_PRICE' }]) {
          const page = await t.api.presets({ region: location, ...sort });
          const query = JSON.stringify({ region: location, ...sort });
          const what = `The preset filter ${query}, a location in a region,`;
          t.judge(
            'compute.presets.region-mapped-location',
            isEmptyPage(page, what, plain, t.bindings),
          );
        }
      }
    },
  );

  test(
    'the SKU filter takes whole names, and nothing less',
    {
      judges: ['compute.presets.sku-exact', 'compute.presets.sku-part', 'compute.presets.sku-case'],
      requests: 39,
    },
    async (t) => {
      const name = t.bindings.presets?.filters?.sku ?? '';
      const whole = await having(wholePresets(t), 1, 'presets');
      const skus = distinct(t, whole.records, 'sku');
      for (const [index, sku] of skus.slice(0, TRIED_VALUES).entries()) {
        await judgeFilter(
          t,
          'compute.presets.sku-exact',
          { [name]: sku },
          (preset) => textIn(t, preset, 'sku') === sku,
        );
        if (index >= CUT_NAMES) continue;
        const patterns = index === 0 ? wildcardsFor(sku) : [];
        for (const part of [sku.slice(0, -1), sku.slice(1), ...patterns]) {
          if (part.trim() === '' || skus.includes(part)) continue;
          const found = await readPresetList(t.api, t.bindings, { [name]: part });
          t.judge('compute.presets.sku-part', selectsNone(whole, found, `${name}=${part}`));
        }
        const other = sku === sku.toUpperCase() ? sku.toLowerCase() : sku.toUpperCase();
        if (other === sku || skus.includes(other)) continue;
        const found = await readPresetList(t.api, t.bindings, { [name]: other });
        t.judge('compute.presets.sku-case', selectsNone(whole, found, `${name}=${other}`));
      }
    },
  );

  test(
    'a search for a full SKU name finds its presets',
    { judges: ['compute.presets.free-text-full-sku'], requests: 5 },
    async (t) => {
      const name = t.bindings.presets?.filters?.freeText ?? '';
      const whole = wholePresets(t);
      const { records } = await having(whole, 1, 'presets');
      const skus = distinct(t, records, 'sku').filter((sku) => hasWord(sku));
      if (skus.length === 0) throw new NotExercised('no preset has a SKU name with a word in it');
      for (const sku of skus.slice(0, TRIED_VALUES)) {
        const verdicts = await whole.against(
          async () => readPresetList(t.api, t.bindings, { [name]: sku }),
          (around, part) => [
            {
              requirement: 'compute.presets.free-text-full-sku' as const,
              judgement: findsPresets({
                ...around,
                part,
                matches: (preset) => textIn(t, preset, 'sku') === sku,
                filter: `${name}=${sku}`,
              }),
            },
          ],
        );
        tell(t, verdicts);
      }
    },
  );

  for (const [id, field] of [
    ['compute.presets.free-text-location', 'location'],
    ['compute.presets.free-text-other-members', 'gpu'],
  ] as const) {
    test(
      `a search for a whole ${field} finds its presets`,
      { judges: [id], requests: 1 + SEARCHED_TEXTS },
      async (t) => {
        const name = t.bindings.presets?.filters?.freeText ?? '';
        const whole = wholePresets(t);
        const { records } = await having(whole, 1, 'presets');
        const texts = distinct(t, records, field).filter((text) => hasWord(text));
        if (texts.length === 0) throw new NotExercised(`no preset has a ${field} to search for`);
        for (const text of texts.slice(0, SEARCHED_TEXTS)) {
          const verdicts = await whole.against(
            // A model that is shown beside its count may be searched for without it.
            async () => {
              const found = await readPresetList(t.api, t.bindings, { [name]: text });
              const model = field === 'gpu' && found.ids.length === 0 ? withoutCount(text) : text;
              return model === text ? found : readPresetList(t.api, t.bindings, { [name]: model });
            },
            (around, part) => [
              {
                requirement: id,
                judgement: findsPresets({
                  ...around,
                  part,
                  matches: (preset) => textIn(t, preset, field) === text,
                  filter: `${name}=${text}`,
                }),
              },
            ],
          );
          tell(t, verdicts);
        }
      },
    );
  }

  test(
    'a preset search for what is nowhere finds nothing',
    { judges: ['compute.presets.free-text-absent'], requests: 7 },
    async (t) => {
      const name = t.bindings.presets?.filters?.freeText ?? '';
      const whole = await having(wholePresets(t), 1, 'presets');
      const fields = ['sku', 'gpu', 'location'] as const;
      const isKnown = fields.every((field) => t.bindings.presets?.fields?.[field] !== undefined);
      const searched = fields.flatMap((field) => distinct(t, whole.records, field));
      // What presets say elsewhere is no match either, unless something resembles it.
      const elsewhere = isKnown ? unlike(distinct(t, whole.records, 'id'), searched) : undefined;
      const codes = isKnown && whole.end === 'last-page' ? textApart(searched, regionCodes) : [];
      const longest = 'q'.repeat(freeTextLength);
      const patterns = isKnown ? absentPatterns(searched, searched) : [];
      for (const text of [
        `qzxjvw-${t.unknownInstanceId()}`,
        longest,
        elsewhere,
        ...codes,
        ...patterns,
      ]) {
        if (text === undefined) continue;
        const found = await readPresetList(t.api, t.bindings, { [name]: text });
        t.judge('compute.presets.free-text-absent', selectsNone(whole, found, `${name}=${text}`));
      }
    },
  );

  test(
    'a preset search for signs alone finds nothing without them',
    { judges: ['compute.presets.free-text-signs'], requests: 5 + bareWildcards.length },
    async (t) => {
      const name = t.bindings.presets?.filters?.freeText ?? '';
      const whole = await having(wholePresets(t), 1, 'presets');
      const read = async (text: string) =>
        readPresetList(t.api, t.bindings, { [name]: text }, { mostPages: 1 });
      const textsOf = (preset: WireRecord) =>
        (['sku', 'gpu', 'location'] as const).map((field) => textIn(t, preset, field));
      const { ids: empty } = await read('');
      for (const signs of [...bareWildcards, ...fillingSigns(whole.records.map(textsOf))]) {
        t.judge(
          'compute.presets.free-text-signs',
          signsSelectNone(whole, await read(signs), signs, empty, textsOf),
        );
      }
    },
  );

  test(
    'a preset search may hold quotes, brackets and backslashes',
    { judges: ['compute.presets.free-text-characters'], requests: awkwardSearches.length },
    async (t) => {
      const name = t.bindings.presets?.filters?.freeText ?? '';
      for (const text of awkwardSearches) {
        const answer = await t.api.presets({ [name]: text, size: 1 });
        t.judge(
          'compute.presets.free-text-characters',
          accepted(answer, `A preset search for ${text}`),
        );
      }
    },
  );

  test(
    'how a preset search matches is recorded',
    { judges: ['compute.presets.free-text-match'], requests: 4 },
    async (t) => {
      const name = t.bindings.presets?.filters?.freeText ?? '';
      const { records } = await having(wholePresets(t), 1, 'presets');
      const [sku = 'h100'] = distinct(t, records, 'sku');
      for (const text of [sku.toUpperCase(), sku.toLowerCase(), sku.slice(0, -1)]) {
        const found = await readPresetList(t.api, t.bindings, { [name]: text });
        t.record(
          'compute.presets.free-text-match',
          `${text} finds ${found.ids.length} of ${records.length} presets`,
          found.exchanges[0],
        );
      }
    },
  );

  test(
    'whether one SKU is offered in several regions is recorded',
    { judges: ['compute.presets.offered-in-several-regions'], requests: 1 },
    async (t) => {
      const { records, exchanges } = await having(wholePresets(t), 1, 'presets');
      const several = distinct(t, records, 'sku').filter((sku) => {
        const offers = records.filter((preset) => textIn(t, preset, 'sku') === sku);
        return distinct(t, offers, 'region').length > 1;
      });
      t.record(
        'compute.presets.offered-in-several-regions',
        `${several.length} SKU names are offered in several regions, such as ${several[0] ?? 'none'}`,
        exchanges[0],
      );
    },
  );

  test(
    'the fields of a preset are recorded',
    { judges: ['compute.presets.record-fields'], requests: 1 },
    async (t) => {
      const answer = await t.api.presets({ size: 1 });
      const { records } = await readPresetList(t.api, t.bindings, {}, { size: 1, mostPages: 1 });
      const names = Object.keys(records[0] ?? {}).join(', ');
      t.record('compute.presets.record-fields', names === '' ? 'not known' : names, answer);
    },
  );
});
