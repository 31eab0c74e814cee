/** What a test may ask of a scripted backend, and how that goes over the wire. */

import * as z from 'zod';
import type { Behaviour } from './behaviour.ts';
import type { RouteName } from './engine/request.ts';

/** How a request ended: `open` has not; `dropped` was ended by its behaviour; `left` means that the client went away first. */
export type HitEnd = 'open' | 'answered' | 'dropped' | 'left';

/** One request that reached the backend. */
export interface Hit {
  /** The script that its marker names; null without a marker, or for an unknown script. */
  readonly script: string | null;
  /** Which behaviour of the script answered, from 0; null if none did. */
  readonly behaviour: number | null;
  /** When its body had arrived, and when it ended: milliseconds since 1970, with fractions. */
  readonly at: number;
  readonly endedAt: number | null;
  readonly end: HitEnd;
  readonly method: string;
  readonly route: RouteName;
  /** Path and query as sent. */
  readonly path: string;
  /** URL of the listener that it reached. */
  readonly listener: string;
  /** In order and with the case in which they came. */
  readonly headers: readonly (readonly [string, string])[];
  /** As it came; only its beginning, or nothing, once the memory for bodies is used up: compare `bodyLength`. */
  readonly body: Uint8Array;
  readonly bodyLength: number;
}

/** How the hits of one script stand. They also count hits that are no longer kept. */
export interface ScriptCounts {
  readonly hits: number;
  /** Held at this moment. */
  readonly held: number;
  readonly open: number;
  /** The highest number open at one moment. */
  readonly peak: number;
  readonly answered: number;
  readonly dropped: number;
  readonly left: number;
  /** Answered, dropped and left together. */
  readonly ended: number;
}

/** What to wait for: each count named must be at least this high. */
export type WaitCondition = Partial<Readonly<Record<keyof ScriptCounts, number | undefined>>>;

export interface WaitOptions {
  /** 5000 unless told. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Engine load as `/metrics` tells it. Members left out follow the requests in flight. */
export interface Pressure {
  readonly running?: number | undefined;
  readonly waiting?: number | undefined;
  /** Share of the cache in use, 0 to 1. */
  readonly cacheUsage?: number | undefined;
}

/** What reached one listener since it started. */
export interface ListenerTotals {
  readonly listener: string;
  /** Inference requests, marked or not. */
  readonly hits: number;
  /** Inference requests being served now, and the most at one moment. */
  readonly inFlight: number;
  readonly peak: number;
  /** Requests per route, with what agents ask (health, models, metrics) and everything unknown (`other`). */
  readonly routes: Readonly<Partial<Record<RouteName, number>>>;
}

/**
 * What a turn is at, each with turns of its own.
 * - `target`: the deployment, unless told.
 * - `answers`: the answers that somebody quietly waits for, who has no turn at the target meanwhile.
 */
const turnsAt = ['target', 'answers'] as const;
export type TurnAt = (typeof turnsAt)[number];

export interface BackendControl {
  /** Base URLs of the listeners, without `/v1`. */
  readonly listeners: readonly string[];
  /**
   * Registers a sequence of behaviours, and resolves to the id that markers name.
   * @throws {InvalidScript} if it cannot be played.
   */
  script(behaviours: readonly Behaviour[]): Promise<string>;
  /** The hits of a script that are kept, oldest first. */
  hits(id: string): Promise<readonly Hit[]>;
  counts(id: string): Promise<ScriptCounts>;
  /** Resolves with the hits once there are `count`. @throws {WaitTimedOut} */
  waitForHits(id: string, count: number, options?: WaitOptions): Promise<readonly Hit[]>;
  /** Resolves once the condition holds. @throws {WaitTimedOut} */
  waitFor(id: string, condition: WaitCondition, options?: WaitOptions): Promise<ScriptCounts>;
  /** Lets held requests go on: all of them, also those to come, or the next `count`. */
  release(id: string, count?: number): Promise<void>;
  /** Drops a script and its hits; what it still holds goes on. Unknown ids are fine. */
  forget(id: string): Promise<void>;
  /** Sets the load that one listener (or each) claims; null follows the requests in flight again. */
  setPressure(pressure: Pressure | null, listener?: string): Promise<void>;
  totals(): Promise<readonly ListenerTotals[]>;
  /** All hits that are kept, marked or not, oldest first. */
  recentHits(): Promise<readonly Hit[]>;
  /**
   * Waits for a turn at the deployment, beside others or alone, among all suites that use this backend; resolves to
   * what gives it back. A suite that goes away gives its turns back.
   */
  turn(alone: boolean, signal?: AbortSignal, at?: TurnAt): Promise<() => void>;
  /** In process: stops the backend. Over the control port: ends this connection only. */
  close(): Promise<void>;
}

/** A script id that the backend does not know (any more). */
export class UnknownScript extends Error {
  override readonly name = 'UnknownScript';

  constructor(id: string) {
    super(
      `The scripted backend has no script "${id}": it was never registered, was forgotten, or was dropped for newer ones.`,
    );
  }
}

/** A condition did not come about in time. */
export class WaitTimedOut extends Error {
  override readonly name = 'WaitTimedOut';
  readonly counts: ScriptCounts;

  constructor(id: string, condition: WaitCondition, counts: ScriptCounts, timeoutMs: number) {
    super(
      `Waited ${timeoutMs} ms for script "${id}" to have at least ${told(condition)}; it has ${told(counts)}.`,
    );
    this.counts = counts;
  }
}

function told(counts: WaitCondition): string {
  return Object.entries(counts)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** Whether each count named is reached. */
export function isMet(condition: WaitCondition, counts: ScriptCounts): boolean {
  return (
    (condition.hits ?? 0) <= counts.hits &&
    (condition.held ?? 0) <= counts.held &&
    (condition.open ?? 0) <= counts.open &&
    (condition.peak ?? 0) <= counts.peak &&
    (condition.answered ?? 0) <= counts.answered &&
    (condition.dropped ?? 0) <= counts.dropped &&
    (condition.left ?? 0) <= counts.left &&
    (condition.ended ?? 0) <= counts.ended
  );
}

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
