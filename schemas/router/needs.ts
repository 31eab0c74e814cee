/** What a requirement of the router contract can need from a target file, and the levels that this makes. */

import type { Level, Needs } from '../requirement.ts';

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
    purpose: 'agents that point at the scripted engine, which `plumbline backend` starts',
    line: 'backend: { control: http://127.0.0.1:9190 }',
  },
  'hooks.disconnectAgent': {
    purpose: 'a command that takes an agent away',
    line: 'hooks: { disconnectAgent: ./stop-agent.sh, reconnectAgent: ./start-agent.sh }',
  },
  'consent.saturate': {
    purpose: 'permission to fill the whole router for up to half a minute',
    line: 'consent: { saturate: true }',
  },
} as const satisfies Needs;

export type RouterNeed = keyof typeof routerNeeds;

/** Levels of the contract, each named by what a target file must offer for it. */
export const routerLevels = [
  {
    name: 'client',
    summary: 'What a client with a key relies on: access, answers, errors and streams.',
    adds: [
      'keys.client',
      'keys.second',
      'keys.expired',
      'keys.disabled',
      'keys.removed',
      'keys.allowlisted',
      'models.chat',
      'models.embedding',
      'models.reranker',
      'models.hidden',
      'backend',
    ],
  },
  {
    name: 'admission',
    summary: 'Quotas, budgets, caps, slots and queues also admit and refuse as the contract says.',
    adds: [
      'keys.unlimited',
      'keys.requestsPerMinute',
      'keys.requestsPerMinute.tokens',
      'keys.tokensPerDay',
      'keys.perModel',
      'keys.perModel.declared',
      'keys.serverless',
      'keys.serverless.inputTokensPerMinute',
      'keys.serverless.outputTokensPerMinute',
      'keys.serverless.occupancyShare',
      'models.capped',
      'models.capped.maxInputTokens',
      'models.capped.imagesMax',
      'models.maxInflight',
      'models.occupancy',
      'models.singleSlot',
      'limits.maxRequestBytes',
      'limits.requestTimeoutMs',
      'limits.parkTimeoutMs',
    ],
  },
  {
    name: 'complete',
    summary:
      'All of the contract, with failing agents, fallbacks, a full router and the admin routes.',
    adds: [
      'keys.admin',
      'models.pair',
      'models.bounded',
      'models.overflow',
      'models.fallback',
      'models.provider',
      'models.shed',
      'models.calm',
      'models.deadBackend',
      'models.noAgents',
      'models.agentGone',
      'limits.queueSize',
      'limits.maxConcurrent',
      'limits.maxTries',
      'hooks.disconnectAgent',
      'consent.saturate',
    ],
  },
] as const satisfies readonly Level<RouterNeed>[];
