/**
 * The target file: one deployment and what the suite may use and do there. Everything but the contract, the base
 * URL and one key is optional; what is left out is not exercised. Unknown keys are errors.
 *
 * In a file a key is a secret (`${NAME}`, read from the environment). In a loaded target the same place holds the
 * *name* of the key instead (`primary`, `allowlisted`, `tokensPerDay[0]`): the secrets themselves live apart, so
 * that nothing that prints or stores a target can leak one.
 */

import { z } from 'zod';
import { computeBindings } from './target-bindings.ts';

/** Requests a second to a deployment elsewhere, unless the target file says otherwise. */
export const DEFAULT_REQUESTS_PER_SECOND = 50;

const text = z.string().min(1);
const key = text.meta({ description: 'An API key, written as ${NAME}: the environment holds it.' });
const modelId = text.meta({ description: 'A model id, as requests name it.' });
const whole = z.int().min(0);
const positive = z.int().min(1);
const list = <T extends z.ZodType>(item: T) => z.array(item).min(1).readonly();
const instanceId = z.guid().meta({ description: 'The id of an instance.' });
const command = text.meta({ description: 'A command, run by the shell beside the target file.' });

/** Permission for actions that cost money, destroy something or disturb other users. Everything is off by default. */
const consent = z
  .strictObject({
    stop: z.boolean().default(false),
    terminate: z.boolean().default(false),
    exhaustRateLimit: z.boolean().default(false),
    saturate: z.boolean().default(false),
  })
  .readonly()
  .prefault({});

const budget = z
  .strictObject({
    requests: positive.default(20_000),
    minutes: z.number().positive().default(20),
    concurrency: positive.default(8),
    requestsPerSecond: z
      .union([z.number().positive(), z.literal('unlimited')], 'a number or unlimited')
      .optional()
      .meta({ description: `${DEFAULT_REQUESTS_PER_SECOND} by default, unlimited on loopback.` }),
  })
  .readonly()
  .prefault({});

const everyTarget = {
  name: text.optional().meta({
    description: 'Names the target in reports; the host by default, on loopback the file name.',
  }),
  baseUrl: text,
};

/** How disposable instances come about: a command that prints an id, a request, or ids that may be used up. */
const provision = z.union(
  [
    z.strictObject({ command }).readonly(),
    z
      .strictObject({
        request: z
          .string()
          .regex(/^(POST|PUT) \/\S*$/u, 'a method and a path, as in POST /_provision'),
        id: text.meta({ description: 'JSONPath of the new id in the answer.' }),
      })
      .readonly(),
    list(instanceId),
  ],
  'one of { command }, { request, id } and a list of ids',
);

export const computeTargetFile = z
  .strictObject({
    ...everyTarget,
    contract: z.literal('compute'),
    keys: z
      .strictObject({
        primary: key,
        second: key.optional(),
        empty: key.optional(),
        forbidden: z
          .union(
            [key, z.strictObject({ key, instance: instanceId }).readonly()],
            'a key, or { key, instance }: a key that may read and not act, and a stopped instance of its account',
          )
          .optional(),
      })
      .readonly(),
    bindings: computeBindings.optional(),
    instances: z
      .strictObject({
        provision: provision.optional(),
        stopped: list(instanceId).optional(),
        terminated: list(instanceId).optional(),
      })
      .readonly()
      .optional(),
    consent,
    budget,
  })
  .readonly();

const routerKeys = z
  .strictObject({
    client: key.optional(),
    second: key.optional(),
    unlimited: key.optional(),
    admin: key.optional(),
    expired: key.optional(),
    disabled: key.optional(),
    removed: key.optional(),
    allowlisted: z.strictObject({ key, allows: modelId, denies: modelId }).readonly().optional(),
    requestsPerMinute: z
      .strictObject({
        key,
        limit: positive,
        tokens: z
          .literal('unlimited')
          .optional()
          .meta({ description: 'Says that the key has no daily token budget.' }),
      })
      .readonly()
      .optional(),
    tokensPerDay: list(z.strictObject({ key, limit: positive }).readonly()).optional(),
    perModel: z
      .strictObject({ key, undeclared: modelId, declared: modelId.optional() })
      .readonly()
      .optional(),
    serverless: z
      .strictObject({
        key,
        model: modelId,
        inputTokensPerMinute: positive.optional(),
        outputTokensPerMinute: positive.optional(),
        occupancyShare: positive.optional(),
      })
      .readonly()
      .optional(),
  })
  .refine((keys) => Object.values(keys).some((value) => value !== undefined), {
    message: 'at least one key',
  })
  .meta({ minProperties: 1 })
  .readonly();

/** Each behind the scripted backend, unless its comment says otherwise. */
const routerModels = z
  .strictObject({
    chat: modelId.optional(),
    embedding: modelId.optional(),
    reranker: modelId.optional(),
    /** Two agents and at least two tries. */
    pair: modelId.optional(),
    /** A first step that cannot serve, then one that can. */
    fallback: modelId.optional(),
    /** One step with more agents than tries, all on the scripted backend. */
    bounded: z.strictObject({ id: modelId, maxTries: positive }).readonly().optional(),
    /** A first step of one agent with so many slots and no queue, then one that can serve, both on the scripted backend. */
    overflow: z.strictObject({ id: modelId, capacity: positive }).readonly().optional(),
    /** The external provider is the scripted backend too. */
    provider: modelId.optional(),
    hidden: z
      .strictObject({
        id: modelId,
        from: text.meta({ description: 'Name of a key of this file that may not see the model.' }),
      })
      .readonly()
      .optional(),
    capped: z
      .strictObject({
        id: modelId,
        maxInputTokens: positive.optional(),
        imagesMax: whole.optional(),
      })
      .readonly()
      .optional(),
    maxInflight: z.strictObject({ id: modelId, limit: positive }).readonly().optional(),
    occupancy: z.strictObject({ id: modelId, budgetTokens: positive }).readonly().optional(),
    singleSlot: z.strictObject({ id: modelId, capacity: positive }).readonly().optional(),
    /** Over its threshold now, or put there by `hooks.shed`. */
    shed: modelId.optional(),
    /** Has a shedding threshold and is under it, whatever the suite does to the others. */
    calm: modelId.optional(),
    /** The agent is up and the port of its engine is closed. */
    deadBackend: modelId.optional(),
    noAgents: modelId.optional(),
    agentGone: modelId.optional(),
  })
  .readonly();

const address = z
  .string()
  .regex(/^(\[[0-9a-fA-F:.]+\]|[^\s:[\]/]+):\d{1,5}$/u, 'a host and a port, as in 127.0.0.1:9100');

export const routerTargetFile = z
  .strictObject({
    ...everyTarget,
    contract: z.literal('router'),
    keys: routerKeys,
    models: routerModels.optional(),
    limits: z
      .strictObject({
        maxRequestBytes: whole.optional(),
        requestTimeoutMs: positive.optional(),
        parkTimeoutMs: whole.optional(),
        queueSize: positive.optional(),
        maxConcurrent: positive.optional(),
        maxTries: positive.optional(),
        replicas: positive.optional().meta({
          description:
            'How many replicas of the router share the requests, each with request buckets of its own.',
        }),
      })
      .readonly()
      .optional(),
    backend: z
      .union(
        [
          z.strictObject({ listen: list(address) }).readonly(),
          z
            .strictObject({ control: z.url({ protocol: /^https?$/u, error: 'an http(s) URL' }) })
            .readonly(),
        ],
        'either { listen } or { control }',
      )
      .optional(),
    hooks: z
      .strictObject({
        disconnectAgent: command.optional(),
        reconnectAgent: command.optional(),
        shed: command.optional(),
        unshed: command.optional(),
      })
      .readonly()
      .optional(),
    consent,
    budget,
  })
  .readonly();

export const targetFile = z.discriminatedUnion('contract', [computeTargetFile, routerTargetFile]);

/** A target file after `${NAME}` is read, before defaults that need its address. */
export type TargetFile = z.output<typeof targetFile>;

/** What an author may write. */
export type TargetFileInput = z.input<typeof targetFile>;

/** How much a run may ask of the target; `requestsPerSecond` is `Infinity` when unlimited. */
export interface TargetBudget {
  readonly requests: number;
  readonly minutes: number;
  readonly concurrency: number;
  readonly requestsPerSecond: number;
}

type Completed<T> = Omit<T, 'name' | 'budget'> & {
  readonly name: string;
  readonly budget: TargetBudget;
};

/** A compute deployment, complete with defaults; every key is the name of a secret. */
export type ComputeTarget = Completed<z.output<typeof computeTargetFile>>;

/** A router deployment, complete with defaults; every key is the name of a secret. */
export type RouterTarget = Completed<z.output<typeof routerTargetFile>>;

export type Target = ComputeTarget | RouterTarget;

export type Provision = z.output<typeof provision>;
export type Consent = z.output<typeof consent>;
