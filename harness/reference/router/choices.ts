/** What the contract leaves open and this deployment decides: a conforming variant is a few lines of this. */

import { type Framing, plainFraming } from '../http.ts';

/** What may refuse a request before it is queued. */
export type RefusalStage =
  | 'permission'
  | 'existence'
  | 'declaration'
  | 'requests'
  | 'capability'
  | 'caps'
  | 'shed'
  | 'serverless'
  | 'tokens'
  | 'inflight'
  | 'occupancy';

export interface RouterChoices {
  /** Replaces the text of every error message that the router writes itself. */
  readonly message: (code: string, text: string) => string;
  /** Further members of the envelope, on both levels. */
  readonly envelopeExtras: {
    readonly top: Readonly<Record<string, unknown>>;
    readonly error: Readonly<Record<string, unknown>>;
  };
  /** Further headers on every response. */
  readonly extraHeaders: readonly (readonly [string, string])[];
  readonly framing: Framing;
  readonly errorContentType: string;
  /** `echo` keeps a client's X-Request-ID when it is a UUID. */
  readonly requestId: 'fresh' | 'echo';
  /** `continue` takes the trace of the client, where it sent one. */
  readonly traceparent: 'never' | 'always' | 'continue';
  readonly schemeCase: 'any' | 'exact';
  readonly realm: string;
  readonly refusalOrder: readonly RefusalStage[];
  /** Takes from a request bucket before the body is read as JSON. */
  readonly invalidRequestsCost: boolean;
  readonly oversize: 'json' | 'plain' | 'empty' | 'reset';
  readonly oversizeFirst: boolean;
  readonly notFound: 'plain' | 'json' | 'empty';
  /** Whether a path without a route is 404 for everybody, or 401 without credentials. */
  readonly notFoundFirst: boolean;
  readonly wrongMethod: 404 | 405;
  readonly adminErrors: 'text' | 'envelope';
  readonly emptyModelIs: 'missing' | 'unknown';
  readonly modelLengthCounts: 'utf-16' | 'code-points';
  readonly capabilityMismatch: 'request_invalid' | 'no_agents_available';
  /** `last`: the last failure as itself. `exhausted`: no_agents_available whatever came before. */
  readonly finalCode: 'last' | 'exhausted';
  /** Milliseconds for which an agent that failed is left out by everybody. */
  readonly agentsRestMs: number;
  /** Whether a request for a model without an eligible agent waits for one, up to its deadline. */
  readonly waitsForAgents: boolean;
  /** Milliseconds for which an agent waits for the head of an engine's answer. */
  readonly agentPatienceMs: number;
  /** What a lost engine connection is called. */
  readonly engineLost: 'backend_unavailable' | 'backend_error';
  readonly charactersPerToken: number;
  readonly tokensPerImage: number;
  /** Output that is assumed for occupancy when a request names no maximum. */
  readonly assumedOutputTokens: number;
  /** Requests that an untouched bucket allows at once, as a share of the limit per minute. */
  readonly burstShare: number;
  /** `clamp` admits a request alone that weighs more than the whole occupancy budget. */
  readonly oversizeOccupancy: 'clamp' | 'refuse';
  /** After an overrun: the output is charged too, or the prompt alone. */
  readonly overrunCharges: 'output' | 'prompt';
  /** Milliseconds after which output is charged to a rate, and a stream to a budget. */
  readonly chargesAfterMs: number;
  /** Replicas that share the requests, each with request buckets and serverless rates of its own. */
  readonly replicas: number;
  /** Whether each replica counts the places of a model for itself. */
  readonly placesInEach: boolean;
  /** Whether the target file says how many replicas there are. */
  readonly declaresReplicas: boolean;
  /** Seconds of refill that an exhausted output rate may be in debt. */
  readonly outputDebtSeconds: number;
  /** Routes that spend daily tokens: native completions, whatever generates, or all. */
  readonly budgetTouches: 'native' | 'generation' | 'all';
  readonly remainingOn: 'every' | 'errors' | 'successes';
  /** Whether a refused request is taken of its bucket, too, into debt. */
  readonly refusalsCost: boolean;
  /** Whether model listings cost requests. */
  readonly listingCosts: boolean;
  readonly listExtras: Readonly<Record<string, unknown>>;
  readonly modelExtras: Readonly<Record<string, unknown>>;
  readonly listFollowsAllowlist: boolean;
  /** How a stream ends whose engine was lost. */
  readonly streamFailure: 'cut' | 'reset' | 'end';
  /** SSE comment that precedes the first event of a chat stream. */
  readonly streamComment: string | undefined;
  /** Milliseconds of silence after which a chat stream is begun with a comment, whatever becomes of it. */
  readonly beginsInSilenceAfterMs: number;
  readonly deadlineCutsStreams: boolean;
  /** Whether a passed deadline ends the work of an engine, or the waiting for it alone. */
  readonly deadlineAbortsEngines: boolean;
  /** Whether a stream keeps its processor until it ends. */
  readonly streamsKeepProcessors: boolean;
  /** Whether a stream keeps its slot, its place in flight and its tokens until it ends, or gives them back with its head. */
  readonly streamsKeepPlaces: boolean;
  /** Milliseconds by which every answer is late. */
  readonly latencyMs: number;
  /** Milliseconds after its end for which a request keeps what it held. */
  readonly givesBackAfterMs: number;
}

export const defaultChoices: RouterChoices = {
  message: (_code, text) => text,
  envelopeExtras: { top: {}, error: {} },
  extraHeaders: [],
  framing: plainFraming,
  errorContentType: 'application/json',
  requestId: 'fresh',
  traceparent: 'always',
  schemeCase: 'any',
  realm: 'plumbline-router',
  refusalOrder: [
    'permission',
    'existence',
    'declaration',
    'requests',
    'capability',
    'caps',
    'shed',
    'serverless',
    'tokens',
    'inflight',
    'occupancy',
  ],
  invalidRequestsCost: false,
  oversize: 'plain',
  oversizeFirst: false,
  notFound: 'plain',
  notFoundFirst: true,
  wrongMethod: 404,
  adminErrors: 'text',
  emptyModelIs: 'missing',
  modelLengthCounts: 'utf-16',
  capabilityMismatch: 'request_invalid',
  finalCode: 'last',
  agentsRestMs: 0,
  waitsForAgents: false,
  agentPatienceMs: Infinity,
  engineLost: 'backend_unavailable',
  charactersPerToken: 4,
  tokensPerImage: 16,
  assumedOutputTokens: 16,
  burstShare: 1,
  oversizeOccupancy: 'clamp',
  overrunCharges: 'output',
  chargesAfterMs: 0,
  replicas: 1,
  placesInEach: false,
  declaresReplicas: true,
  outputDebtSeconds: 1.5,
  budgetTouches: 'all',
  remainingOn: 'every',
  refusalsCost: false,
  listingCosts: false,
  listExtras: { object: 'list' },
  modelExtras: { object: 'model', owned_by: 'reference' },
  listFollowsAllowlist: true,
  streamFailure: 'cut',
  streamComment: undefined,
  beginsInSilenceAfterMs: Infinity,
  deadlineCutsStreams: false,
  deadlineAbortsEngines: true,
  streamsKeepProcessors: true,
  streamsKeepPlaces: true,
  latencyMs: 0,
  givesBackAfterMs: 0,
};
