/** Starts a conforming compute deployment on loopback, with its state in memory. */

import { randomBytes, randomUUID } from 'node:crypto';
import * as requests from './rules/requests.ts';
import * as access from './rules/access.ts';
import * as records from './rules/records.ts';
import * as paging from './rules/paging.ts';
import * as instanceList from './rules/instance-list.ts';
import * as lifecycle from './rules/lifecycle.ts';
import * as presetRules from './rules/presets.ts';
import {
  getInstance,
  listInstances,
  listPresets,
  listRegions,
  provision,
  startInstance,
  stopInstance,
  terminateInstance,
} from './operations.ts';
import { type ComputeRules, type Deployment, moveOn, type RateLimit } from './context.ts';
import { type Account, defaultTimings, type Instance, type Preset, type Timings } from './model.ts';
import { defaultPopulation, defaultPresets, type Population, Random } from './seed.ts';
import { listen } from '../http.ts';
import { type ComputeChoices, defaultChoices } from './choices.ts';
import { createPipeline, malformedReply, VERSION } from './pipeline.ts';
import { type ComputeTargetFile, targetFile } from './target.ts';
import { Timers, World } from './world.ts';

const conformingRules: ComputeRules = {
  onRequest: () => undefined,
  onResponse: (_context, answer) => answer,
  onReply: (_context, reply) => reply,
  operate: {
    'list-instances': listInstances,
    'get-instance': getInstance,
    'stop-instance': stopInstance,
    'terminate-instance': terminateInstance,
    'start-instance': startInstance,
    regions: listRegions,
    presets: listPresets,
    provision,
  },
  ...access,
  ...lifecycle,
  ...paging,
  ...requests,
  ...presetRules,
  ...records,
  ...instanceList,
};

/** Performs actions at this rate until the returned function is called, but never on fixtures or provisioned instances. */
function startActivity(
  deployment: Deployment,
  account: Account,
  perSecond: number,
  seed: number,
): () => void {
  const random = new Random(seed + 1);
  const timer = setInterval(
    () => {
      actOnce(deployment, account, random);
    },
    Math.max(1, 1000 / perSecond),
  );
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

function actOnce(deployment: Deployment, account: Account, random: Random): void {
  const { rules, world } = deployment;
  const theirs = (state: Instance['state']): Instance | undefined => {
    const candidates = account.instances.filter(
      (instance) =>
        instance.state === state && (instance.origin === 'seed' || instance.origin === 'activity'),
    );
    return candidates.length === 0 ? undefined : random.pick(candidates);
  };
  const [running, stopped] = [theirs('RUNNING'), theirs('STOPPED')];
  const dice = random.below(10);
  if (dice < 3 && running !== undefined) rules.enter(running, 'STOPPING', deployment);
  else if (dice < 5 && stopped !== undefined) rules.enter(stopped, 'STARTING', deployment);
  else if (dice === 5 && stopped !== undefined) rules.enter(stopped, 'TERMINATING', deployment);
  else {
    const presets = world.presets.filter(({ region }) => region !== undefined);
    const instance = world.create(account.name, {
      id: randomUUID(),
      name: `somebody else's ${random.below(1_000)}`,
      preset: random.pick(presets),
      origin: 'activity',
    });
    moveOn(instance, deployment);
  }
}

export interface ComputeOptions {
  /** Default 127.0.0.1 and a free port. */
  readonly host?: string;
  readonly port?: number;
  /** Determines instances, names and keys (default 1). */
  readonly seed?: number;
  /** Number of instances of the primary account (default 72). */
  readonly instances?: number;
  /** Replace the default catalogue. */
  readonly presets?: readonly Preset[];
  /** Replaces the default accounts and keys. */
  readonly population?: Population;
  /** The choices of this deployment where the contract is open. */
  readonly choices?: Partial<ComputeChoices>;
  readonly timings?: Partial<Timings>;
  /** Applies per key (default unlimited). */
  readonly rateLimit?: RateLimit;
  /** Milliseconds by which every response is delayed. */
  readonly latencyMs?: number;
  /** Simulates other users who act in the primary account. */
  readonly activity?: { readonly perSecond: number };
  /** Replaces rules, as the faults in `faults/` do. */
  readonly patch?: (rules: ComputeRules) => Partial<ComputeRules>;
  /** Receives the errors that are not refusals. The caller gets a 500. */
  readonly onError?: (error: unknown) => void;
}

export interface ComputeReference {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** The state and the received requests, for tests in the same process. */
  readonly world: World;
  /** Lets a test move instances by hand, with the same rules. */
  readonly deployment: Deployment;
  /** A target file for this deployment. */
  target(): ComputeTargetFile;
  /** Cuts all connections, stops all timers and frees the port. */
  close(): Promise<void>;
}

const DEFAULT_INSTANCES = 72;

/** Resolves once the port is open. Rejects if it is taken. */
export async function startCompute(options: ComputeOptions = {}): Promise<ComputeReference> {
  const seed = options.seed ?? 1;
  const choices = { ...defaultChoices, ...options.choices };
  const presets = options.presets ?? defaultPresets();
  const population =
    options.population ??
    defaultPopulation({
      seed,
      presets,
      instances: options.instances ?? DEFAULT_INSTANCES,
      now: Date.now(),
    });
  const world = new World(presets, population.keys, population.accounts);
  const timers = new Timers();
  const deployment: Deployment = {
    world,
    choices,
    rules: { ...conformingRules, ...options.patch?.(conformingRules) },
    timings: { ...defaultTimings, ...options.timings },
    rateLimit: options.rateLimit,
    secret: randomBytes(16).toString('hex'),
    storedCursors: new Map(),
    usage: new Map(),
    timers,
  };
  const onError = options.onError ?? ((): void => undefined);
  const listening = await listen(
    createPipeline(deployment, { latencyMs: options.latencyMs ?? 0, onError }),
    {
      host: options.host,
      port: options.port,
      malformed: () => malformedReply(deployment),
      onError,
    },
  );
  const stopActivity =
    options.activity === undefined
      ? () => undefined
      : startActivity(deployment, world.accountOf('primary'), options.activity.perSecond, seed);
  const baseUrl = `${listening.url}${VERSION}`;
  return {
    baseUrl,
    port: listening.port,
    world,
    deployment,
    target: () => targetFile(baseUrl, world, choices),
    close: async () => {
      stopActivity();
      timers.close();
      await listening.close();
    },
  };
}
