/** Requirements of paging, told on the instance list; the presets have their own walks beside them. */

import { section } from './section.ts';

export const paginationRequirements = section('pagination', {
  'object-on-instances': {
    clause: 'compute#pagination',
    strength: 'stated',
    statement: 'Every page of instances carries a pagination object.',
    universal: true,
  },
  'object-on-presets': {
    clause: 'compute#presets/paginated',
    strength: 'stated',
    statement: 'Every page of presets carries a pagination object.',
    universal: true,
  },
  'next-type': {
    clause: 'compute#pagination/next',
    strength: 'stated',
    statement: 'The next member of a pagination object is there, and is text or null.',
    universal: true,
  },
  'size-type': {
    clause: 'compute#pagination/size',
    strength: 'stated',
    statement: 'The size member of a pagination object is there, and is an integer.',
    universal: true,
  },
  'size-echo': {
    clause: 'compute#pagination/size',
    strength: 'stated',
    statement: 'The size member tells the page size that was asked for.',
    judged:
      'On full pages and on pages that are not the last; a short last page is open, and so is a size beside a cursor that another size was asked for with.',
    universal: true,
  },
  'page-within-size': {
    clause: 'compute#list-instances/size',
    strength: 'stated',
    statement: 'No page holds more items than its size.',
    universal: true,
  },
  'walk-size-1': {
    clause: 'compute#list-instances/cursor',
    strength: 'stated',
    statement: 'Walking one item at a time gives the same instances in the same order as any walk.',
  },
  'walk-prime': {
    clause: 'compute#list-instances/cursor',
    strength: 'stated',
    statement: 'Walking by a prime number gives the same instances in the same order as any walk.',
  },
  'walk-199': {
    clause: 'compute#list-instances/cursor',
    strength: 'stated',
    statement: 'Walking 199 at a time gives the same instances in the same order as any walk.',
  },
  'walk-200': {
    clause: 'compute#list-instances/cursor',
    strength: 'stated',
    statement: 'Walking 200 at a time gives the same instances in the same order as any walk.',
  },
  'walk-default': {
    clause: 'compute#list-instances/cursor',
    strength: 'stated',
    statement: 'Walking without a size gives the same instances in the same order as any walk.',
  },
  'walk-without-repeats': {
    clause: 'compute#list-instances',
    strength: 'stated',
    statement: 'No instance comes twice in one walk.',
  },
  'walk-without-gaps': {
    clause: 'compute#list-instances',
    strength: 'stated',
    statement: 'A walk over a list that stands still meets every instance of it.',
  },
  'walk-ends': {
    clause: 'compute#list-instances/last-page',
    strength: 'stated',
    statement: 'A walk over the instances ends with a null cursor.',
  },
  'last-page-null': {
    clause: 'compute#pagination/next/last',
    strength: 'implied',
    statement: 'A list that fits into one page with room to spare has no next page.',
    judged: 'The document does not say that no page is empty: an empty one may be the last.',
  },
  'filter-on-later-pages': {
    clause: 'compute#list-instances/cursor',
    strength: 'stated',
    statement: 'A filter of instances holds on the second page and after.',
  },
  'sort-on-later-pages': {
    clause: 'compute#list-instances/cursor',
    strength: 'stated',
    statement: 'A sort of instances holds on the second page and after.',
  },
  'search-on-later-pages': {
    clause: 'compute#list-instances/cursor',
    strength: 'stated',
    statement: 'A search of instances holds on the second page and after.',
  },
  'garbage-cursor-gives-nothing': {
    clause: 'compute#pagination/next/opaque',
    strength: 'stated',
    statement: "A cursor that nobody issued is never answered with somebody else's instances.",
    judged: 'By what the own list does not hold; an account of others makes it tell more.',
  },
  'garbage-cursor-no-5xx': {
    clause: 'compute#pagination/next/opaque',
    strength: 'implied',
    statement: 'A cursor that nobody issued never brings about a 5xx.',
  },
  'garbage-cursor-refused': {
    clause: 'compute#list-instances/cursor',
    strength: 'implied',
    statement: 'A cursor that nobody issued is refused with 400 VALIDATION_ERROR.',
  },
  'cursor-leads-on': {
    clause: 'compute#list-instances/cursor',
    strength: 'stated',
    statement:
      'A cursor that a page of instances gives is not refused when it is followed at once.',
  },
  'cursor-repeats': {
    clause: 'compute#list-instances/cursor',
    strength: 'implied',
    statement: 'The same cursor used twice in a row gives the same page.',
  },
  'empty-last-page': {
    clause: 'compute#pagination/next/last',
    strength: 'open',
    statement: 'Whether a list that fills its pages exactly ends in an empty page.',
  },
  'short-page-size': {
    clause: 'compute#pagination/size',
    strength: 'open',
    statement: 'What the size member says on a short last page.',
  },
  'cursor-with-other-filters': {
    clause: 'compute#pagination/next/opaque',
    strength: 'open',
    statement: 'What a cursor does beside filters other than those that it was issued for.',
  },
});
