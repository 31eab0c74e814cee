/** The parameters of the instance list, and the requirements on its page, size, filters and bad values. */

import { section } from './section.ts';
import { listInstancesOrder } from './list-instances-order.ts';
import { listInstancesOpen } from './list-instances-open.ts';

/** Bounds of `size` (compute#list-instances/size). */
export const instancePageSize = { minimum: 1, maximum: 200, standard: 50 } as const;

/** Longest free text in characters (compute#limits/free-text). */
export const freeTextLength = 255;

/** Values of the status filter, with the state that each one selects (compute#list-instances/status). */
export const statusFilters = {
  running: 'RUNNING',
  stopped: 'STOPPED',
  terminated: 'TERMINATED',
  errored: 'ERRORED',
} as const;

/** Values of `sort_field`, with the field of the record that each one sorts by. */
export const instanceSortFields = {
  NAME: 'name',
  GPU_TYPE: 'gpu_type',
  SIZE: 'size',
  REGION: 'region',
  HOURLY_RATE: 'hourly_rate',
  CURRENT_COST: 'current_cost',
  STATUS: 'status',
} as const;

export const sortDirections = ['ASC', 'DESC'] as const;

export const listInstancesRequirements = section('list-instances', {
  'answers-200': {
    clause: 'compute#list-instances/response',
    strength: 'stated',
    statement: 'The instance list is answered with 200.',
  },
  'parameters-optional': {
    clause: 'compute#list-instances/optional',
    strength: 'stated',
    statement: 'The instance list is answered without any parameter at all.',
    unprovable: 'A list that refuses to be read bare breaks every case that reads it.',
  },
  'data-array': {
    clause: 'compute#list-instances/response',
    strength: 'stated',
    statement: 'A page of instances is an object whose data is a list.',
    universal: true,
  },
  'own-listed': {
    clause: 'compute#list-instances',
    strength: 'stated',
    statement: 'The unfiltered list holds a stopped instance that the caller can act on.',
    judged: 'Where the list is read to its end, and lacks it time and again.',
    needs: ['instances.stopped', 'consent.stop'],
  },
  'size-default': {
    clause: 'compute#list-instances/size',
    strength: 'stated',
    statement: 'Without a size, a page of instances is made for 50 items.',
  },
  'size-minimum': {
    clause: 'compute#list-instances/size',
    strength: 'stated',
    statement: 'Instance pages of one item can be asked for.',
  },
  'size-maximum': {
    clause: 'compute#list-instances/size',
    strength: 'stated',
    statement: 'Instance pages of 200 items can be asked for.',
  },
  'size-zero': {
    clause: 'compute#list-instances/size',
    strength: 'stated',
    statement: 'An instance list of size 0 is refused with 400 VALIDATION_ERROR.',
  },
  'size-negative': {
    clause: 'compute#list-instances/size',
    strength: 'stated',
    statement: 'An instance list of negative size is refused with 400 VALIDATION_ERROR.',
  },
  'size-above-maximum': {
    clause: 'compute#limits/page-size',
    strength: 'stated',
    statement: 'An instance list of size 201 is refused with 400 VALIDATION_ERROR.',
  },
  'size-overflow': {
    clause: 'compute#limits/page-size',
    strength: 'stated',
    statement:
      'An instance list whose size overflows 32 or 64 bits is refused with 400 VALIDATION_ERROR.',
  },
  'size-fraction': {
    clause: 'compute#list-instances/size',
    strength: 'stated',
    statement: 'An instance list of size 1.5 is refused with 400 VALIDATION_ERROR.',
  },
  'size-not-a-number': {
    clause: 'compute#list-instances/size',
    strength: 'stated',
    statement: 'An instance list whose size is a word is refused with 400 VALIDATION_ERROR.',
  },

  'status-running': {
    clause: 'compute#list-instances/status',
    strength: 'stated',
    statement: 'The status filter running gives the RUNNING instances of the full list.',
  },
  'status-stopped': {
    clause: 'compute#list-instances/status',
    strength: 'stated',
    statement: 'The status filter stopped gives the STOPPED instances of the full list.',
  },
  'status-terminated': {
    clause: 'compute#list-instances/status',
    strength: 'stated',
    statement: 'The status filter terminated gives only TERMINATED instances.',
    judged:
      'Whether the unfiltered list shows terminated instances is open; those that it shows are there.',
  },
  'status-errored': {
    clause: 'compute#list-instances/status',
    strength: 'stated',
    statement: 'The status filter errored gives the ERRORED instances of the full list.',
  },
  'status-disjoint': {
    clause: 'compute#list-instances/status',
    strength: 'stated',
    statement: 'No instance stands under two status filters at one time.',
    unprovable: 'An instance under a second status breaks that filter as well.',
  },
  'status-unknown': {
    clause: 'compute#errors/400',
    strength: 'stated',
    statement: 'A status filter that names no state at all is refused with 400 VALIDATION_ERROR.',
  },
  'status-upper-case': {
    clause: 'compute#list-instances/status',
    strength: 'implied',
    statement: 'The status filter RUNNING in upper case is refused with 400 VALIDATION_ERROR.',
  },
  'status-not-offered': {
    clause: 'compute#list-instances/status',
    strength: 'stated',
    statement:
      'A status filter that names a state beyond the four offered ones, such as stopping, is refused with 400.',
  },
  'region-filter': {
    clause: 'compute#list-instances/region',
    strength: 'stated',
    statement: 'A region code as filter gives the instances of the full list that run there.',
  },
  'region-disjoint': {
    clause: 'compute#list-instances/region',
    strength: 'stated',
    statement: 'No instance stands under two region codes.',
    unprovable: 'An instance under a second region breaks that filter as well.',
  },
  'region-unknown-empty': {
    clause: 'compute#list-instances/region',
    strength: 'stated',
    statement: 'A region that does not exist, as filter of the instance list, selects no instance.',
  },
  'region-unknown-accepted': {
    clause: 'compute#list-instances/region',
    strength: 'implied',
    statement: 'A region that does not exist, as filter of the instance list, is no error.',
  },
  'gpu-type-filter': {
    clause: 'compute#list-instances/gpu_type',
    strength: 'stated',
    statement: 'A GPU model as filter gives the instances of the full list on that model.',
  },
  'gpu-type-disjoint': {
    clause: 'compute#list-instances/gpu_type',
    strength: 'stated',
    statement: 'No instance stands under two GPU models.',
    unprovable: 'An instance under a second model breaks that filter as well.',
  },
  'gpu-type-unknown': {
    clause: 'compute#list-instances/gpu_type',
    strength: 'stated',
    statement: 'A GPU model that nobody has, as filter, selects no instance.',
  },
  'gpu-type-unknown-answer': {
    clause: 'compute#list-instances/gpu_type',
    strength: 'implied',
    statement:
      'A GPU model that nobody has, as filter, is answered with a page or refused with 400.',
  },
  'filters-combine': {
    clause: 'compute#list-instances/optional',
    strength: 'stated',
    statement: 'Several filters together give the instances that each of them gives alone.',
  },
  'free-text-full-name': {
    clause: 'compute#list-instances/free_text_search',
    strength: 'stated',
    statement: 'A search for the full name of an instance finds that instance.',
    judged: 'What counts as a match is open; of names with a word of three characters and more.',
  },
  'free-text-other-members': {
    clause: 'compute#list-instances/free_text_search',
    strength: 'stated',
    statement: 'A search for the whole GPU model of an instance finds that instance.',
    judged: 'What counts as a match is open; of models with a word of three characters and more.',
  },
  'free-text-region': {
    clause: 'compute#list-instances/free_text_search',
    strength: 'stated',
    statement: 'A search for the region of an instance finds that instance.',
    judged: 'By region codes.',
  },
  'free-text-location': {
    clause: 'compute#list-instances/free_text_search',
    strength: 'implied',
    statement: 'A search for a location that is in no name, region or GPU model finds nothing.',
    judged: 'The region of an instance is its location in two of three operations.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.location'],
  },
  'free-text-absent': {
    clause: 'compute#list-instances/free_text_search',
    strength: 'stated',
    statement: 'A search for text that is in no name, region or GPU model finds nothing.',
  },
  'free-text-signs': {
    clause: 'compute#list-instances/free_text_search',
    strength: 'implied',
    statement:
      'An instance search for nothing but signs, such as % and *, finds no instance that has none of them.',
    judged: 'Whether a search leaves signs out, and then searches for nothing at all, is open.',
  },
  'free-text-characters': {
    clause: 'compute#list-instances/free_text_search',
    strength: 'stated',
    statement: 'An instance search for quotes, brackets and backslashes is accepted.',
  },
  'free-text-maximum': {
    clause: 'compute#list-instances/free_text_search',
    strength: 'stated',
    statement: 'An instance search for 255 ASCII characters is accepted.',
  },
  'free-text-too-long': {
    clause: 'compute#limits/free-text',
    strength: 'stated',
    statement: 'An instance search for 256 ASCII characters is refused with 400 VALIDATION_ERROR.',
  },
  'odd-parameters': {
    clause: 'compute#errors/400',
    strength: 'implied',
    statement:
      'Odd parameter values (quotes, percent signs, control characters, very long, duplicated) never bring about a 5xx.',
  },
  ...listInstancesOrder,
  ...listInstancesOpen,
});
