/** The default accounts, keys, instances and presets, reproducible by seed. */

import type { Account, Instance, InstanceState, KeyEntry, Origin, Preset } from './model.ts';
import { newInstance } from './world.ts';

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer from 0 to `end` - 1. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  /** A fraction from 0 (inclusive) to 1 (exclusive). */
  fraction(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A random item. @throws for an empty list */
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }

  /** A version 4 UUID. */
  uuid(): string {
    const word = (): string => this.below(0x1_0000_0000).toString(16).padStart(8, '0');
    const [a, b, c, d] = [word(), word(), word(), word()];
    const variant = '89ab'[this.below(4)] ?? '8';
    return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
  }
}

interface Location {
  readonly name: string;
  readonly region: string | undefined;
  /** Multiplies the list price of a shape. */
  readonly factor: number;
}

const locations: readonly Location[] = [
  { name: 'abu-dhabi-1', region: 'UAE', factor: 1 },
  { name: 'dubai-2', region: 'UAE', factor: 1.05 },
  { name: 'paris-1', region: 'FR', factor: 1.1 },
  { name: 'marseille-1', region: 'FR', factor: 1.1 },
  { name: 'ashburn-1', region: 'US', factor: 0.95 },
  { name: 'dallas-3', region: 'US', factor: 0.9 },
  { name: 'lab-1', region: undefined, factor: 0.5 },
  { name: 'lab-2', region: undefined, factor: 0.6 },
];

/** Credits per hour, cores, memory and storage per GPU. */
const models = [
  { gpu: 'H100', price: 2.5, cpu: 24, memoryGb: 180, storageGb: 500 },
  { gpu: 'H200', price: 3.2, cpu: 24, memoryGb: 240, storageGb: 500 },
  { gpu: 'A100', price: 1.4, cpu: 16, memoryGb: 120, storageGb: 400 },
  { gpu: 'L40S', price: 0.9, cpu: 12, memoryGb: 64, storageGb: 250 },
  { gpu: 'RTX 4090', price: 0.45, cpu: 8, memoryGb: 48, storageGb: 100 },
  { gpu: 'MI300X', price: 2.8, cpu: 20, memoryGb: 224, storageGb: 1_000 },
] as const;

const counts = [1, 2, 4, 8] as const;

/** Offers every shape at two locations with different prices. Every location has several shapes. */
export function defaultPresets(): readonly Preset[] {
  const presets: Preset[] = [];
  let shape = 0;
  for (const model of models) {
    for (const count of counts) {
      shape += 1;
      for (const offset of [shape, shape * 3 + 2]) {
        const location = locations[offset % locations.length];
        if (location === undefined) continue;
        presets.push({
          // Ids are not in catalogue order, so that a sort by id differs from no sort.
          id: `pst-${String((presets.length * 29 + 7) % 101).padStart(3, '0')}`,
          // More than a count and a GPU model, so that a SKU name differs from a headline size.
          sku: `${count}x-${model.gpu.toLowerCase().replaceAll(' ', '-')}-pro`,
          gpu: model.gpu,
          gpuCount: count,
          cpu: model.cpu * count,
          memoryGb: model.memoryGb * count,
          storageGb: model.storageGb * count,
          location: location.name,
          region: location.region,
          hourlyPrice: Math.round(model.price * count * location.factor * 10_000) / 10_000,
        });
      }
    }
  }
  return presets;
}

const HOUR_MS = 3_600_000;

export interface Population {
  readonly keys: readonly KeyEntry[];
  readonly accounts: readonly Account[];
}

export interface PopulationOptions {
  readonly seed: number;
  readonly presets: readonly Preset[];
  /** Instances of the primary account. */
  readonly instances: number;
  readonly now: number;
}

/** The mix of states. A small account gets the first of them. */
const cycle: readonly InstanceState[] = [
  'RUNNING',
  'STOPPED',
  'RUNNING',
  'TERMINATED',
  'RUNNING',
  'ERRORED',
  'STOPPED',
  'RUNNING',
  'CREATED',
  'TERMINATED',
  'STOPPING',
  'RUNNING',
  'DEPLOYED',
  'STOPPED',
  'STARTING',
  'ERRORED',
  'TERMINATING',
];

/** How many stopped and terminated instances of the primary account the target file names. */
const fixtureCounts: readonly (readonly [InstanceState, number])[] = [
  ['STOPPED', 3],
  ['TERMINATED', 2],
];

const names = [
  'trainer',
  'Trainer',
  'inference api',
  'größe-test',
  'zürich',
  'Ångström',
  '学習ノード',
  'مدرب',
  'notebook 🚀',
  'e\u0301tude',
  'batch_job',
  'batch-job',
  '10-node',
  '9-node',
  '100% "quoted" & <tagged>',
  "o'brien+co/dev",
] as const;

/** The four accounts of a target file. Deterministic except for the dates, which end before `now`. */
export function defaultPopulation(options: PopulationOptions): Population {
  const random = new Random(options.seed);
  const roles = ['primary', 'second', 'empty', 'forbidden'] as const;
  const sizes = { primary: options.instances, second: 15, empty: 0, forbidden: 3 } as const;
  const accounts = roles.map((role) =>
    accountOf(`acme-${role}`, role === 'primary', sizes[role], random, options),
  );
  const keys = roles.map((role) => ({
    role,
    secret: `plk_${role}_${random.uuid().replaceAll('-', '')}`,
    account: `acme-${role}`,
    allows: role === 'forbidden' ? [] : ('everything' as const),
  }));
  return { keys, accounts };
}

function accountOf(
  name: string,
  primary: boolean,
  size: number,
  random: Random,
  { presets, now }: PopulationOptions,
): Account {
  const offered = presets.filter(({ region }) => region !== undefined);
  const instances: Instance[] = [];
  const fixturesLeft = new Map(primary ? fixtureCounts : []);
  // Up to two hours between neighbours. Creation times are whole minutes, so that a date parameter can match them
  // exactly and a check can tell an exclusive bound from dates that are read coarsely.
  const step = Math.max(1, Math.min(2 * HOUR_MS, Math.floor((60 * 24 * HOUR_MS) / (size + 1))));
  let createdAt = Math.floor((now - (size + 1) * step) / 60_000) * 60_000;
  for (let index = 0; index < size; index++) {
    // Every sixth instance has the same creation time as the one before.
    if (index % 6 !== 5) createdAt += step;
    const state = cycle[index % cycle.length] ?? 'RUNNING';
    const left = fixturesLeft.get(state) ?? 0;
    if (left > 0) fixturesLeft.set(state, left - 1);
    instances.push(
      instanceOf(
        {
          account: name,
          index,
          state,
          createdAt,
          now,
          preset: random.pick(offered),
          origin: left > 0 ? 'fixture' : 'seed',
        },
        random,
      ),
    );
  }
  const burn = instances
    .filter(({ state }) => state === 'RUNNING')
    .reduce((sum, { preset }) => sum + preset.hourlyPrice, 0);
  return {
    name,
    instances,
    credits: 50_000 + size * 1_000,
    accruedAt: now,
    burnPerHour: Math.round(burn * 1e6) / 1e6,
  };
}

interface Sketch {
  readonly account: string;
  readonly index: number;
  readonly state: InstanceState;
  readonly createdAt: number;
  readonly now: number;
  readonly preset: Preset;
  readonly origin: Origin;
}

function instanceOf(sketch: Sketch, random: Random): Instance {
  const { account, index, state, createdAt, now, preset, origin } = sketch;
  const instance = newInstance({
    id: random.uuid(),
    account,
    name: nameOf(index, random),
    preset,
    origin,
    createdAt,
  });
  instance.state = state;
  instance.stateSince = createdAt + 1_000;
  instance.usedGb = Math.round(preset.storageGb * random.fraction() * 10) / 10;
  if (['CREATED', 'DEPLOYED', 'STARTING'].includes(state)) return instance;
  // The last run began within two days, so that a running instance has hours left.
  const age = now - createdAt;
  instance.startedAt =
    now - Math.floor(Math.min(age, 48 * HOUR_MS) * (0.2 + 0.7 * random.fraction()));
  if (state === 'RUNNING') {
    // Half of the running instances have an earlier run, so that their total cost exceeds that of the current run.
    addRun(instance, index % 2 === 0 ? 0 : Math.floor((instance.startedAt - createdAt) * 0.5));
    return instance;
  }
  const ended = Math.floor((now - instance.startedAt) * random.fraction());
  addRun(instance, ended);
  instance.stateSince = instance.startedAt + ended;
  if (state === 'TERMINATING' || state === 'TERMINATED') {
    instance.terminationReason = index % 3 === 0 ? 'Out of credits.' : 'Terminated on request.';
    if (state === 'TERMINATED') instance.terminatedAt = instance.stateSince;
  }
  return instance;
}

function addRun(instance: Instance, milliseconds: number): void {
  instance.settledRunMs += milliseconds;
  instance.settledCost += (milliseconds / HOUR_MS) * instance.preset.hourlyPrice;
}

/** Every fifth instance may share its name with others. The other names end in a number. */
function nameOf(index: number, random: Random): string {
  const name = random.pick(names);
  return index % 5 === 4 ? name : `${name} ${index}`;
}
