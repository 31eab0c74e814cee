/** Starts a conforming compute deployment on loopback, with its state in memory, and writes its target file. */

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
import { Timers, World } from './world.ts';

/** The key roles of a target file, beside `primary`. */
const roles = ['second', 'empty', 'forbidden'] as const;

type Keys = { primary: string } & Record<string, string | { key: string; instance: string }>;

/** A complete compute target file. It contains the keys, which are valid on loopback only. */
function targetFile(baseUrl: string, world: World, choices: ComputeChoices) {
  const { presets, start, startOffered, regionsBody, getInstanceMember } = choices;
  const secretOf = (role: string): string | undefined =>
    world.keys.find((key) => key.role === role)?.secret;
  const keys: Keys = { primary: secretOf('primary') ?? '' };
  for (const role of roles) {
    const secret = secretOf(role);
    if (secret === undefined) continue;
    const instance = role === 'forbidden' ? stoppedOf(world, role) : undefined;
    keys[role] = instance === undefined ? secret : { key: secret, instance };
  }
  const unmapped = [
    ...new Set(
      world.presets.filter(({ region }) => region === undefined).map(({ location }) => location),
    ),
  ];
  const stopped = fixtures(world, 'STOPPED');
  const terminated = fixtures(world, 'TERMINATED');
  return {
    name: 'reference',
    contract: 'compute' as const,
    baseUrl,
    keys,
    bindings: {
      terminate: `POST ${choices.terminatePath}`,
      ...(startOffered ? { start: `${start.method} ${start.path}` } : {}),
      getInstance: { record: getInstanceMember === undefined ? '$' : `$.${getInstanceMember}` },
      regions: {
        codes: `$${regionsBody.member === undefined ? '' : `.${regionsBody.member}`}[*]${
          regionsBody.item === undefined ? '' : `.${regionsBody.item}`
        }`,
      },
      presets: {
        items: presets.items,
        filters: { sku: presets.skuFilter, freeText: presets.freeTextFilter },
        fields: fieldBindings(choices),
      },
      ...(unmapped.length === 0 ? {} : { locations: { unmapped } }),
    },
    instances: {
      provision: { request: 'POST /_provision', id: '$.id' },
      ...(stopped.length === 0 ? {} : { stopped }),
      ...(terminated.length === 0 ? {} : { terminated }),
    },
    consent: { stop: true, terminate: true, exhaustRateLimit: true, saturate: true },
    budget: {
      requests: 20_000,
      minutes: 10,
      concurrency: 8,
      requestsPerSecond: 'unlimited' as const,
    },
  };
}

function fieldBindings({ presets }: ComputeChoices) {
  const { fields, shape, unbound } = presets;
  const inHardware = new Set(['gpu', 'gpuCount', 'cpu', 'memory', 'storage']);
  const bound = Object.entries(fields).filter(([field]) => !unbound.some((one) => one === field));
  return Object.fromEntries(
    bound.map(([field, name]) => [
      field,
      shape === 'nested' && inHardware.has(field) ? `$.hardware.${name}` : name,
    ]),
  );
}

type ComputeTargetFile = ReturnType<typeof targetFile>;

function stoppedOf(world: World, role: string): string | undefined {
  return world.accountOf(role).instances.find(({ state }) => state === 'STOPPED')?.id;
}

function fixtures(world: World, state: 'STOPPED' | 'TERMINATED'): readonly string[] {
  return world
    .accountOf('primary')
    .instances.filter((instance) => instance.origin === 'fixture' && instance.state === state)
    .map(({ id }) => id);
}

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
