/** What a router deployment is made of, and what it knows of a request while it works on it. */

import type { IncomingHttpHeaders } from 'node:http';

export type Capability = 'chat' | 'embeddings' | 'rerank';

export interface ModelQuota {
  /** 0 means that nothing is limited. */
  readonly requestsPerMinutePerReplica: number;
  /** 0 means that nothing is limited. */
  readonly tokensPerDay: number;
}

export interface KeyEntry {
  /** The role that the key plays in a target file. */
  readonly name: string;
  readonly secret: string;
  readonly role: 'client' | 'admin';
  readonly state: 'active' | 'disabled' | 'removed';
  /** Milliseconds since the epoch after which the key is no longer accepted. */
  readonly expiresAt?: number;
  /** The only models that the key may use; absent when it may use all. */
  readonly allows?: readonly string[];
  /** Absent when unlimited. */
  readonly requestsPerMinute?: number;
  /** Absent when unlimited. */
  readonly tokensPerDay?: number;
  /** Quotas per model; a model that is not listed may not be used. */
  readonly perModel?: Readonly<Record<string, ModelQuota>>;
}

export interface AgentEntry {
  readonly name: string;
  /** Base URL of the engine that the agent fronts, without `/v1`. */
  readonly engine: string;
  /** Requests that it takes at once. */
  readonly capacity: number;
  /** A draining agent is registered and gets no requests. */
  readonly state: 'ready' | 'draining';
  /** False: the port is closed though the router believes the agent ready. */
  readonly reachable: boolean;
  /** Engine pressure when it is set by hand; otherwise the engine's own metrics tell. */
  readonly pressure?: number;
}

export interface StepEntry {
  readonly agents: readonly string[];
  readonly maxTries: number;
}

export interface ServerlessRates {
  readonly inputTokensPerMinute: number;
  readonly outputTokensPerMinute: number;
  /** Tokens that one key may have in flight. */
  readonly occupancyShare: number;
}

export interface ModelEntry {
  readonly id: string;
  readonly capabilities: readonly Capability[];
  readonly steps: readonly StepEntry[];
  /** Base URL of an external provider that is asked when no agent can serve. */
  readonly provider?: string;
  /** Requests that may wait for a slot of this model. */
  readonly capacityQueue: number;
  readonly maxInputTokens?: number;
  readonly imagesMax?: number;
  readonly maxInflight?: number;
  /** Token-weighted occupancy budget. */
  readonly occupancyTokens?: number;
  /** Refuse at or over this engine pressure of the healthy pool. */
  readonly shedIfPressure?: number;
  /** Present when the policy's mode is serverless. */
  readonly serverless?: ServerlessRates;
  /** Names of keys that may not see the model. */
  readonly hiddenFrom?: readonly string[];
}

export interface Limits {
  /** Largest request body; 0 means no limit. */
  readonly maxRequestBytes: number;
  readonly requestTimeoutMs: number;
  readonly parkTimeoutMs: number;
  /** How long the pending channel must stay full before a request is refused. */
  readonly queueFullMs: number;
  readonly queueSize: number;
  readonly maxConcurrent: number;
}

export interface Deployment {
  readonly keys: readonly KeyEntry[];
  readonly agents: readonly AgentEntry[];
  readonly models: readonly ModelEntry[];
  readonly limits: Limits;
}

export type RouteFamily = 'models' | 'model' | 'native' | 'proxy' | 'admin';

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly family: RouteFamily;
  readonly capability?: Capability;
  /** Whether the route writes text, and so spends output tokens. */
  readonly generates?: boolean;
}

/** How far a request has come; a passed deadline tells it. */
export type Stage = 'receiving' | 'admission' | 'queue' | 'agent-wait' | 'agent' | 'provider';

export interface RequestContext {
  readonly requestId: string;
  /** Counts the requests of this router from 1. */
  readonly sequence: number;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** What stands behind the path, without question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly arrivedAt: number;
  readonly route: Route | undefined;
  key: KeyEntry | undefined;
  model: string | undefined;
  /** The client asked for a stream. */
  stream: boolean;
  stage: Stage;
  /** Name of the agent that answered. */
  agent: string | undefined;
  /** Once it is parsed. */
  body: RequestBody | undefined;
  /** What an engine answered at the last try, where that was no success. */
  engineError: EngineError | undefined;
}

/** A request body after parsing. */
export type RequestBody = Readonly<Record<string, unknown>>;

/** An answer of an engine that is no success. */
export interface EngineError {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Undefined where the bytes are no JSON. */
  readonly json: unknown;
}

/** How a request ended, for what was held for it. */
export type Ending = 'success' | 'refused' | 'failed' | 'timeout' | 'hang-up' | 'stream-failed';

/** What a request can hold while it runs. */
export type Holding = 'processor' | 'slot' | 'inflight' | 'occupancy' | 'share';

export type Source = 'router' | 'backend';

/** Why a quota refused; it decides which headers the answer carries. */
export type QuotaKind = 'bucket' | 'serverless' | 'undeclared' | 'budget' | 'overrun';

export interface FailureDetail {
  readonly source?: Source;
  /** Status to answer with where the code alone does not settle it. */
  readonly status?: number;
  readonly quota?: QuotaKind;
}

/** A refusal or failure that ends as an error answer. */
export class RouterFailure extends Error {
  override readonly name = 'RouterFailure';
  readonly code: string;
  readonly detail: FailureDetail;

  constructor(code: string, message: string, detail: FailureDetail = {}) {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}

/** Reason of an abort: the client is gone and nobody waits for an answer. */
export class HangUp extends Error {
  override readonly name = 'HangUp';
}

/** Reason of an abort: the end-to-end deadline passed. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

/** An agent that could not be reached, or whose connection was lost before it answered. */
export class LinkLost extends Error {
  override readonly name = 'LinkLost';
}

/** What is sent to an agent. */
export interface Dispatch {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

/** A member of an object; undefined for everything that is no object or lacks it. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}

/** The object under `error`, undefined when there is none. */
export function errorObject(json: unknown): object | undefined {
  const error = memberOf(json, 'error');
  return typeof error === 'object' && error !== null ? error : undefined;
}

/** Bytes as JSON; undefined when they are none. */
export function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** What became of a request that was admitted. */
export interface AuditRecord {
  readonly requestId: string;
  readonly key: string;
  readonly model: string;
  readonly path: string;
  readonly agent: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Code of the error that the client got; undefined after a success. */
  readonly code: string | undefined;
}
