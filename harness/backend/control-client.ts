/** Controls a backend in another process through its control port. */

import { errors, Pool } from 'undici';
import type * as z from 'zod';
import { type Behaviour, Refused } from './behaviour.ts';
import {
  type BackendControl,
  errorAnswer,
  type Hit,
  listenersAnswer,
  type ListenerTotals,
  longestPollMs,
  type Pressure,
  type ScriptCounts,
  type TurnAt,
  usualTimeoutMs,
  type Verb,
  verbs,
  type WaitCondition,
  type WaitOptions,
  WaitTimedOut,
} from './control.ts';

/** Thrown when the control port is unreachable, or its response is not that of a control port. */
export class ControlUnreachable extends Error {
  override readonly name = 'ControlUnreachable';
}

/**
 * Connects to the control port of a running backend, with the token with which that backend was started, if any.
 * @throws {ControlUnreachable} if there is no control port at this URL, or the token is wrong.
 */
export async function connectScriptedBackend(
  controlUrl: string,
  { token }: { readonly token?: string | undefined } = {},
): Promise<BackendControl> {
  const control = new RemoteControl(controlUrl, token);
  try {
    await control.connect();
    return control;
  } catch (error) {
    await control.close();
    throw error;
  }
}

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly name: string;
  readonly question?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** True for a response without timeouts, which stays open. */
  readonly lasts?: boolean;
}

class RemoteControl implements BackendControl {
  listeners: readonly string[] = [];
  readonly #url: string;
  readonly #pool: Pool;
  readonly #prefix: string;
  readonly #headers: Readonly<Record<string, string>>;
  /** Questions that were asked in this turn of the event loop. */
  readonly #asked: {
    readonly name: string;
    readonly question: unknown;
    readonly resolve: (answer: unknown) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];

  constructor(url: string, token: string | undefined) {
    this.#url = url;
    if (!URL.canParse(url))
      throw new ControlUnreachable(`"${url}" is not the URL of a control port.`);
    const { origin, pathname } = new URL(url);
    this.#prefix = pathname.replace(/\/$/, '');
    this.#pool = new Pool(origin);
    this.#headers = {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
  }

  async connect(): Promise<void> {
    ({ listeners: this.listeners } = await this.#ask({ method: 'GET', name: '' }, listenersAnswer));
  }

  async script(behaviours: readonly Behaviour[]): Promise<string> {
    return this.#atOnce(verbs.script, { behaviours });
  }

  async hits(id: string): Promise<readonly Hit[]> {
    return this.#atOnce(verbs.hits, { id });
  }

  async counts(id: string): Promise<ScriptCounts> {
    return (await this.#atOnce(verbs.wait, { id, condition: {}, timeoutMs: 0 })).counts;
  }

  async waitFor(
    id: string,
    condition: WaitCondition,
    { timeoutMs = usualTimeoutMs, signal }: WaitOptions = {},
  ): Promise<ScriptCounts> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      signal?.throwIfAborted();
      const leftMs = Math.min(longestPollMs, Math.max(0, until - performance.now()));
      const question = { id, condition, timeoutMs: leftMs };
      const { met, counts } = await this.#verb(verbs.wait, question, signal);
      if (met) return counts;
      if (performance.now() >= until) throw new WaitTimedOut(id, condition, counts, timeoutMs);
    }
  }

  async release(id: string, count?: number): Promise<void> {
    await this.#verb(verbs.release, { id, count });
  }

  async setPressure(pressure: Pressure | null, listener?: string): Promise<void> {
    await this.#verb(verbs.setPressure, { pressure, listener });
  }

  async totals(): Promise<readonly ListenerTotals[]> {
    return this.#verb(verbs.totals, {});
  }

  /** Keeps the connection that holds the turn open; resolves to the function that ends the turn. */
  async turn(alone: boolean, signal?: AbortSignal, at?: TurnAt): Promise<() => void> {
    const held = new AbortController();
    const waiting = signal === undefined ? held.signal : AbortSignal.any([signal, held.signal]);
    const { name } = verbs.turn;
    const question = { alone, at };
    const asked = { method: 'POST', name, question, signal: waiting, lasts: true } as const;
    const { body } = await this.#send(asked);
    // The server sends only keep-alives; closing the connection ends the turn.
    body.on('error', () => {}).resume();
    return () => held.abort();
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #ask<Answer>(asked: Asked, answer: z.ZodType<Answer>): Promise<Answer> {
    const { body } = await this.#send(asked);
    return this.#read(parsed(await body.text()), answer);
  }

  #read<Answer>(value: unknown, answer: z.ZodType<Answer>): Answer {
    const result = answer.safeParse(value);
    if (result.success) return result.data;
    throw new ControlUnreachable(
      `${this.#url} does not answer like the control port of a scripted backend. Check the URL; the control port is not one of the listeners.`,
    );
  }

  async #verb<Question, Answer>(
    { name, answer }: Verb<Question, Answer>,
    question: Question,
    signal?: AbortSignal,
  ): Promise<Answer> {
    return this.#ask({ method: 'POST', name, question, signal }, answer);
  }

  /** Asks a question that is answered at once; questions of one turn of the event loop share one request. */
  async #atOnce<Question, Answer>(
    { name, answer }: Verb<Question, Answer>,
    question: Question,
  ): Promise<Answer> {
    if (this.#asked.length === 0) setImmediate(() => void this.#askAll());
    const value = await new Promise<unknown>((resolve, reject) => {
      this.#asked.push({ name, question, resolve, reject });
    });
    return this.#read(value, answer);
  }

  async #askAll(): Promise<void> {
    const asked = this.#asked.splice(0);
    try {
      const questions = asked.map(({ name, question }) => ({ name, question }));
      const answers = await this.#ask(
        { method: 'POST', name: verbs.several.name, question: { questions } },
        verbs.several.answer,
      );
      for (const [at, { resolve, reject }] of asked.entries()) {
        const { status = 500, answer } = answers[at] ?? {};
        if (status < 400) resolve(answer);
        else reject(this.#refusal(status, answer));
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  /** Sends a question, and repeats it once after a lost connection, unless a repetition could have another effect. */
  async #send(asked: Asked, isRepeat = false): Promise<Awaited<ReturnType<Pool['request']>>> {
    const { method, name, question, signal, lasts = false } = asked;
    try {
      const answer = await this.#pool.request({
        method,
        path: `${this.#prefix}/${name}`,
        headers: this.#headers,
        body: question === undefined ? null : JSON.stringify(question),
        ...(signal ? { signal } : {}),
        ...(lasts ? { headersTimeout: 0, bodyTimeout: 0 } : {}),
      });
      if (answer.statusCode < 400) return answer;
      throw this.#refusal(answer.statusCode, parsed(await answer.body.text()));
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ControlUnreachable || error instanceof Refused) throw error;
      const isLost = error instanceof errors.SocketError;
      if (isLost && !isRepeat && name !== verbs.release.name && !lasts)
        return this.#send(asked, true);
      const why = error instanceof Error ? error.message : String(error);
      throw new ControlUnreachable(
        `The control port ${this.#url} could not be asked: ${why}. Is the scripted backend running?`,
        { cause: error },
      );
    }
  }

  #refusal(status: number, value: unknown): Error {
    const { success, data } = errorAnswer.safeParse(value);
    const message = success
      ? data.error.message
      : 'an answer that no control port gives. Check the URL';
    if (success && status === 400) return new Refused(message);
    return new ControlUnreachable(`${this.#url} refused with ${status}: ${message}`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
