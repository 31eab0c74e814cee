/** What a requirement of the router contract can need from a target file, and the levels built from these needs. */

import { implied, type Level, needs, open, stated } from '../requirement.ts';

export const routerNeeds = needs({
  'keys.client': ['a client key', '${ROUTER_KEY}'],
  'keys.second': ['a second client key, to see that limits are per key', '${ROUTER_KEY_2}'],
  'keys.unlimited': ['a client key without any quota', '${ROUTER_KEY_UNLIMITED}'],
  'keys.admin': ['an administrator key', '${ROUTER_ADMIN_KEY}'],
  'keys.expired': ['an expired client key', '${ROUTER_KEY_EXPIRED}'],
  'keys.disabled': ['a disabled client key', '${ROUTER_KEY_DISABLED}'],
  'keys.removed': ['a removed client key', '${ROUTER_KEY_REMOVED}'],
  'keys.allowlisted': [
    'a key with a model allowlist',
    '{ key: ${ROUTER_KEY_ALLOWLISTED}, allows: chat-model, denies: other-model }',
  ],
  'keys.requestsPerMinute': [
    'a key with a small request quota, to be spent',
    '{ key: ${ROUTER_KEY_RPM}, limit: 120 }',
  ],
  'keys.requestsPerMinute.tokens': ['a key with a request quota and no token budget', 'unlimited'],
  'keys.tokensPerDay': [
    'keys with a small daily token budget, each spent once',
    '[ { key: ${ROUTER_KEY_TPD_1}, limit: 2000 } ]',
  ],
  'keys.perModel': [
    'a key with per-model quotas and a model that it does not declare',
    '{ key: ${ROUTER_KEY_PER_MODEL}, undeclared: other-model }',
  ],
  'keys.perModel.declared': [
    'a model that a key with per-model quotas declares, with quotas that serve a request',
    'some-model',
  ],
  'keys.serverless': [
    'a key under a serverless policy',
    '{ key: ${ROUTER_KEY_SERVERLESS}, model: serverless-model, inputTokensPerMinute: 8000, outputTokensPerMinute: 1000, occupancyShare: 1000 }',
  ],
  'keys.serverless.inputTokensPerMinute': ['a serverless key with an input token rate', '8000'],
  'keys.serverless.outputTokensPerMinute': ['a serverless key with an output token rate', '1000'],
  'keys.serverless.occupancyShare': ['a serverless key with an occupancy share', '1000'],
  'models.chat': ['a plain chat model', 'scripted-chat'],
  'models.embedding': ['an embedding model', 'scripted-embedding'],
  'models.reranker': ['a reranking model', 'scripted-rerank'],
  'models.pair': ['a model with two agents and at least two tries', 'scripted-pair'],
  'models.fallback': [
    'a model whose first step cannot serve and whose second can',
    'scripted-fallback',
  ],
  'models.bounded': [
    'a model whose one step has more agents than tries',
    '{ id: bounded-model, maxTries: 1 }',
  ],
  'models.overflow': [
    'a model whose first step has one agent with few slots, and whose second can serve',
    '{ id: overflow-model, capacity: 1 }',
  ],
  'models.provider': ['a model with an external provider fallback', 'scripted-provider'],
  'models.hidden': ['a model that one key may not see', '{ id: hidden-model, from: allowlisted }'],
  'models.capped': [
    'a model with caps on input tokens and images',
    '{ id: capped-model, maxInputTokens: 4000, imagesMax: 2 }',
  ],
  'models.capped.maxInputTokens': {
    purpose: 'a model with a cap on input tokens',
    line: 'models: { capped: { id: capped-model, maxInputTokens: 4000 } }',
  },
  'models.capped.imagesMax': {
    purpose: 'a model with a cap on images',
    line: 'models: { capped: { id: capped-model, imagesMax: 2 } }',
  },
  'models.maxInflight': [
    'a model with a limit on requests in flight',
    '{ id: inflight-model, limit: 1 }',
  ],
  'models.occupancy': [
    'a model with a token-weighted occupancy budget',
    '{ id: occupancy-model, budgetTokens: 1000 }',
  ],
  'models.singleSlot': [
    'a model with one agent, few slots and no queue of its own',
    '{ id: slot-model, capacity: 1 }',
  ],
  'models.shed': ['a model over its shedding threshold', 'shed-model'],
  'models.calm': ['a model with a shedding threshold that is not reached', 'calm-model'],
  'models.deadBackend': ['a model whose agent is up and whose engine is down', 'dead-model'],
  'models.noAgents': ['a registered model without an eligible agent', 'lonely-model'],
  'models.agentGone': ['a model whose only agent cannot be reached', 'gone-model'],
  'limits.maxRequestBytes': ['the limit on request bodies', '10485760'],
  'limits.requestTimeoutMs': ['the end-to-end deadline', '60000'],
  'limits.parkTimeoutMs': ['the park timeout', '250'],
  'limits.queueSize': ['the size of the pending queue', '100'],
  'limits.maxConcurrent': ['how many requests the router works on at once', '50'],
  'limits.maxTries': ['how often a step tries', '3'],
  backend: [
    'agents that point at the scripted engine, which `plumbline backend` starts',
    '{ control: http://127.0.0.1:9190 }',
  ],
  'hooks.disconnectAgent': [
    'a command that takes an agent away',
    './stop-agent.sh, reconnectAgent: ./start-agent.sh',
  ],
  'consent.saturate': ['permission to fill the whole router for up to half a minute', 'true'],
});

export type RouterNeed = keyof typeof routerNeeds;

/** Declares requirements with the same needs: a statement, and how it is judged if that is not clear. */
export function needing(...same: readonly RouterNeed[]) {
  const saying = (say: typeof open) => (statement: string, judged?: string) =>
    say(statement, { needs: same, ...(judged !== undefined && { judged }) });
  return { needs: same, stated: saying(stated), implied: saying(implied), open: saying(open) };
}

/** Requirements of the plain chat model with a scripted engine. */
export const chat = needing('backend', 'models.chat');

/** Levels of the contract, each defined by what a target file must offer for it. */
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
