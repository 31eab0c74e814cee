/** What a compute deployment keeps, what callers ask of its lists, and how it refuses. */

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

/** What becomes of an action on an instance. */
export type StopOutcome = 'stop' | 'ignore' | 'conflict';
export type TerminateOutcome = 'terminate' | 'reissue' | 'gone' | 'conflict';
export type StartOutcome = 'start' | 'ignore' | 'conflict' | 'refuse';

/** States by which the instance list can be filtered, by the words for them. */
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

/** What both lists are asked for. */
export interface PagedQuery {
  readonly region: string | undefined;
  readonly text: string | undefined;
  readonly sortDirection: SortDirection | undefined;
  /** Which page of its walk this is, from 1. */
  readonly page: number;
  /** Items per page. */
  readonly size: number;
}

export interface InstanceQuery extends PagedQuery {
  readonly status: StatusFilter | undefined;
  readonly gpuType: string | undefined;
  /** Milliseconds since the epoch, with fractions. */
  readonly begin: number | undefined;
  readonly end: number | undefined;
  readonly sortField: InstanceSortField | undefined;
  /** When the walk began: a walk by cost goes by the costs of that moment. */
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

/** The last item of a page, by what it is sorted by and its place: the next page starts after it. */
export interface Position {
  readonly key: SortKey | undefined;
  /** In the order of creation, from 0 for the oldest. */
  readonly place: number;
}

export interface Placed extends Position {
  readonly instance: Instance;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** The end of this page when another one follows. */
  readonly end: Position | undefined;
}

/** Where in which walk the next page starts. */
export type Cursor =
  | { readonly list: 'instances'; readonly query: InstanceQuery; readonly after: Position }
  | { readonly list: 'presets'; readonly query: PresetQuery; readonly after: Position };

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a query that a cursor of the instances carried; cursors are signed, so that its kind is all there is to tell. */
export function isInstanceQuery(value: unknown): value is InstanceQuery {
  return isRecord(value) && 'asOf' in value && 'page' in value;
}

/** True for a query that a cursor of the presets carried. */
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

/** 400: the request is malformed, or a parameter is not what it may be. */
export function invalid(message: string): Refusal {
  return new Refusal(400, errorCodes[400], message);
}

/** 404, the same for what does not exist and for what the caller may not see. */
export function notFound(): Refusal {
  return new Refusal(404, errorCodes[404], 'There is no such resource.');
}
