/** The default accounts, their keys, and their instances. */

import type { Account, Instance, InstanceState, KeyEntry, Origin, Preset } from '../model.ts';
import { newInstance } from '../world.ts';
import { Random } from './random.ts';

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

/** How often each state is met; the order is the one in which a small account gets them. */
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

/** The four accounts of a target file. Deterministic but for dates, which lie behind `now`. */
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
  // Two hours between neighbours in a small account; whole minutes, so that dates can meet them exactly.
  // A time that lies on a minute is no chance: it tells an exclusive bound from one that reads dates coarsely.
  const step = Math.max(1, Math.min(2 * HOUR_MS, Math.floor((60 * 24 * HOUR_MS) / (size + 1))));
  let createdAt = Math.floor((now - (size + 1) * step) / 60_000) * 60_000;
  for (let index = 0; index < size; index++) {
    // Every sixth shares its creation instant with the one before.
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
    sshKeys: new Map(),
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
    // Earlier runs, for half of them: the whole life then costs more than the current run.
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

/** Every fifth name is shared with others; the rest have a number. */
function nameOf(index: number, random: Random): string {
  const name = random.pick(names);
  return index % 5 === 4 ? name : `${name} ${index}`;
}
