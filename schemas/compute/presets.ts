/** The parameters of the preset list and its requirements. */

import { presetsOrder } from './presets-order.ts';
import { section } from './section.ts';

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

const items = ['bindings.presets.items'] as const;
const region = ['bindings.presets.items', 'bindings.presets.fields.region'] as const;
const sku = [
  'bindings.presets.items',
  'bindings.presets.fields.sku',
  'bindings.presets.filters.sku',
] as const;
const freeText = ['bindings.presets.items', 'bindings.presets.filters.freeText'] as const;

export const presetsRequirements = section('presets', {
  answers: {
    clause: 'compute#presets',
    strength: 'stated',
    statement: 'The presets can be read with a 2xx status.',
  },
  'parameters-optional': {
    clause: 'compute#presets/optional',
    strength: 'stated',
    statement: 'The presets are answered without any parameter at all.',
    unprovable: 'A list that refuses to be read bare breaks every case that reads it.',
  },
  'items-array': {
    clause: 'compute#presets',
    strength: 'stated',
    statement: 'A page of presets holds a list of items.',
    needs: items,
    universal: true,
  },
  'price-there': {
    clause: 'compute#presets/price',
    strength: 'stated',
    statement: 'Every preset carries an hourly price.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.price'],
    universal: true,
  },
  'fields-there': {
    clause: 'compute#other-records/preset',
    strength: 'stated',
    statement:
      'Every preset carries a SKU name, a location, the model and count of its GPUs, and its CPU, memory and storage.',
    judged: 'The fields that the target file names.',
    needs: items,
  },
  'size-minimum': {
    clause: 'compute#presets/size',
    strength: 'stated',
    statement: 'Preset pages of one item can be asked for.',
  },
  'size-maximum': {
    clause: 'compute#presets/size',
    strength: 'stated',
    statement: 'Preset pages of 200 items can be asked for.',
  },
  'size-zero': {
    clause: 'compute#presets/size',
    strength: 'stated',
    statement: 'A preset list of size 0 is refused with 400 VALIDATION_ERROR.',
  },
  'size-negative': {
    clause: 'compute#presets/size',
    strength: 'stated',
    statement: 'A preset list of negative size is refused with 400 VALIDATION_ERROR.',
  },
  'size-above-maximum': {
    clause: 'compute#limits/page-size',
    strength: 'stated',
    statement: 'A preset list of size 201 is refused with 400 VALIDATION_ERROR.',
  },
  'size-overflow': {
    clause: 'compute#limits/page-size',
    strength: 'stated',
    statement:
      'A preset list whose size overflows 32 or 64 bits is refused with 400 VALIDATION_ERROR.',
  },
  'size-fraction': {
    clause: 'compute#presets/size',
    strength: 'stated',
    statement: 'A preset list of size 1.5 is refused with 400 VALIDATION_ERROR.',
  },
  'size-not-a-number': {
    clause: 'compute#presets/size',
    strength: 'stated',
    statement: 'A preset list whose size is a word is refused with 400 VALIDATION_ERROR.',
  },
  'walks-agree': {
    clause: 'compute#presets/cursor',
    strength: 'stated',
    statement: 'Walks over the presets by any size give the same items in the same order.',
    needs: items,
  },
  'walk-without-repeats': {
    clause: 'compute#presets/paginated',
    strength: 'stated',
    statement: 'No preset comes twice in one walk.',
    judged: 'Items are compared whole: one preset may be offered in several regions.',
    needs: items,
  },
  'walk-ends': {
    clause: 'compute#presets/paginated',
    strength: 'stated',
    statement: 'A walk over the presets ends with a null cursor.',
  },
  'cursor-leads-on': {
    clause: 'compute#presets/cursor',
    strength: 'stated',
    statement: 'A cursor that a page of presets gives is not refused when it is followed at once.',
  },
  'last-page-null': {
    clause: 'compute#presets/paginated',
    strength: 'implied',
    statement: 'A preset list that fits into one page with room to spare has no next page.',
    needs: items,
  },
  'filter-on-later-pages': {
    clause: 'compute#presets/cursor',
    strength: 'stated',
    statement: 'A filter of presets holds on the second page and after.',
    needs: region,
  },
  'sort-on-later-pages': {
    clause: 'compute#presets/cursor',
    strength: 'stated',
    statement: 'A sort of presets holds on the second page and after.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.price'],
  },
  'garbage-cursor-no-5xx': {
    clause: 'compute#presets/cursor',
    strength: 'implied',
    statement: 'A preset cursor that nobody issued never brings about a 5xx.',
  },
  'garbage-cursor-refused': {
    clause: 'compute#presets/cursor',
    strength: 'implied',
    statement: 'A preset cursor that nobody issued is refused with 400 VALIDATION_ERROR.',
  },
  'cursor-repeats': {
    clause: 'compute#presets/cursor',
    strength: 'implied',
    statement: 'The same preset cursor used twice in a row gives the same page.',
    needs: items,
  },
  'odd-parameters': {
    clause: 'compute#errors/400',
    strength: 'implied',
    statement:
      'Odd parameter values of the presets (quotes, percent signs, control characters, very long, duplicated) never bring about a 5xx.',
  },
  'region-uae': {
    clause: 'compute#presets/region',
    strength: 'stated',
    statement: 'The region filter UAE gives the presets of the full list that are offered there.',
    needs: region,
  },
  'region-fr': {
    clause: 'compute#presets/region',
    strength: 'stated',
    statement: 'The region filter FR gives the presets of the full list that are offered there.',
    needs: region,
  },
  'region-us': {
    clause: 'compute#presets/region',
    strength: 'stated',
    statement: 'The region filter US gives the presets of the full list that are offered there.',
    needs: region,
  },
  'region-unknown-empty': {
    clause: 'compute#presets/region/unrecognised',
    strength: 'stated',
    statement: 'A region that does not exist, as filter of the presets, gives an empty page.',
    judged:
      'Without the name of the array: not all lists of objects that a page without a filter fills are filled.',
  },
  'region-unmapped-location': {
    clause: 'compute#presets/region/unmapped',
    strength: 'stated',
    statement:
      'A location that belongs to no region, as region filter, gives the presets at that location.',
    needs: [
      'bindings.presets.items',
      'bindings.presets.fields.location',
      'bindings.locations.unmapped',
    ],
  },
  'region-mapped-location': {
    clause: 'compute#presets/region/unmapped',
    strength: 'stated',
    statement: 'A location that belongs to a region, as region filter, gives an empty page.',
    judged: 'For a location that other presets show beside a region code.',
    needs: [
      'bindings.presets.items',
      'bindings.presets.fields.region',
      'bindings.presets.fields.location',
    ],
  },
  'sku-exact': {
    clause: 'compute#presets/sku',
    strength: 'stated',
    statement: 'The SKU filter gives the presets of the full list with exactly that name.',
    needs: sku,
  },
  'sku-part': {
    clause: 'compute#presets/sku',
    strength: 'stated',
    statement: 'A mere part of a SKU name, as SKU filter, selects nothing.',
    needs: sku,
  },
  'sku-case': {
    clause: 'compute#presets/sku',
    strength: 'implied',
    statement: 'A SKU name in the other case, as SKU filter, selects nothing.',
    needs: sku,
  },
  'free-text-full-sku': {
    clause: 'compute#presets/free-text',
    strength: 'stated',
    statement: 'A preset search for a full SKU name finds the presets of that name.',
    judged: 'What counts as a match is open; of names with a word of three characters and more.',
    needs: [...freeText, 'bindings.presets.fields.sku'],
  },
  'free-text-other-members': {
    clause: 'compute#presets/free-text',
    strength: 'implied',
    statement: 'A preset search for a whole GPU model finds the presets that have it.',
    judged:
      'A model that is shown beside a count is also tried without it; what neither way finds counts.',
    needs: [...freeText, 'bindings.presets.fields.gpu'],
  },
  'free-text-location': {
    clause: 'compute#presets/free-text',
    strength: 'stated',
    statement: 'A preset search for a whole location finds the presets that are there.',
    judged:
      'What counts as a match is open; of locations with a word of three characters and more.',
    needs: [...freeText, 'bindings.presets.fields.location'],
  },
  'free-text-absent': {
    clause: 'compute#presets/free-text',
    strength: 'stated',
    statement:
      'A preset search for text that is in no SKU name, GPU model or location finds nothing.',
    needs: freeText,
  },
  'free-text-signs': {
    clause: 'compute#presets/free-text',
    strength: 'implied',
    statement:
      'A preset search for nothing but signs, such as % and *, finds no preset that has none of them.',
    judged: 'Whether a search leaves signs out, and then searches for nothing at all, is open.',
    needs: [
      ...freeText,
      'bindings.presets.fields.sku',
      'bindings.presets.fields.gpu',
      'bindings.presets.fields.location',
    ],
  },
  'free-text-characters': {
    clause: 'compute#presets/free-text',
    strength: 'stated',
    statement: 'A preset search for quotes, brackets and backslashes is accepted.',
    needs: freeText,
  },
  'free-text-maximum': {
    clause: 'compute#presets/free-text',
    strength: 'stated',
    statement: 'A preset search for 255 ASCII characters is accepted.',
    needs: ['bindings.presets.filters.freeText'],
  },
  'free-text-too-long': {
    clause: 'compute#limits/free-text',
    strength: 'stated',
    statement: 'A preset search for 256 ASCII characters is refused with 400 VALIDATION_ERROR.',
    needs: ['bindings.presets.filters.freeText'],
  },
  ...presetsOrder,
  'size-default': {
    clause: 'compute#presets/not-shown',
    strength: 'open',
    statement: 'How many presets a page is made for when no size is given.',
  },
  'record-fields': {
    clause: 'compute#other-records/preset',
    strength: 'open',
    statement: 'Which fields a preset has.',
  },
  'offered-in-several-regions': {
    clause: 'compute#presets/several-regions',
    strength: 'open',
    statement: 'Whether one SKU is offered in several regions, and at different prices.',
    needs: [...region, 'bindings.presets.fields.sku'],
  },
  'free-text-match': {
    clause: 'compute#presets/free-text',
    strength: 'open',
    statement: 'Whether a preset search minds case, and finds parts of words.',
    needs: freeText,
  },
});
