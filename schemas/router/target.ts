/** The target file of a router: its keys, models, limits, backend and hooks. */

import { z } from 'zod';
import {
  type Completed,
  command,
  everyTarget,
  key,
  list,
  positive,
  text,
  whole,
} from '../target.ts';

const modelId = text.meta({ description: 'A model id, as requests name it.' });

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

/** The scripted backend serves each model, unless its comment says otherwise. */
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
    /** A first step of one agent with `capacity` slots and no queue, then a step that can serve. */
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
    /** Over its shed_if threshold now, or once `hooks.shed` has run. */
    shed: modelId.optional(),
    /** Has a shed_if threshold and stays under it, whatever the suite does to other models. */
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
  })
  .readonly();

/** A router target with its defaults; every key is the name of a secret. */
export type RouterTarget = Completed<z.output<typeof routerTargetFile>>;
