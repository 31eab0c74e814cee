/** The state of a deployment in memory, and the timers that change it. */

import type { Account, Instance, KeyEntry, Preset, ReceivedAction } from './model.ts';

export class World {
  readonly presets: readonly Preset[];
  readonly keys: readonly KeyEntry[];
  readonly accounts: readonly Account[];
  /** Every stop, terminate and start received over HTTP, accepted or not, oldest first. */
  readonly actions: ReceivedAction[] = [];
  requests = 0;
  inFlight = 0;
  readonly #instances = new Map<string, Instance>();
  readonly #accounts: ReadonlyMap<string, Account>;
  readonly #keys: ReadonlyMap<string, KeyEntry>;

  constructor(presets: readonly Preset[], keys: readonly KeyEntry[], accounts: readonly Account[]) {
    this.presets = presets;
    this.keys = keys;
    this.accounts = accounts;
    this.#accounts = new Map(accounts.map((account) => [account.name, account]));
    this.#keys = new Map(keys.map((key) => [key.secret, key]));
    for (const account of accounts) {
      for (const instance of account.instances) this.#instances.set(instance.id, instance);
    }
  }

  /** @throws for an unknown account */
  account(name: string): Account {
    const account = this.#accounts.get(name);
    if (account === undefined) throw new Error(`There is no account "${name}".`);
    return account;
  }

  key(secret: string): KeyEntry | undefined {
    return this.#keys.get(secret);
  }

  /** The account of the key with this role. */
  accountOf(role: string): Account {
    const key = this.keys.find((candidate) => candidate.role === role);
    if (key === undefined) throw new Error(`There is no key with the role "${role}".`);
    return this.account(key.account);
  }

  /** Finds an instance by id, in any case. */
  instance(id: string): Instance | undefined {
    return this.#instances.get(id.toLowerCase());
  }

  /** All instances, or those of one account, oldest first. */
  instances(account?: string): readonly Instance[] {
    return account === undefined
      ? this.accounts.flatMap((each) => each.instances)
      : this.account(account).instances;
  }

  /** Creates an instance in CREATED, the newest of its account. */
  create(account: string, made: Pick<Instance, 'id' | 'name' | 'preset' | 'origin'>): Instance {
    const { instances } = this.account(account);
    // The clock may step back, but creation times may not.
    const now = Math.max(Date.now(), instances.at(-1)?.createdAt ?? 0);
    const instance = newInstance({ ...made, account, createdAt: now });
    instances.push(instance);
    this.#instances.set(instance.id, instance);
    return instance;
  }

  /** The accepted actions. */
  get audit(): readonly ReceivedAction[] {
    return this.actions.filter(({ status }) => status >= 200 && status < 300);
  }

  /** Instances that a suite must not act on: neither provisioned over HTTP nor named in the target file. */
  bystanders(): readonly Instance[] {
    return this.instances().filter(({ origin }) => origin === 'seed' || origin === 'activity');
  }

  /** Actions on bystanders that their own account sent over HTTP. */
  touchedBystanders(): readonly ReceivedAction[] {
    return this.actions.filter(({ instanceId, account }) => {
      const instance = this.instance(instanceId);
      return (
        instance !== undefined &&
        instance.account === account &&
        (instance.origin === 'seed' || instance.origin === 'activity')
      );
    });
  }
}

/** A new instance, in the state CREATED. */
export function newInstance(
  made: Pick<Instance, 'id' | 'account' | 'name' | 'preset' | 'origin' | 'createdAt'>,
): Instance {
  return {
    ...made,
    state: 'CREATED',
    stateSince: made.createdAt,
    startedAt: undefined,
    terminatedAt: undefined,
    terminationReason: undefined,
    settledCost: 0,
    settledRunMs: 0,
    usedGb: Math.round(made.preset.storageGb * 0.1 * 10) / 10,
    bandwidthMbps: made.preset.gpuCount >= 8 ? 25_000 : 2_500,
    ttlHours: 168,
    stranded: false,
  };
}

export class Timers {
  readonly #pending = new Map<Instance, NodeJS.Timeout>();
  #closed = false;

  /** Runs `act` after `delayMs`, or at once for 0. Replaces what was scheduled for the instance. */
  schedule(instance: Instance, delayMs: number, act: () => void): void {
    this.unschedule(instance);
    if (this.#closed) return;
    if (delayMs <= 0) {
      act();
      return;
    }
    const timer = setTimeout(() => {
      this.#pending.delete(instance);
      act();
    }, delayMs);
    timer.unref();
    this.#pending.set(instance, timer);
  }

  unschedule(instance: Instance): void {
    clearTimeout(this.#pending.get(instance));
    this.#pending.delete(instance);
  }

  isScheduled(instance: Instance): boolean {
    return this.#pending.has(instance);
  }

  /** Cancels all timers. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#pending.values()) clearTimeout(timer);
    this.#pending.clear();
  }
}

/** Settles the account's spending up to `at`, then changes its hourly rate. */
export function changeBurn(account: Account, perHour: number, at: number): void {
  const elapsed = Math.max(0, at - account.accruedAt) / 3_600_000;
  account.credits = Math.max(0, account.credits - elapsed * account.burnPerHour);
  account.accruedAt = at;
  // Repeated additions leave rounding errors, but an account without running instances must burn exactly 0.
  account.burnPerHour = Math.max(0, Math.round((account.burnPerHour + perHour) * 1e6) / 1e6);
}
