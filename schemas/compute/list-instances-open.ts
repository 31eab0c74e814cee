/** Entries of the instance list on what the contract leaves open. */

import type { ComputeNeed } from './needs.ts';
import type { RequirementEntry } from '../requirement.ts';
import type { ComputeClause } from './clauses.ts';

export const listInstancesOpen = {
  'terminated-listed': {
    clause: 'compute#list-instances',
    strength: 'open',
    statement: 'Whether the unfiltered list shows terminated instances.',
  },
  'direction-without-field': {
    clause: 'compute#list-instances/sort_direction',
    strength: 'open',
    statement: 'What a direction does to the instance list when no sort field is given.',
  },
  'enum-case': {
    clause: 'compute#list-instances/sort_field',
    strength: 'open',
    statement:
      'What the instance list does with sort fields, directions and regions in another case.',
  },
  'date-begin-after-end': {
    clause: 'compute#list-instances/date_range_begin',
    strength: 'open',
    statement: 'What the instance list does when the begin date lies after the end date.',
  },
  'date-partial': {
    clause: 'compute#list-instances/date_range_begin',
    strength: 'open',
    statement: 'What the instance list does with dates without a time or without an offset.',
  },
  'unknown-parameter': {
    clause: 'compute#list-instances/optional',
    strength: 'open',
    statement: 'What the instance list does with a parameter that it does not know.',
  },
  'empty-parameter': {
    clause: 'compute#list-instances/optional',
    strength: 'open',
    statement: 'What the instance list does with parameters whose value is empty.',
  },
  'repeated-parameter': {
    clause: 'compute#list-instances/optional',
    strength: 'open',
    statement: 'What the instance list does with a parameter that is given twice.',
  },
  'size-spelling': {
    clause: 'compute#list-instances/size',
    strength: 'open',
    statement: 'What the instance list does with sizes spelled 010, +10, 1e1 or 10.0.',
  },
  'free-text-match': {
    clause: 'compute#list-instances/free_text_search',
    strength: 'open',
    statement:
      'Whether an instance search minds case, finds parts of words, and finds regions and GPU models.',
  },
  'free-text-length-unit': {
    clause: 'compute#limits/free-text',
    strength: 'open',
    statement: 'Whether the length of a search counts bytes, UTF-16 units or code points.',
  },
} as const satisfies Readonly<Record<string, RequirementEntry<ComputeClause, ComputeNeed>>>;
