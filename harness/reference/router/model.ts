/** The configuration of a router deployment, and the context of a request. */

import type { IncomingHttpHeaders } from 'node:http';

export type Capability = 'chat' | 'embeddings' | 'rerank';

export interface ModelQuota {
  /** 0 means unlimited. */
  readonly requestsPerMinutePerReplica: number;
  /** 0 means unlimited. */
  readonly tokensPerDay: number;
}

export interface KeyEntry {
  /** The role of the key in a target file. */
  readonly name: string;
  readonly secret: string;
  readonly role: 'client' | 'admin';
  readonly state: 'active' | 'disabled' | 'removed';
  /** Milliseconds since the epoch after which the key is rejected. */
  readonly expiresAt?: number;
  /** The only models that the key may use. Absent: all. */
  readonly allows?: readonly string[];
  /** Absent: unlimited. */
  readonly requestsPerMinute?: number;
  /** Absent: unlimited. */
  readonly tokensPerDay?: number;
  /** Quotas per model. The key may not use a model that is not listed. */
  readonly perModel?: Readonly<Record<string, ModelQuota>>;
}

export interface AgentEntry {
  readonly name: string;
  /** Base URL of the agent's engine, without `/v1`. */
  readonly engine: string;
  /** Requests that it serves at once. */
  readonly capacity: number;
  /** A draining agent is registered but gets no requests. */
  readonly state: 'ready' | 'draining';
  /** False: the port is closed although the router considers the agent ready. */
  readonly reachable: boolean;
  /** A fixed engine pressure. Absent: read from the engine's metrics. */
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
  /** Base URL of the external provider, called if no agent can serve the request. */
  readonly provider?: string;
  /** Number of requests that may wait for a slot of this model. */
  readonly capacityQueue: number;
  readonly maxInputTokens?: number;
  readonly imagesMax?: number;
  readonly maxInflight?: number;
  readonly occupancyTokens?: number;
  /** Refuses requests while the engine pressure of the healthy pool is at least this. */
  readonly shedIfPressure?: number;
  /** Present for a policy with mode serverless. */
  readonly serverless?: ServerlessRates;
  /** Names of the keys that cannot see the model. */
  readonly hiddenFrom?: readonly string[];
}

export interface Limits {
  /** Maximum size of a request body. 0: unlimited. */
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

type RouteFamily = 'models' | 'model' | 'native' | 'proxy' | 'admin';

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly family: RouteFamily;
  readonly capability?: Capability;
  /** Whether the route generates text, which costs output tokens. */
  readonly generates?: boolean;
}

/** The progress of a request. The message of a passed deadline depends on it. */
export type Stage = 'receiving' | 'admission' | 'queue' | 'agent-wait' | 'agent' | 'provider';

export interface RequestContext {
  readonly requestId: string;
  /** Number of the request at this router, from 1. */
  readonly sequence: number;
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly route: Route | undefined;
  key: KeyEntry | undefined;
  model: string | undefined;
  /** Whether the client asked for a stream. */
  stream: boolean;
  stage: Stage;
  /** Name of the agent of the last try. */
  agent: string | undefined;
  /** Set once it is parsed. */
  body: RequestBody | undefined;
  /** The engine's error at the last try, if it was one. */
  engineError: EngineError | undefined;
  /** The headers of the engine's success, once it has come. */
  engineHeaders: IncomingHttpHeaders | undefined;
}

export type RequestBody = Readonly<Record<string, unknown>>;

/** A response of an engine that is not a success. */
export interface EngineError {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Undefined if the bytes are not JSON. */
  readonly json: unknown;
}

/** How a request ended. The release of its resources may depend on it. */
export type Ending = 'success' | 'refused' | 'failed' | 'timeout' | 'hang-up' | 'stream-failed';

export type Holding = 'processor' | 'slot' | 'inflight' | 'occupancy' | 'share';

type Source = 'router' | 'backend';

/** Which quota refused. It decides which headers the response has. */
type QuotaKind = 'bucket' | 'serverless' | 'undeclared' | 'budget' | 'overrun';

export interface FailureDetail {
  readonly source?: Source;
  /** The response status, if it does not follow from the code alone. */
  readonly status?: number;
  readonly quota?: QuotaKind;
}

/** A refusal or failure that becomes an error response. */
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

/** Abort reason: the client has disconnected. */
export class HangUp extends Error {
  override readonly name = 'HangUp';
}

/** Abort reason: the end-to-end deadline has passed. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

/** An agent could not be reached, or its connection was lost before it answered. */
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

/** A member of an object, or undefined. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}

/** The object under `error`, or undefined. */
export function errorObject(json: unknown): object | undefined {
  const error = memberOf(json, 'error');
  return typeof error === 'object' && error !== null ? error : undefined;
}

/** Bytes parsed as JSON, or undefined. */
export function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
