/** What a benchmark is: something that measures for a bounded time and tells it in tables. */

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How to read it, a sentence each. */
  readonly notes?: readonly string[];
}

/** What the runner gives to each benchmark. */
export interface BenchContext {
  /** An empty folder of its own, removed at the end. */
  readonly scratch: string;
  /** Says what is being done, for who waits. */
  readonly tell: (what: string) => void;
  /** Milliseconds that are left of what the whole command may take. */
  readonly remainingMs: () => number;
}

export interface Benchmark {
  /** For `--only`. */
  readonly name: string;
  readonly measure: (context: BenchContext) => Promise<readonly Table[]>;
}
