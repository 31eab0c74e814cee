/** The reference deployment of each contract, as it is served and proved, with the commands that try it. */

import type { Contract } from '../../schemas/requirement.ts';
import type { PlannedTarget } from '../runner/selection.ts';
import type { ComputeOptions } from '../reference/compute/start.ts';
import { startExercisedCompute, startExercisedRouter } from '../reference/fully-exercised.ts';
import { brokenBy, type Fault } from '../reference/fault.ts';
import type { RouterOptions } from '../reference/router/start.ts';
import type { Variant } from '../reference/variant.ts';

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
  /** Names of the variants or faults that are combined here; empty for one by itself. */
  readonly members: readonly string[];
  readonly start: () => Promise<RunningSubject>;
}

/** All subjects of a contract. */
export interface Subjects {
  /** The unchanged reference, and every fault and variant by itself. */
  readonly solo: readonly Subject[];
  /** The variants in combinations: every one is in exactly one of them, or by itself. */
  readonly combined: readonly Subject[];
  /** Several faults in one deployment, by name. */
  readonly faultsTogether: (names: readonly string[]) => Subject;
}

/** Makes the subjects of a contract of its faults, its variants and the function that starts its reference. */
export type MakeSubjects = <Rules, Options extends CombinableOptions>(
  faults: readonly Fault<Rules>[],
  variants: readonly Variant<Options>[],
  start: Start<Rules, Options>,
) => Subjects;

/** What a deployment may be started with; every other option, such as how slow it is, only one of a combination decides. */
export interface CombinableOptions {
  readonly choices?: object;
  /** Other rules, which may decide anything: only one of a combination. */
  readonly patch?: unknown;
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
    /** Names of the faults that it has; none unless told. */
    readonly faults?: readonly string[] | undefined;
  }): Promise<StartedReference>;
  /** The faults that it can be started with. */
  faults(): Promise<readonly Pick<Fault<unknown>, 'name' | 'summary' | 'aims' | 'besides'>[]>;
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

/** Milliseconds to the deadline of a proved router: room to fill it before five seconds of a full channel, several at a time. */
const REQUEST_TIMEOUT_MS = 8_000;
/** Milliseconds that requests park: long enough that a refusal without it is told from one that came late, several at a time. */
const PARK_TIMEOUT_MS = 600;

const QUOTAS = ['router/quotas.js', 'router/rules/limits.js'] as const;

async function computeFaults() {
  return (await import('../reference/compute/faults/index.ts')).computeFaults;
}

async function routerFaults() {
  return (await import('../reference/router/faults/index.ts')).routerFaults;
}

/** What the named ones of the faults start a deployment with. */
async function named<R>(
  names: readonly string[],
  faults: () => Promise<readonly Fault<R>[]>,
): Promise<Partial<ReturnType<typeof brokenBy<R>>>> {
  if (names.length === 0) return {};
  return brokenBy((await faults()).filter(({ name }) => names.includes(name)));
}

export const computeReference: ReferenceModule = {
  faults: computeFaults,
  start: async ({ port = 0, seed, faults = [] }) =>
    startExercisedCompute({
      port,
      ...(seed === undefined ? {} : { seed }),
      ...(await named(faults, computeFaults)),
    }),
  examples(baseUrl, key) {
    const get = `curl -H 'Authorization: Bearer ${key('primary')}'`;
    return [
      `${get} '${baseUrl}/instances?size=2'`,
      `${get} ${baseUrl}/regions`,
      `${get} '${baseUrl}/presets?region=FR'`,
    ];
  },
  async subjects(make) {
    const { computeVariants } = await import('../reference/compute/variants/index.ts');
    return make(await computeFaults(), computeVariants, async (options: ComputeOptions) =>
      startExercisedCompute(options),
    );
  },
  mutants: {
    files: /^compute\/(?:(?:operations|pipeline|world)\.js|rules\/[\w-]+\.js)$/u,
    threads: 1,
    further: [],
  },
};

export const routerReference: ReferenceModule = {
  faults: routerFaults,
  start: async ({ port = 0, faults = [] }) =>
    startExercisedRouter({ port, hasEngineThread: true, ...(await named(faults, routerFaults)) }),
  examples(baseUrl, key) {
    const chat = '{"model":"scripted-chat","messages":[{"role":"user","content":"hello"}]}';
    return [
      `curl -H 'Authorization: Bearer ${key('client')}' ${baseUrl}/v1/models`,
      `curl -H 'Authorization: Bearer ${key('client')}' ${baseUrl}/v1/chat/completions -H 'Content-Type: application/json' -d '${chat}'`,
      `curl -H 'Authorization: Bearer ${key('admin')}' ${baseUrl}/admin/health`,
    ];
  },
  async subjects(make) {
    const { routerVariants } = await import('../reference/router/variants/index.ts');
    return make(await routerFaults(), routerVariants, async (options: Partial<RouterOptions>) =>
      startExercisedRouter({
        ...options,
        limits: {
          requestTimeoutMs: REQUEST_TIMEOUT_MS,
          parkTimeoutMs: PARK_TIMEOUT_MS,
          ...options.limits,
        },
      }),
    );
  },
  mutants: {
    files:
      /^router\/(?!(?:choices|deployment|running\.test\.support|start)\.js$)(?:rules\/)?[\w-]+\.js$/u,
    threads: 3,
    further: [
      { variant: 'day-ends', files: QUOTAS, titles: /^token-limit-rules › .* next UTC day/u },
      { variant: 'quotas-per-model', files: QUOTAS, titles: /^(?:rate|token)-limit-rules › /u },
    ],
  },
};
