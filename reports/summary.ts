/** Honest counts: every selected requirement is in a total, whatever became of it. */

import type { RequirementResult, Summary, Verdict } from '../schemas/report.ts';
import type { Strength } from '../schemas/requirement.ts';

/** Counts the results of one target. */
export function summarise(results: readonly RequirementResult[], notSelected: number): Summary {
  const count = (strength: Strength, verdict: Verdict) =>
    results.filter((result) => result.strength === strength && result.verdict === verdict).length;
  const total = (strength: Strength) =>
    results.filter((result) => result.strength === strength).length;
  const judged = (strength: Strength) => ({
    total: total(strength),
    passed: count(strength, 'passed'),
    failed: count(strength, 'failed'),
    notExercised: count(strength, 'not-exercised'),
    inconclusive: count(strength, 'inconclusive'),
    waived: count(strength, 'waived'),
    error: count(strength, 'error'),
  });
  return {
    stated: judged('stated'),
    implied: { ...judged('implied'), warned: count('implied', 'warned') },
    open: {
      total: total('open'),
      observed: count('open', 'observed'),
      notExercised: count('open', 'not-exercised'),
      inconclusive: count('open', 'inconclusive'),
      error: count('open', 'error'),
    },
    notSelected,
  };
}
