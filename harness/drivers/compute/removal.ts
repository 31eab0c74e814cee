/** Takes away again what a run made: by id, or by the exact name that it was asked for under. */

import type { ComputeBindings } from '../../../schemas/compute/target.ts';
import { isSuccess, textOf } from '../../checks/compute/records.ts';
import type { ComputeApi } from './api.ts';
import { look } from './instances.ts';
import { readInstances } from './listing.ts';

/** Pages of 200 that are searched for instances of which only the name is known. */
const SEARCHED_PAGES = 60;
const leaving: ReadonlySet<string> = new Set(['TERMINATING', 'TERMINATED']);

/** What came of a removal: `terminated` now, `gone` before, or `stays` with the reason. */
export type Removal =
  | { readonly kind: 'terminated' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'stays'; readonly reason: string };

/** Terminates an instance. Never throws: what cannot be removed stays, and the reason says why. */
export async function remove(
  api: ComputeApi,
  bindings: ComputeBindings,
  id: string,
): Promise<Removal> {
  try {
    const exchange = await api.terminate(id);
    if (isSuccess(exchange)) return { kind: 'terminated' };
    const status = exchange.response?.status;
    // 409 is given for what is terminated alone (compute#states/terminated-terminate).
    if (status === 404 || status === 409) return { kind: 'gone' };
    // A call that repeats a termination may fail until it settles: then the record tells.
    const seen = await look(api, bindings, id);
    if (seen !== undefined && leaving.has(seen.status)) return { kind: 'gone' };
    return { kind: 'stays', reason: `terminate answered ${status ?? exchange.ending}` };
  } catch (error) {
    return { kind: 'stays', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** What a search by name found. */
export interface Named {
  /** Name and id of every instance that carries one of the names, to the letter. */
  readonly found: readonly { readonly name: string; readonly id: string }[];
  /** Why the search did not see the whole list; undefined when it did. */
  readonly incomplete: string | undefined;
}

/** Searches the list for instances by name. Never throws for what the target answers. */
export async function findNamed(api: ComputeApi, names: ReadonlySet<string>): Promise<Named> {
  try {
    const { records, end } = await readInstances(api, {}, { mostPages: SEARCHED_PAGES });
    const found = records.flatMap((record) => {
      const name = textOf(record, 'name') ?? '';
      const id = textOf(record, 'instance_id') ?? '';
      return id !== '' && names.has(name) ? [{ name, id }] : [];
    });
    return { found, incomplete: end === 'last-page' ? undefined : `the list ended with ${end}` };
  } catch (error) {
    return { found: [], incomplete: error instanceof Error ? error.message : String(error) };
  }
}
