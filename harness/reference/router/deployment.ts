/** The default configuration of the reference router, and its target file. */

import { createHash } from 'node:crypto';
import { CLOSED_PORT } from './agents.ts';
import type { AgentEntry, Capability, Deployment, KeyEntry, Limits, ModelEntry } from './model.ts';

export interface DeploymentNeeds {
  /** Base URLs of the engines, without `/v1`. With two, a case can tell agents apart. */
  readonly engines: readonly string[];
  readonly limits?: Partial<Limits>;
}

/** More than a run needs with a plain key. */
const GENEROUS = 600_000;
/** Three requests in two seconds: quick to exhaust and quick to refill. */
const REQUESTS_PER_MINUTE = 90;
const TOKENS_PER_DAY = 2_000;
/** Number of keys with a daily budget. A run spends each of them once. */
const DAILY_KEYS = 24;
/** Tries per step, the same as the number of agents of the pair. */
const MAX_TRIES = 2;

const usualLimits: Limits = {
  maxRequestBytes: 10_485_760,
  // Longer than the five seconds that the channel must stay full plus the time to fill it, so that queue_full comes first.
  requestTimeoutMs: 6_500,
  parkTimeoutMs: 125,
  queueFullMs: 5_000,
  // Room for requests that wait here until their deadline, and for those that replace requests at their deadline.
  queueSize: 32,
  maxConcurrent: 28,
};

export function referenceDeployment(needs: DeploymentNeeds): Deployment {
  return {
    keys: keys(),
    agents: agents(needs),
    models: modelEntries(needs.engines.at(-1) ?? CLOSED_PORT),
    limits: { ...usualLimits, ...needs.limits },
  };
}

/** A secret that is the same at every start and does not occur anywhere else. */
function secretOf(name: string): string {
  const digest = createHash('sha256').update(`plumbline reference router ${name}`).digest('hex');
  return `rk-${name}-${digest.slice(0, 32)}`;
}

function key(name: string, entry: Partial<KeyEntry> = {}): KeyEntry {
  return { name, secret: secretOf(name), role: 'client', state: 'active', ...entry };
}

function keys(): readonly KeyEntry[] {
  const quota = { requestsPerMinutePerReplica: GENEROUS, tokensPerDay: 0 };
  return [
    key('client', { requestsPerMinute: GENEROUS }),
    // A key with an expiry in the future is an ordinary key.
    key('second', { requestsPerMinute: GENEROUS, expiresAt: Date.UTC(2100, 0) }),
    key('unlimited'),
    key('admin', { role: 'admin' }),
    key('expired', { expiresAt: Date.UTC(2020, 0) }),
    key('disabled', { state: 'disabled' }),
    key('removed', { state: 'removed' }),
    key('allowlisted', { allows: ['scripted-chat'] }),
    key('requestsPerMinute', { requestsPerMinute: REQUESTS_PER_MINUTE }),
    ...Array.from({ length: DAILY_KEYS }, (_, index) =>
      key(`tokensPerDay-${index + 1}`, { tokensPerDay: TOKENS_PER_DAY }),
    ),
    key('perModel', { perModel: { 'scripted-chat': quota } }),
    key('serverless'),
  ];
}

function agents({ engines }: DeploymentNeeds): readonly AgentEntry[] {
  const [first = CLOSED_PORT, second = first] = engines;
  const ready = { engine: first, capacity: 256, state: 'ready', reachable: true } as const;
  return [
    { ...ready, name: 'north' },
    { ...ready, name: 'south', engine: second },
    { ...ready, name: 'slot', capacity: 1 },
    { ...ready, name: 'narrow', capacity: 1 },
    { ...ready, name: 'pressed', pressure: 12 },
    { ...ready, name: 'calm', pressure: 2 },
    { ...ready, name: 'engineless', engine: CLOSED_PORT },
    { ...ready, name: 'draining', state: 'draining' },
    { ...ready, name: 'gone', reachable: false },
  ];
}

function model(
  id: string,
  agentNames: readonly string[] | readonly (readonly string[])[],
  entry: Partial<ModelEntry> = {},
): ModelEntry {
  const steps = agentNames.every((name) => typeof name === 'string') ? [agentNames] : agentNames;
  const capabilities: readonly Capability[] = ['chat'];
  return {
    id,
    capabilities,
    steps: steps.map((step) => ({ agents: [step].flat(), maxTries: MAX_TRIES })),
    capacityQueue: 16,
    ...entry,
  };
}

/** A model with another number of tries per step. */
function withTries(entry: ModelEntry, maxTries: number): ModelEntry {
  return { ...entry, steps: entry.steps.map((step) => ({ ...step, maxTries })) };
}

const CAPS = { maxInputTokens: 4_000, imagesMax: 2 } as const;
const OCCUPANCY_TOKENS = 1_000;
const SERVERLESS = {
  inputTokensPerMinute: 40_000,
  outputTokensPerMinute: 1_200,
  occupancyShare: 4_000,
} as const;

function modelEntries(provider: string): readonly ModelEntry[] {
  return [
    model('scripted-chat', ['north']),
    model('scripted-embedding', ['north'], { capabilities: ['embeddings'] }),
    model('scripted-rerank', ['north'], { capabilities: ['rerank'] }),
    model('scripted-pair', ['north', 'south']),
    model('scripted-fallback', [['draining'], ['north']]),
    withTries(model('scripted-overflow', [['narrow'], ['south']], { capacityQueue: 0 }), 1),
    withTries(model('scripted-bounded', ['north', 'south']), 1),
    model('scripted-provider', ['north'], { provider }),
    model('scripted-hidden', ['north'], { hiddenFrom: ['allowlisted'] }),
    model('scripted-capped', ['north'], CAPS),
    model('scripted-inflight', ['north'], { maxInflight: 1 }),
    model('scripted-occupancy', ['north'], { occupancyTokens: OCCUPANCY_TOKENS }),
    model('scripted-slot', ['slot'], { capacityQueue: 0 }),
    model('scripted-shed', ['pressed'], { shedIfPressure: 8 }),
    model('scripted-calm', ['calm'], { shedIfPressure: 8 }),
    model('scripted-serverless', ['north'], { serverless: SERVERLESS }),
    model('scripted-dead', ['engineless']),
    model('scripted-lonely', ['draining']),
    model('scripted-gone', ['gone']),
  ];
}

/** The parts of a target file that only the caller knows. */
interface Addresses {
  readonly baseUrl: string;
  /** The `backend` section of the target file: where the engines listen. */
  readonly backend?: unknown;
  readonly replicas?: number | undefined;
}

export type RouterTarget = ReturnType<typeof targetOf>;

/** A target file of the router contract, with every fixture. */
export function targetOf(deployment: Deployment, { baseUrl, backend, replicas }: Addresses) {
  const { queueFullMs: _fixedByContract, ...limits } = deployment.limits;
  const idOf = (name: string) => idIn(deployment, name);
  return {
    name: 'reference-router',
    contract: 'router' as const,
    baseUrl,
    keys: keysOf(deployment),
    models: {
      chat: idOf('scripted-chat'),
      embedding: 'scripted-embedding',
      reranker: 'scripted-rerank',
      pair: 'scripted-pair',
      fallback: 'scripted-fallback',
      bounded: { id: 'scripted-bounded', maxTries: 1 },
      overflow: { id: 'scripted-overflow', capacity: 1 },
      provider: 'scripted-provider',
      hidden: { id: idOf('scripted-hidden'), from: 'allowlisted' },
      capped: { id: 'scripted-capped', ...capsOf(deployment) },
      maxInflight: { id: 'scripted-inflight', limit: 1 },
      occupancy: { id: 'scripted-occupancy', budgetTokens: OCCUPANCY_TOKENS },
      singleSlot: { id: 'scripted-slot', capacity: 1 },
      shed: 'scripted-shed',
      calm: 'scripted-calm',
      deadBackend: 'scripted-dead',
      noAgents: 'scripted-lonely',
      agentGone: 'scripted-gone',
    },
    limits: {
      ...limits,
      maxTries: triesOf(deployment),
      ...(replicas === undefined ? {} : { replicas }),
    },
    consent: { exhaustRateLimit: true, saturate: true },
    ...(backend === undefined ? {} : { backend }),
  };
}

/** The id of a model, which may have the prefix of an owner. */
function idIn({ models }: Deployment, name: string): string {
  return models.find(({ id }) => id === name || id.endsWith(`/${name}`))?.id ?? name;
}

/** The configured caps of the capped model. */
function capsOf({ models }: Deployment): Pick<ModelEntry, 'maxInputTokens' | 'imagesMax'> {
  const { maxInputTokens, imagesMax } = models.find(({ id }) => id === 'scripted-capped') ?? {};
  return {
    ...(maxInputTokens === undefined ? {} : { maxInputTokens }),
    ...(imagesMax === undefined ? {} : { imagesMax }),
  };
}

/** Tries of the step with the two distinguishable agents. */
function triesOf({ models }: Deployment): number {
  return models.find(({ id }) => id === 'scripted-pair')?.steps[0]?.maxTries ?? MAX_TRIES;
}

/** The quotas of a key for a plain model. */
function quotasOf(entry?: KeyEntry): Pick<KeyEntry, 'requestsPerMinute' | 'tokensPerDay'> {
  const ofModel = entry?.perModel?.['scripted-chat'];
  if (ofModel === undefined) return entry ?? {};
  return {
    ...(ofModel.requestsPerMinutePerReplica > 0 && {
      requestsPerMinute: ofModel.requestsPerMinutePerReplica,
    }),
    ...(ofModel.tokensPerDay > 0 && { tokensPerDay: ofModel.tokensPerDay }),
  };
}

function keysOf(deployment: Deployment): Readonly<Record<string, unknown>> {
  const { keys: entries, models } = deployment;
  const serverless = models.find(({ id }) => id === 'scripted-serverless')?.serverless;
  const secrets = new Map(entries.map(({ name, secret }) => [name, secret]));
  const plain = ['client', 'second', 'unlimited', 'admin', 'expired', 'disabled', 'removed'];
  const secretNamed = (name: string) => secrets.get(name);
  return {
    ...Object.fromEntries(plain.map((name) => [name, secretNamed(name)])),
    allowlisted: {
      key: secretNamed('allowlisted'),
      allows: idIn(deployment, 'scripted-chat'),
      denies: 'scripted-pair',
    },
    requestsPerMinute: {
      key: secretNamed('requestsPerMinute'),
      limit: quotasOf(entries.find(({ name }) => name === 'requestsPerMinute')).requestsPerMinute,
      tokens: 'unlimited',
    },
    tokensPerDay: entries
      .map((entry) => ({ key: entry.secret, limit: quotasOf(entry).tokensPerDay }))
      .filter(({ limit }) => limit !== undefined),
    perModel: {
      key: secretNamed('perModel'),
      undeclared: 'scripted-pair',
      declared: idIn(deployment, 'scripted-chat'),
    },
    serverless: { key: secretNamed('serverless'), model: 'scripted-serverless', ...serverless },
  };
}
