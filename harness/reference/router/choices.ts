/** The choices of this deployment where the contract is open. Most conforming variants change a few of them. */

import { type Framing, plainFraming } from '../http.ts';

/** Stages that may refuse a request before it is queued. */
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
  /** Additional members of the error envelope, on both levels. */
  readonly envelopeExtras: {
    readonly top: Readonly<Record<string, unknown>>;
    readonly error: Readonly<Record<string, unknown>>;
  };
  readonly extraHeaders: readonly (readonly [string, string])[];
  readonly framing: Framing;
  readonly errorContentType: string;
  /** `echo` keeps the client's X-Request-ID if it is a UUID. */
  readonly requestId: 'fresh' | 'echo';
  /** `continue` continues the client's trace, if the request has one. */
  readonly traceparent: 'never' | 'always' | 'continue';
  readonly schemeCase: 'any' | 'exact';
  readonly realm: string;
  readonly refusalOrder: readonly RefusalStage[];
  /** Whether a request costs a unit of its bucket before its body is parsed. */
  readonly invalidRequestsCost: boolean;
  readonly oversize: 'json' | 'plain' | 'empty' | 'reset';
  readonly oversizeFirst: boolean;
  readonly notFound: 'plain' | 'json' | 'empty';
  /** Whether an unknown path is 404 for every caller, or 401 without credentials. */
  readonly notFoundFirst: boolean;
  readonly wrongMethod: 404 | 405;
  readonly adminErrors: 'text' | 'envelope';
  readonly emptyModelIs: 'missing' | 'unknown';
  readonly modelLengthCounts: 'utf-16' | 'code-points';
  readonly capabilityMismatch: 'request_invalid' | 'no_agents_available';
  /** `last`: the last failure. `exhausted`: no_agents_available, whatever failed before. */
  readonly finalCode: 'last' | 'exhausted';
  /** Milliseconds for which no session uses an agent that failed. */
  readonly agentsRestMs: number;
  /** Whether a request without an eligible agent waits for one, up to its deadline. */
  readonly waitsForAgents: boolean;
  /** Milliseconds that an agent waits for the head of an engine's response. */
  readonly agentPatienceMs: number;
  /** The code for a lost connection to the engine. */
  readonly engineLost: 'backend_unavailable' | 'backend_error';
  readonly charactersPerToken: number;
  readonly tokensPerImage: number;
  /** Output tokens assumed for occupancy if a request names no maximum. */
  readonly assumedOutputTokens: number;
  /** Requests that a full bucket allows at once, as a share of the limit per minute. */
  readonly burstShare: number;
  /** `clamp` admits a request that exceeds the whole occupancy budget, but only alone. */
  readonly oversizeOccupancy: 'clamp' | 'refuse';
  /** What an overrun charges: prompt and output, or the prompt alone. */
  readonly overrunCharges: 'output' | 'prompt';
  /** Milliseconds until the output of a response is charged to a rate, and that of a stream to a budget. */
  readonly chargesAfterMs: number;
  /** Replicas that share the requests. Each has its own request buckets and serverless rates. */
  readonly replicas: number;
  /** Whether each replica counts the requests in flight of a model separately. */
  readonly placesInEach: boolean;
  /** Whether the target file declares the number of replicas. */
  readonly declaresReplicas: boolean;
  /** Largest debt of an exhausted output rate, in seconds of refill. */
  readonly outputDebtSeconds: number;
  /** Routes that spend daily tokens: native completions, all generating routes, or all routes. */
  readonly budgetTouches: 'native' | 'generation' | 'all';
  readonly remainingOn: 'every' | 'errors' | 'successes';
  /** Whether a refused request also costs a unit of its bucket, which may then become negative. */
  readonly refusalsCost: boolean;
  readonly listingCosts: boolean;
  readonly listExtras: Readonly<Record<string, unknown>>;
  readonly modelExtras: Readonly<Record<string, unknown>>;
  readonly listFollowsAllowlist: boolean;
  /** How a stream ends after its engine is lost. */
  readonly streamFailure: 'cut' | 'reset' | 'end';
  /** SSE comment before the first event of a chat stream. */
  readonly streamComment: string | undefined;
  /** Milliseconds of silence after which a chat stream starts with a comment, whatever comes later. */
  readonly beginsInSilenceAfterMs: number;
  readonly deadlineCutsStreams: boolean;
  /** Whether the deadline also aborts the work of the engine, or only the wait for it. */
  readonly deadlineAbortsEngines: boolean;
  /** Whether a stream keeps its processor until it ends. */
  readonly streamsKeepProcessors: boolean;
  /** Whether a stream keeps its slot, its in-flight count and its tokens until it ends, or releases them with its head. */
  readonly streamsKeepPlaces: boolean;
  /** Milliseconds by which every response is delayed. */
  readonly latencyMs: number;
  /** Milliseconds between the end of a request and the release of what it holds. */
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
