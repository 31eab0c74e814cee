/** Variants in how requests are read, and how lists are searched, sorted and paged. */

import { type ComputeVariant, choosing, presetChoices } from './variant.ts';

export const requestVariants: readonly ComputeVariant[] = [
  choosing('strict-reading', 'Whatever the contract does not promise is refused.', {
    schemeCase: 'exact',
    unknownParameters: 'refuse',
    emptyParameters: 'value',
    repeatedParameters: 'refuse',
    partialDates: 'refuse',
    beginAfterEnd: 'refuse',
    lengthCounts: 'bytes',
    nullNote: 'refuse',
    extraMembers: 'refuse',
    bodyLabel: 'json',
    cursorWithOtherFilters: 'refuse',
  }),
  choosing('lenient-reading', 'Whatever the contract does not forbid is accepted.', {
    repeatedParameters: 'last',
    brokenEscapes: 'literal',
    enumCase: 'any',
    sizeSpelling: 'numeric',
    lengthCounts: 'utf-16',
    cursorWithOtherFilters: 'request-wins',
    cursorKeepsSize: true,
  }),
  choosing('sizes-by-disk', 'Sizes are sorted by their disk, which lists do not show.', {
    sizeOrder: 'disk',
  }),
  choosing('locale-order', 'Text is sorted as a person would, sizes and GPUs by GPU count.', {
    collation: 'locale',
    ties: 'oldest-first',
    sizeOrder: 'gpu-count',
    ...presetChoices({ gpuOrder: 'count' }),
  }),
  choosing('order-without-case', 'Text is sorted without case, states and regions as listed.', {
    collation: 'ignore-case',
    ties: 'with-direction',
    statusOrder: 'lifecycle',
    regionOrder: 'listed',
    ...presetChoices({ noRegion: 'empty', noRegionSorts: 'last' }),
    directionAlone: 'creation',
  }),
  choosing('search-by-words', 'A search finds whole words only.', { search: 'words' }),
  choosing('search-with-case', 'A search minds case; terminated instances show on request only.', {
    search: 'exact-case',
    terminatedListed: 'when-asked',
  }),
  choosing('stored-cursors', 'Cursors are random; a full last page is followed by an empty one.', {
    cursor: 'stored',
    emptyLastPage: true,
  }),
  choosing('long-cursors', 'Cursors have kilobytes; a short page tells how many items it has.', {
    cursor: 'long',
    shortPageSize: 'items',
  }),
  choosing('awkward-cursors', 'Cursors are full of what URLs must escape.', { cursor: 'awkward' }),
];
