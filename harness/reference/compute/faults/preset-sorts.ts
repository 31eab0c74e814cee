/** The list of presets: sorts by the wrong key, unstable orders, and broken walks and cursors. */

import { createHash } from 'node:crypto';
import {
  errorCodes,
  invalid,
  type Preset,
  type PresetQuery,
  type PresetSortField,
  Refusal,
  type SortKey,
} from '../model.ts';
import {
  amend,
  answering,
  faultTable,
  forces,
  isSecond,
  isSuccess,
  type Patch,
  replace,
  succeeding,
  each,
} from './words.ts';
import { presetsBy, takesUnknownFor, taking, beyondEnd } from './words-lists.ts';

const up = ({ sortDirection }: PresetQuery): boolean => sortDirection === 'ASC';

const down = ({ sortDirection }: PresetQuery): boolean => sortDirection === 'DESC';

const always = (): boolean => true;

/** A sort by a field uses another key for some queries. */
function presetsGoBy(
  field: PresetSortField,
  key: (preset: Preset) => SortKey | undefined,
  when: (query: PresetQuery) => boolean,
): Patch {
  return forces(
    'presetSortKey',
    (preset) => key(preset),
    (_preset, asked, query) => asked === field && when(query),
  );
}

export const presetSortsFaults = faultTable('compute.presets', {
  ...each.amend('selectPresets', {
    'direction-ignored: direction-alone-turns-page-two-of-presets': (
      page,
      query,
      _after,
      context,
    ) =>
      query.page === 2 && context.query.includes('sort_direction=DESC')
        ? { ...page, items: page.items.toReversed() }
        : page,
    'sort-keeps-items: presets-going-down-by-gpu-lack-the-last': (page, query) =>
      query.sortField === 'GPU' && down(query) && page.end === undefined
        ? { ...page, items: page.items.slice(0, -1) }
        : page,
    'cursor-leads-on: first-page-of-one-preset-gives-a-dead-cursor': (page, query) =>
      query.size === 1 && page.end !== undefined ? { ...page, end: beyondEnd } : page,
    'walks-agree: presets-lose-one-between-pages-of-seven': (page, query) =>
      query.size === 7 && query.page === 2 && page.end !== undefined
        ? { ...page, end: { ...page.end, place: page.end.place + 1 } }
        : page,
    'walk-ends: preset-walk-never-ends': (page, query) =>
      page.end === undefined && query.size === 25 && query.sortField === undefined
        ? { ...page, end: { key: undefined, place: -1 } }
        : page,
    'last-page-null: short-page-of-presets-has-a-next-one': (page, query) =>
      query.size === 200 && query.sortField === undefined && page.items.length > 0
        ? { ...page, end: { key: undefined, place: 1_000_000 } }
        : page,
  }),
  'direction-ignored: direction-alone-turns-the-presets-of-a-search-round': amend(
    'sortPresets',
    (sorted, _presets, { text, sku, sortField }, { query }) =>
      (text ?? sku) !== undefined &&
      sortField === undefined &&
      query.includes('sort_direction=DESC')
        ? sorted.toReversed()
        : sorted,
  ),
  'sort-keeps-items: presets-by-gpu-lose-what-has-the-same': replace(
    'selectPresets',
    (original, query, after, context) => {
      const page = original(query, after, context);
      if (query.sortField !== 'GPU' || after === undefined) return page;
      const before = original({ ...query, size: after.place + 1 }, undefined, context);
      const last = before.items.at(-1)?.gpu;
      return { ...page, items: page.items.filter(({ gpu }) => gpu !== last) };
    },
  ),
  'sort-keeps-items: presets-alike-by-gpu-stand-anywhere': amend(
    'presetsInOrder',
    (presets, context) => {
      if (!context.query.includes('sort_field=GPU')) return presets;
      const lot = ({ id }: Preset): string =>
        createHash('sha256').update(`${context.sequence} ${id}`).digest('hex');
      return presets.toSorted((one, other) => lot(one).localeCompare(lot(other)));
    },
  ),
  'sort-keeps-items, met by sku-exact: sorted-presets-are-not-searched': forces(
    'presetMatchesText',
    true,
    (_preset, query) => query.sortField === 'HOURLY_PRICE',
  ),
  'sort-on-later-pages: sort-by-memory-is-by-id-on-page-two': presetsBy((query) =>
    query.page > 1 && query.sortField === 'MEMORY' ? { ...query, sortField: 'ID' } : query,
  ),
  'sort-on-later-pages: preset-sort-is-forgotten-on-page-two': presetsGoBy(
    'HOURLY_PRICE',
    ({ id }) => id,
    ({ page }) => page === 2,
  ),
  'sort-gpu: sort-by-gpu-is-by-id-within-a-region': presetsBy((query) =>
    query.region !== undefined && query.sortField === 'GPU' ? { ...query, sortField: 'ID' } : query,
  ),
  'sort-gpu: presets-by-gpu-sort-by-count-going-up': presetsGoBy(
    'GPU',
    ({ gpuCount }) => gpuCount,
    up,
  ),
  'sort-default-direction: presets-by-storage-go-down-unless-told': presetsBy((query) =>
    query.sortField === 'STORAGE' && query.sortDirection === undefined
      ? { ...query, sortDirection: 'DESC' }
      : query,
  ),
  'sort-default-direction: presets-sort-descending-unless-told': () => ({
    presetDirection: ({ sortDirection }) => sortDirection ?? 'DESC',
  }),
  'sort-region: presets-by-region-sort-by-location': presetsGoBy(
    'REGION',
    ({ location }) => location.slice(2),
    always,
  ),
  'sort-location: presets-by-location-sort-by-region-going-down': presetsGoBy(
    'LOCATION',
    ({ region }) => region,
    down,
  ),
  'sort-location: presets-by-location-are-not-sorted-beside-a-name': presetsGoBy(
    'LOCATION',
    ({ hourlyPrice }) => -hourlyPrice,
    ({ sku }) => sku !== undefined,
  ),
  'sort-hourly-price: presets-by-price-are-not-sorted-beside-a-search': presetsGoBy(
    'HOURLY_PRICE',
    ({ storageGb }) => storageGb,
    ({ text }) => text !== undefined,
  ),
  'sort-hourly-price + sort-reverse: presets-by-price-sort-as-text-going-down': presetsGoBy(
    'HOURLY_PRICE',
    ({ hourlyPrice }) => String(hourlyPrice),
    down,
  ),
  'sort-hourly-price + sort-default-direction + sort-on-later-pages: presets-by-price-sort-by-price-of-one-gpu':
    presetsGoBy('HOURLY_PRICE', ({ hourlyPrice, gpuCount }) => hourlyPrice / gpuCount, always),
  'sort-cpu: presets-by-cpu-are-not-sorted-in-a-region': presetsGoBy(
    'CPU',
    ({ storageGb }) => storageGb,
    ({ region }) => region !== undefined,
  ),
  'sort-cpu: presets-by-cpu-sort-as-text': presetsGoBy('CPU', ({ cpu }) => String(cpu), always),
  'sort-memory: presets-by-memory-sort-as-text-going-down': presetsGoBy(
    'MEMORY',
    ({ memoryGb }) => String(memoryGb),
    down,
  ),
  'sort-storage: presets-by-storage-sort-by-memory': presetsGoBy(
    'STORAGE',
    ({ memoryGb }) => memoryGb,
    always,
  ),
  'sort-id: presets-by-id-sort-by-sku-going-up': presetsGoBy('ID', ({ sku }) => sku, up),
  'default-order-stable: order-of-the-presets-of-a-region-turns': (rules) => {
    let reads = 0;
    return {
      sortPresets: (presets, query, context) => {
        const usual = rules.sortPresets(presets, query, context);
        if (query.sortField !== undefined || query.region === undefined) return usual;
        reads += 1;
        return reads % 4 < 2 ? usual.toReversed() : usual;
      },
    };
  },
  'default-order-stable: presets-begin-elsewhere-each-second': amend(
    'sortPresets',
    (presets, _presets, query, { now }) => {
      const first = query.sortField === undefined ? Math.floor(now / 1_000) % presets.length : 0;
      return [...presets.slice(first), ...presets.slice(0, first)];
    },
  ),
  'default-order-stable: second-account-reads-presets-backwards': forces(
    'sortPresets',
    (presets) => presets.toReversed(),
    (_presets, query, context) => isSecond(context) && query.sortField === undefined,
  ),
  'sort-field-unknown: unknown-preset-sort-field-is-ignored': takesUnknownFor(
    'presets',
    'sort_field',
    'ID',
  ),
  'sort-field-unknown: sort-field-of-instances-is-ignored': takesUnknownFor(
    'presets',
    'sort_field',
    'ID',
    ['NAME', 'STATUS', 'HOURLY_RATE'],
  ),
  'sort-direction-unknown: unknown-preset-direction-is-ascending': takesUnknownFor(
    'presets',
    'sort_direction',
    'ASC',
  ),
  'garbage-cursor-no-5xx: preset-garbage-cursor-crashes': taking('presets', (text) => {
    throw new Error(`no such cursor: ${text}`);
  }),
  'parameters-optional + walks-agree: bare-preset-list-is-refused': answering((answer, context) =>
    context.operation === 'presets' && context.query === '' && isSuccess(answer)
      ? context.rules.errorAnswer(invalid('size is missing.'), context)
      : answer,
  ),
  'garbage-cursor-refused: preset-garbage-cursor-starts-anew': amend(
    'readParameter',
    (text, name, { operation }) =>
      name === 'cursor' && operation === 'presets' && text?.includes('.') !== true
        ? undefined
        : text,
  ),
  'cursor-repeats: preset-cursors-are-spent': (rules) => {
    const spent = new Set<string>();
    return {
      decodeCursor: (text, list, context) => {
        if (list === 'presets' && spent.delete(text)) throw invalid('cursor was used.');
        const cursor = rules.decodeCursor(text, list, context);
        spent.add(text);
        return cursor;
      },
    };
  },
  'odd-parameters: odd-sort-of-presets-crashes': (rules) => ({
    parseWord: (name, text, words, context) => {
      if (context.operation === 'presets' && /\W/u.test(text)) {
        throw new Refusal(500, errorCodes[500], 'No query.');
      }
      return rules.parseWord(name, text, words, context);
    },
  }),
  ...each.amend('presetRecord', {
    'fields-there: preset-without-a-count': (record, { gpuCount }, { choices }) =>
      gpuCount === 1 ? { ...record, [choices.presets.fields.gpuCount]: null } : record,
    'fields-there: preset-without-a-name': (record, preset, context) =>
      preset.region === undefined
        ? { ...record, [context.choices.presets.fields.sku]: null }
        : record,
    'price-there: preset-without-price': (record, preset, context, query) =>
      preset.region === undefined && query.sortField === 'ID'
        ? { ...record, [context.choices.presets.fields.price]: undefined }
        : record,
  }),
  'answers: presets-answer-redirects': answering((answer, context) =>
    context.operation === 'presets' && isSuccess(answer) && /^size=\d\d$/u.test(context.query)
      ? { ...answer, status: 300 }
      : answer,
  ),
  'items-array: presets-are-null-when-none-match': succeeding('presets', (json, { choices }) => {
    const { items } = choices.presets;
    const list = json[items];
    return Array.isArray(list) && list.length === 0 ? { ...json, [items]: null } : json;
  }),
  'walk-without-repeats + walks-agree: presets-repeat-one-between-pages': replace(
    'selectPresets',
    (original, query, after, context) =>
      original(
        query,
        after === undefined || context.query.includes('size=')
          ? after
          : { ...after, place: after.place - 1 },
        context,
      ),
  ),
});
