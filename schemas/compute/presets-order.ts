/** Entries of the preset list on order. */

import type { ComputeNeed } from './needs.ts';
import type { RequirementEntry } from '../requirement.ts';
import type { ComputeClause } from './clauses.ts';

const items = ['bindings.presets.items'] as const;
const region = ['bindings.presets.items', 'bindings.presets.fields.region'] as const;

export const presetsOrder = {
  'sort-region': {
    clause: 'compute#presets/sort_field',
    strength: 'stated',
    statement: 'Presets can be sorted by region in both directions.',
    needs: region,
  },
  'sort-location': {
    clause: 'compute#presets/sort_field',
    strength: 'stated',
    statement: 'Presets can be sorted by location in both directions.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.location'],
  },
  'sort-gpu': {
    clause: 'compute#presets/sort_field',
    strength: 'stated',
    statement: 'Presets can be sorted by GPU model in both directions.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.gpu'],
  },
  'sort-cpu': {
    clause: 'compute#presets/sort_field',
    strength: 'stated',
    statement: 'Presets can be sorted by CPU in both directions, as numbers.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.cpu'],
  },
  'sort-memory': {
    clause: 'compute#presets/sort_field',
    strength: 'stated',
    statement: 'Presets can be sorted by memory in both directions, as numbers.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.memory'],
  },
  'sort-storage': {
    clause: 'compute#presets/sort_field',
    strength: 'stated',
    statement: 'Presets can be sorted by storage in both directions, as numbers.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.storage'],
  },
  'sort-hourly-price': {
    clause: 'compute#presets/sort_field',
    strength: 'stated',
    statement: 'Presets can be sorted by hourly price in both directions, as numbers.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.price'],
  },
  'sort-id': {
    clause: 'compute#presets/sort_field',
    strength: 'stated',
    statement: 'Presets can be sorted by id in both directions.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.id'],
  },
  'sort-reverse': {
    clause: 'compute#presets/sort_direction',
    strength: 'stated',
    statement: 'Ascending presets are descending ones in reverse, but for ties.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.price'],
    unprovable: 'Directions that disagree break the order of some sort field as well.',
  },
  'sort-default-direction': {
    clause: 'compute#presets/sort_direction',
    strength: 'stated',
    statement: 'Presets sorted without a direction come in ascending order.',
    needs: ['bindings.presets.items', 'bindings.presets.fields.price'],
  },
  'sort-keeps-items': {
    clause: 'compute#presets/sort_field',
    strength: 'stated',
    statement: 'Sorting presets neither adds nor drops any.',
    needs: items,
  },
  'direction-ignored': {
    clause: 'compute#presets/sort_direction/ignored',
    strength: 'stated',
    statement: 'A direction without a sort field does not change the order of the presets.',
    needs: items,
  },
  'default-order-stable': {
    clause: 'compute#presets/sort_field/default',
    strength: 'stated',
    statement: 'Two reads of the presets without a sort field give the same order.',
    needs: items,
  },
  'sort-field-unknown': {
    clause: 'compute#errors/400',
    strength: 'stated',
    statement: 'A sort field that presets do not have is refused with 400 VALIDATION_ERROR.',
  },
  'sort-direction-unknown': {
    clause: 'compute#errors/400',
    strength: 'stated',
    statement:
      'A direction other than ASC and DESC, beside a sort field of presets, is refused with 400 VALIDATION_ERROR.',
  },
} as const satisfies Readonly<Record<string, RequirementEntry<ComputeClause, ComputeNeed>>>;
