/** How the control port writes what the interface says: the same shapes, with bodies in base64. */

import * as z from 'zod';

import { type Hit, type ListenerTotals, type ScriptCounts, turnsAt } from './control.ts';

/** Names of the errors that both sides know, so that a caller catches the same ones over both forms. */
export const errorNames = [
  'InvalidScript',
  'UnknownScript',
  'InvalidPressure',
  'RangeError',
] as const;

/** The longest that one request waits; clients ask again. Below the idle limits of proxies in between. */
export const longestPollMs = 20_000;

const count = z.int();

const routeSchema = z.enum([
  'chat',
  'completions',
  'messages',
  'countTokens',
  'embeddings',
  'rerank',
  'health',
  'models',
  'metrics',
  'tokenize',
  'other',
]);

const hitSchema = z
  .object({
    script: z.string().nullable(),
    behaviour: count.nullable(),
    at: z.number(),
    endedAt: z.number().nullable(),
    end: z.enum(['open', 'answered', 'dropped', 'left']),
    method: z.string(),
    route: routeSchema,
    path: z.string(),
    listener: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    bodyBase64: z.string(),
    bodyLength: count,
  })
  .transform(({ bodyBase64, ...rest }): Hit => ({
    ...rest,
    body: Buffer.from(bodyBase64, 'base64'),
  }));

/** Which turn is wanted: beside others, or alone; at the target unless told. */
export const turnQuestion = z.strictObject({
  alone: z.boolean(),
  at: z.enum(turnsAt).optional(),
});

/** Milliseconds between signs of life on a turn that is held: below the idle limits of proxies in between. */
export const turnSignMs = 15_000;

const countsSchema: z.ZodType<ScriptCounts> = z.object({
  hits: count,
  held: count,
  open: count,
  peak: count,
  answered: count,
  dropped: count,
  left: count,
  ended: count,
});

export const listenersAnswer = z.object({ listeners: z.array(z.string()) });
export const scriptAnswer = z.object({ id: z.string() });
export const hitsAnswer = z.object({ hits: z.array(hitSchema) });
export const waitAnswer = z.object({ met: z.boolean(), counts: countsSchema });
export const totalsAnswer: z.ZodType<{ readonly totals: readonly ListenerTotals[] }> = z.object({
  totals: z.array(
    z.object({
      listener: z.string(),
      hits: count,
      inFlight: count,
      peak: count,
      routes: z.partialRecord(routeSchema, count),
    }),
  ),
});
/** Of verbs that have nothing to tell. */
export const doneAnswer = z.object({});
export const errorAnswer = z.object({
  error: z.object({ name: z.string(), message: z.string() }),
});

export const waitQuestion = z.object({
  condition: z.strictObject({
    hits: count.optional(),
    held: count.optional(),
    open: count.optional(),
    peak: count.optional(),
    answered: count.optional(),
    dropped: count.optional(),
    left: count.optional(),
    ended: count.optional(),
  }),
  timeoutMs: z.number().min(0).optional(),
});
export const releaseQuestion = z.object({ count: z.number().min(0).optional() });
export const pressureQuestion = z.object({
  pressure: z.unknown(),
  listener: z.string().optional(),
});
export const scriptQuestion = z.object({ behaviours: z.unknown() });

/** A hit as it goes over the wire. */
export function writeHit({ body, ...rest }: Hit) {
  return {
    ...rest,
    bodyBase64: Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64'),
  };
}
