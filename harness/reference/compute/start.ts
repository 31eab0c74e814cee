/** Starts a conforming deployment of the compute contract on loopback, with state in memory. */

import { randomBytes } from 'node:crypto';
import { listen } from '../http/listen.ts';
import { startActivity } from './activity.ts';
import { type ComputeChoices, defaultChoices } from './choices.ts';
import { conformingRules } from './conforming-rules.ts';
import type { ComputeRules, Deployment, RateLimit } from './context.ts';
import { type Preset, type Timings, defaultTimings } from './model.ts';
import { VERSION, createPipeline, malformedReply } from './pipeline.ts';
import { type Population, defaultPopulation } from './seed/accounts.ts';
import { defaultPresets } from './seed/presets.ts';
import { type ComputeTargetFile, targetFile } from './target.ts';
import { Timers } from './timers.ts';
import { World } from './world.ts';

export interface ComputeOptions {
  /** 127.0.0.1 and a free port unless told. */
  readonly host?: string;
  readonly port?: number;
  /** Instances, names and keys follow from it; 1 unless told. */
  readonly seed?: number;
  /** Instances of the primary account; 72 unless told. */
  readonly instances?: number;
  /** Instead of the default catalogue. */
  readonly presets?: readonly Preset[];
  /** Instead of the default accounts and keys. */
  readonly population?: Population;
  /** What this deployment decides where the contract is open. */
  readonly choices?: Partial<ComputeChoices>;
  readonly timings?: Partial<Timings>;
  /** Per key; unlimited unless told. */
  readonly rateLimit?: RateLimit;
  /** Milliseconds by which every answer is late. */
  readonly latencyMs?: number;
  /** Other people who act in the primary account. */
  readonly activity?: { readonly perSecond: number };
  /** Replaces rules: see `faults/`. */
  readonly patch?: (rules: ComputeRules) => ComputeRules;
  /** Told of errors that no rule foresaw; they are answered with 500. */
  readonly onError?: (error: unknown) => void;
}

export interface ComputeReference {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** State, and what was asked of it, for tests in the same process. */
  readonly world: World;
  /** Moves instances by hand, within the rules. */
  readonly deployment: Deployment;
  /** The target file that fits. */
  target(): ComputeTargetFile;
  /** Cuts all connections, stops all timers and frees the port. */
  close(): Promise<void>;
}

const DEFAULT_INSTANCES = 72;

/** Resolves once the port is open; rejects if it is taken. */
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
    rules: options.patch?.(conformingRules) ?? conformingRules,
    timings: { ...defaultTimings, ...options.timings },
    rateLimit: options.rateLimit,
    secret: randomBytes(16).toString('hex'),
    storedCursors: new Map(),
    usage: new Map(),
    schedule: (instance, delayMs, act) => {
      timers.schedule(instance, delayMs, act);
    },
    unschedule: (instance) => {
      timers.unschedule(instance);
    },
    isScheduled: (instance) => timers.isScheduled(instance),
  };
  const onError = options.onError ?? ((): void => undefined);
  const listening = await listen(
    createPipeline(deployment, {
      latencyMs: options.latencyMs ?? 0,
      onError,
    }),
    {
      ...(options.host === undefined ? {} : { host: options.host }),
      ...(options.port === undefined ? {} : { port: options.port }),
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
