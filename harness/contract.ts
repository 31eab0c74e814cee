/** What a contract is to the suite: the interface of its descriptor, and of what it loads when it is asked for. */

import type { Contract } from '../schemas/requirement.ts';
import type { Target } from '../schemas/target.ts';
import type { UniversalJudgement } from './checks/universal.ts';
import type { Checkup, TellLine } from './drivers/checkup/checkup.ts';
import type { Connection } from './drivers/connection.ts';
import type { Journal, Leftover, Swept } from './drivers/journal.ts';
import type { OnExchange, RepeatPolicy } from './exchange/client.ts';
import type { Exchange } from './exchange/exchange.ts';
import type { Exporter } from './export/openapi.ts';
import type { Follower } from './passive/followers.ts';
import type { RunnableSession } from './runner/run-case.ts';
import type { PlannedTarget, RunPlan } from './runner/selection.ts';
import type { Known } from './target/draft.ts';
import type { Explained } from './target/explain-issue.ts';
import type { Keyring } from './target/keys.ts';

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

/**
 * Where exchanges come from: bytes that passed through a proxy, or a recording that may have left out what is
 * missing in it.
 */
export type TrafficSource = 'proxy' | 'recording';

export interface JudgeOptions {
  readonly planned: Pick<PlannedTarget, 'target' | 'secrets'>;
  readonly source: TrafficSource;
  /** Nobody acts on the deployment but through what is seen. */
  readonly exclusive: boolean;
}

/** How the exchanges of others are judged. */
export interface TrafficJudgement {
  readonly operation: (exchange: Exchange) => string | undefined;
  /** False for what the contract does not speak of. */
  covers(exchange: Exchange): boolean;
  /** What one exchange shows by itself. */
  alone(exchange: Exchange): Iterable<UniversalJudgement>;
  /** Fresh ones, which know nothing yet. */
  followers(): {
    readonly all: readonly Follower[];
    following(): { readonly instances: number; readonly cursors: number };
  };
}

/** Loaded when exchanges are judged that the suite did not send. */
export interface TrafficModule<T extends Target> {
  /** The checks of every exchange, where of the target only its bindings are known. */
  readonly universal: (bindings: object) => (exchange: Exchange) => Iterable<UniversalJudgement>;
  judge(target: T, options: JudgeOptions): TrafficJudgement;
  /** The open requirement that records which clients were asked to wait, where there is one. */
  readonly observedLimit?: string;
}

/** A reference deployment that runs. */
export interface StartedReference {
  /** Its target file. */
  target(): object;
  close(): Promise<void>;
}

/** A conforming deployment in which some mutants show that live in the usual one, and the cases in which they do. */
export interface FurtherDeployment {
  /** Name of the variant. */
  readonly variant: string;
  /** Files whose mutants it can show. */
  readonly files: readonly string[];
  /** Titles of the cases that it is for. */
  readonly titles: RegExp;
}

/** A deployment that runs. */
export interface RunningSubject {
  readonly planned: PlannedTarget;
  close(): Promise<void>;
}

export interface Subject {
  readonly kind: 'fault' | 'variant' | 'unchanged';
  readonly contract: Contract;
  readonly name: string;
  readonly summary: string;
  /** Requirements that the suite must find broken; empty for what conforms. */
  readonly breaks: readonly string[];
  /** Requirements that a whole run may find broken as well, since what is broken comes by there. */
  readonly consequences: readonly string[];
  /** Requirements whose cases come by what is broken; empty where the broken ones have cases of their own. */
  readonly exercisedBy: readonly string[];
  /** Names of the variants or faults that keep company here; empty for everybody else. */
  readonly members: readonly string[];
  readonly start: () => Promise<RunningSubject>;
}

/** All subjects of a contract. */
export interface Subjects {
  /** The unchanged reference, and every fault and variant by itself. */
  readonly alone: readonly Subject[];
  /** The variants in companies: every one is in exactly one of them, or by itself. */
  readonly inCompany: readonly Subject[];
  /** Several faults in one deployment, by name. */
  readonly faultsTogether: (names: readonly string[]) => Subject;
}

/** Makes the subjects of a contract of its faults, its variants and the function that starts its reference. */
export type MakeSubjects = <Rules, Options extends CombinableOptions>(
  faults: readonly FaultOf<Rules>[],
  variants: readonly VariantOf<Options>[],
  start: Start<Rules, Options>,
) => Subjects;

/** What a deployment may be started with; every other option, such as how slow it is, only one of a company decides. */
export interface CombinableOptions {
  readonly choices?: object;
  /** Other rules, which may decide anything: only one of a company. */
  readonly patch?: unknown;
}

export interface Combinable<Options> {
  readonly name: string;
  readonly options: () => Options;
  /** True for what hides the choices of others. */
  readonly alone?: boolean;
}

export interface FaultOf<Rules> {
  readonly name: string;
  readonly summary: string;
  readonly aims: string;
  readonly besides: readonly string[];
  readonly exercisedBy?: readonly string[];
  readonly patch: (rules: Rules) => Rules;
  readonly clock?: () => () => number;
  readonly instances?: number;
}

export interface VariantOf<Options> extends Combinable<Options> {
  readonly summary: string;
  readonly warns?: readonly string[];
}

/** What a reference may be started with to be proved. */
export type Start<Rules, Options> = (
  options:
    | Options
    | {
        readonly patch?: (rules: Rules) => Rules;
        readonly now?: () => number;
        readonly instances?: number;
      },
) => Promise<StartedReference>;

/** Loaded when a reference deployment is served, run against or proved. */
export interface ReferenceModule {
  start(options: {
    readonly port?: number | undefined;
    readonly seed?: number | undefined;
  }): Promise<StartedReference>;
  /** Commands that try it, given a way to look a key up. */
  examples(baseUrl: string, key: (name: string) => string): readonly string[];
  /** Its faults and variants. */
  subjects(make: MakeSubjects): Promise<Subjects>;
  readonly mutants: {
    /** Compiled files of the reference that handle requests, from its folder. */
    readonly files: RegExp;
    /** Threads for each processor. */
    readonly threads: number;
    readonly further: readonly FurtherDeployment[];
  };
}

/** Instances that the suite makes on a deployment, and must not leave there. */
export interface InstanceKeeping<T extends Target> {
  /** Whether a run makes any. */
  areMade(target: T): boolean;
  /** Whether the target file lets them be removed. */
  mayBeRemoved(target: T): boolean;
  remove(
    planned: PlannedTarget & { readonly target: T },
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
  /** Paths by which a recording shows a deployment; the first group is the path of the base URL. */
  readonly paths: readonly RegExp[];
  /** Mistakes in a target file that its form alone does not show. */
  contradictions(target: T, keys: Keyring): readonly Explained[];
  /** What a run changes or destroys, in sentences; `uses` counts the cases that need something. */
  changes(target: T, uses: (need: string) => number): readonly string[];
  /** When a plain read is sent again. */
  readonly repeat: RepeatPolicy;
  readonly instances?: InstanceKeeping<T>;
  open(
    planned: PlannedTarget & { readonly target: T },
    run: Pick<RunPlan, 'runId' | 'journal' | 'shard'>,
  ): Promise<RunnableSession>;
  /** Tries what a target file says, with reads alone. */
  checkUp(checkup: Checkup<T>, tell: TellLine): Promise<void>;
  /** Finds out, with reads alone, what the target file of a deployment may say. */
  discover(connection: Connection, onExchange: OnExchange): Promise<Known>;
  traffic(): Promise<TrafficModule<T>>;
  reference?(): Promise<ReferenceModule>;
  exporter?(): Promise<Exporter<T>>;
}
