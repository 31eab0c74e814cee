/** What `plumbline run` is told. */

import type { RunPlan } from '../runner/selection.ts';

export interface RunOptions {
  readonly only: readonly string[];
  readonly section?: string;
  readonly profile?: string;
  readonly seed?: number;
  readonly runs: number;
  readonly depth: 'quick' | 'standard' | 'thorough';
  readonly out: string;
  readonly strict: boolean;
  readonly deviations?: string;
  /** Percentage of the stated requirements within reach that must be decided. */
  readonly decided?: number;
  readonly shard?: { readonly index: number; readonly count: number };
  readonly reporter: readonly string[];
  readonly json: boolean;
  /** A counterexample to go straight to; `plumbline replay` sets it. */
  readonly replay?: RunPlan['replay'];
}

/** Report forms that `--reporter` names, beside `conformance.json`, which is always written. */
export const reporterNames = ['html', 'markdown', 'junit', 'badge', 'ctrf', 'allure'] as const;
