/**
 * Every rule of the deployment by its name. Rules call each other through the request (or the deployment), so
 * that a fault which replaces one is seen wherever that rule counts.
 */

import type { Reply } from '../http/reply.ts';
import type { Answer, Deployment, RequestContext } from './context.ts';
import type { Account, Instance, InstanceState, KeyEntry, Operation, Preset } from './model.ts';
import type {
  InstanceQuery,
  InstanceSortField,
  SortDirection,
} from './operations/instance-query.ts';
import type { PresetQuery, PresetSortField } from './operations/preset-query.ts';
import type { Refusal } from './refusal.ts';
import type { Cursor, PagedQuery } from './rules/cursor.ts';
import type { StartOutcome, StopOutcome, TerminateOutcome } from './rules/lifecycle.ts';
import type { Page, Position } from './rules/paging.ts';
import type { StatusFilter } from './rules/parameters.ts';
import type { Placed, SortKey } from './rules/sorting.ts';

type Body = Readonly<Record<string, unknown>>;

/** What may see or replace every request and every answer. */
interface Filters {
  /** Before anything else; an answer ends the request there. */
  readonly onRequest: (context: RequestContext) => Answer | undefined | Promise<Answer | undefined>;
  /** Every answer, errors included, before it becomes text. */
  readonly onResponse: (context: RequestContext, answer: Answer) => Answer | Promise<Answer>;
  /** Every answer as the bytes and headers that will be sent. */
  readonly onReply: (context: RequestContext, reply: Reply) => Reply | Promise<Reply>;
  /** What each operation does. */
  readonly operate: Readonly<Record<Operation, (context: RequestContext) => Answer>>;
}

interface AuthenticationRules {
  readonly bearerToken: (context: RequestContext) => string | undefined;
  readonly findKey: (token: string, context: RequestContext) => KeyEntry | undefined;
  readonly authenticate: (context: RequestContext) => KeyEntry;
  readonly unauthorized: (context: RequestContext) => Refusal;
  readonly isAllowed: (key: KeyEntry, operation: Operation, context: RequestContext) => boolean;
  readonly takeRequest: (key: KeyEntry, context: RequestContext) => number | undefined;
  readonly tooManyRequests: (seconds: number, context: RequestContext) => Refusal;
}

interface ErrorRules {
  readonly errorEnvelope: (refusal: Refusal, context: RequestContext) => unknown;
  readonly errorAnswer: (refusal: Refusal, context: RequestContext) => Answer;
  readonly refusalOf: (error: unknown, context: RequestContext) => Refusal;
  readonly conflict: (message: string, context: RequestContext) => Refusal;
  readonly unknownRoute: (
    allowed: readonly string[] | undefined,
    context: RequestContext,
  ) => Answer;
}

interface ParameterRules {
  readonly readQuery: (context: RequestContext) => readonly (readonly [string, string])[];
  readonly readParameter: (name: string, context: RequestContext) => string | undefined;
  readonly refuseUnknownParameters: (known: readonly string[], context: RequestContext) => void;
  readonly parseSize: (text: string, context: RequestContext) => number;
  readonly parseFreeText: (name: string, text: string, context: RequestContext) => string;
  readonly textLength: (text: string, context: RequestContext) => number;
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
}

type InstanceFilter = (
  instance: Instance,
  query: InstanceQuery,
  context: RequestContext,
) => boolean;

interface InstanceListRules {
  readonly instancesInReach: (context: RequestContext) => readonly Instance[];
  readonly visibleTo: (instance: Instance, context: RequestContext) => boolean;
  readonly isListed: InstanceFilter;
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
  readonly compareKeys: (left: SortKey, right: SortKey, context: RequestContext) => number;
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
}

interface PagingRules {
  readonly paginationObject: (
    next: string | null,
    size: number,
    items: number,
    context: RequestContext,
    query: InstanceQuery | PresetQuery,
  ) => unknown;
  readonly encodeCursor: (cursor: Cursor, context: RequestContext) => string;
  readonly decodeCursor: (text: string, list: Cursor['list'], context: RequestContext) => Cursor;
  readonly queryOfPage: <Q extends PagedQuery>(
    asked: Q,
    begun: Q | undefined,
    context: RequestContext,
  ) => Q;
}

interface RecordRules {
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
  readonly guestReadiness: (instance: Instance, context: RequestContext) => Body;
  readonly isBilled: (instance: Instance, context: RequestContext) => boolean;
  readonly currentRunMs: (instance: Instance, at: number, context: RequestContext) => number;
  readonly currentRunCost: (instance: Instance, at: number, context: RequestContext) => number;
  readonly totalCost: (instance: Instance, at: number, context: RequestContext) => number;
  readonly runtimeHours: (instance: Instance, at: number, context: RequestContext) => number;
  readonly hoursUntilStop: (instance: Instance, at: number, context: RequestContext) => number;
  readonly creditRunwayHours: (account: Account, at: number, context: RequestContext) => number;
}

interface ActionRules {
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
}

/** Rules that also hold between requests. */
interface LifecycleRules {
  readonly successor: (
    instance: Instance,
    deployment: Deployment,
  ) => { readonly state: InstanceState; readonly delayMs: number } | undefined;
  readonly enter: (instance: Instance, state: InstanceState, deployment: Deployment) => void;
  readonly settleRun: (instance: Instance, now: number, deployment: Deployment) => void;
  readonly moveOn: (instance: Instance, deployment: Deployment) => void;
}

type PresetFilter = (preset: Preset, query: PresetQuery, context: RequestContext) => boolean;

interface PresetRules {
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

export interface ComputeRules
  extends
    Filters,
    AuthenticationRules,
    ErrorRules,
    ParameterRules,
    InstanceListRules,
    PagingRules,
    RecordRules,
    ActionRules,
    LifecycleRules,
    PresetRules {}
