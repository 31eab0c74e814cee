/** The target file of the reference deployment, as a plain object. */

import type { Deployment, KeyEntry, Limits, ModelEntry } from './deployment.ts';
import { MAX_TRIES, OCCUPANCY_TOKENS } from './reference-deployment.ts';

/** A target file of the router contract, with every fixture. */
export interface RouterTarget {
  readonly name: string;
  readonly contract: 'router';
  readonly baseUrl: string;
  readonly keys: Readonly<Record<string, unknown>>;
  readonly models: Readonly<Record<string, unknown>>;
  readonly limits: Omit<Limits, 'queueFullMs'> & {
    readonly maxTries: number;
    readonly replicas?: number;
  };
  readonly consent: { readonly exhaustRateLimit: boolean; readonly saturate: boolean };
  readonly backend?: unknown;
}

/** What of a target file is not in the deployment: only the caller knows. */
interface Told {
  readonly baseUrl: string;
  /** Where the engines listen, in the form of a target file. */
  readonly backend?: unknown;
  readonly replicas?: number | undefined;
}

export function targetOf(
  deployment: Deployment,
  { baseUrl, backend, replicas }: Told,
): RouterTarget {
  const { queueFullMs: _fixedByContract, ...limits } = deployment.limits;
  const idOf = (name: string) => idIn(deployment, name);
  return {
    name: 'reference-router',
    contract: 'router',
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

/** The id of a model, which may have an owner in front. */
function idIn({ models }: Deployment, name: string): string {
  return models.find(({ id }) => id === name || id.endsWith(`/${name}`))?.id ?? name;
}

/** The caps of the capped model, those that it has. */
function capsOf({ models }: Deployment): Pick<ModelEntry, 'maxInputTokens' | 'imagesMax'> {
  const { maxInputTokens, imagesMax } = models.find(({ id }) => id === 'scripted-capped') ?? {};
  return {
    ...(maxInputTokens === undefined ? {} : { maxInputTokens }),
    ...(imagesMax === undefined ? {} : { imagesMax }),
  };
}

/** Tries of the step whose agents are told apart. */
function triesOf({ models }: Deployment): number {
  return models.find(({ id }) => id === 'scripted-pair')?.steps[0]?.maxTries ?? MAX_TRIES;
}

/** What a key may ask for of a plain model. */
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
  const secretOf = (name: string) => secrets.get(name);
  return {
    ...Object.fromEntries(plain.map((name) => [name, secretOf(name)])),
    allowlisted: {
      key: secretOf('allowlisted'),
      allows: idIn(deployment, 'scripted-chat'),
      denies: 'scripted-pair',
    },
    requestsPerMinute: {
      key: secretOf('requestsPerMinute'),
      limit: quotasOf(entries.find(({ name }) => name === 'requestsPerMinute')).requestsPerMinute,
      tokens: 'unlimited',
    },
    tokensPerDay: entries
      .map((entry) => ({ key: entry.secret, limit: quotasOf(entry).tokensPerDay }))
      .filter(({ limit }) => limit !== undefined),
    perModel: {
      key: secretOf('perModel'),
      undeclared: 'scripted-pair',
      declared: idIn(deployment, 'scripted-chat'),
    },
    serverless: { key: secretOf('serverless'), model: 'scripted-serverless', ...serverless },
  };
}
