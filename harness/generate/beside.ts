/** Good values of every parameter but one: a rule may be forgotten where something else is asked for. */

import type { ComputeBindings } from '../../schemas/compute/target.ts';

type Query = Readonly<Record<string, string>>;

const besideInstances: Query = {
  status: 'running',
  region: 'US',
  gpu_type: 'H100',
  date_range_begin: '2020-01-01T00:00:00Z',
  date_range_end: '2090-01-01T00:00:00Z',
  free_text_search: 'a',
  sort_field: 'NAME',
  sort_direction: 'ASC',
};

/** A query for the instance list beside good values of all that it leaves out. */
export function amongInstanceFilters<Q extends Query>(query: Q): Query & Q {
  return { ...besideInstances, ...query };
}

/** A query for the presets beside good values of all that it leaves out, as far as bindings name the parameters. */
export function amongPresetFilters<Q extends Query>(
  query: Q,
  { presets }: ComputeBindings,
): Query & Q {
  const { sku, freeText } = presets?.filters ?? {};
  return {
    region: 'US',
    ...(sku === undefined ? {} : { [sku]: 'h100' }),
    ...(freeText === undefined ? {} : { [freeText]: 'a' }),
    sort_field: 'ID',
    sort_direction: 'ASC',
    ...query,
  };
}
