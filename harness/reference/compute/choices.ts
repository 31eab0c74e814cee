/** The choices of this deployment where the contract is open. Most conforming variants change a few of them. */

import type { Framing } from '../http.ts';
import type { InstanceState } from './model.ts';

/** What a stop does in a state for which the contract states no outcome. */
type StopElsewhere = 'stop' | 'ignore' | 'conflict';
type Extras = Readonly<Record<string, unknown>>;

export interface ComputeChoices {
  // Paths are relative to the base URL.
  readonly terminatePath: string;
  readonly start: { readonly method: 'POST' | 'PUT' | 'PATCH'; readonly path: string };
  /** Whether instances can be started at all. */
  readonly startOffered: boolean;
  // Success statuses.
  readonly stopStatus: number;
  readonly terminateStatus: number;
  readonly startStatus: number;
  readonly provisionStatus: number;
  // Response bodies.
  /** Member that holds the record in the body of a single instance. Undefined: the body is the record. */
  readonly getInstanceMember: string | undefined;
  readonly getInstanceVariant: 'list' | 'action';
  readonly startAnswers: 'record' | 'nothing';
  /** `item` is the member that holds a code. Undefined: the array holds the codes themselves. */
  readonly regionsBody: { readonly member: string | undefined; readonly item: string | undefined };
  readonly presets: {
    readonly items: string;
    readonly skuFilter: string;
    readonly freeTextFilter: string;
    readonly defaultSize: number;
    readonly fields: PresetFieldNames;
    readonly unbound: readonly (keyof PresetFieldNames)[];
    /** `nested` puts GPU, CPU, memory and storage into the member `hardware`. */
    readonly shape: 'flat' | 'nested';
    /** How a preset shows that it has no region: null, no such member, an empty string, or its location. */
    readonly noRegion: 'null' | 'absent' | 'empty' | 'location';
    readonly noRegionSorts: 'first' | 'last';
    readonly order: 'catalogue' | 'price' | 'id';
    /** The key of a sort by GPU. */
    readonly gpuOrder: 'model' | 'count';
  };
  readonly instanceExtras: Extras;
  readonly presetExtras: Extras;
  readonly pageExtras: Extras;
  readonly paginationExtras: Extras;
  readonly envelopeExtras: { readonly top: Extras; readonly error: Extras };
  /** Whether a field that is null is shown as null or left out. */
  readonly nulls: 'there' | 'absent';
  readonly dates: 'milliseconds' | 'seconds' | 'microseconds' | 'offset';
  /** Unit of the headline size in responses to stop and terminate. */
  readonly headline: 'gpus' | 'times-model' | 'vcpus' | 'in-parentheses' | 'model-first' | 'count';
  readonly guestReady: { readonly ready: string; readonly notReady: string };
  // Errors.
  readonly conflictCode: string;
  readonly message: (code: string, text: string) => string;
  readonly challenge: string | undefined;
  readonly malformedId: 400 | 404;
  readonly unknownRoute: 'envelope' | 'plain';
  readonly wrongMethod: 404 | 405;
  /** Which error wins when the request is invalid and its resource does not exist either. */
  readonly precedence: 'request-first' | 'resource-first';
  // Reading requests.
  readonly schemeCase: 'any' | 'exact';
  readonly unknownParameters: 'ignore' | 'refuse';
  readonly emptyParameters: 'absent' | 'value';
  readonly repeatedParameters: 'first' | 'last' | 'refuse';
  readonly brokenUtf8: 'literal' | 'refuse';
  /** Whether the case of sort fields, directions and regions matters. */
  readonly enumCase: 'exact' | 'any';
  /** Whether `size` may be spelled `010`, `+10` or `10.0`. */
  readonly sizeSpelling: 'digits' | 'numeric';
  /** Dates without a time, or without an offset (which then means UTC). */
  readonly partialDates: 'accept' | 'refuse';
  readonly beginAfterEnd: 'empty' | 'refuse';
  readonly lengthCounts: 'utf-16' | 'code-points' | 'bytes';
  readonly nullNote: 'accept' | 'refuse';
  readonly extraMembers: 'ignore' | 'refuse';
  readonly bodyLabel: 'any' | 'json';
  // Lists.
  readonly terminatedListed: 'always' | 'when-asked';
  readonly terminatedReadable: boolean;
  readonly search: 'substring' | 'exact-case' | 'words';
  readonly collation: 'code-units' | 'locale' | 'ignore-case';
  readonly sizeOrder: 'text' | 'gpu-count' | 'disk';
  readonly statusOrder: 'text' | 'lifecycle';
  /** Whether a sort by region compares the codes or their places in the list of regions. */
  readonly regionOrder: 'text' | 'listed';
  /** Order of items with equal sort keys. */
  readonly ties: 'newest-first' | 'oldest-first' | 'with-direction';
  /** Effect of a sort direction without a sort field on the instance list. */
  readonly directionAlone: 'ignored' | 'creation';
  readonly cursor: 'signed' | 'stored' | 'long' | 'awkward';
  readonly cursorWithOtherFilters: 'cursor-wins' | 'request-wins' | 'refuse';
  readonly cursorKeepsSize: boolean;
  /** True if a full last page may have a cursor, which leads to an empty page. */
  readonly emptyLastPage: boolean;
  readonly shortPageSize: 'asked' | 'items';
  // Lifecycle.
  readonly stopElsewhere: Readonly<
    Record<'CREATED' | 'DEPLOYED' | 'STARTING' | 'STOPPING' | 'ERRORED', StopElsewhere>
  >;
  /** What a start does in a state without a stated outcome. `refuse` answers a status that the contract does not list. */
  readonly startElsewhere: 'conflict' | 'ignore' | 'refuse';
  /** Whether responses to stop, terminate and start show the state before or after the action. */
  readonly answerShows: 'after' | 'before';
  readonly terminatedAtFrom: Extract<InstanceState, 'TERMINATING' | 'TERMINATED'>;
  /** Milliseconds between two readings of the meter, from which costs and runtimes are computed. */
  readonly meteringMs: number;
  // The wire.
  readonly framing: Framing;
  readonly contentType: string;
  readonly json: 'compact' | 'pretty' | 'ascii';
  readonly extraHeaders: readonly (readonly [string, string])[];
  readonly rateWindow: 'bucket' | 'fixed';
}

/** Member names of a preset. */
export const defaultPresetFields = {
  id: 'id',
  sku: 'name',
  region: 'region',
  location: 'location',
  gpu: 'gpu',
  gpuCount: 'gpu_count',
  cpu: 'cpu',
  memory: 'memory',
  storage: 'storage',
  price: 'hourly_price',
};
type PresetFieldNames = Readonly<typeof defaultPresetFields>;

export const defaultChoices: ComputeChoices = {
  terminatePath: '/instances/{id}/terminate',
  start: { method: 'POST', path: '/instances/{id}/start' },
  startOffered: true,
  stopStatus: 202,
  terminateStatus: 202,
  startStatus: 202,
  provisionStatus: 201,
  getInstanceMember: undefined,
  getInstanceVariant: 'list',
  startAnswers: 'record',
  regionsBody: { member: undefined, item: 'name' },
  presets: {
    items: 'data',
    skuFilter: 'sku',
    freeTextFilter: 'free_text_search',
    defaultSize: 20,
    fields: defaultPresetFields,
    unbound: [],
    shape: 'flat',
    noRegion: 'null',
    noRegionSorts: 'first',
    order: 'catalogue',
    gpuOrder: 'model',
  },
  instanceExtras: {},
  presetExtras: {},
  pageExtras: {},
  paginationExtras: {},
  envelopeExtras: { top: {}, error: {} },
  nulls: 'there',
  dates: 'milliseconds',
  headline: 'gpus',
  guestReady: { ready: 'READY', notReady: 'NOT_READY' },
  conflictCode: 'CONFLICT',
  message: (_code, text) => text,
  challenge: 'Bearer',
  malformedId: 400,
  unknownRoute: 'envelope',
  wrongMethod: 404,
  precedence: 'resource-first',
  schemeCase: 'any',
  unknownParameters: 'ignore',
  emptyParameters: 'absent',
  repeatedParameters: 'first',
  brokenUtf8: 'refuse',
  enumCase: 'exact',
  sizeSpelling: 'digits',
  partialDates: 'accept',
  beginAfterEnd: 'empty',
  lengthCounts: 'code-points',
  nullNote: 'accept',
  extraMembers: 'ignore',
  bodyLabel: 'any',
  terminatedListed: 'always',
  terminatedReadable: true,
  search: 'substring',
  collation: 'code-units',
  sizeOrder: 'text',
  statusOrder: 'text',
  regionOrder: 'text',
  ties: 'newest-first',
  directionAlone: 'ignored',
  cursor: 'signed',
  cursorWithOtherFilters: 'cursor-wins',
  cursorKeepsSize: false,
  emptyLastPage: false,
  shortPageSize: 'asked',
  stopElsewhere: {
    CREATED: 'stop',
    DEPLOYED: 'stop',
    STARTING: 'stop',
    STOPPING: 'ignore',
    ERRORED: 'conflict',
  },
  startElsewhere: 'refuse',
  answerShows: 'after',
  terminatedAtFrom: 'TERMINATED',
  meteringMs: 1_000,
  framing: { headerCase: 'canonical', chunkBytes: undefined },
  contentType: 'application/json',
  json: 'compact',
  extraHeaders: [],
  rateWindow: 'bucket',
};
