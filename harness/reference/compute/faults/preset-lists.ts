/** Preset lists: walks, filters and searches that do not hold. */

import type { RequestContext } from '../context.ts';
import { errorCodes, invalid, notFound, type Preset, type PresetQuery, Refusal } from '../model.ts';
import {
  fails,
  amend,
  replace,
  unless,
  faultTable,
  type Patch,
  answering,
  isSuccess,
  succeeding,
} from './answering.ts';
import { hasQuote, isLong, isNowhere, refusesRegion } from './misreading.ts';

type Matcher = 'presetMatchesRegion' | 'presetMatchesSku' | 'presetMatchesText';

/** A filter that also takes what it should leave out, or leaves out what it should take. */
function filtering(
  matcher: Matcher,
  change: (right: boolean, preset: Preset, query: PresetQuery, context: RequestContext) => boolean,
): Patch {
  return (rules) => ({
    [matcher]: (preset: Preset, query: PresetQuery, context: RequestContext) =>
      change(rules[matcher](preset, query, context), preset, query, context),
  });
}

const regionFaults = (['UAE', 'FR', 'US'] as const).flatMap((region) => {
  const slug = region.toLowerCase();
  return faultTable({
    [`compute.presets.region-${slug}`]: {
      [`presets-in-${slug}-lack-the-dearest`]: unless(
        'presetMatchesRegion',
        ({ gpuCount }, query) => query.region === region && gpuCount === 8,
        false,
      ),
      [`presets-in-${slug}-also-show-a-lab`]: unless(
        'presetMatchesRegion',
        ({ location }, query) => query.region === region && location === 'lab-1',
        true,
      ),
    },
  });
});

export const presetListFaults = [
  ...faultTable({
    'compute.presets.answers': {
      'presets-answer-redirects': {
        says: 'The presets with a size of 100 are elsewhere.',
        patch: answering((answer, context) =>
          context.operation === 'presets' && isSuccess(answer) && /^size=\d\d$/u.test(context.query)
            ? { ...answer, status: 300 }
            : answer,
        ),
      },
    },
    'compute.presets.items-array': {
      'presets-are-null-when-none-match': succeeding('presets', (json, { choices }) => {
        const { items } = choices.presets;
        const list = json[items];
        return Array.isArray(list) && list.length === 0 ? { ...json, [items]: null } : json;
      }),
    },
    'compute.presets.fields-there': {
      'preset-without-a-name': amend('presetRecord', (record, preset, context) =>
        preset.region === undefined
          ? { ...record, [context.choices.presets.fields.sku]: null }
          : record,
      ),
    },
    'compute.presets.price-there': {
      'preset-without-price': {
        says: 'Presets at locations without a region have no price when sorted by id.',
        patch: amend('presetRecord', (record, preset, context, query) =>
          preset.region === undefined && query.sortField === 'ID'
            ? { ...record, [context.choices.presets.fields.price]: undefined }
            : record,
        ),
      },
    },
    'compute.presets.walks-agree': {
      'presets-lose-one-between-pages-of-seven': amend('selectPresets', (page, query) =>
        query.size === 7 && query.page === 2 && page.end !== undefined
          ? { ...page, end: { ...page.end, place: page.end.place + 1 } }
          : page,
      ),
    },
    'compute.presets.walk-without-repeats': {
      'presets-repeat-one-between-pages': {
        besides: ['compute.presets.walks-agree'],
        patch: replace('selectPresets', (original, query, after, context) =>
          original(
            query,
            after === undefined || context.query.includes('size=')
              ? after
              : { ...after, place: after.place - 1 },
            context,
          ),
        ),
      },
    },
    'compute.presets.walk-ends': {
      'preset-walk-never-ends': {
        says: 'The last page of presets leads back to the first.',
        patch: amend('selectPresets', (page, query) =>
          page.end === undefined && query.size === 25 && query.sortField === undefined
            ? { ...page, end: { key: undefined, place: -1 } }
            : page,
        ),
      },
    },
    'compute.presets.filter-on-later-pages': {
      'preset-region-is-forgotten-on-page-two': filtering(
        'presetMatchesRegion',
        (right, _preset, { page }) => right || page === 2,
      ),
    },
    'compute.presets.region-unknown-empty': {
      'unknown-region-gives-all-presets': filtering(
        'presetMatchesRegion',
        (right, _preset, { region }, context) =>
          right || (region !== undefined && isNowhere(region, context)),
      ),
      'unknown-region-of-presets-is-400': refusesRegion('presets', isNowhere, () =>
        invalid('There is no such region.'),
      ),
      'long-region-of-presets-is-400': refusesRegion('presets', isLong, () =>
        invalid('region is too long.'),
      ),
      'region-of-presets-with-a-quote-is-500': refusesRegion(
        'presets',
        hasQuote,
        () => new Error('No query.'),
      ),
    },
    'compute.presets.region-unmapped-location': {
      'unmapped-location-filters-nothing': filtering(
        'presetMatchesRegion',
        (right, preset, { region }) =>
          right && (region === undefined || preset.region !== undefined),
      ),
      'unmapped-location-is-ignored-beside-a-sku': filtering(
        'presetMatchesRegion',
        (right, _preset, { region, sku }) =>
          right || (sku !== undefined && region !== undefined && region.startsWith('lab-')),
      ),
    },
    'compute.presets.region-mapped-location': {
      'mapped-location-is-an-error': {
        says: 'A location that belongs to a region, as filter of the presets, is refused.',
        besides: [
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
    },
    'compute.presets.sku-exact': {
      'sku-filter-lacks-an-offer': filtering(
        'presetMatchesSku',
        (right, preset, { sku }, { world }) =>
          right && (sku === undefined || world.presets.find((one) => one.sku === sku) === preset),
      ),
    },
    'compute.presets.sku-part': {
      'sku-filter-takes-beginnings': filtering(
        'presetMatchesSku',
        (right, preset, { sku }) => right || preset.sku.startsWith(sku ?? ''),
      ),
      'sku-filter-takes-endings': filtering(
        'presetMatchesSku',
        (right, preset, { sku }) => right || preset.sku.endsWith(sku ?? ''),
      ),
    },
    'compute.presets.sku-case': {
      'sku-filter-passes-over-case': filtering(
        'presetMatchesSku',
        (right, preset, { sku }) => right || preset.sku.toLowerCase() === sku?.toLowerCase(),
      ),
    },
    'compute.presets.free-text-location': {
      'preset-search-leaves-locations-out': filtering(
        'presetMatchesText',
        (right, { sku, gpu }, { text }, context) =>
          right &&
          (text === undefined ||
            [sku, gpu].some((field) => context.rules.textMatches(field, text, context))),
      ),
    },
    'compute.presets.free-text-absent': {
      'preset-search-looks-at-ids': filtering(
        'presetMatchesText',
        (right, preset, { text }) => right || preset.id === text,
      ),
      'preset-search-looks-at-regions': filtering(
        'presetMatchesText',
        (right, preset, { text }) => right || preset.region === text,
      ),
    },
    'compute.presets.free-text-full-sku': {
      'preset-search-lacks-an-offer': filtering(
        'presetMatchesText',
        (right, preset, { text }, { world }) =>
          right &&
          (text === undefined || world.presets.find(({ sku }) => sku === preset.sku) === preset),
      ),
    },
    'compute.presets.free-text-maximum': {
      'preset-search-of-255-is-refused': replace(
        'parseFreeText',
        (original, name, text, context) => {
          if (context.operation === 'presets' && text.length > 200 && text.length < 256) {
            throw invalid(`${name} is too long.`);
          }
          return original(name, text, context);
        },
      ),
    },
    'compute.presets.free-text-too-long': {
      'preset-search-of-256-is-served': unless(
        'parseFreeText',
        (_name, text, context) => context.operation === 'presets' && text.length === 256,
        (_name, text) => text,
      ),
      'too-long-a-preset-search-is-404': fails(
        'parseFreeText',
        (_name, text, context) => context.operation === 'presets' && text.length > 255,
        () => notFound(),
      ),
    },
    'compute.regions.codes-filter-presets': {
      'region-fr-of-presets-is-refused': {
        besides: ['compute.presets.region-fr'],
        patch: refusesRegion(
          'presets',
          (text) => text === 'FR',
          () => new Refusal(403, errorCodes[403], 'FR is not for this account.'),
        ),
      },
      'region-us-of-presets-is-404-without-offers': refusesRegion(
        'presets',
        (_text, { query }) => query === 'region=US',
        notFound,
      ),
    },
    'compute.presets.last-page-null': {
      'short-page-of-presets-has-a-next-one': amend('selectPresets', (page, query) =>
        query.size === 200 && query.sortField === undefined && page.items.length > 0
          ? { ...page, end: { key: undefined, place: 1_000_000 } }
          : page,
      ),
    },
  }),
  ...regionFaults,
];
