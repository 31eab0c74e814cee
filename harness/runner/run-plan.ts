/** What the command hands to the process that runs the suites. Plain data: it crosses a process boundary. */

import type { Target } from '../../schemas/target.ts';
import type { Shard } from './shards.ts';

export interface PlannedTarget {
  readonly target: Target;
  /** Secrets by the name that stands in the target for them. They cross in memory and are never written. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Folder in which hooks and provision commands run. */
  readonly folder: string;
}

export interface RunPlan {
  readonly runId: string;
  readonly targets: readonly PlannedTarget[];
  readonly seed: number;
  /** Values that a property of weight 1 tries. */
  readonly runs: number;
  /** True for a run that may wait a minute for what has no stated time. */
  readonly thorough?: boolean | undefined;
  readonly only: readonly string[];
  readonly section?: string | undefined;
  readonly profile?: string | undefined;
  /** Where instances that the run makes are written down. */
  readonly journal: string;
  readonly replay?: { readonly property: string; readonly path: string } | undefined;
  /** The part of the run that this is, when other processes run the others. */
  readonly shard?: Shard | undefined;
}

declare module 'vitest' {
  interface ProvidedContext {
    plumbline: RunPlan;
  }
}
