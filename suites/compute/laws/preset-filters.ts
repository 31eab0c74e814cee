/** Filters of presets beside sorts, searches and each other. */

import { type Define, wholeOf } from '../../../harness/drivers/collection/collection.ts';
import { sameInParts } from '../../../harness/checks/collection/filter.ts';
import { having, judgeAround } from '../../../harness/drivers/collection/whole-list.ts';
import { presets } from '../collections.ts';
import { judgeFilter } from './filters.ts';

const regionIds = [
  'compute.presets.region-uae',
  'compute.presets.region-fr',
  'compute.presets.region-us',
] as const;

/** Each filter gives the same beside whatever else is asked for. */
export function presetFilters(test: Define): void {
  test(
    'each filter gives the same beside every sort and every other filter',
    { judges: [...regionIds, 'compute.presets.sku-exact'] },
    async (t) => {
      const { records } = await having(wholeOf(t, presets), 1, 'presets');
      const { sku, freeText } = t.bindings.presets?.filters ?? {};
      const [region, named] = presets.filters;
      if (region === undefined || named === undefined) return;
      const [one, other] = named.values(t, records);
      const search = (value = '') =>
        freeText === undefined || value === '' ? [] : [{ [freeText]: value }];
      const sorted = presets.sorting.fields.map(({ field }) => ({ sort_field: field }));
      const skus = sku === undefined || one === undefined ? [] : [{ [sku]: one.value }];
      const values = region.values(t, records);
      const besides = [
        ...sorted,
        { sort_direction: 'DESC' },
        ...skus,
        ...skus,
        ...search(one?.value),
      ];
      for (const [index, beside] of t.some(besides, values.length, 6).entries()) {
        const value = values[index % values.length];
        if (value !== undefined) await judgeFilter(t, presets, region, value, { beside });
      }
      if (one === undefined || sku === undefined) return;
      for (const beside of [
        ...values.map(({ value }) => ({ region: value })),
        { sort_field: 'HOURLY_PRICE', sort_direction: 'DESC' },
        ...search(one.value),
        ...search(other?.value),
      ]) {
        await judgeFilter(t, presets, named, one, { beside });
      }
    },
  );

  test(
    'a location without a region counts beside a SKU',
    { judges: ['compute.presets.region-unmapped-location'] },
    async (t) => {
      const { records } = await having(wholeOf(t, presets), 1, 'presets');
      const [, named, located] = presets.filters;
      const sku = named?.parameter(t);
      if (named === undefined || located === undefined || sku === undefined) return;
      for (const place of t.some(located.values(t, records))) {
        const there = records.filter(
          (record) => presets.valueOf(t, record, located.member) === place.shown,
        );
        const [offered] = named.values(t, there);
        if (offered === undefined) continue;
        await judgeFilter(t, presets, located, place, { beside: { [sku]: offered.value } });
      }
    },
  );

  test(
    'a sort keeps what a search finds',
    { judges: ['compute.presets.sort-keeps-items'] },
    async (t) => {
      const { records } = await having(wholeOf(t, presets), 1, 'presets');
      const { freeText } = t.bindings.presets?.filters ?? {};
      const [, named] = presets.filters;
      const [one] = named?.values(t, records) ?? [];
      if (freeText === undefined || one === undefined) return;
      const search = { [freeText]: one.value };
      await judgeAround(
        t,
        wholeOf(t, presets, search),
        'compute.presets.sort-keeps-items',
        async () => presets.read(t, { ...search, sort_field: 'HOURLY_PRICE' }),
        (around, list) => sameInParts(around, list, JSON.stringify(search)),
      );
    },
  );

  test(
    'a SKU filter and a search give over several pages what they give on one',
    { judges: ['compute.presets.filter-on-later-pages'] },
    async (t) => {
      const { records } = await having(wholeOf(t, presets), 2, 'presets');
      const { sku, freeText } = t.bindings.presets?.filters ?? {};
      const [, named] = presets.filters;
      // The one that has most offers.
      const [one] = named?.values(t, records) ?? [];
      for (const parameter of [sku, freeText].filter((name) => name !== undefined)) {
        const query = { [parameter]: one?.value };
        const found = wholeOf(t, presets, query);
        const { ids } = await found.known();
        if (ids.length < 2 || ids.length === records.length) continue;
        const options = { size: Math.min(200, Math.ceil(ids.length / 3)), mostPages: 5 };
        await judgeAround(
          t,
          found,
          'compute.presets.filter-on-later-pages',
          async () => presets.read(t, query, options),
          (around, walked) => sameInParts(around, walked, JSON.stringify(query)),
        );
      }
    },
  );
}
