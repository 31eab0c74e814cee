/** The order in which presets come, whoever reads them. */

import { presetNames } from '../../checks/compute/presets.ts';
import { stableOrder } from '../../checks/collection/walk.ts';
import type { Judgement } from '../../checks/judgement.ts';
import type { ComputeContext } from './context.ts';
import type { Listing } from '../collection/reading.ts';

/** Reads of one list in a row come in one order, whatever of the presets moves meanwhile. */
export function inOneOrder(
  { bindings }: Pick<ComputeContext, 'bindings'>,
  ...reads: readonly Listing[]
): Judgement {
  const named = reads.map(({ records }) => presetNames(records, bindings));
  const seen = reads.map((read, index) => ({ ...read, ids: named[index] ?? read.ids }));
  return stableOrder(seen, !named.includes(undefined));
}
