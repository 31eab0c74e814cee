/** The state of a compute deployment, the queries of its lists, and its refusals. */

import type { HeaderLine } from '../http.ts';

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

/** A hardware shape, offered at one location for the price there. */
export interface Preset {
  readonly id: string;
  /** SKU name. A shape that is offered at several locations has several presets with the same SKU name. */
  readonly sku: string;
  readonly gpu: string;
  readonly gpuCount: number;
  readonly cpu: number;
  readonly memoryGb: number;
  readonly storageGb: number;
  readonly location: string;
  /** Undefined for a location without a region. */
  readonly region: string | undefined;
  /** Credits per hour. */
  readonly hourlyPrice: number;
}

/** How an instance was created. The target file names the `fixture` ones. */
export type Origin = 'seed' | 'fixture' | 'provision' | 'activity';

/** Times are milliseconds since the epoch, costs are credits. */
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
  /** Cost and duration of the runs that have ended. */
  settledCost: number;
  settledRunMs: number;
  usedGb: number;
  readonly bandwidthMbps: number;
  /** Hours until a run is stopped automatically. */
  readonly ttlHours: number;
  /** True after a teardown that failed part-way. Only a repeated terminate moves the instance on. */
  stranded: boolean;
}

export interface Account {
  readonly name: string;
  /** In creation order, oldest first. Nothing is ever removed. */
  readonly instances: Instance[];
  /** Credits left at `accruedAt`. */
  credits: number;
  accruedAt: number;
  /** Sum of the hourly rates of all running instances. */
  burnPerHour: number;
}

export type Operation =
  | 'list-instances'
  | 'get-instance'
  | 'stop-instance'
  | 'terminate-instance'
  | 'start-instance'
  | 'regions'
  | 'presets'
  | 'provision';

export interface KeyEntry {
  /** The role of the key in a target file: primary, second, empty or forbidden. */
  readonly role: string;
  readonly secret: string;
  /** Name of the owning account. */
  readonly account: string;
  /** The operations that its policy allows. */
  readonly allows: 'everything' | readonly Operation[];
}

/** A stop, terminate or start that the server received, accepted or not. */
export interface ReceivedAction {
  readonly at: number;
  readonly operation: 'stop-instance' | 'terminate-instance' | 'start-instance';
  /** As in the path, in lower case. */
  readonly instanceId: string;
  /** Account and role of the caller's key. */
  readonly account: string;
  readonly key: string;
  readonly status: number;
  /** The note of an accepted action, for the audit trail. */
  readonly reasonNote: string | undefined;
}

/** Milliseconds that an instance stays in a state before it moves on by itself. 0 moves on at once. */
export interface Timings {
  readonly created: number;
  readonly deployed: number;
  readonly starting: number;
  readonly stopping: number;
  /** From the start of a termination until the resource is gone. */
  readonly teardown: number;
  /** From the start of a termination until TERMINATED. */
  readonly terminating: number;
  /** From entering RUNNING until the guest OS has booted. */
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

/** The outcomes of an action on an instance. */
export type StopOutcome = 'stop' | 'ignore' | 'conflict';
export type TerminateOutcome = 'terminate' | 'reissue' | 'gone' | 'conflict';
export type StartOutcome = 'start' | 'ignore' | 'conflict' | 'refuse';

/** The values of the status filter, with the states that they select. */
export const statusFilters = {
  running: 'RUNNING',
  stopped: 'STOPPED',
  terminated: 'TERMINATED',
  errored: 'ERRORED',
} as const;
export type StatusFilter = (typeof statusFilters)[keyof typeof statusFilters];

export const instanceSortFields = [
  'NAME',
  'GPU_TYPE',
  'SIZE',
  'REGION',
  'HOURLY_RATE',
  'CURRENT_COST',
  'STATUS',
] as const;
export type InstanceSortField = (typeof instanceSortFields)[number];
export const sortDirections = ['ASC', 'DESC'] as const;
export type SortDirection = (typeof sortDirections)[number];

/** The parameters that both lists share. */
export interface PagedQuery {
  readonly region: string | undefined;
  readonly text: string | undefined;
  readonly sortDirection: SortDirection | undefined;
  /** The number of this page in its walk, from 1. */
  readonly page: number;
  readonly size: number;
}

export interface InstanceQuery extends PagedQuery {
  readonly status: StatusFilter | undefined;
  readonly gpuType: string | undefined;
  /** Milliseconds since the epoch, with fractions. */
  readonly begin: number | undefined;
  readonly end: number | undefined;
  readonly sortField: InstanceSortField | undefined;
  /** When the walk began. A walk sorted by cost uses the costs of that moment. */
  readonly asOf: number;
}

export const presetSortFields = [
  'REGION',
  'LOCATION',
  'GPU',
  'CPU',
  'MEMORY',
  'STORAGE',
  'HOURLY_PRICE',
  'ID',
] as const;
export type PresetSortField = (typeof presetSortFields)[number];

export interface PresetQuery extends PagedQuery {
  readonly sku: string | undefined;
  readonly sortField: PresetSortField | undefined;
}

export type SortKey = string | number;

/** The sort key and the place of the last item of a page. The next page starts after it. */
export interface Position {
  readonly key: SortKey | undefined;
  /** Index in creation order, 0 for the oldest. */
  readonly place: number;
}

export interface Placed extends Position {
  readonly instance: Instance;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Set if another page follows. */
  readonly end: Position | undefined;
}

/** The start of the next page of a walk. */
export type Cursor =
  | { readonly list: 'instances'; readonly query: InstanceQuery; readonly after: Position }
  | { readonly list: 'presets'; readonly query: PresetQuery; readonly after: Position };

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for the query in an instance cursor. Cursors are signed, so only the list that they belong to needs a test. */
export function isInstanceQuery(value: unknown): value is InstanceQuery {
  return isRecord(value) && 'asOf' in value && 'page' in value;
}

/** True for the query in a preset cursor. */
export function isPresetQuery(value: unknown): value is PresetQuery {
  return isRecord(value) && 'page' in value && !('asOf' in value);
}

export const errorCodes = {
  400: 'VALIDATION_ERROR',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_ERROR',
} as const;

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly headers: readonly HeaderLine[];

  constructor(status: number, code: string, message: string, headers: readonly HeaderLine[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** 400: the request is malformed or a parameter is invalid. */
export function invalid(message: string): Refusal {
  return new Refusal(400, errorCodes[400], message);
}

/** 404, the same for a resource that does not exist and one that the caller may not see. */
export function notFound(): Refusal {
  return new Refusal(404, errorCodes[404], 'There is no such resource.');
}
