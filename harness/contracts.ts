/** What the suite knows of each contract, one descriptor each: nothing else tells contracts apart by name. */

import { contractData, contractNames } from '../schemas/contracts.ts';
import type { Contract } from '../schemas/requirement.ts';
import type { Target } from '../schemas/target.ts';
import type { ContractData } from '../schemas/registered.ts';
import type { UniversalJudgement } from './checks/universal.ts';
import { computeContract } from './drivers/compute/contract.ts';
import type { Checkup, TellLine } from './drivers/checkup/line.ts';
import type { Connection } from './drivers/connection.ts';
import type { Journal, Leftover, Swept } from './drivers/journal.ts';
import { routerContract } from './drivers/router/contract.ts';
import type { OnExchange, RepeatPolicy } from './exchange/client.ts';
import type { Exchange } from './exchange/exchange.ts';
import type { Exporter } from './export/openapi.ts';
import type { Follower } from './passive/follower.ts';
import type { JudgeOptions } from './passive/traffic-judge.ts';
import type { MakeSubjects, Subjects } from './proving/subject.ts';
import type { RunnableSession } from './runner/run-case.ts';
import type { PlannedTarget, RunPlan } from './runner/run-plan.ts';
import type { Known } from './target/draft.ts';
import type { Explained } from './target/explain-issue.ts';
import type { Keyring } from './target/keyring.ts';

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

/** One line for each contract. */
export const modules: Readonly<Record<Contract, ContractModule>> = {
  compute: computeContract,
  router: routerContract,
};

/** The descriptor of a contract by its name. */
export function contractOf(name: Contract): ContractModule & ContractData {
  const module = modules[name];
  if (module === undefined) throw new Error(`there is no contract ${name}`);
  return { ...contractData(name), ...module };
}

/** Opens the session that fits a target. */
export async function openSession(
  planned: PlannedTarget,
  run: Pick<RunPlan, 'runId' | 'journal' | 'shard'>,
): Promise<RunnableSession> {
  return contractOf(planned.target.contract).open(planned, run);
}

/** The reference deployment of a contract. Throws where there is none. */
export async function referenceOf(name: Contract): Promise<ReferenceModule> {
  const reference = await contractOf(name).reference?.();
  if (reference === undefined) throw new Error(`${name} has no reference deployment`);
  return reference;
}

/** The contracts with a reference deployment. */
export const referenceNames: readonly Contract[] = contractNames.filter(
  (name) => modules[name]?.reference !== undefined,
);
