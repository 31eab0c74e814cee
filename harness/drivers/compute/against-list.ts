/** What is told of an instance elsewhere, held against the list just before and just after it. */

import { type Judgement, together } from '../../checks/judgement.ts';
import type { ComputeContext } from './context.ts';
import type { Sighting } from './instances.ts';
import { eventually, type Wait, waits } from '../../runner/retry.ts';

/**
 * Owners rename, a price may move there and back between two looks, and a list may be a copy that is behind: only what
 * stays wrong is wrong. Undefined where the list does not show the instance, or `read` finds nothing.
 */
export async function againstList<T>(
  t: Pick<ComputeContext, 'lookInList' | 'signal'>,
  id: string,
  read: () => Promise<T | undefined>,
  judge: (found: T, before: Sighting, after: Sighting) => readonly Judgement[],
  wait: Wait = waits.copyCatchesUp,
): Promise<Judgement | undefined> {
  return eventually(t, wait, async () => {
    const before = await t.lookInList(id);
    const found = await read();
    const after = await t.lookInList(id);
    if (before === undefined || after === undefined || found === undefined) return undefined;
    return together(...judge(found, before, after));
  });
}
