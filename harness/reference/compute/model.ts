/** What the deployment keeps: instances, presets, accounts, keys, SSH keys, and what was asked of them. */

export const instanceStates = [
  'CREATED',
  'DEPLOYED',
  'STARTING',
  'RUNNING',
  'ERRORED',
  'STOPPING',
  'STOPPED',
  'TERMINATING',
  'TERMINATED',
] as const;
export type InstanceState = (typeof instanceStates)[number];

export const regionCodes = ['UAE', 'FR', 'US'] as const;

/** A hardware shape as it is offered at one location, at the price there. */
export interface Preset {
  readonly id: string;
  /** SKU name; several presets share it where one shape is offered at several locations. */
  readonly sku: string;
  readonly gpu: string;
  readonly gpuCount: number;
  readonly cpu: number;
  readonly memoryGb: number;
  readonly storageGb: number;
  readonly location: string;
  /** Undefined for a location that belongs to no region. */
  readonly region: string | undefined;
  /** Credits per hour. */
  readonly hourlyPrice: number;
}

/** How an instance came about: `fixture` ones are named in the target file. */
export type Origin = 'seed' | 'fixture' | 'provision' | 'activity';

/** Times are milliseconds since the epoch, costs credits. */
export interface Instance {
  readonly id: string;
  /** Name of the owning account. */
  readonly account: string;
  readonly name: string;
  readonly preset: Preset;
  readonly createdAt: number;
  readonly origin: Origin;
  state: InstanceState;
  stateSince: number;
  /** When it last entered RUNNING. */
  startedAt: number | undefined;
  terminatedAt: number | undefined;
  terminationReason: string | undefined;
  /** Cost and duration of runs that have ended. */
  settledCost: number;
  settledRunMs: number;
  usedGb: number;
  readonly bandwidthMbps: number;
  /** Hours after which a run is stopped automatically. */
  readonly ttlHours: number;
  /** A teardown that failed part-way: only a terminate that is re-issued moves it on. */
  stranded: boolean;
}

export interface Account {
  readonly name: string;
  /** In the order of creation, oldest first; nothing is ever removed. */
  readonly instances: Instance[];
  /** Credits that were left at `accruedAt`. */
  credits: number;
  accruedAt: number;
  /** Hourly rate of everything that runs. */
  burnPerHour: number;
  readonly sshKeys: Map<string, SshKey>;
}

export interface SshKey {
  readonly id: string;
  readonly name: string;
  readonly publicKey: string;
}

export type Operation =
  | 'list-instances'
  | 'get-instance'
  | 'stop-instance'
  | 'terminate-instance'
  | 'start-instance'
  | 'regions'
  | 'presets'
  | 'provision'
  | 'list-ssh-keys'
  | 'add-ssh-key'
  | 'remove-ssh-key';

export interface KeyEntry {
  /** The role that the key plays in a target file: primary, second, empty, forbidden. */
  readonly role: string;
  readonly secret: string;
  /** Name of the owning account. */
  readonly account: string;
  /** What its policy allows. */
  readonly allows: 'everything' | readonly Operation[];
}

/** A stop, terminate or start that reached the server, whatever became of it. */
export interface ReceivedAction {
  readonly at: number;
  readonly operation: 'stop-instance' | 'terminate-instance' | 'start-instance';
  /** As the path said it, in lower case. */
  readonly instanceId: string;
  /** The caller's account and the role of its key. */
  readonly account: string;
  readonly key: string;
  readonly status: number;
  /** The note of an accepted action, as the audit trail keeps it. */
  readonly reasonNote: string | undefined;
}

/** Milliseconds for which an instance stays in a state before it moves on by itself; 0 moves on at once. */
export interface Timings {
  readonly created: number;
  readonly deployed: number;
  readonly starting: number;
  readonly stopping: number;
  /** From the start of a termination until the resource is gone. */
  readonly teardown: number;
  /** From the start of a termination until TERMINATED. */
  readonly terminating: number;
  /** From entering RUNNING until the guest has booted. */
  readonly guestBoot: number;
}

export const defaultTimings: Timings = {
  created: 30,
  deployed: 20,
  starting: 70,
  stopping: 60,
  teardown: 50,
  terminating: 160,
  guestBoot: 40,
};

/** Every transition at once, within the call that sets it off. */
export const instantTimings: Timings = {
  created: 0,
  deployed: 0,
  starting: 0,
  stopping: 0,
  teardown: 0,
  terminating: 0,
  guestBoot: 0,
};

/** What becomes of an action on an instance. */
export type StopOutcome = 'stop' | 'ignore' | 'conflict';
export type TerminateOutcome = 'terminate' | 'reissue' | 'gone' | 'conflict';
export type StartOutcome = 'start' | 'ignore' | 'conflict';
