/** Entries of the instance list on date windows and on order. */

import type { ComputeNeed } from './needs.ts';
import type { RequirementEntry } from '../requirement.ts';
import type { ComputeClause } from './clauses.ts';

export const listInstancesOrder = {
  'newest-first': {
    clause: 'compute#list-instances/order',
    strength: 'stated',
    statement: 'The default order of instances is by creation, the newest first.',
    judged:
      'Creation is not in the record: the windows from an instant on are prefixes of the default list.',
  },
  'newest-first-later-pages': {
    clause: 'compute#list-instances/sort_field/default',
    strength: 'stated',
    statement: 'Newest first also holds from one page to the next.',
  },
  'newest-first-filtered': {
    clause: 'compute#list-instances/sort_field/default',
    strength: 'stated',
    statement: 'What a filter or a search selects comes newest first as well.',
    judged: 'Against the order of the default list; what was created together may stand anyhow.',
  },
  'newest-first-lasts': {
    clause: 'compute#list-instances/sort_field/default',
    strength: 'stated',
    statement:
      'An instance that is stopped, and started again, does not come before those that were created after it.',
    needs: ['instances.provision', 'consent.stop'],
  },
  'date-begin': {
    clause: 'compute#list-instances/date_range_begin',
    strength: 'stated',
    statement:
      'A begin date gives the first part of the default list, and never less for an earlier date.',
  },
  'date-begin-inclusive': {
    clause: 'compute#list-instances/date_range_begin',
    strength: 'stated',
    statement: 'An instance created exactly at the begin date is within it.',
    judged:
      'Begin and end at one instant leave no instance of the list out; where one is in both, its instant was met. Bounds that meet between two seconds may read dates to the second.',
  },
  'date-end': {
    clause: 'compute#list-instances/date_range_end',
    strength: 'stated',
    statement:
      'An end date gives the last part of the default list, and never less for a later date.',
  },
  'date-end-inclusive': {
    clause: 'compute#list-instances/date_range_end',
    strength: 'stated',
    statement: 'An instance created exactly at the end date is within it.',
  },
  'date-window': {
    clause: 'compute#list-instances/date_range_end',
    strength: 'stated',
    statement: 'Begin and end together give the instances that are in both windows.',
  },
  'date-begin-future': {
    clause: 'compute#list-instances/date_range_begin',
    strength: 'stated',
    statement: 'A begin date far in the future selects no instance.',
  },
  'date-end-past': {
    clause: 'compute#list-instances/date_range_end',
    strength: 'stated',
    statement: 'An end date before the service existed selects no instance.',
  },
  'date-of-creation': {
    clause: 'compute#list-instances/date_range_begin',
    strength: 'implied',
    statement:
      'An instance made in this run is among those created between yesterday and tomorrow.',
    judged: 'Where a list that was read to its end before did not have it.',
    needs: ['instances.provision', 'consent.stop'],
  },
  'date-invalid': {
    clause: 'compute#errors/400',
    strength: 'stated',
    statement: 'A begin or end date that is no date at all is refused with 400 VALIDATION_ERROR.',
    judged: 'Text, a month 13, a day 0, an hour 25 and the like; the 30th of February is let be.',
  },
  'date-offset': {
    clause: 'compute#list-instances/date_range_begin',
    strength: 'implied',
    statement: 'One instant written with different UTC offsets selects the same instances.',
  },
  'sort-name': {
    clause: 'compute#list-instances/sort_field',
    strength: 'stated',
    statement: 'Instances can be sorted by name in both directions.',
  },
  'sort-gpu-type': {
    clause: 'compute#list-instances/sort_field',
    strength: 'stated',
    statement: 'Instances can be sorted by GPU model in both directions.',
  },
  'sort-size': {
    clause: 'compute#list-instances/sort_field',
    strength: 'stated',
    statement: 'Instances can be sorted by size; both directions agree with each other.',
  },
  'sort-region': {
    clause: 'compute#list-instances/sort_field',
    strength: 'stated',
    statement: 'Instances can be sorted by region in both directions.',
  },
  'sort-hourly-rate': {
    clause: 'compute#list-instances/sort_field',
    strength: 'stated',
    statement: 'Instances can be sorted by hourly rate in both directions, as numbers.',
  },
  'sort-current-cost': {
    clause: 'compute#list-instances/sort_field',
    strength: 'stated',
    statement: 'Instances can be sorted by current cost in both directions, as numbers.',
  },
  'sort-status': {
    clause: 'compute#list-instances/sort_field',
    strength: 'stated',
    statement: 'Instances can be sorted by status; both directions agree with each other.',
  },
  'sort-reverse': {
    clause: 'compute#list-instances/sort_direction',
    strength: 'stated',
    statement: 'Ascending instances are descending ones in reverse, but for ties.',
    unprovable: 'Directions that disagree break the order of some sort field as well.',
  },
  'sort-default-direction': {
    clause: 'compute#list-instances/sort_direction',
    strength: 'stated',
    statement: 'Instances sorted without a direction come in descending order.',
  },
  'sort-keeps-items': {
    clause: 'compute#list-instances/sort_field',
    strength: 'stated',
    statement: 'Sorting instances neither adds nor drops any.',
  },
  'sort-field-unknown': {
    clause: 'compute#errors/400',
    strength: 'stated',
    statement: 'A sort field that instances do not have is refused with 400 VALIDATION_ERROR.',
  },
  'sort-direction-unknown': {
    clause: 'compute#errors/400',
    strength: 'stated',
    statement:
      'A direction other than ASC and DESC, beside a sort field of instances, is refused with 400 VALIDATION_ERROR.',
  },
} as const satisfies Readonly<Record<string, RequirementEntry<ComputeClause, ComputeNeed>>>;
