/**
 * Puts mutants before the suite: each before a few of the cases that pass through it; what lives before all of these,
 * several mutants at a time; and what is found there, one by one again.
 */

import type { Contract } from '../../schemas/requirement.ts';
import type { FurtherDeployment } from '../contract.ts';
import type { Mutated } from './instrument.ts';
import { MutantPool } from './mutant-pool.ts';
import { recorded } from './recording.ts';
import { type MutantVerdict, Trial } from './trial.ts';

export interface MutantRunOptions {
  readonly contract: Contract;
  /** Values that a property of weight 1 tries. */
  readonly runs: number;
  readonly threads: number;
  /** Conforming deployments in which some mutants show that live in the usual one. */
  readonly further: readonly FurtherDeployment[];
  /** Whether what the cases that reach a mutant do not find meets the whole suite. */
  readonly whole: boolean;
  /** After this no further mutant is begun. */
  readonly untilMs: number;
  readonly onRecorded: (cases: number, reached: number) => void;
  readonly onVerdict: (verdict: MutantVerdict, done: number, total: number) => void;
}

/** Whole runs of conforming deployments take seconds; this is far from that, also where several share a processor. */
const LONGEST_MS = 180_000;

/** Verdicts of those that time sufficed for. Throws when the unchanged reference is found at fault. */
export async function runMutants(
  { folder, mutants }: Mutated,
  options: MutantRunOptions,
): Promise<readonly MutantVerdict[]> {
  const pool = new MutantPool({ ...options, folder, longestMs: LONGEST_MS });
  try {
    const recording = await recorded(pool);
    options.onRecorded(recording.costs.length, recording.reached);
    const verdicts: MutantVerdict[] = [];
    const trial = new Trial({
      pool,
      recording,
      whole: options.whole,
      further: (mutant) => furtherJobs(options.further, mutant.file, recording.titles),
      tell: (verdict) => {
        verdicts.push(verdict);
        options.onVerdict(verdict, verdicts.length, mutants.length);
      },
    });
    const inTime = (): boolean => performance.now() < options.untilMs;
    await pool.each(mutants, async (mutant) => {
      if (inTime()) await trial.first(mutant);
    });
    while (trial.hasLiving && inTime()) {
      await pool.each(trial.takeLiving(), async (group) => {
        if (inTime()) await trial.together(group);
      });
    }
    return verdicts;
  } finally {
    await pool.close();
  }
}

/** Jobs for a mutant that lives, besides those before the usual deployment; `titles` are those of the cases, by position. */
function furtherJobs(
  deployments: readonly FurtherDeployment[],
  file: string,
  titles: readonly string[],
) {
  return deployments
    .filter(({ files }) => files.includes(file))
    .map(({ variant, titles: meant }) => ({
      variant,
      cases: [...titles.keys()].filter((at) => meant.test(titles[at] ?? '')),
    }));
}
