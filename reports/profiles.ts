/** Levels of a contract: which of them a target reached. */

import type { RequirementResult, TargetResult } from '../schemas/report.ts';

export interface Profile {
  readonly name: string;
  /** Ids of the stated requirements that decide whether it is met. */
  readonly stated: readonly string[];
}

/**
 * A profile is met only when each of its stated requirements was exercised and held. One that this run left
 * out counts as not held: a part of a contract cannot stand for the whole.
 */
export function profilesOf(
  profiles: readonly Profile[] | undefined,
  results: readonly RequirementResult[],
): Pick<TargetResult, 'profiles'> {
  if (profiles === undefined) return {};
  const byId = new Map(results.map((result) => [result.id, result]));
  return {
    profiles: profiles.map(({ name, stated }) => {
      const held = stated.filter((id) => byId.get(id)?.verdict === 'passed').length;
      return { name, met: stated.length > 0 && held === stated.length, held, total: stated.length };
    }),
  };
}
