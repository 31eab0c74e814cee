/** Combinations of filters, a sort and a search for the instance list, from values that an account has. */

import { type Arbitrary, constantFrom, option, record } from 'fast-check';

/** What an account offers to filter by. */
export interface QueryValues {
  readonly statuses: readonly string[];
  readonly regions: readonly string[];
  readonly gpuTypes: readonly string[];
  readonly sortFields: readonly string[];
}

export interface InstanceQuery {
  readonly status: string | undefined;
  readonly region: string | undefined;
  readonly gpu_type: string | undefined;
  readonly sort_field: string | undefined;
  /** Never without a field: what that does is open. */
  readonly sort_direction: string | undefined;
}

/** Each member is absent now and then. */
export function instanceQuery(values: QueryValues): Arbitrary<InstanceQuery> {
  const one = (list: readonly string[], freq: number) =>
    option(list.length === 0 ? constantFrom(undefined) : constantFrom(...list), {
      nil: undefined,
      freq,
    });
  return record({
    status: one(values.statuses, 2),
    region: one(values.regions, 3),
    gpu_type: one(values.gpuTypes, 2),
    sort_field: one(values.sortFields, 1),
    sort_direction: one(['ASC', 'DESC'], 1),
  }).map((query) =>
    query.sort_field === undefined ? { ...query, sort_direction: undefined } : query,
  );
}
