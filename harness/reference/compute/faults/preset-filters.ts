/** Preset filters and searches that do not work. */

import { invalid, notFound, type Preset, type PresetQuery } from '../model.ts';
import { amend, chained, fails, faultTable, forces, type Patch, each, gathered } from './words.ts';
import {
  anySigns,
  crashingSearch,
  forgetsOfPresets,
  isLike,
  isLong,
  matchesNothing,
  likePattern,
  presetsBy,
  presetsLater,
  refusesRegion,
  refusesText,
} from './words-lists.ts';

/** A search that looks only at some texts of a preset. */
function presetsByTexts(texts: (preset: Preset) => readonly string[]): Patch {
  return (rules) => ({
    presetMatchesText: (preset, { text }, context) =>
      text === undefined || texts(preset).some((field) => rules.textMatches(field, text, context)),
  });
}

const regionFaults = gathered(['UAE', 'FR', 'US'], (region) => {
  const slug = region.toLowerCase();
  return {
    [`region-${slug}: presets-in-${slug}-lack-the-dearest`]: forces(
      'presetMatchesRegion',
      false,
      ({ gpuCount }, query) => query.region === region && gpuCount === 8,
    ),
    [`region-${slug}: presets-in-${slug}-also-show-a-lab`]: forces(
      'presetMatchesRegion',
      true,
      ({ location }, query) => query.region === region && location === 'lab-1',
    ),
  };
});

const isOfLab = ({ region }: PresetQuery): boolean => region?.startsWith('lab-') === true;

export const presetFiltersFaults = faultTable('compute.presets', {
  ...forgetsOfPresets('sku', {
    'filter-on-later-pages: sku-filter-is-forgotten-on-page-two': presetsLater(),
    'sku-exact: sku-filter-is-dropped-beside-a-sort': ({ sortField }) => sortField !== undefined,
  }),
  ...forgetsOfPresets('region', {
    'filter-on-later-pages: region-of-presets-is-forgotten-on-page-two': presetsLater(),
    'filter-on-later-pages: region-of-presets-is-forgotten-beside-a-search-on-page-two':
      presetsLater('text'),
    'filter-on-later-pages: region-of-presets-is-forgotten-on-page-two-going-down': ({
      page,
      sortDirection,
    }) => page > 1 && sortDirection === 'DESC',
    'region-us: search-of-presets-drops-the-region': ({ text }) => text !== undefined,
    'region-unknown-empty: unknown-region-gives-all-presets': ({ region }, context) =>
      region !== undefined && matchesNothing(region, context),
    'region-unmapped-location: unmapped-location-is-ignored-beside-a-sku': (query) =>
      isOfLab(query) && query.sku !== undefined,
    'region-unmapped-location: unmapped-location-is-ignored-beside-a-sort-by-price': (query) =>
      isOfLab(query) && query.sortField === 'HOURLY_PRICE',
  }),
  ...forgetsOfPresets('text', {
    'sku-exact: sku-filter-drops-the-search': ({ sku }) => sku !== undefined,
    'free-text-absent: long-searches-of-presets-do-not-count': ({ text = '' }) =>
      text.length >= 200,
    'filter-on-later-pages: search-of-presets-is-forgotten-on-page-two-of-a-sort':
      presetsLater('sortField'),
    'filter-on-later-pages: search-of-presets-is-forgotten-on-page-two-of-a-region':
      presetsLater('region'),
  }),
  'region-fr: region-of-a-page-of-one-preset-is-another-one': presetsBy((query) =>
    query.size === 1 && query.region === 'FR' ? { ...query, region: 'US' } : query,
  ),
  'sku-exact: sku-filter-lacks-an-offer': forces(
    'presetMatchesSku',
    false,
    (preset, { sku }, { world }) =>
      sku !== undefined && world.presets.find((one) => one.sku === sku) !== preset,
  ),
  // The first preset is the only offer of its name, so the search leaves out nothing beside that name.
  'sku-exact: sku-filter-drops-the-search-where-names-differ-in-offers': chained(
    amend('presetsInOrder', (presets) =>
      presets.filter((preset) => preset === presets[0] || preset.sku !== presets[0]?.sku),
    ),
    forces('presetMatchesText', true, (_preset, { sku }) => sku !== undefined),
  ),
  'free-text-characters: preset-search-is-read-as-a-pattern': crashingSearch('presets', /[([{]/u),
  ...each.forces('presetMatchesText', true, {
    'free-text-absent: preset-search-looks-at-ids': (preset, { text }) => preset.id === text,
    'free-text-absent: preset-search-looks-at-figures': ({ memoryGb, storageGb }, { text }) =>
      [memoryGb, storageGb].some((figure) => String(figure) === text),
    'free-text-absent: preset-search-looks-at-regions': (preset, { text }) =>
      preset.region === text,
  }),
  'free-text-absent: preset-search-knows-wildcards': forces(
    'textMatches',
    (field, text) => new RegExp(likePattern(text), 'isu').test(field),
    (_field, _text, context) => context.operation === 'presets',
  ),
  'free-text-other-members: preset-search-leaves-gpu-models-out': presetsByTexts(
    ({ sku, location }) => [sku.startsWith('1x') ? '' : sku, location],
  ),
  'free-text-signs: signs-of-a-preset-search-stand-for-any': anySigns('presets'),
  ...each.forces('presetMatchesRegion', true, {
    'region-unknown-empty: region-of-presets-takes-several-codes': ({ region }, query) =>
      query.region?.split(',').includes(region ?? '') === true,
    'region-unknown-empty: region-null-gives-what-has-no-region': ({ region }, query) =>
      query.region === 'null' && region === undefined,
    'region-unknown-empty: region-of-presets-takes-beginnings-of-locations': (preset, query) =>
      query.region !== undefined &&
      query.region.length > 4 &&
      preset.location.startsWith(query.region) &&
      preset.location !== query.region,
    'region-mapped-location: location-filters-presets-that-are-sorted': (preset, query) =>
      query.sortField !== undefined && preset.location === query.region,
  }),
  'region-unknown-empty: long-region-of-presets-is-400': refusesRegion('presets', isLong, () =>
    invalid('region is too long.'),
  ),
  'region-unmapped-location: unmapped-location-filters-nothing': forces(
    'presetMatchesRegion',
    false,
    (preset, { region }) => region !== undefined && preset.region === undefined,
  ),
  'region-mapped-location + compute.instance-record.location-filter-accepted + compute.instance-record.location-filters-no-presets: mapped-location-is-an-error':
    refusesRegion(
      'presets',
      (text, { world }) =>
        world.presets.some(({ location, region }) => location === text && region !== undefined),
      () => invalid('That is a location.'),
    ),
  ...each.forces('presetMatchesSku', true, {
    'sku-part: sku-filter-takes-beginnings': (preset, { sku }) => preset.sku.startsWith(sku ?? ''),
    'sku-part: sku-filter-takes-beginnings-in-a-region': (preset, { sku, region }) =>
      region !== undefined && preset.sku.startsWith(sku ?? ''),
    'sku-part: sku-filter-takes-gpu-models': (preset, { sku }) => preset.gpu === sku,
    'sku-case: sku-filter-passes-over-case': (preset, { sku }) =>
      preset.sku.toLowerCase() === sku?.toLowerCase(),
    'sku-case: sku-filter-is-trimmed': (preset, { sku }) => preset.sku === sku?.trim(),
  }),
  'sku-part: sku-filter-knows-wildcards': () => ({
    presetMatchesSku: (preset, query) => query.sku === undefined || isLike(preset.sku, query.sku),
  }),
  'free-text-location: preset-search-leaves-one-location-out': presetsByTexts(
    ({ sku, gpu, location }) => [sku, gpu, location === 'marseille-1' ? '' : location],
  ),
  'free-text-location: preset-search-leaves-locations-out': presetsByTexts(({ sku, gpu }) => [
    sku,
    gpu,
  ]),
  'region-uae: preset-search-leaves-locations-out-in-a-region': forces(
    'presetMatchesText',
    false,
    ({ sku, gpu }, { text = '', region }) =>
      region !== undefined && ![sku, gpu].some((field) => field.includes(text)),
  ),
  'free-text-full-sku: preset-search-lacks-an-offer': forces(
    'presetMatchesText',
    false,
    (preset, { text }, { world }) =>
      text !== undefined && world.presets.find(({ sku }) => sku === preset.sku) !== preset,
  ),
  'free-text-maximum: preset-search-of-255-is-refused': refusesText(
    'presets',
    (text) => text.length > 200 && text.length < 256,
  ),
  'free-text-too-long: preset-search-of-256-is-served': forces(
    'parseFreeText',
    (_name, text) => text,
    (_name, text, context) => context.operation === 'presets' && text.length === 256,
  ),
  'free-text-too-long: too-long-a-preset-search-is-404': fails(
    'parseFreeText',
    notFound,
    (_name, text, context) => context.operation === 'presets' && text.length > 255,
  ),
  ...regionFaults,
});
