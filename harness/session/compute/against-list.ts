/** What is told of an instance elsewhere, held against the list just before and just after it. */

import { type Judgement, together } from '../../checks/judgement.ts';
import type { ComputeContext } from './context.ts';
import type { Sighting } from './instances.ts';

/** Rounds in each of which what is read must differ from the list. */
const ROUNDS = 4;

/**
 * Owners rename, and a price may move there and back between two looks: only what stays wrong is wrong. Undefined where
 * the list does not show the instance, or `read` finds nothing.
 */
export async function againstList<T>(
  t: Pick<ComputeContext, 'lookInList'>,
  id: string,
  read: () => Promise<T | undefined>,
  judge: (found: T, before: Sighting, after: Sighting) => readonly Judgement[],
): Promise<Judgement | undefined> {
  for (let round = 1; ; round += 1) {
    const before = await t.lookInList(id);
    const found = await read();
    const after = await t.lookInList(id);
    if (before === undefined || after === undefined || found === undefined) return undefined;
    const judgement = together(...judge(found, before, after));
    if (judgement.violations.length === 0 || round === ROUNDS) return judgement;
  }
}
