/** The interface of a contract's descriptor, and of the modules that it loads on demand. */

import type { Target } from '../../schemas/target.ts';
import type { Checkup, ReportResult } from '../drivers/checkup/lines.ts';
import type { Connection } from '../drivers/connection.ts';
import type { Journal, Leftover, Swept } from '../drivers/journal.ts';
import type { OnExchange } from '../exchange/client.ts';
import type { RepeatPolicy } from '../exchange/repeating.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Exporter } from '../export/openapi.ts';
import type { TrafficModule } from '../passive/followers.ts';
import type { ReferenceModule } from './references.ts';
import type { RunnableSession } from '../runner/run-case.ts';
import type { PlannedTarget, RunPlan } from '../runner/selection.ts';
import type { Wait } from '../runner/waits.ts';
import type { Known } from '../target/draft.ts';
import type { Explained } from '../target/explain-issue.ts';
import type { Keyring } from '../target/keys.ts';
import type { MissingNeed } from '../target/offers.ts';
import type { Problem } from '../target/problem.ts';

/** The form of a deployment's base URL. */
interface Address {
  readonly example: string;
  /** How the path must end, as a hint for a wrong base URL. */
  readonly ending: string;
  /** The problem with a path and the right path; undefined for a valid path. */
  problem(path: string): { readonly problem: string; readonly right: string } | undefined;
}

/** A read that every deployment of the contract answers. */
export interface Probe {
  readonly path: string;
  readonly query: string;
  readonly shows: string;
  readonly isShown: (exchange: Exchange) => boolean;
}

type PlannedFor<T> = PlannedTarget & { readonly target: T };

/** Finds and removes instances that the suite creates on a deployment and must not leave there. */
interface InstanceKeeping<T extends Target> {
  areMade(target: T): boolean;
  mayBeRemoved(target: T): boolean;
  /** The instances with a name from the suite that are not terminated. Throws if the list cannot be read completely. */
  search(planned: PlannedFor<T>, signal: AbortSignal): Promise<readonly Leftover[]>;
  remove(
    planned: PlannedFor<T>,
    leftovers: readonly Leftover[],
    journal: Journal,
    signal: AbortSignal,
  ): Promise<readonly Swept[]>;
}

/** Everything specific to one contract. Members that need much code load it on demand. */
export interface ContractModule<T extends Target = Target> {
  readonly address: Address;
  /** Names of the keys that plain reads accept. The first is the most important and allowed in every target file. */
  readonly keys: readonly [string, ...string[]];
  readonly probes: readonly Probe[];
  /** Problems with a target file that its schema does not detect. */
  contradictions(target: T, keys: Keyring): readonly Explained[];
  /** Needs for which the budget's requests per second are too few, with the lines that would help. */
  tooSlow?(target: T, needs: readonly string[]): readonly MissingNeed[];
  readonly waits?: Readonly<Record<string, Wait>>;
  /** Sentences about what a run changes or destroys; `uses` counts the cases with a need. */
  changes(target: T, uses: (need: string) => number): readonly string[];
  /** True for requests other than reads that change nothing at the target. */
  readonly isHarmless?: (method: string, path: string) => boolean;
  readonly repeat: RepeatPolicy;
  readonly instances?: InstanceKeeping<T>;
  open(
    planned: PlannedFor<T>,
    run: Pick<RunPlan, 'runId' | 'journal' | 'shard'> & {
      /** Called with a line about each wait before the first case, and about its result. */
      readonly notify?: (line: string) => void;
    },
  ): Promise<RunnableSession>;
  /** Checks the entries of a target file, with reads only. */
  checkUp(checkup: Checkup<T>, report: ReportResult): Promise<void>;
  /** Why the server is not a deployment of this contract, judged by a few requests; undefined when it may be one. */
  foreign?(connection: Connection, target: T): Promise<Problem | undefined>;
  /** A problem outside the target that prevents a run; undefined without one. */
  surroundings?(target: T): Promise<Problem | undefined>;
  /** Discovers, with reads only, entries for the target file of a deployment. */
  discover(connection: Connection, onExchange: OnExchange): Promise<Known>;
  traffic(): Promise<TrafficModule<T>>;
  reference?(): Promise<ReferenceModule>;
  exporter?(): Promise<Exporter<T>>;
}
