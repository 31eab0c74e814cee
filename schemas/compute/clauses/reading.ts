/** Clauses about the operations that only read: the instance list, regions and presets. */

import type { Clause } from '../../requirement.ts';

export const readingClauses = {
  'compute#list-instances': { where: 'GET /instances, cursor-paginated list of own instances' },
  'compute#list-instances/order': { where: 'GET /instances, newest first' },
  'compute#list-instances/not-widened': { where: 'GET /instances, other accounts' },
  'compute#list-instances/optional': { where: 'GET /instances, parameters are optional' },
  'compute#list-instances/cursor': { where: 'GET /instances, row cursor' },
  'compute#list-instances/cursor/clients': {
    where: 'GET /instances, row cursor, last sentence',
    excluded: 'Advice to clients.',
  },
  'compute#list-instances/size': { where: 'GET /instances, row size' },
  'compute#list-instances/status': { where: 'GET /instances, row status' },
  'compute#list-instances/region': { where: 'GET /instances, row region' },
  'compute#list-instances/region/location': {
    where: 'GET /instances, row region, location values',
  },
  'compute#list-instances/gpu_type': { where: 'GET /instances, row gpu_type' },
  'compute#list-instances/date_range_begin': { where: 'GET /instances, row date_range_begin' },
  'compute#list-instances/date_range_end': { where: 'GET /instances, row date_range_end' },
  'compute#list-instances/free_text_search': { where: 'GET /instances, row free_text_search' },
  'compute#list-instances/sort_field': { where: 'GET /instances, row sort_field' },
  'compute#list-instances/sort_field/default': {
    where: 'GET /instances, row sort_field, default order',
  },
  'compute#list-instances/sort_direction': { where: 'GET /instances, row sort_direction' },
  'compute#list-instances/response': { where: 'GET /instances, response 200' },
  'compute#list-instances/last-page': { where: 'GET /instances, null next' },
  'compute#list-instances/errors': {
    where: 'GET /instances, error responses',
    excluded: 'A list of pointers to the error table, whose rows are judged there.',
  },

  'compute#get-regions': { where: 'GET /regions, all codes' },
  'compute#get-regions/filter-value': { where: 'GET /regions, codes as filter values' },
  'compute#get-regions/not-shown': { where: 'GET /regions, what is not shown' },

  'compute#presets': { where: 'GET /presets, list of hardware' },
  'compute#presets/price': { where: 'GET /presets, hourly price' },
  'compute#presets/paginated': { where: 'GET /presets, pagination' },
  'compute#presets/optional': { where: 'GET /presets, parameters are optional' },
  'compute#presets/cursor': { where: 'GET /presets, row cursor' },
  'compute#presets/size': { where: 'GET /presets, row size' },
  'compute#presets/region': { where: 'GET /presets, row region, codes' },
  'compute#presets/region/unmapped': { where: 'GET /presets, row region, unmapped locations' },
  'compute#presets/region/unrecognised': {
    where: 'GET /presets, row region, unrecognised values',
  },
  'compute#presets/sku': { where: 'GET /presets, row of the SKU filter' },
  'compute#presets/free-text': { where: 'GET /presets, row of the free-text filter' },
  'compute#presets/sort_field': { where: 'GET /presets, row sort_field' },
  'compute#presets/sort_field/default': {
    where: 'GET /presets, row sort_field, order without it',
  },
  'compute#presets/sort_direction': { where: 'GET /presets, row sort_direction, default' },
  'compute#presets/sort_direction/ignored': {
    where: 'GET /presets, row sort_direction, without a field',
  },
  'compute#presets/not-shown': { where: 'GET /presets, what is not shown' },
  'compute#presets/several-regions': { where: 'GET /presets, one preset in several regions' },

  'compute#other-operations': {
    where: 'Other operations',
    excluded: 'SSH key operations and creation are not shown.',
  },
} as const satisfies Readonly<Record<string, Clause>>;
