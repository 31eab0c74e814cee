/** What a test may ask of a scripted backend, and how that goes over the wire. */

import * as z from 'zod';
import type { Behaviour } from './behaviour.ts';
import { routeNames } from './engine/request.ts';

const count = z.int();

/** Bytes, which go over the wire in base64. */
const bytes = z.codec(
  z.string(),
  z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  {
    decode: (text) => Buffer.from(text, 'base64'),
    encode: ({ buffer, byteOffset, length }) =>
      Buffer.from(buffer, byteOffset, length).toString('base64'),
  },
);

const hitSchema = z.object({
  /** When its body had arrived, and when it ended: milliseconds since 1970, with fractions. */
  at: z.number(),
  endedAt: z.number().nullable(),
  /** `open` is under way; `dropped` was ended by its behaviour; `left` means that the client went away first. */
  end: z.enum(['open', 'answered', 'dropped', 'left']),
  /** Path and query as sent. */
  path: z.string(),
  /** URL of the listener that it reached. */
  listener: z.string(),
  /** In order and with the case in which they came. */
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** As it came; only its beginning where it is very long: compare `bodyLength`. */
  body: bytes,
  bodyLength: count,
});

/** One request that reached the backend. */
export type Hit = Readonly<z.output<typeof hitSchema>>;

const countsSchema = z.strictObject({
  hits: count,
  /** Held at this moment. */
  held: count,
  /** Answered, dropped and left together. */
  ended: count,
});

/** How the hits of one script stand. They also count hits that are no longer kept. */
export type ScriptCounts = Readonly<z.output<typeof countsSchema>>;

/** What to wait for: each count named must be at least this high. */
export type WaitCondition = { readonly [Name in keyof ScriptCounts]?: number | undefined };

export interface WaitOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Milliseconds for which is waited unless told. */
export const usualTimeoutMs = 5000;

const pressureSchema = z.strictObject({
  running: z.number().min(0).optional(),
  waiting: z.number().min(0).optional(),
  /** Share of the cache in use. */
  cacheUsage: z.number().min(0).max(1).optional(),
});

/** Engine load as `/metrics` tells it. Members left out follow the requests in flight. */
export type Pressure = Readonly<z.output<typeof pressureSchema>>;

const totalsSchema = z.object({
  listener: z.string(),
  /** Inference requests, marked or not. */
  hits: count,
  /** Inference requests being served now. */
  inFlight: count,
  /** Requests per route, with what agents ask (health, models, metrics) and everything unknown (`other`). */
  routes: z.partialRecord(z.enum(routeNames), count),
});

/** What reached one listener since it started. */
export type ListenerTotals = Readonly<z.output<typeof totalsSchema>>;

/**
 * What a turn is at, each with turns of its own.
 * - `target`: the deployment (default).
 * - `answers`: the answers that a case waits for, which has no turn at the target meanwhile.
 */
const turnsAt = ['target', 'answers'] as const;
export type TurnAt = (typeof turnsAt)[number];

export interface BackendControl {
  /** Base URLs of the listeners, without `/v1`. */
  readonly listeners: readonly string[];
  /**
   * Registers a sequence of behaviours, and resolves to the id that markers name.
   * @throws {Refused} if it cannot be played.
   */
  script(behaviours: readonly Behaviour[]): Promise<string>;
  /** The hits of a script that are kept, oldest first. */
  hits(id: string): Promise<readonly Hit[]>;
  counts(id: string): Promise<ScriptCounts>;
  /** Resolves once the condition holds. @throws {WaitTimedOut} */
  waitFor(id: string, condition: WaitCondition, options?: WaitOptions): Promise<ScriptCounts>;
  /** Lets held requests go on: all of them, also those to come, or the next `count`. */
  release(id: string, count?: number): Promise<void>;
  /** Sets the load that one listener (or each) claims; null follows the requests in flight again. */
  setPressure(pressure: Pressure | null, listener?: string): Promise<void>;
  totals(): Promise<readonly ListenerTotals[]>;
  /**
   * Waits for a turn at the deployment, beside others or alone, among all suites that use this backend; resolves to
   * what gives it back. A suite that goes away gives its turns back.
   */
  turn(alone: boolean, signal?: AbortSignal, at?: TurnAt): Promise<() => void>;
  /** In process: stops the backend. Over the control port: ends this connection only. */
  close(): Promise<void>;
}

/** A condition did not come about in time. */
export class WaitTimedOut extends Error {
  override readonly name = 'WaitTimedOut';
  readonly counts: ScriptCounts;

  constructor(id: string, condition: WaitCondition, counts: ScriptCounts, timeoutMs: number) {
    super(
      `Waited ${timeoutMs} ms for script "${id}" to have at least ${countsText(condition)}; it has ${countsText(counts)}.`,
    );
    this.counts = counts;
  }
}

function countsText(counts: WaitCondition): string {
  return Object.entries(counts)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** The longest that one question waits; clients ask again. Below the idle limits of proxies in between. */
export const longestPollMs = 20_000;

/** Milliseconds between signs of life on a turn that is held: below the idle limits of proxies in between. */
export const turnSignMs = 15_000;

/** A verb of the control port: `POST /NAME` with the question as JSON. */
export interface Verb<Question, Answer> {
  readonly name: string;
  readonly question: z.ZodType<Question>;
  readonly answer: z.ZodType<Answer>;
}

function verb<Question, Answer>(
  name: string,
  question: z.ZodType<Question>,
  answer: z.ZodType<Answer>,
): Verb<Question, Answer> {
  return { name, question, answer };
}

const id = z.string();

export const verbs = {
  script: verb('script', z.strictObject({ behaviours: z.unknown() }), z.string()),
  hits: verb('hits', z.strictObject({ id }), z.array(hitSchema)),
  /** Answers once the condition holds, or after 20 s at most. */
  wait: verb(
    'wait',
    z.strictObject({ id, condition: countsSchema.partial(), timeoutMs: z.number().min(0) }),
    z.object({ met: z.boolean(), counts: countsSchema }),
  ),
  release: verb(
    'release',
    z.strictObject({ id, count: z.number().min(0).optional() }),
    z.unknown(),
  ),
  setPressure: verb(
    'setPressure',
    z.strictObject({ pressure: pressureSchema.nullable(), listener: z.string().optional() }),
    z.unknown(),
  ),
  totals: verb('totals', z.strictObject({}), z.array(totalsSchema)),
  /** Asks several questions that are answered at once; each answer has the status that it would have alone. */
  several: verb(
    'several',
    z.strictObject({ questions: z.array(z.object({ name: z.string(), question: z.unknown() })) }),
    z.array(z.object({ status: z.int(), answer: z.unknown() })),
  ),
  /** The answer begins with the turn, which lasts until the connection ends. */
  turn: verb(
    'turn',
    z.strictObject({ alone: z.boolean(), at: z.enum(turnsAt).optional() }),
    z.unknown(),
  ),
};

export const listenersAnswer = z.object({ listeners: z.array(z.string()) });
export const errorAnswer = z.object({ error: z.object({ message: z.string() }) });
