/** The control interface of a scripted backend, and its wire format. */

import * as z from 'zod';
import type { Behaviour } from './behaviour.ts';

const count = z.int();

/** Bytes, in base64 on the wire. */
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
  /** When its body had arrived (`at`) and when it ended: milliseconds since the epoch, with fractions. */
  at: z.number(),
  endedAt: z.number().nullable(),
  /** `open`: still in progress; `dropped`: its behaviour closed the connection; `left`: the client closed it first. */
  end: z.enum(['open', 'answered', 'dropped', 'left']),
  /** Path and query as sent. */
  path: z.string(),
  /** URL of the listener that it reached. */
  listener: z.string(),
  /** In their original order and case. */
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** The received body, or the beginning of a very long one: compare `bodyLength`. */
  body: bytes,
  bodyLength: count,
});

/** One request that reached the backend. */
export type Hit = Readonly<z.output<typeof hitSchema>>;

const countsSchema = z.strictObject({
  hits: count,
  held: count,
  /** The sum of answered, dropped and left. */
  ended: count,
});

/** Counts of the hits of one script, including hits that are no longer kept. */
export type ScriptCounts = Readonly<z.output<typeof countsSchema>>;

/** A condition to wait for: each named count must be at least this high. */
export type WaitCondition = { readonly [Name in keyof ScriptCounts]?: number | undefined };

export interface WaitOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Default timeout of `waitFor` in milliseconds. */
export const usualTimeoutMs = 5000;

const pressureSchema = z.strictObject({
  running: z.number().min(0).optional(),
  waiting: z.number().min(0).optional(),
  /** Share of the cache in use. */
  cacheUsage: z.number().min(0).max(1).optional(),
});

/** Engine load for `/metrics`. Absent members follow the requests in flight. */
export type Pressure = Readonly<z.output<typeof pressureSchema>>;

const totalsSchema = z.object({
  listener: z.string(),
  /** Inference requests, marked or not. */
  hits: count,
  inFlight: count,
});

/** Totals of one listener since its start. */
export type ListenerTotals = Readonly<z.output<typeof totalsSchema>>;

/**
 * The resources that suites share by turns, each with a separate queue.
 * - `target`: the deployment (default).
 * - `answers`: the responses that a case waits for while it has no turn at the target.
 */
const turnsAt = ['target', 'answers'] as const;
export type TurnAt = (typeof turnsAt)[number];

export interface BackendControl {
  /** Base URLs of the listeners, without `/v1`. */
  readonly listeners: readonly string[];
  /**
   * Registers a sequence of behaviours, and resolves to the script id for markers.
   * @throws {Refused} if the script is invalid.
   */
  script(behaviours: readonly Behaviour[]): Promise<string>;
  /** The kept hits of a script, oldest first. */
  hits(id: string): Promise<readonly Hit[]>;
  counts(id: string): Promise<ScriptCounts>;
  /** Resolves once the condition holds. @throws {WaitTimedOut} */
  waitFor(id: string, condition: WaitCondition, options?: WaitOptions): Promise<ScriptCounts>;
  /** Lets the next `count` held requests continue (default: all of them, including future ones). */
  release(id: string, count?: number): Promise<void>;
  /** Sets the load that one listener (default: each) reports; null makes it follow the requests in flight again. */
  setPressure(pressure: Pressure | null, listener?: string): Promise<void>;
  totals(): Promise<readonly ListenerTotals[]>;
  /**
   * Waits for a turn, shared or exclusive (`alone`), among all suites that use this backend. Resolves to the function that
   * releases it. The turns of a disconnected suite are released.
   */
  turn(alone: boolean, signal?: AbortSignal, at?: TurnAt): Promise<() => void>;
  /** In process it stops the backend; over the control port it closes only this connection. */
  close(): Promise<void>;
}

/** Thrown when a condition is not met in time. */
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

/** The longest wait of one question in milliseconds, below the idle limits of proxies; clients then ask again. */
export const longestPollMs = 20_000;

/** Milliseconds between keep-alives on a held turn, below the idle limits of proxies. */
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
  /** Answers once the condition holds, but at the latest after `longestPollMs`. */
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
  /** Asks several questions together; each answer has the status that it would have alone. */
  several: verb(
    'several',
    z.strictObject({ questions: z.array(z.object({ name: z.string(), question: z.unknown() })) }),
    z.array(z.object({ status: z.int(), answer: z.unknown() })),
  ),
  /** The response starts when the turn starts; the turn lasts until the connection ends. */
  turn: verb(
    'turn',
    z.strictObject({ alone: z.boolean(), at: z.enum(turnsAt).optional() }),
    z.unknown(),
  ),
};

export const listenersAnswer = z.object({ listeners: z.array(z.string()) });
export const errorAnswer = z.object({ error: z.object({ message: z.string() }) });
