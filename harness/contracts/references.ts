/** The reference deployment of each contract, as it is served and proved, with the commands that try it. */

import { startExercisedCompute, startExercisedRouter } from '../reference/fully-exercised.ts';
import { brokenBy, type Fault } from '../reference/fault.ts';
import { type Choosing, chosenBy, type Variant } from '../reference/variant.ts';

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

/** The faults and variants of a deployment, by their names. */
export interface Members {
  readonly faults?: readonly string[] | undefined;
  readonly variants?: readonly string[] | undefined;
}

/** Loaded when a reference deployment is served, run against or proved. */
export interface ReferenceModule {
  start(
    options: Pick<Members, 'faults'> & {
      readonly port?: number | undefined;
      readonly seed?: number | undefined;
    },
  ): Promise<StartedReference>;
  /** Starts it to be proved. */
  startProved(members: Members): Promise<StartedReference>;
  /** What it can be started with. */
  faults(): Promise<readonly Omit<Fault<unknown>, 'patch' | 'clock' | 'instances'>[]>;
  variants(): Promise<readonly Variant<Choosing>[]>;
  /** Commands that try it, given a way to look a key up. */
  examples(baseUrl: string, key: (name: string) => string): readonly string[];
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

async function computeVariants() {
  return (await import('../reference/compute/variants/index.ts')).computeVariants;
}

async function routerFaults() {
  return (await import('../reference/router/faults/index.ts')).routerFaults;
}

async function routerVariants() {
  return (await import('../reference/router/variants/index.ts')).routerVariants;
}

/** Those of these names; none are loaded without any. */
async function named<Member extends { readonly name: string }>(
  names: readonly string[] = [],
  all: () => Promise<readonly Member[]>,
): Promise<readonly Member[]> {
  return names.length === 0 ? [] : (await all()).filter(({ name }) => names.includes(name));
}

export const computeReference: ReferenceModule = {
  faults: computeFaults,
  variants: computeVariants,
  start: async ({ port = 0, seed, faults }) =>
    startExercisedCompute({
      port,
      ...(seed === undefined ? {} : { seed }),
      ...brokenBy(await named(faults, computeFaults)),
    }),
  startProved: async ({ faults, variants }) =>
    startExercisedCompute({
      ...brokenBy(await named(faults, computeFaults)),
      ...chosenBy(await named(variants, computeVariants)),
    }),
  examples(baseUrl, key) {
    const get = `curl -H 'Authorization: Bearer ${key('primary')}'`;
    return [
      `${get} '${baseUrl}/instances?size=2'`,
      `${get} ${baseUrl}/regions`,
      `${get} '${baseUrl}/presets?region=FR'`,
    ];
  },
  mutants: {
    files: /^compute\/(?:(?:operations|pipeline|world)\.js|rules\/[\w-]+\.js)$/u,
    threads: 1,
    further: [],
  },
};

export const routerReference: ReferenceModule = {
  faults: routerFaults,
  variants: routerVariants,
  start: async ({ port = 0, faults }) =>
    startExercisedRouter({
      port,
      hasEngineThread: true,
      ...brokenBy(await named(faults, routerFaults)),
    }),
  async startProved({ faults, variants }) {
    const options = {
      ...brokenBy(await named(faults, routerFaults)),
      ...chosenBy(await named(variants, routerVariants)),
    };
    const limits = { requestTimeoutMs: REQUEST_TIMEOUT_MS, parkTimeoutMs: PARK_TIMEOUT_MS };
    return startExercisedRouter({ ...options, limits: { ...limits, ...options.limits } });
  },
  examples(baseUrl, key) {
    const chat = '{"model":"scripted-chat","messages":[{"role":"user","content":"hello"}]}';
    return [
      `curl -H 'Authorization: Bearer ${key('client')}' ${baseUrl}/v1/models`,
      `curl -H 'Authorization: Bearer ${key('client')}' ${baseUrl}/v1/chat/completions -H 'Content-Type: application/json' -d '${chat}'`,
      `curl -H 'Authorization: Bearer ${key('admin')}' ${baseUrl}/admin/health`,
    ];
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
