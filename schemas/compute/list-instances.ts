/** The parameters of the instance list, and the requirements on its pages, sizes, filters and invalid values. */

import { clause, cited, excluded, stated, implied, open, section } from '../requirement.ts';
import { running, stopped } from './needs.ts';

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

export const listInstances = section('compute', 'list-instances', [
  clause('list-instances', 'GET /instances, cursor-paginated list of own instances', {
    'own-listed': stopped.stated.universal(
      'The unfiltered list holds an instance whose stop is accepted, and one that lives.',
      {
        judged:
          'Where the list is read to its end, and lacks it time and again, or twice between lists that show it alive.',
        hasCases: true,
      },
    ),
    'terminated-listed': open('Whether the unfiltered list shows terminated instances.'),
  }),
  clause('list-instances/order', 'GET /instances, newest first', {
    'newest-first': stated('The default order of instances is by creation, the newest first.', {
      judged:
        'Creation is not in the record: the windows from an instant on are prefixes of the default list.',
    }),
  }),
  clause('list-instances/optional', 'GET /instances, parameters are optional', {
    'parameters-optional': stated('The instance list is answered without any parameter at all.', {
      unprovable: 'A list that refuses to be read bare breaks every case that reads it.',
    }),
    'filters-combine': stated(
      'Several filters together give the instances that each of them gives alone.',
    ),
    'unknown-parameter': open(
      'What the instance list does with a parameter that it does not know.',
    ),
    'empty-parameter': open('What the instance list does with parameters whose value is empty.'),
    'repeated-parameter': open('What the instance list does with a parameter that is given twice.'),
  }),
  excluded(
    'list-instances/cursor/clients',
    'GET /instances, row cursor, last sentence',
    'Advice to clients.',
  ),
  clause('list-instances/size', 'GET /instances, row size', {
    'size-default': stated('Without a size, a page of instances is made for 50 items.'),
    'size-minimum': stated('Instance pages of one item can be asked for.'),
    'size-maximum': stated('Instance pages of 200 items can be asked for.'),
    'size-zero': stated('An instance list of size 0 is refused with 400 VALIDATION_ERROR.'),
    'size-negative': stated(
      'An instance list of negative size is refused with 400 VALIDATION_ERROR.',
    ),
    'size-fraction': stated('An instance list of size 1.5 is refused with 400 VALIDATION_ERROR.'),
    'size-not-a-number': stated(
      'An instance list whose size is a word is refused with 400 VALIDATION_ERROR.',
    ),
    'size-spelling': open('What the instance list does with sizes spelled 010, +10, 1e1 or 10.0.'),
  }),
  clause('list-instances/status', 'GET /instances, row status', {
    'status-running': stated(
      'The status filter running gives the RUNNING instances of the full list.',
    ),
    'status-stopped': stated(
      'The status filter stopped gives the STOPPED instances of the full list.',
    ),
    'status-terminated': stated('The status filter terminated gives only TERMINATED instances.', {
      judged:
        'Whether the unfiltered list shows terminated instances is open; those that it shows are there.',
    }),
    'status-errored': stated(
      'The status filter errored gives the ERRORED instances of the full list.',
    ),
    'status-disjoint': stated('No instance stands under two status filters at one time.', {
      unprovable: 'An instance under a second status breaks that filter as well.',
    }),
    'status-upper-case': implied(
      'The status filter RUNNING in upper case is refused with 400 VALIDATION_ERROR.',
    ),
    'status-not-offered': stated(
      'A status filter that names a state beyond the four offered ones, such as stopping, is refused with 400.',
    ),
  }),
  clause('list-instances/region', 'GET /instances, row region', {
    'region-filter': stated(
      'A region code as filter gives the instances of the full list that run there.',
    ),
    'region-disjoint': stated('No instance stands under two region codes.', {
      unprovable: 'An instance under a second region breaks that filter as well.',
    }),
    'region-unknown-empty': stated(
      'A region that does not exist, as filter of the instance list, selects no instance.',
    ),
    'region-unknown-accepted': implied(
      'A region that does not exist, as filter of the instance list, is no error.',
    ),
  }),
  clause('list-instances/gpu_type', 'GET /instances, row gpu_type', {
    'gpu-type-filter': stated(
      'A GPU model as filter gives the instances of the full list on that model.',
    ),
    'gpu-type-disjoint': stated('No instance stands under two GPU models.', {
      unprovable: 'An instance under a second model breaks that filter as well.',
    }),
    'gpu-type-unknown': stated('A GPU model that nobody has, as filter, selects no instance.'),
    'gpu-type-unknown-answer': implied(
      'A GPU model that nobody has, as filter, is answered with a page or refused with 400.',
    ),
  }),
  clause('list-instances/date_range_begin', 'GET /instances, row date_range_begin', {
    'date-begin': stated(
      'A begin date gives the first part of the default list, and never less for an earlier date.',
    ),
    'date-begin-inclusive': stated('An instance created exactly at the begin date is within it.', {
      judged:
        'Begin and end at one instant leave no instance of the list out; where one is in both, its instant was met. Bounds that meet between two seconds may read dates to the second.',
    }),
    'date-begin-future': stated('A begin date far in the future selects no instance.'),
    'date-of-creation': running.implied(
      'An instance made in this run is among those created about now.',
      {
        judged:
          'From an hour and a half ago to three quarters of an hour from now, where a list that was read to its end before did not have it.',
      },
    ),
    'date-offset': implied(
      'One instant written with different UTC offsets, or more digits of the second, selects the same instances.',
    ),
    'date-begin-after-end': open(
      'What the instance list does when the begin date lies after the end date.',
    ),
    'date-partial': open(
      'What the instance list does with dates without a time or without an offset.',
    ),
  }),
  clause('list-instances/date_range_end', 'GET /instances, row date_range_end', {
    'date-end': stated(
      'An end date gives the last part of the default list, and never less for a later date.',
    ),
    'date-end-inclusive': stated('An instance created exactly at the end date is within it.'),
    'date-window': stated('Begin and end together give the instances that are in both windows.'),
    'date-end-past': stated('An end date before the service existed selects no instance.'),
  }),
  clause('list-instances/free_text_search', 'GET /instances, row free_text_search', {
    'free-text-full-name': stated(
      'A search for the full name of an instance finds that instance.',
      {
        judged:
          'What counts as a match is open; of names with a word of three characters and more.',
      },
    ),
    'free-text-other-members': stated(
      'A search for the whole GPU model of an instance finds that instance.',
      {
        judged:
          'What counts as a match is open; of models with a word of three characters and more.',
      },
    ),
    'free-text-region': stated('A search for the region of an instance finds that instance.', {
      judged: 'By region codes.',
    }),
    'free-text-location': implied(
      'A search for a location that is in no name, region or GPU model finds nothing.',
      {
        judged: 'The region of an instance is its location in two of three operations.',
        needs: ['bindings.presets.items', 'bindings.presets.fields.location'],
      },
    ),
    'free-text-absent': stated(
      'A search for text that is in no name, region or GPU model finds nothing.',
    ),
    'free-text-signs': implied(
      'An instance search for nothing but signs, such as % and *, finds no instance that has none of them.',
      {
        judged: 'Whether a search leaves signs out, and then searches for nothing at all, is open.',
      },
    ),
    'free-text-characters': stated(
      'An instance search for quotes, brackets, backslashes and letters outside ASCII is accepted.',
    ),
    'free-text-maximum': stated('An instance search for 255 ASCII characters is accepted.'),
    'free-text-match': open(
      'Whether an instance search minds case, finds parts of words, and finds regions and GPU models.',
    ),
  }),
  clause('list-instances/sort_field', 'GET /instances, row sort_field', {
    'sort-name': stated('Instances can be sorted by name in both directions.'),
    'sort-gpu-type': stated('Instances can be sorted by GPU model in both directions.'),
    'sort-size': stated('Instances can be sorted by size; both directions agree with each other.'),
    'sort-region': stated('Instances can be sorted by region in both directions.'),
    'sort-hourly-rate': stated(
      'Instances can be sorted by hourly rate in both directions, as numbers.',
    ),
    'sort-current-cost': stated(
      'Instances can be sorted by current cost in both directions, as numbers.',
    ),
    'sort-status': stated(
      'Instances can be sorted by status; both directions agree with each other.',
    ),
    'sort-keeps-items': stated('Sorting instances neither adds nor drops any.'),
    'enum-case': open(
      'What the instance list does with sort fields, directions and regions in another case.',
    ),
  }),
  clause('list-instances/sort_field/default', 'GET /instances, row sort_field, default order', {
    'newest-first-later-pages': stated('Newest first also holds from one page to the next.'),
    'newest-first-filtered': stated(
      'What a filter or a search selects comes newest first as well.',
      {
        judged:
          'Against the order of the default list; what was created together may stand anyhow.',
      },
    ),
    'newest-first-lasts': running.stated(
      'An instance that is stopped, and started again, does not come before those that were created after it.',
    ),
  }),
  clause('list-instances/sort_direction', 'GET /instances, row sort_direction', {
    'sort-reverse': stated('Ascending instances are descending ones in reverse, but for ties.', {
      unprovable: 'Directions that disagree break the order of some sort field as well.',
    }),
    'sort-default-direction': stated(
      'Instances sorted without a direction come in descending order.',
    ),
    'direction-without-field': open(
      'What a direction does to the instance list when no sort field is given.',
    ),
  }),
  clause('list-instances/response', 'GET /instances, response 200', {
    'answers-200': stated.universal('The instance list is answered with 200.'),
    'data-array': stated.universal('A page of instances is an object whose data is a list.'),
  }),
  excluded(
    'list-instances/errors',
    'GET /instances, error responses',
    'A list of pointers to the error table, whose rows are judged there.',
  ),
  clause('limits/page-size', 'Limits, row page size', {
    'size-above-maximum': stated(
      'An instance list of size 201 is refused with 400 VALIDATION_ERROR.',
    ),
    'size-overflow': stated(
      'An instance list whose size overflows 32 or 64 bits is refused with 400 VALIDATION_ERROR.',
    ),
  }),
  clause('limits/free-text', 'Limits, row free-text search length', {
    'free-text-too-long': stated(
      'An instance search for 256 ASCII characters is refused with 400 VALIDATION_ERROR.',
    ),
    'free-text-length-unit': open(
      'Whether the length of a search counts bytes, UTF-16 units or code points.',
    ),
  }),
  cited('errors/400', {
    'status-unknown': stated(
      'A status filter that names no state at all is refused with 400 VALIDATION_ERROR.',
    ),
    'odd-parameters': implied(
      'Odd parameter values (quotes, percent signs, control characters, very long, duplicated) never bring about a 5xx.',
    ),
    'date-invalid': stated(
      'A begin or end date that is no date at all is refused with 400 VALIDATION_ERROR.',
      {
        judged:
          'Text, a month 13, a day 0, an hour 25 and the like; the 30th of February is let be.',
      },
    ),
    'date-timestamp': implied('Unix seconds as a date are refused with 400 VALIDATION_ERROR.'),
    'sort-field-unknown': stated(
      'A sort field that instances do not have is refused with 400 VALIDATION_ERROR.',
    ),
    'sort-direction-unknown': stated(
      'A direction other than ASC and DESC, beside a sort field of instances, is refused with 400 VALIDATION_ERROR.',
    ),
  }),
]);
