/** Requirements of pagination, stated for the instance list; `presets.ts` has the walks through presets. */

import { all, clause, cited, stated, implied, open, section } from '../requirement.ts';

export const pagination = section('compute', 'pagination', [
  clause('pagination', 'Pagination object, table as a whole', {
    'object-on-instances': stated.universal('Every page of instances carries a pagination object.'),
  }),
  clause('pagination/next', 'Pagination object, row next, its type', {
    'next-type': stated.universal(
      'The next member of a pagination object is there, and is text or null.',
      { judged: 'An empty text is no cursor: the last page has null.' },
    ),
  }),
  clause('pagination/next/opaque', 'Pagination object, row next, opaque cursor', {
    'garbage-cursor-gives-nothing': stated(
      "A cursor that nobody issued is never answered with somebody else's instances.",
      { judged: 'By what the own list does not hold; an account of others makes it tell more.' },
    ),
    'garbage-cursor-no-5xx': implied('A cursor that nobody issued never brings about a 5xx.'),
    'cursor-with-other-filters': open(
      'What a cursor does beside filters other than those that it was issued for.',
    ),
  }),
  clause('pagination/next/last', 'Pagination object, row next, last page', {
    'last-page-null': implied(
      'A list that fits into one page with room to spare has no next page.',
      { judged: 'The document does not say that no page is empty: an empty one may be the last.' },
    ),
    'empty-last-page': open('Whether a list that fills its pages exactly ends in an empty page.'),
  }),
  clause('pagination/size', 'Pagination object, row size', {
    'size-type': stated.universal(
      'The size member of a pagination object is there, and is an integer.',
    ),
    'size-echo': stated.universal('The size member tells the page size that was asked for.', {
      judged:
        'On full pages and on pages that are not the last; a short last page is open, and so is a size beside a cursor that another size was asked for with.',
    }),
    'short-page-size': open('What the size member says on a short last page.'),
  }),
  clause('list-instances/cursor', 'GET /instances, row cursor', {
    ...all(
      stated,
      {},
      {
        'walk-size-1':
          'Walking one item at a time gives the same instances in the same order as any walk.',
        'walk-prime':
          'Walking by a prime number gives the same instances in the same order as any walk.',
        'walk-199': 'Walking 199 at a time gives the same instances in the same order as any walk.',
        'walk-200': 'Walking 200 at a time gives the same instances in the same order as any walk.',
        'walk-default':
          'Walking without a size gives the same instances in the same order as any walk.',
        'filter-on-later-pages': 'A filter of instances holds on the second page and after.',
        'sort-on-later-pages': 'A sort of instances holds on the second page and after.',
        'search-on-later-pages': 'A search of instances holds on the second page and after.',
      },
    ),
    'garbage-cursor-refused': implied(
      'A cursor that nobody issued is refused with 400 VALIDATION_ERROR.',
    ),
    'cursor-leads-on': stated(
      'A cursor that a page of instances gives is not refused when it is followed at once.',
    ),
    'cursor-repeats': implied('The same cursor used twice in a row gives the same page.'),
  }),
  clause('list-instances/last-page', 'GET /instances, null next', {
    'walk-ends': stated('A walk over the instances ends with a null cursor.'),
  }),
  cited('presets/paginated', {
    'object-on-presets': stated.universal('Every page of presets carries a pagination object.'),
  }),
  cited('list-instances/size', {
    'page-within-size': stated.universal('No page holds more items than its size.'),
  }),
  cited('list-instances', {
    'walk-without-repeats': stated('No instance comes twice in one walk.'),
    'walk-without-gaps': stated('A walk over a list that stands still meets every instance of it.'),
  }),
]);
