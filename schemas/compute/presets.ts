/** The parameters of the preset list and its requirements. */

import { all, clause, cited, excluded, stated, implied, open, section } from '../requirement.ts';
import { needing } from './needs.ts';

/** Bounds of `size`; the default is not shown (compute#presets/size). */
export const presetPageSize = { minimum: 1, maximum: 200 } as const;

/** Values of `sort_field`, with the name of the binding that says which field of a preset holds it. */
export const presetSortFields = {
  REGION: 'region',
  LOCATION: 'location',
  GPU: 'gpu',
  CPU: 'cpu',
  MEMORY: 'memory',
  STORAGE: 'storage',
  HOURLY_PRICE: 'price',
  ID: 'id',
} as const;

const items = needing('bindings.presets.items');

type Field = (typeof presetSortFields)[keyof typeof presetSortFields] | 'sku';

/** Requirements that read these fields of a preset. */
const shown = (...fields: readonly Field[]) =>
  needing(
    'bindings.presets.items',
    ...fields.map((field) => `bindings.presets.fields.${field}` as const),
  );

const region = shown('region');
const price = shown('price');
const sku = needing(...shown('sku').needs, 'bindings.presets.filters.sku');

/** Requirements of searches that read these fields of a preset. */
const searched = (...fields: readonly Field[]) =>
  needing(...items.needs, 'bindings.presets.filters.freeText', ...shown(...fields).needs.slice(1));

const freeText = searched();

export const presets = section('compute', 'presets', [
  clause('other-records/preset', 'Other records, preset', {
    'fields-there': items.stated(
      'Every preset carries a SKU name, a location, the model and count of its GPUs, and its CPU, memory and storage.',
      { judged: 'The fields that the target file names.' },
    ),
    'record-fields': open('Which fields a preset has.'),
  }),
  clause('presets', 'GET /presets, list of hardware', {
    answers: stated('The presets can be read with a 2xx status.'),
    'items-array': items.stated.universal('A page of presets holds a list of items.'),
  }),
  clause('presets/price', 'GET /presets, hourly price', {
    'price-there': price.stated.universal('Every preset carries an hourly price.'),
  }),
  clause('presets/paginated', 'GET /presets, pagination', {
    'walk-without-repeats': items.stated('No preset comes twice in one walk.', {
      judged: 'Items are compared whole: one preset may be offered in several regions.',
    }),
    'walk-ends': stated('A walk over the presets ends with a null cursor.'),
    'last-page-null': items.implied(
      'A preset list that fits into one page with room to spare has no next page.',
    ),
  }),
  clause('presets/optional', 'GET /presets, parameters are optional', {
    'parameters-optional': stated('The presets are answered without any parameter at all.', {
      unprovable: 'A list that refuses to be read bare breaks every case that reads it.',
    }),
  }),
  clause('presets/cursor', 'GET /presets, row cursor', {
    'walks-agree': items.stated(
      'Walks over the presets by any size give the same items in the same order.',
    ),
    'cursor-leads-on': stated(
      'A cursor that a page of presets gives is not refused when it is followed at once.',
    ),
    'filter-on-later-pages': region.stated(
      'A filter of presets holds on the second page and after.',
    ),
    'sort-on-later-pages': price.stated('A sort of presets holds on the second page and after.'),
    'garbage-cursor-no-5xx': implied(
      'A preset cursor that nobody issued never brings about a 5xx.',
    ),
    'garbage-cursor-refused': implied(
      'A preset cursor that nobody issued is refused with 400 VALIDATION_ERROR.',
    ),
    'cursor-repeats': items.implied(
      'The same preset cursor used twice in a row gives the same page.',
    ),
  }),
  clause('presets/size', 'GET /presets, row size', {
    'size-minimum': stated('Preset pages of one item can be asked for.'),
    'size-maximum': stated('Preset pages of 200 items can be asked for.'),
    'size-zero': stated('A preset list of size 0 is refused with 400 VALIDATION_ERROR.'),
    'size-negative': stated('A preset list of negative size is refused with 400 VALIDATION_ERROR.'),
    'size-fraction': stated('A preset list of size 1.5 is refused with 400 VALIDATION_ERROR.'),
    'size-not-a-number': stated(
      'A preset list whose size is a word is refused with 400 VALIDATION_ERROR.',
    ),
  }),
  clause('presets/region', 'GET /presets, row region, codes', {
    ...all(stated, region.needs, {
      'region-uae':
        'The region filter UAE gives the presets of the full list that are offered there.',
      'region-fr':
        'The region filter FR gives the presets of the full list that are offered there.',
      'region-us':
        'The region filter US gives the presets of the full list that are offered there.',
    }),
  }),
  clause('presets/region/unmapped', 'GET /presets, row region, unmapped locations', {
    'region-unmapped-location': stated(
      'A location that belongs to no region, as region filter, gives the presets at that location.',
      ['bindings.presets.items', 'bindings.presets.fields.location', 'bindings.locations.unmapped'],
    ),
    'region-mapped-location': shown('region', 'location').stated(
      'A location that belongs to a region, as region filter, gives an empty page.',
      { judged: 'For a location that other presets show beside a region code.' },
    ),
  }),
  clause('presets/region/unrecognised', 'GET /presets, row region, unrecognised values', {
    'region-unknown-empty': stated(
      'A region that does not exist, as filter of the presets, gives an empty page.',
      {
        judged:
          'Without the name of the array: not all lists of objects that a page without a filter fills are filled.',
      },
    ),
  }),
  clause('presets/sku', 'GET /presets, row of the SKU filter', {
    ...all(stated, sku.needs, {
      'sku-exact': 'The SKU filter gives the presets of the full list with exactly that name.',
      'sku-part':
        'A mere part of a SKU name, a GPU model or a location, as SKU filter, selects nothing.',
    }),
    'sku-case': sku.implied(
      'A SKU name in the other case, or with a blank behind it, as SKU filter, selects nothing.',
    ),
  }),
  clause('presets/free-text', 'GET /presets, row of the free-text filter', {
    'free-text-full-sku': searched('sku').stated(
      'A preset search for a full SKU name finds the presets of that name.',
      {
        judged:
          'What counts as a match is open; of names with a word of three characters and more.',
      },
    ),
    'free-text-other-members': searched('gpu').implied(
      'A preset search for a whole GPU model finds the presets that have it.',
      {
        judged:
          'A model that is shown beside a count is also tried without it; what neither way finds counts.',
      },
    ),
    'free-text-location': searched('location').stated(
      'A preset search for a whole location finds the presets that are there.',
      {
        judged:
          'What counts as a match is open; of locations with a word of three characters and more.',
      },
    ),
    'free-text-absent': freeText.stated(
      'A preset search for text that is in no SKU name, GPU model or location finds nothing.',
    ),
    'free-text-signs': searched('sku', 'gpu', 'location').implied(
      'A preset search for nothing but signs, such as % and *, finds no preset that has none of them.',
      {
        judged: 'Whether a search leaves signs out, and then searches for nothing at all, is open.',
      },
    ),
    'free-text-characters': freeText.stated(
      'A preset search for quotes, brackets, backslashes and letters outside ASCII is accepted.',
    ),
    'free-text-maximum': stated('A preset search for 255 ASCII characters is accepted.', [
      'bindings.presets.filters.freeText',
    ]),
    'free-text-match': freeText.open(
      'Whether a preset search minds case, and finds parts of words.',
    ),
  }),
  clause('presets/sort_field', 'GET /presets, row sort_field', {
    'sort-region': region.stated('Presets can be sorted by region in both directions.'),
    'sort-location': shown('location').stated(
      'Presets can be sorted by location in both directions.',
    ),
    'sort-gpu': shown('gpu').stated('Presets can be sorted by GPU model in both directions.'),
    'sort-cpu': shown('cpu').stated('Presets can be sorted by CPU in both directions, as numbers.'),
    'sort-memory': shown('memory').stated(
      'Presets can be sorted by memory in both directions, as numbers.',
    ),
    'sort-storage': shown('storage').stated(
      'Presets can be sorted by storage in both directions, as numbers.',
    ),
    'sort-hourly-price': price.stated(
      'Presets can be sorted by hourly price in both directions, as numbers.',
    ),
    'sort-id': shown('id').stated('Presets can be sorted by id in both directions.'),
    'sort-keeps-items': items.stated('Sorting presets neither adds nor drops any.'),
  }),
  clause('presets/sort_field/default', 'GET /presets, row sort_field, order without it', {
    'default-order-stable': items.stated(
      'Two reads of the presets without a sort field give the same order.',
    ),
  }),
  clause('presets/sort_direction', 'GET /presets, row sort_direction, default', {
    'sort-reverse': price.stated(
      'Ascending presets are descending ones in reverse, but for ties.',
      { unprovable: 'Directions that disagree break the order of some sort field as well.' },
    ),
    'sort-default-direction': price.stated(
      'Presets sorted without a direction come in ascending order.',
    ),
  }),
  clause('presets/sort_direction/ignored', 'GET /presets, row sort_direction, without a field', {
    'direction-ignored': items.stated(
      'A direction without a sort field does not change the order of the presets.',
    ),
  }),
  clause('presets/not-shown', 'GET /presets, what is not shown', {
    'size-default': open('How many presets a page is made for when no size is given.'),
  }),
  clause('presets/several-regions', 'GET /presets, one preset in several regions', {
    'offered-in-several-regions': shown('region', 'sku').open(
      'Whether one SKU is offered in several regions, and at different prices.',
    ),
  }),
  excluded(
    'other-operations',
    'Other operations',
    'SSH key operations and creation are not shown.',
  ),
  cited('limits/page-size', {
    'size-above-maximum': stated('A preset list of size 201 is refused with 400 VALIDATION_ERROR.'),
    'size-overflow': stated(
      'A preset list whose size overflows 32 or 64 bits is refused with 400 VALIDATION_ERROR.',
    ),
  }),
  cited('errors/400', {
    'odd-parameters': implied(
      'Odd parameter values of the presets (quotes, percent signs, control characters, very long, duplicated) never bring about a 5xx.',
    ),
    'sort-field-unknown': stated(
      'A sort field that presets do not have is refused with 400 VALIDATION_ERROR.',
    ),
    'sort-direction-unknown': stated(
      'A direction other than ASC and DESC, beside a sort field of presets, is refused with 400 VALIDATION_ERROR.',
    ),
  }),
  cited('limits/free-text', {
    'free-text-too-long': stated(
      'A preset search for 256 ASCII characters is refused with 400 VALIDATION_ERROR.',
      ['bindings.presets.filters.freeText'],
    ),
  }),
]);
