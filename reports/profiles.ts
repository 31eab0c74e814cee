/** Levels of a contract: which of them a target reached. */

import type { RequirementResult, TargetResult } from '../schemas/report.ts';

export interface Profile {
  readonly name: string;
  /** Ids of the requirements that belong to it. */
  readonly requirements: readonly string[];
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
    profiles: profiles.map(({ name, requirements }) => {
      const asked = requirements.filter((id) => (byId.get(id)?.strength ?? 'stated') === 'stated');
      const held = asked.filter((id) => byId.get(id)?.verdict === 'passed').length;
      return { name, met: asked.length > 0 && held === asked.length, held, total: asked.length };
    }),
  };
}
