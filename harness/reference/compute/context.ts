/**
 * One request while it is worked on, the deployment that works on it, and every rule by its name. Rules call each other
 * through the request (or the deployment), so that a fault which replaces one is seen wherever that rule counts: none of the
 * three can be told without the others.
 */

import type { HeaderLine, Reply } from '../http.ts';
import type { ComputeChoices } from './choices.ts';
import type {
  Account,
  Cursor,
  Instance,
  InstanceQuery,
  InstanceSortField,
  InstanceState,
  KeyEntry,
  Operation,
  Page,
  PagedQuery,
  Placed,
  Position,
  Preset,
  PresetQuery,
  PresetSortField,
  Refusal,
  SortDirection,
  SortKey,
  StartOutcome,
  StatusFilter,
  StopOutcome,
  TerminateOutcome,
  Timings,
} from './model.ts';
import type { Timers, World } from './world.ts';

export interface RateLimit {
  readonly requests: number;
  readonly perSeconds: number;
  /** Roles of the keys that it holds for; every key unless told. */
  readonly roles?: readonly string[];
}

export interface Deployment {
  readonly world: World;
  readonly rules: ComputeRules;
  readonly choices: ComputeChoices;
  readonly timings: Timings;
  /** Per key; undefined: unlimited. */
  readonly rateLimit: RateLimit | undefined;
  /** Signs cursors, new with each start. */
  readonly secret: string;
  /** Cursors that are kept here instead of being written out. */
  readonly storedCursors: Map<string, string>;
  /** Use of each key: what is left, and since when. */
  readonly usage: Map<string, { left: number; since: number }>;
  readonly timers: Timers;
}

export interface RequestContext {
  readonly deployment: Deployment;
  readonly rules: ComputeRules;
  readonly choices: ComputeChoices;
  readonly world: World;
  /** How many requests this deployment has received, this one included. */
  readonly sequence: number;
  readonly requestId: string;
  /** When work on it began, in milliseconds since the epoch. */
  readonly now: number;
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** As they came, in order. */
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array;
  /** What the path names, and the values in it. */
  readonly operation: Operation | undefined;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Set once the caller is known. */
  key: KeyEntry | undefined;
}

/** An answer before it becomes text. */
export interface Answer {
  readonly status: number;
  /** Further headers, beside the type. */
  readonly headers?: readonly HeaderLine[];
  /** Undefined for an answer without a body; plain text where `text` is set. */
  readonly json?: unknown;
  readonly text?: string;
}

type Body = Readonly<Record<string, unknown>>;

type InstanceFilter = (
  instance: Instance,
  query: InstanceQuery,
  context: RequestContext,
) => boolean;

type PresetFilter = (preset: Preset, query: PresetQuery, context: RequestContext) => boolean;

/** Every decision of the deployment as a small named function. */
export interface ComputeRules {
  // What may see or replace every request and every answer.
  /** Before anything else; an answer ends the request there. */
  readonly onRequest: (context: RequestContext) => Answer | undefined | Promise<Answer | undefined>;
  /** Every answer, errors included, before it becomes text. */
  readonly onResponse: (context: RequestContext, answer: Answer) => Answer | Promise<Answer>;
  /** Every answer as the bytes and headers that will be sent. */
  readonly onReply: (context: RequestContext, reply: Reply) => Reply | Promise<Reply>;
  /** What each operation does. */
  readonly operate: Readonly<Record<Operation, (context: RequestContext) => Answer>>;

  // The caller.
  readonly bearerToken: (context: RequestContext) => string | undefined;
  readonly findKey: (token: string, context: RequestContext) => KeyEntry | undefined;
  readonly authenticate: (context: RequestContext) => KeyEntry;
  readonly unauthorized: (context: RequestContext) => Refusal;
  readonly isAllowed: (key: KeyEntry, operation: Operation, context: RequestContext) => boolean;
  readonly takeRequest: (key: KeyEntry, context: RequestContext) => number | undefined;
  readonly tooManyRequests: (seconds: number, context: RequestContext) => Refusal;

  // Errors.
  readonly errorEnvelope: (refusal: Refusal, context: RequestContext) => unknown;
  readonly errorAnswer: (refusal: Refusal, context: RequestContext) => Answer;
  readonly refusalOf: (error: unknown, context: RequestContext) => Refusal;
  readonly conflict: (message: string, context: RequestContext) => Refusal;
  readonly unknownRoute: (
    allowed: readonly string[] | undefined,
    context: RequestContext,
  ) => Answer;

  // Parameters.
  readonly readParameter: (name: string, context: RequestContext) => string | undefined;
  readonly parseSize: (text: string, context: RequestContext) => number;
  readonly parseFreeText: (name: string, text: string, context: RequestContext) => string;
  readonly parseWord: <const W extends string>(
    name: string,
    text: string,
    words: readonly W[],
    context: RequestContext,
  ) => W;
  readonly parseStatus: (text: string, context: RequestContext) => StatusFilter;
  readonly parseRegion: (text: string, context: RequestContext) => string;
  readonly parseDate: (name: string, text: string, context: RequestContext) => number;
  readonly formatDate: (instant: number, context: RequestContext) => string;

  // The instance list.
  readonly instancesInReach: (context: RequestContext) => readonly Instance[];
  readonly visibleTo: (instance: Instance, context: RequestContext) => boolean;
  readonly matchesStatus: InstanceFilter;
  readonly matchesRegion: InstanceFilter;
  readonly matchesGpuType: InstanceFilter;
  readonly matchesDateBegin: InstanceFilter;
  readonly matchesDateEnd: InstanceFilter;
  readonly searchMatches: InstanceFilter;
  readonly matchesQuery: InstanceFilter;
  readonly textMatches: (field: string, text: string, context: RequestContext) => boolean;
  readonly instanceSortKey: (
    instance: Instance,
    field: InstanceSortField,
    query: InstanceQuery,
    context: RequestContext,
  ) => SortKey;
  readonly instanceDirection: (query: InstanceQuery, context: RequestContext) => SortDirection;
  readonly compareInstances: (
    left: Placed,
    right: Placed,
    query: InstanceQuery,
    context: RequestContext,
  ) => number;
  readonly instancePageSize: () => number;
  readonly selectInstances: (
    query: InstanceQuery,
    after: Position | undefined,
    context: RequestContext,
  ) => Page<Instance>;

  // Pages.
  readonly encodeCursor: (cursor: Cursor, context: RequestContext) => string;
  readonly decodeCursor: (text: string, list: Cursor['list'], context: RequestContext) => Cursor;
  readonly queryOfPage: <Q extends PagedQuery>(
    asked: Q,
    begun: Q | undefined,
    context: RequestContext,
  ) => Q;

  // Records.
  readonly listRecord: (
    instance: Instance,
    at: number,
    context: RequestContext,
    query?: InstanceQuery,
  ) => Body;
  readonly actionRecord: (instance: Instance, at: number, context: RequestContext) => Body;
  readonly singleRecord: (instance: Instance, context: RequestContext) => Body;
  readonly headlineSize: (preset: Preset, context: RequestContext) => string;
  readonly resourceSummary: (preset: Preset, context: RequestContext) => string;
  readonly currentRunMs: (instance: Instance, at: number, context: RequestContext) => number;
  readonly currentRunCost: (instance: Instance, at: number, context: RequestContext) => number;
  readonly totalCost: (instance: Instance, at: number, context: RequestContext) => number;
  readonly runtimeHours: (instance: Instance, at: number, context: RequestContext) => number;
  readonly hoursUntilStop: (instance: Instance, at: number, context: RequestContext) => number;

  // Actions.
  readonly isInstanceId: (text: string, context: RequestContext) => boolean;
  readonly findInstance: (context: RequestContext) => Instance;
  readonly parseBody: (context: RequestContext) => unknown;
  readonly readReasonNote: (context: RequestContext) => string | undefined;
  readonly parseReasonNote: (note: unknown, context: RequestContext) => string;
  readonly stopOutcome: (instance: Instance, context: RequestContext) => StopOutcome;
  readonly terminateOutcome: (instance: Instance, context: RequestContext) => TerminateOutcome;
  readonly startOutcome: (instance: Instance, context: RequestContext) => StartOutcome;
  readonly isResourceGone: (instance: Instance, context: RequestContext) => boolean;
  readonly beginStop: (instance: Instance, context: RequestContext) => void;
  readonly beginTerminate: (instance: Instance, context: RequestContext) => void;
  readonly reissueTerminate: (instance: Instance, context: RequestContext) => void;
  readonly beginStart: (instance: Instance, context: RequestContext) => void;

  // Rules that also hold between requests.
  readonly successor: (
    instance: Instance,
    deployment: Deployment,
  ) => { readonly state: InstanceState; readonly delayMs: number } | undefined;
  readonly enter: (instance: Instance, state: InstanceState, deployment: Deployment) => void;

  // Presets and regions.
  readonly presetsInOrder: (context: RequestContext) => readonly Preset[];
  readonly presetMatchesRegion: PresetFilter;
  readonly presetMatchesSku: PresetFilter;
  readonly presetMatchesText: PresetFilter;
  readonly presetSortKey: (
    preset: Preset,
    field: PresetSortField,
    query: PresetQuery,
    context: RequestContext,
  ) => SortKey | undefined;
  readonly presetDirection: (query: PresetQuery, context: RequestContext) => SortDirection;
  readonly sortPresets: (
    presets: readonly Preset[],
    query: PresetQuery,
    context: RequestContext,
  ) => readonly Preset[];
  readonly selectPresets: (
    query: PresetQuery,
    after: Position | undefined,
    context: RequestContext,
  ) => Page<Preset>;
  readonly presetRecord: (preset: Preset, context: RequestContext, query: PresetQuery) => Body;
  readonly regionsBody: (context: RequestContext) => unknown;
}

/** The account of an authenticated caller. */
export function callerOf(context: RequestContext): Account {
  if (context.key === undefined) throw new Error('The caller is not known yet.');
  return context.world.account(context.key.account);
}

/** Values of a header, in order. */
export function headerValues(context: RequestContext, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return context.headers
    .filter(([line]) => line.toLowerCase() === wanted)
    .map(([, value]) => value);
}
