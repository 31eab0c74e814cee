/** What a requirement can need from a target file, and the line that offers it. */

export interface Need {
  /** What it is for, as the end of "needs …". */
  readonly purpose: string;
  /** The YAML that offers it, as it would stand in a target file. */
  readonly line: string;
}

export const computeNeeds = {
  'keys.second': {
    purpose: 'a key of a second account, to see that accounts are kept apart',
    line: 'keys: { second: ${COMPUTE_KEY_OTHER_ACCOUNT} }',
  },
  'keys.empty': {
    purpose: 'a key of an account without instances',
    line: 'keys: { empty: ${COMPUTE_KEY_EMPTY_ACCOUNT} }',
  },
  'keys.forbidden': {
    purpose: 'a valid key that access policy refuses',
    line: 'keys: { forbidden: ${COMPUTE_KEY_FORBIDDEN} }',
  },
  'keys.forbidden.instance': {
    purpose: 'a key that may read and not act, and a stopped instance of its account',
    line: 'keys: { forbidden: { key: ${COMPUTE_KEY_FORBIDDEN}, instance: 6f1c2f4e-6f0a-4b3c-9a51-0c8a7d3e1b11 } }',
  },
  'bindings.terminate': {
    purpose: 'the path of the terminate operation',
    line: 'bindings: { terminate: POST /instances/{id}/terminate }',
  },
  'bindings.start': {
    purpose: 'the method and path of the start operation',
    line: 'bindings: { start: POST /instances/{id}/start }',
  },
  'bindings.getInstance.record': {
    purpose: 'where the body of one instance holds its record',
    line: 'bindings: { getInstance: { record: $ } }',
  },
  'bindings.regions.codes': {
    purpose: 'where the regions body holds the codes',
    line: 'bindings: { regions: { codes: "$[*].name" } }',
  },
  'bindings.presets.items': {
    purpose: 'the name of the array that holds the presets',
    line: 'bindings: { presets: { items: data } }',
  },
  'bindings.presets.filters.sku': {
    purpose: 'the name of the SKU filter of the presets',
    line: 'bindings: { presets: { filters: { sku: sku } } }',
  },
  'bindings.presets.filters.freeText': {
    purpose: 'the name of the free-text filter of the presets',
    line: 'bindings: { presets: { filters: { freeText: free_text_search } } }',
  },
  'bindings.presets.fields.id': {
    purpose: 'the field of a preset that identifies it',
    line: 'bindings: { presets: { fields: { id: id } } }',
  },
  'bindings.presets.fields.sku': {
    purpose: 'the field of a preset that holds its SKU name',
    line: 'bindings: { presets: { fields: { sku: name } } }',
  },
  'bindings.presets.fields.region': {
    purpose: 'the field of a preset that holds its region',
    line: 'bindings: { presets: { fields: { region: region } } }',
  },
  'bindings.presets.fields.location': {
    purpose: 'the field of a preset that holds its datacenter location',
    line: 'bindings: { presets: { fields: { location: location } } }',
  },
  'bindings.presets.fields.gpu': {
    purpose: 'the field of a preset that holds its GPU model',
    line: 'bindings: { presets: { fields: { gpu: gpu } } }',
  },
  'bindings.presets.fields.gpuCount': {
    purpose: 'the field of a preset that holds how many GPUs it has',
    line: 'bindings: { presets: { fields: { gpuCount: gpu_count } } }',
  },
  'bindings.presets.fields.cpu': {
    purpose: 'the field of a preset that holds its CPU count',
    line: 'bindings: { presets: { fields: { cpu: cpu } } }',
  },
  'bindings.presets.fields.memory': {
    purpose: 'the field of a preset that holds its memory',
    line: 'bindings: { presets: { fields: { memory: memory } } }',
  },
  'bindings.presets.fields.storage': {
    purpose: 'the field of a preset that holds its storage',
    line: 'bindings: { presets: { fields: { storage: storage } } }',
  },
  'bindings.presets.fields.price': {
    purpose: 'the field of a preset that holds its hourly price',
    line: 'bindings: { presets: { fields: { price: hourly_price } } }',
  },
  'bindings.locations.unmapped': {
    purpose: 'a datacenter location that belongs to no region',
    line: 'bindings: { locations: { unmapped: [ lab-1 ] } }',
  },
  'instances.provision': {
    purpose:
      'instances that may be stopped or destroyed: a way to make them, or a list of disposable ids',
    line: 'instances: { provision: { command: ./make-instance.sh } }',
  },
  'instances.stopped': {
    purpose: 'an instance that is already stopped',
    line: 'instances: { stopped: [ 00000000-0000-4000-8000-000000000000 ] }',
  },
  'instances.terminated': {
    purpose: 'an instance that is already terminated',
    line: 'instances: { terminated: [ 00000000-0000-4000-8000-000000000000 ] }',
  },
  'consent.stop': {
    purpose: 'permission to stop disposable instances',
    line: 'consent: { stop: true }',
  },
  'consent.terminate': {
    purpose: 'permission to destroy disposable instances',
    line: 'consent: { terminate: true }',
  },
  'consent.exhaustRateLimit': {
    purpose: 'permission to exhaust the rate limit of a key',
    line: 'consent: { exhaustRateLimit: true }',
  },
} as const satisfies Readonly<Record<string, Need>>;

export const routerNeeds = {
  'keys.client': { purpose: 'a client key', line: 'keys: { client: ${ROUTER_KEY} }' },
  'keys.second': {
    purpose: 'a second client key, to see that limits are per key',
    line: 'keys: { second: ${ROUTER_KEY_2} }',
  },
  'keys.unlimited': {
    purpose: 'a client key without any quota',
    line: 'keys: { unlimited: ${ROUTER_KEY_UNLIMITED} }',
  },
  'keys.admin': { purpose: 'an administrator key', line: 'keys: { admin: ${ROUTER_ADMIN_KEY} }' },
  'keys.expired': {
    purpose: 'an expired client key',
    line: 'keys: { expired: ${ROUTER_KEY_EXPIRED} }',
  },
  'keys.disabled': {
    purpose: 'a disabled client key',
    line: 'keys: { disabled: ${ROUTER_KEY_DISABLED} }',
  },
  'keys.removed': {
    purpose: 'a removed client key',
    line: 'keys: { removed: ${ROUTER_KEY_REMOVED} }',
  },
  'keys.allowlisted': {
    purpose: 'a key with a model allowlist',
    line: 'keys: { allowlisted: { key: ${ROUTER_KEY_ALLOWLISTED}, allows: chat-model, denies: other-model } }',
  },
  'keys.requestsPerMinute': {
    purpose: 'a key with a small request quota, to be spent',
    line: 'keys: { requestsPerMinute: { key: ${ROUTER_KEY_RPM}, limit: 120 } }',
  },
  'keys.requestsPerMinute.tokens': {
    purpose: 'a key with a request quota and no token budget',
    line: 'keys: { requestsPerMinute: { tokens: unlimited } }',
  },
  'keys.tokensPerDay': {
    purpose: 'keys with a small daily token budget, each spent once',
    line: 'keys: { tokensPerDay: [ { key: ${ROUTER_KEY_TPD_1}, limit: 2000 } ] }',
  },
  'keys.perModel': {
    purpose: 'a key with per-model quotas and a model that it does not declare',
    line: 'keys: { perModel: { key: ${ROUTER_KEY_PER_MODEL}, undeclared: other-model } }',
  },
  'keys.perModel.declared': {
    purpose: 'a model that a key with per-model quotas declares, with quotas that serve a request',
    line: 'keys: { perModel: { declared: some-model } }',
  },
  'keys.serverless': {
    purpose: 'a key under a serverless policy',
    line: 'keys: { serverless: { key: ${ROUTER_KEY_SERVERLESS}, model: serverless-model, inputTokensPerMinute: 8000, outputTokensPerMinute: 1000, occupancyShare: 1000 } }',
  },
  'keys.serverless.inputTokensPerMinute': {
    purpose: 'a serverless key with an input token rate',
    line: 'keys: { serverless: { inputTokensPerMinute: 8000 } }',
  },
  'keys.serverless.outputTokensPerMinute': {
    purpose: 'a serverless key with an output token rate',
    line: 'keys: { serverless: { outputTokensPerMinute: 1000 } }',
  },
  'keys.serverless.occupancyShare': {
    purpose: 'a serverless key with an occupancy share',
    line: 'keys: { serverless: { occupancyShare: 1000 } }',
  },
  'models.chat': { purpose: 'a plain chat model', line: 'models: { chat: scripted-chat }' },
  'models.embedding': {
    purpose: 'an embedding model',
    line: 'models: { embedding: scripted-embedding }',
  },
  'models.reranker': {
    purpose: 'a reranking model',
    line: 'models: { reranker: scripted-rerank }',
  },
  'models.pair': {
    purpose: 'a model with two agents and at least two tries',
    line: 'models: { pair: scripted-pair }',
  },
  'models.fallback': {
    purpose: 'a model whose first step cannot serve and whose second can',
    line: 'models: { fallback: scripted-fallback }',
  },
  'models.bounded': {
    purpose: 'a model whose one step has more agents than tries',
    line: 'models: { bounded: { id: bounded-model, maxTries: 1 } }',
  },
  'models.overflow': {
    purpose: 'a model whose first step has one agent with few slots, and whose second can serve',
    line: 'models: { overflow: { id: overflow-model, capacity: 1 } }',
  },
  'models.provider': {
    purpose: 'a model with an external provider fallback',
    line: 'models: { provider: scripted-provider }',
  },
  'models.hidden': {
    purpose: 'a model that one key may not see',
    line: 'models: { hidden: { id: hidden-model, from: allowlisted } }',
  },
  'models.capped': {
    purpose: 'a model with caps on input tokens and images',
    line: 'models: { capped: { id: capped-model, maxInputTokens: 4000, imagesMax: 2 } }',
  },
  'models.capped.maxInputTokens': {
    purpose: 'a model with a cap on input tokens',
    line: 'models: { capped: { id: capped-model, maxInputTokens: 4000 } }',
  },
  'models.capped.imagesMax': {
    purpose: 'a model with a cap on images',
    line: 'models: { capped: { id: capped-model, imagesMax: 2 } }',
  },
  'models.maxInflight': {
    purpose: 'a model with a limit on requests in flight',
    line: 'models: { maxInflight: { id: inflight-model, limit: 1 } }',
  },
  'models.occupancy': {
    purpose: 'a model with a token-weighted occupancy budget',
    line: 'models: { occupancy: { id: occupancy-model, budgetTokens: 1000 } }',
  },
  'models.singleSlot': {
    purpose: 'a model with one agent, few slots and no queue of its own',
    line: 'models: { singleSlot: { id: slot-model, capacity: 1 } }',
  },
  'models.shed': {
    purpose: 'a model over its shedding threshold',
    line: 'models: { shed: shed-model }',
  },
  'models.calm': {
    purpose: 'a model with a shedding threshold that is not reached',
    line: 'models: { calm: calm-model }',
  },
  'models.deadBackend': {
    purpose: 'a model whose agent is up and whose engine is down',
    line: 'models: { deadBackend: dead-model }',
  },
  'models.noAgents': {
    purpose: 'a registered model without an eligible agent',
    line: 'models: { noAgents: lonely-model }',
  },
  'models.agentGone': {
    purpose: 'a model whose only agent cannot be reached',
    line: 'models: { agentGone: gone-model }',
  },
  'limits.maxRequestBytes': {
    purpose: 'the limit on request bodies',
    line: 'limits: { maxRequestBytes: 10485760 }',
  },
  'limits.requestTimeoutMs': {
    purpose: 'the end-to-end deadline',
    line: 'limits: { requestTimeoutMs: 60000 }',
  },
  'limits.parkTimeoutMs': { purpose: 'the park timeout', line: 'limits: { parkTimeoutMs: 250 }' },
  'limits.queueSize': {
    purpose: 'the size of the pending queue',
    line: 'limits: { queueSize: 100 }',
  },
  'limits.maxConcurrent': {
    purpose: 'how many requests the router works on at once',
    line: 'limits: { maxConcurrent: 50 }',
  },
  'limits.maxTries': { purpose: 'how often a step tries', line: 'limits: { maxTries: 3 }' },
  backend: {
    purpose: 'agents that point at the scripted backend',
    line: 'backend: { listen: [ 127.0.0.1:9100 ] }',
  },
  'hooks.disconnectAgent': {
    purpose: 'a command that takes an agent away',
    line: 'hooks: { disconnectAgent: ./stop-agent.sh, reconnectAgent: ./start-agent.sh }',
  },
  'consent.saturate': {
    purpose: 'permission to fill the whole router for up to half a minute',
    line: 'consent: { saturate: true }',
  },
} as const satisfies Readonly<Record<string, Need>>;

export type ComputeNeed = keyof typeof computeNeeds;
export type RouterNeed = keyof typeof routerNeeds;
export type NeedName = ComputeNeed | RouterNeed;

/** True for a name that stands in one of the registers above. */
export function isNeedName(name: string): name is NeedName {
  return name in computeNeeds || name in routerNeeds;
}

/** True for a need of the compute contract. */
export function isComputeNeed(name: string): name is ComputeNeed {
  return Object.hasOwn(computeNeeds, name);
}
