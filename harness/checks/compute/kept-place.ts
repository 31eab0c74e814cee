/** Newest first goes by creation, which nothing that happens to an instance later changes. */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, violated } from '../judgement.ts';

/** The instances that stood ahead of one in a list and stand behind it in a later list: it was moved ahead of them. */
export function overtaken(
  id: string,
  before: readonly string[],
  after: readonly string[],
): readonly string[] {
  const [from, to] = [before.indexOf(id), after.indexOf(id)];
  if (from === -1 || to === -1) return [];
  const behind = new Set(after.slice(to + 1));
  return before.slice(0, from).filter((other) => behind.has(other));
}

/** An instance was moved ahead of a newer one. */
export function movedAhead(
  id: string,
  other: string,
  since: string,
  ...exchanges: readonly Exchange[]
): Judgement {
  return violated(
    `An instance changed its place in the default order ${since}.`,
    { expected: `${other} before ${id}, as it was`, actual: `${id} before ${other}` },
    ...exchanges,
  );
}
