/** Preset lists: walks, filters and searches that do not hold. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { ComputeRules, RequestContext } from '../context.ts';
import type { PresetQuery } from '../queries.ts';
import type { Preset } from '../model.ts';
import { Refusal, errorCodes, invalid, notFound } from '../refusal.ts';
import { answering, isSuccess, succeeding } from './answering.ts';
import { hasQuote, isLong, isNowhere, refusesRegion } from './misreading.ts';

type Matcher = 'presetMatchesRegion' | 'presetMatchesSku' | 'presetMatchesText';

/** A filter that also takes what it should leave out, or leaves out what it should take. */
function filtering(
  name: string,
  summary: string,
  matcher: Matcher,
  change: (right: boolean, preset: Preset, query: PresetQuery, context: RequestContext) => boolean,
  breaks: readonly string[],
): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks,
    patch: (rules) => ({
      ...rules,
      [matcher]: (preset: Preset, query: PresetQuery, context: RequestContext) =>
        change(rules[matcher](preset, query, context), preset, query, context),
    }),
  };
}

const regionFaults = (['UAE', 'FR', 'US'] as const).flatMap((region) => {
  const breaks = [`compute.presets.region-${region.toLowerCase()}`];
  return [
    filtering(
      `presets-in-${region.toLowerCase()}-lack-the-dearest`,
      `The region filter ${region} leaves the presets of eight GPUs out.`,
      'presetMatchesRegion',
      (right, { gpuCount }, query) => right && !(query.region === region && gpuCount === 8),
      breaks,
    ),
    filtering(
      `presets-in-${region.toLowerCase()}-also-show-a-lab`,
      `The region filter ${region} also gives the presets at a location without a region.`,
      'presetMatchesRegion',
      (right, preset, query) => right || (query.region === region && preset.location === 'lab-1'),
      breaks,
    ),
  ];
});

export const presetListFaults = declareFaults<ComputeRules>([
  ...regionFaults,
  {
    name: 'presets-answer-redirects',
    summary: 'The presets with a size of 100 are elsewhere.',
    breaks: ['compute.presets.answers'],
    patch: (rules) =>
      answering(rules, (answer, context) =>
        context.operation === 'presets' && isSuccess(answer) && /^size=\d\d$/u.test(context.query)
          ? { ...answer, status: 300 }
          : answer,
      ),
  },
  {
    name: 'presets-are-null-when-none-match',
    summary: 'A page without presets has null in the place of the list.',
    breaks: ['compute.presets.items-array'],
    patch: (rules) =>
      succeeding(rules, 'presets', (json, { choices }) => {
        const { items } = choices.presets;
        const list = json[items];
        return Array.isArray(list) && list.length === 0 ? { ...json, [items]: null } : json;
      }),
  },
  {
    name: 'preset-without-a-name',
    summary: 'One preset has no SKU name.',
    breaks: ['compute.presets.fields-there'],
    patch: (rules) => ({
      ...rules,
      presetRecord: (preset, context, query) => {
        const record = rules.presetRecord(preset, context, query);
        return preset.region === undefined
          ? { ...record, [context.choices.presets.fields.sku]: null }
          : record;
      },
    }),
  },
  {
    name: 'preset-without-price',
    summary: 'Presets at locations without a region have no price when sorted by id.',
    breaks: ['compute.presets.price-there'],
    patch: (rules) => ({
      ...rules,
      presetRecord: (preset, context, query) => {
        const record = rules.presetRecord(preset, context, query);
        return preset.region === undefined && query.sortField === 'ID'
          ? { ...record, [context.choices.presets.fields.price]: undefined }
          : record;
      },
    }),
  },
  {
    name: 'presets-lose-one-between-pages-of-seven',
    summary: 'A walk of presets by seven passes over one between two pages.',
    breaks: ['compute.presets.walks-agree'],
    patch: (rules) => ({
      ...rules,
      selectPresets: (query, after, context) => {
        const page = rules.selectPresets(query, after, context);
        return query.size === 7 && query.page === 2 && page.end !== undefined
          ? { ...page, end: { ...page.end, place: page.end.place + 1 } }
          : page;
      },
    }),
  },
  {
    name: 'presets-repeat-one-between-pages',
    summary: 'A page of presets without a size starts with the last preset of the one before.',
    breaks: ['compute.presets.walk-without-repeats', 'compute.presets.walks-agree'],
    patch: (rules) => ({
      ...rules,
      selectPresets: (query, after, context) =>
        rules.selectPresets(
          query,
          after === undefined || context.query.includes('size=')
            ? after
            : { ...after, place: after.place - 1 },
          context,
        ),
    }),
  },
  {
    name: 'preset-walk-never-ends',
    summary: 'The last page of presets leads back to the first.',
    breaks: ['compute.presets.walk-ends'],
    patch: (rules) => ({
      ...rules,
      selectPresets: (query, after, context) => {
        const page = rules.selectPresets(query, after, context);
        return page.end === undefined && query.size === 25 && query.sortField === undefined
          ? { ...page, end: { key: undefined, place: -1 } }
          : page;
      },
    }),
  },
  filtering(
    'preset-region-is-forgotten-on-page-two',
    'The region filter of the presets does not hold on the second page.',
    'presetMatchesRegion',
    (right, _preset, { page }) => right || page === 2,
    ['compute.presets.filter-on-later-pages'],
  ),
  filtering(
    'unknown-region-gives-all-presets',
    'A region that does not exist gives all presets.',
    'presetMatchesRegion',
    (right, _preset, { region }, context) =>
      right || (region !== undefined && isNowhere(region, context)),
    ['compute.presets.region-unknown-empty'],
  ),
  {
    name: 'unknown-region-of-presets-is-400',
    summary: 'A region that does not exist, as filter of the presets, is refused.',
    breaks: ['compute.presets.region-unknown-empty'],
    patch: refusesRegion('presets', isNowhere, () => invalid('There is no such region.')),
  },
  {
    name: 'long-region-of-presets-is-400',
    summary: 'A region of more than 40 characters, as filter of the presets, is refused.',
    breaks: ['compute.presets.region-unknown-empty'],
    patch: refusesRegion('presets', isLong, () => invalid('region is too long.')),
  },
  {
    name: 'region-of-presets-with-a-quote-is-500',
    summary: 'A quote in a region, as filter of the presets, is 500.',
    breaks: ['compute.presets.region-unknown-empty'],
    patch: refusesRegion('presets', hasQuote, () => new Error('No query.')),
  },
  filtering(
    'unmapped-location-filters-nothing',
    'A location without a region gives no presets.',
    'presetMatchesRegion',
    (right, preset, { region }) => right && (region === undefined || preset.region !== undefined),
    ['compute.presets.region-unmapped-location'],
  ),
  filtering(
    'unmapped-location-is-ignored-beside-a-sku',
    'Beside a SKU name, a location without a region leaves no preset out.',
    'presetMatchesRegion',
    (right, _preset, { region, sku }) =>
      right || (sku !== undefined && region !== undefined && region.startsWith('lab-')),
    ['compute.presets.region-unmapped-location'],
  ),
  filtering(
    'unmapped-locations-count-as-one',
    'The name of one location without a region gives the presets of all such locations.',
    'presetMatchesRegion',
    (right, preset, { region }) => right || (region === 'lab-2' && preset.region === undefined),
    ['compute.presets.region-unmapped-location'],
  ),
  {
    name: 'mapped-location-is-an-error',
    summary: 'A location that belongs to a region, as filter of the presets, is refused.',
    breaks: [
      'compute.presets.region-mapped-location',
      'compute.instance-record.location-filter-accepted',
      'compute.instance-record.location-filters-no-presets',
    ],
    patch: refusesRegion(
      'presets',
      (text, { world }) =>
        world.presets.some(({ location, region }) => location === text && region !== undefined),
      () => invalid('That is a location.'),
    ),
  },
  filtering(
    'sku-filter-lacks-an-offer',
    'The SKU filter gives the first offer of a name alone.',
    'presetMatchesSku',
    (right, preset, { sku }, { world }) =>
      right && (sku === undefined || world.presets.find((one) => one.sku === sku) === preset),
    ['compute.presets.sku-exact'],
  ),
  filtering(
    'sku-filter-takes-beginnings',
    'The SKU filter gives every name that begins with the text.',
    'presetMatchesSku',
    (right, preset, { sku }) => right || preset.sku.startsWith(sku ?? ''),
    ['compute.presets.sku-part'],
  ),
  filtering(
    'sku-filter-takes-endings',
    'The SKU filter gives every name that ends in the text.',
    'presetMatchesSku',
    (right, preset, { sku }) => right || preset.sku.endsWith(sku ?? ''),
    ['compute.presets.sku-part'],
  ),
  filtering(
    'sku-filter-passes-over-case',
    'The SKU filter takes a name in either case.',
    'presetMatchesSku',
    (right, preset, { sku }) => right || preset.sku.toLowerCase() === sku?.toLowerCase(),
    ['compute.presets.sku-case'],
  ),
  filtering(
    'preset-search-leaves-locations-out',
    'A preset search does not look at locations.',
    'presetMatchesText',
    (right, { sku, gpu }, { text }, context) =>
      right &&
      (text === undefined ||
        [sku, gpu].some((field) => context.rules.textMatches(field, text, context))),
    ['compute.presets.free-text-location'],
  ),
  filtering(
    'preset-search-looks-at-ids',
    'A preset search also finds presets by their id.',
    'presetMatchesText',
    (right, preset, { text }) => right || preset.id === text,
    ['compute.presets.free-text-absent'],
  ),
  filtering(
    'preset-search-lacks-an-offer',
    'A preset search finds the first offer of each SKU name alone.',
    'presetMatchesText',
    (right, preset, { text }, { world }) =>
      right &&
      (text === undefined || world.presets.find(({ sku }) => sku === preset.sku) === preset),
    ['compute.presets.free-text-full-sku'],
  ),
  filtering(
    'preset-search-of-what-is-nowhere-gives-all',
    'A preset search that finds nothing gives everything.',
    'presetMatchesText',
    (right, _preset, query, context) =>
      right ||
      !context.world.presets.some(({ sku, gpu, location }) =>
        [sku, gpu, location].some((field) =>
          context.rules.textMatches(field, query.text ?? '', context),
        ),
      ),
    ['compute.presets.free-text-absent'],
  ),
  filtering(
    'preset-search-looks-at-regions',
    'A preset search also finds presets by their region.',
    'presetMatchesText',
    (right, preset, { text }) => right || preset.region === text,
    ['compute.presets.free-text-absent'],
  ),
  {
    name: 'preset-search-of-255-is-refused',
    summary: 'A preset search for 255 characters is refused.',
    breaks: ['compute.presets.free-text-maximum'],
    patch: (rules) => ({
      ...rules,
      parseFreeText: (name, text, context) => {
        if (context.operation === 'presets' && text.length > 200 && text.length < 256) {
          throw invalid(`${name} is too long.`);
        }
        return rules.parseFreeText(name, text, context);
      },
    }),
  },
  {
    name: 'preset-search-of-256-is-served',
    summary: 'A preset search for 256 characters is served.',
    breaks: ['compute.presets.free-text-too-long'],
    patch: (rules) => ({
      ...rules,
      parseFreeText: (name, text, context) =>
        context.operation === 'presets' && text.length === 256
          ? text
          : rules.parseFreeText(name, text, context),
    }),
  },
  {
    name: 'too-long-a-preset-search-is-404',
    summary: 'A preset search for 256 characters is 404.',
    breaks: ['compute.presets.free-text-too-long'],
    patch: (rules) => ({
      ...rules,
      parseFreeText: (name, text, context) => {
        if (context.operation === 'presets' && text.length > 255) throw notFound();
        return rules.parseFreeText(name, text, context);
      },
    }),
  },
  {
    name: 'region-fr-of-presets-is-refused',
    summary: 'The region code FR is refused by the presets.',
    breaks: ['compute.regions.codes-filter-presets', 'compute.presets.region-fr'],
    patch: refusesRegion(
      'presets',
      (text) => text === 'FR',
      () => new Refusal(403, errorCodes[403], 'FR is not for this account.'),
    ),
  },
  {
    name: 'region-us-of-presets-is-404-without-offers',
    summary: 'The region code US, alone in the query of the presets, is not found.',
    breaks: ['compute.regions.codes-filter-presets'],
    patch: refusesRegion('presets', (_text, { query }) => query === 'region=US', notFound),
  },
  {
    name: 'short-page-of-presets-has-a-next-one',
    summary: 'A page of 200 presets that is not full leads to an empty one.',
    breaks: ['compute.presets.last-page-null'],
    patch: (rules) => ({
      ...rules,
      selectPresets: (query, after, context) => {
        const page = rules.selectPresets(query, after, context);
        return query.size === 200 && query.sortField === undefined && page.items.length > 0
          ? { ...page, end: { key: undefined, place: 1_000_000 } }
          : page;
      },
    }),
  },
]);
