/**
 * The reference deployment of each contract, for serving and for proofs, with limits that are cheap to reach and
 * example commands.
 */

import { brokenBy, type Fault } from '../reference/fault.ts';
import { type Choosing, chosenBy, type Variant } from '../reference/variant.ts';
import type { ComputeOptions, ComputeReference } from '../reference/compute/start.ts';
import type { ScriptedRouter, ScriptedRouterOptions } from '../reference/router/start.ts';

/** A running reference deployment. */
export interface StartedReference {
  target(): object;
  close(): Promise<void>;
}

/** A variant that reveals mutants which survive in the usual deployment, and the cases that detect them. */
export interface FurtherDeployment {
  readonly variant: string;
  readonly files: readonly string[];
  /** Titles of the cases to run against it. */
  readonly titles: RegExp;
}

/** Names of the faults and variants of a deployment. */
export interface Members {
  readonly faults?: readonly string[] | undefined;
  readonly variants?: readonly string[] | undefined;
}

/** The functions to start and prove a reference deployment, loaded on demand. */
export interface ReferenceModule {
  start(
    options: Pick<Members, 'faults'> & {
      readonly port?: number | undefined;
      readonly seed?: number | undefined;
    },
  ): Promise<StartedReference>;
  startProved(members: Members): Promise<StartedReference>;
  faults(): Promise<readonly Omit<Fault<unknown>, 'patch' | 'clock' | 'instances'>[]>;
  variants(): Promise<readonly Variant<Choosing>[]>;
  /** Example commands for it; `key` looks up a key by its name. */
  examples(baseUrl: string, key: (name: string) => string): readonly string[];
  readonly mutants: {
    /** Paths, within its folder, of the compiled files that handle requests. */
    readonly files: RegExp;
    /** Threads per processor. */
    readonly threads: number;
    readonly further: readonly FurtherDeployment[];
  };
}

/** The deadline of a router in a proof, in milliseconds: enough to fill it and keep the channel full for five seconds. */
const REQUEST_TIMEOUT_MS = 8_000;
/** The park timeout in milliseconds: long enough to tell an immediate refusal from a late one, in parallel proofs. */
const PARK_TIMEOUT_MS = 600;

const QUOTAS = ['router/quotas.js', 'router/rules/limits.js'] as const;

/** The faults and variants of a deployment, each list loaded on demand. */
type Lists = Pick<ReferenceModule, 'faults' | 'variants'>;

const ofCompute = {
  faults: async () => (await import('../reference/compute/faults/index.ts')).computeFaults,
  variants: async () => (await import('../reference/compute/variants/index.ts')).computeVariants,
} satisfies Lists;

const ofRouter = {
  faults: async () => (await import('../reference/router/faults/index.ts')).routerFaults,
  variants: async () => (await import('../reference/router/variants/index.ts')).routerVariants,
} satisfies Lists;

/** The members with these names; without names, nothing is loaded. */
async function named<Member extends { readonly name: string }>(
  names: readonly string[] = [],
  all: () => Promise<readonly Member[]>,
): Promise<readonly Member[]> {
  return names.length === 0 ? [] : (await all()).filter(({ name }) => names.includes(name));
}

/** A limit on the second key alone, low enough to reach and high enough for the other cases. */
const RATE_LIMIT = { requests: 50, perSeconds: 1, roles: ['second'] } as const;

/** Starts a compute deployment with a rate limit on the second key. */
async function startExercisedCompute(
  { faults, variants }: Members,
  usual: ComputeOptions = {},
): Promise<ComputeReference> {
  const { startCompute } = await import('../reference/compute/start.ts');
  const chosen = chosenBy(await named(variants, ofCompute.variants));
  return startCompute({
    rateLimit: RATE_LIMIT,
    ...usual,
    ...brokenBy(await named(faults, ofCompute.faults)),
    ...chosen,
    // The fixed window keeps a key over its limit for a moment, so that a case can see another key unaffected.
    choices: { rateWindow: 'fixed', ...chosen.choices },
  });
}

/** Maximum size of a request body, small enough to be cheap to exceed. */
const REQUEST_BYTES = 256 * 1024;

/** Starts a router with a low body limit, in front of the scripted backend. */
async function startExercisedRouter(
  { faults, variants }: Members,
  usual: ScriptedRouterOptions,
): Promise<ScriptedRouter> {
  const { startScriptedRouter } = await import('../reference/router/start.ts');
  const chosen = chosenBy(await named(variants, ofRouter.variants));
  return startScriptedRouter({
    ...usual,
    ...brokenBy(await named(faults, ofRouter.faults)),
    ...chosen,
    limits: { maxRequestBytes: REQUEST_BYTES, ...usual.limits, ...chosen.limits },
  });
}

export const computeReference: ReferenceModule = {
  ...ofCompute,
  start: async ({ port = 0, seed, faults }) =>
    startExercisedCompute({ faults }, { port, ...(seed === undefined ? {} : { seed }) }),
  startProved: async (members) => startExercisedCompute(members),
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
  ...ofRouter,
  start: async ({ port = 0, faults }) =>
    startExercisedRouter({ faults }, { port, hasEngineThread: true }),
  startProved: async (members) =>
    startExercisedRouter(members, {
      limits: { requestTimeoutMs: REQUEST_TIMEOUT_MS, parkTimeoutMs: PARK_TIMEOUT_MS },
    }),
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
