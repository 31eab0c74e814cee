/** What a contract is to the suite: the interface of its descriptor, and of what it loads when it is asked for. */

import type { Target } from '../../schemas/target.ts';
import type { Checkup, ReportLine } from '../drivers/checkup/lines.ts';
import type { Connection } from '../drivers/connection.ts';
import type { Journal, Leftover, Swept } from '../drivers/journal.ts';
import type { OnExchange, RepeatPolicy } from '../exchange/client.ts';
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

/** What the base URL of a deployment must look like. */
export interface Address {
  readonly example: string;
  /** How its path ends, for somebody whose base URL is wrong. */
  readonly ending: string;
  /** What is wrong with a path, and the right one; undefined when it may be a base URL's. */
  problem(path: string): { readonly problem: string; readonly right: string } | undefined;
}

/** A read that every deployment of the contract answers. */
export interface Probe {
  readonly path: string;
  readonly query: string;
  /** What its answer shows. */
  readonly shows: string;
  readonly isShown: (exchange: Exchange) => boolean;
}

type PlannedFor<T> = PlannedTarget & { readonly target: T };

/** Instances that the suite makes on a deployment, and must not leave there. */
export interface InstanceKeeping<T extends Target> {
  /** Whether a run makes any. */
  areMade(target: T): boolean;
  /** Whether the target file lets them be removed. */
  mayBeRemoved(target: T): boolean;
  /** Instances that carry a name of the suite's and are not terminated. Throws when the list cannot be read whole. */
  search(planned: PlannedFor<T>, signal: AbortSignal): Promise<readonly Leftover[]>;
  remove(
    planned: PlannedFor<T>,
    leftovers: readonly Leftover[],
    journal: Journal,
    signal: AbortSignal,
  ): Promise<readonly Swept[]>;
}

/** What is particular to one contract. Members that need much code load it when they are called. */
export interface ContractModule<T extends Target = Target> {
  readonly address: Address;
  /** Names of the keys that plain reads accept, the most important first: that one every target file can have. */
  readonly keys: readonly [string, ...string[]];
  readonly probes: readonly Probe[];
  /** Mistakes in a target file that its form alone does not show. */
  contradictions(target: T, keys: Keyring): readonly Explained[];
  /** What a run leaves out of what the target file offers, being too slow for it. */
  tooSlow?(target: T, needs: readonly string[]): readonly MissingNeed[];
  /** For how long a run waits for what is particular to the contract. */
  readonly waits?: Readonly<Record<string, Wait>>;
  /** What a run changes or destroys, in sentences; `uses` counts the cases that need something. */
  changes(target: T, uses: (need: string) => number): readonly string[];
  /** Requests beside reads that change nothing at the target. */
  readonly isHarmless?: (method: string, path: string) => boolean;
  /** When a plain read is sent again. */
  readonly repeat: RepeatPolicy;
  readonly instances?: InstanceKeeping<T>;
  open(
    planned: PlannedFor<T>,
    run: Pick<RunPlan, 'runId' | 'journal' | 'shard'> & {
      /** Told what is waited for before the first case, and what came of it. */
      readonly notify?: (line: string) => void;
    },
  ): Promise<RunnableSession>;
  /** Tries what a target file says, with reads alone. */
  checkUp(checkup: Checkup<T>, report: ReportLine): Promise<void>;
  /** Why what answers is no deployment of this contract, seen by a few requests; undefined when it may be one. */
  foreign?(connection: Connection, target: T): Promise<Problem | undefined>;
  /** What keeps a run from beginning beside the target itself; undefined when nothing does. */
  surroundings?(target: T): Promise<Problem | undefined>;
  /** Finds out, with reads alone, what the target file of a deployment may say. */
  discover(connection: Connection, onExchange: OnExchange): Promise<Known>;
  traffic(): Promise<TrafficModule<T>>;
  reference?(): Promise<ReferenceModule>;
  exporter?(): Promise<Exporter<T>>;
}
