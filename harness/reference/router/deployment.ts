/** The router's configuration as data: keys, agents, models with their policies, limits. */

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
