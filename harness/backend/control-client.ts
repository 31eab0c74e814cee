/** The control of a backend in another process, over its control port. */

import { errors, Pool } from 'undici';
import type * as z from 'zod';

import { InvalidScript, type Behaviour } from './behaviour.ts';
import {
  type BackendControl,
  doneAnswer,
  errorAnswer,
  type Hit,
  hitsAnswer,
  listenersAnswer,
  type ListenerTotals,
  longestPollMs,
  type Pressure,
  scriptAnswer,
  type ScriptCounts,
  totalsAnswer,
  type TurnAt,
  UnknownScript,
  waitAnswer,
  type WaitCondition,
  type WaitOptions,
  WaitTimedOut,
} from './control.ts';
import { usualTimeoutMs } from './local-control.ts';
import { InvalidPressure } from './load.ts';

/** The control port could not be reached, or answered what no control port of ours would. */
export class ControlUnreachable extends Error {
  override readonly name = 'ControlUnreachable';
}

export interface ConnectOptions {
  /** Must be the token with which the backend was started, if there is one. */
  readonly token?: string | undefined;
}

/**
 * Connects to the control port of a running backend.
 * @throws {ControlUnreachable} if there is none at this URL, or the token is wrong.
 */
export async function connectScriptedBackend(
  controlUrl: string,
  options: ConnectOptions = {},
): Promise<BackendControl> {
  const port = new ControlPort(controlUrl, options.token);
  try {
    const { listeners } = await port.ask(listenersAnswer, 'GET', '/');
    return new RemoteControl(port, listeners);
  } catch (error) {
    await port.close();
    throw error;
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

interface Question {
  readonly method: Method;
  readonly path: string;
  readonly question?: unknown;
  readonly signal?: AbortSignal | undefined;
}

interface Answer {
  readonly status: number;
  readonly value: unknown;
}

/** Questions that would do something else the second time: they are not asked again. */
const NOT_TWICE = /\/release$/u;

class ControlPort {
  readonly #url: string;
  readonly #pool: Pool;
  readonly #prefix: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, token: string | undefined) {
    this.#url = url;
    const origin = URL.canParse(url) ? new URL(url) : undefined;
    if (!origin) throw new ControlUnreachable(`"${url}" is not the URL of a control port.`);
    this.#prefix = origin.pathname.replace(/\/$/, '');
    this.#pool = new Pool(origin.origin);
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async ask<T>(
    answer: z.ZodType<T>,
    method: Method,
    path: string,
    question?: unknown,
    signal?: AbortSignal,
  ): Promise<T> {
    const { status, value } = await this.#exchange({ method, path, question, signal });
    if (status >= 400) throw this.#errorOf(status, value, path);
    const result = answer.safeParse(value);
    if (result.success) return result.data;
    throw new ControlUnreachable(
      `${this.#url} does not answer like the control port of a scripted backend. Check the URL; the control port is not one of the listeners.`,
    );
  }

  /** Waits for a turn and keeps the connection on which it is held; resolves to what ends it. */
  async hold(
    turn: { readonly alone: boolean; readonly at: TurnAt | undefined },
    signal?: AbortSignal,
  ): Promise<() => void> {
    const held = new AbortController();
    const waiting = signal === undefined ? held.signal : AbortSignal.any([signal, held.signal]);
    try {
      const { statusCode, body } = await this.#pool.request({
        method: 'POST',
        path: `${this.#prefix}/turns`,
        headers: { ...this.#headers, 'content-type': 'application/json' },
        body: JSON.stringify(turn),
        signal: waiting,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      if (statusCode >= 400) throw this.#errorOf(statusCode, parsed(await body.text()), '/turns');
      // Only signs of life come; that the connection is ended is how a turn ends.
      body.on('error', () => {}).resume();
      return () => held.abort();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ControlUnreachable) throw error;
      throw new ControlUnreachable(`The control port ${this.#url} gives no turn.`, {
        cause: error,
      });
    }
  }

  /** Where the connection is lost on the way, the question is asked once more over another. */
  async #exchange(asked: Question, isAgain = false): Promise<Answer> {
    const { method, path, question, signal } = asked;
    try {
      const { statusCode, body } = await this.#pool.request({
        method,
        path: this.#prefix + path,
        headers: {
          ...this.#headers,
          ...(question === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: question === undefined ? null : JSON.stringify(question),
        ...(signal ? { signal } : {}),
      });
      return { status: statusCode, value: parsed(await body.text()) };
    } catch (error) {
      signal?.throwIfAborted();
      const isLost = error instanceof errors.SocketError;
      if (isLost && !isAgain && !NOT_TWICE.test(path)) return this.#exchange(asked, true);
      throw this.#unreachable(error);
    }
  }

  #unreachable(error: unknown): ControlUnreachable {
    const why = error instanceof Error ? error.message : String(error);
    return new ControlUnreachable(
      `The control port ${this.#url} could not be asked: ${why}. Is the scripted backend running?`,
      { cause: error },
    );
  }

  #errorOf(status: number, value: unknown, path: string): Error {
    const result = errorAnswer.safeParse(value);
    const { name, message } = result.success
      ? result.data.error
      : { name: 'Error', message: 'an answer that no control port gives. Check the URL' };
    if (name === 'UnknownScript')
      return new UnknownScript(decodeURIComponent(path.split('/')[2] ?? ''));
    if (name === 'InvalidScript') return new InvalidScript(message);
    if (name === 'InvalidPressure') return new InvalidPressure(message);
    if (name === 'RangeError') return new RangeError(message);
    return new ControlUnreachable(`${this.#url} refused with ${status}: ${message}`);
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** The path of a script. */
function pathOf(id: string): string {
  return `/scripts/${encodeURIComponent(id)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

class RemoteControl implements BackendControl {
  readonly listeners: readonly string[];
  readonly #port: ControlPort;

  constructor(port: ControlPort, listeners: readonly string[]) {
    this.#port = port;
    this.listeners = listeners;
  }

  async script(behaviours: readonly Behaviour[]): Promise<string> {
    const { id } = await this.#port.ask(scriptAnswer, 'POST', '/scripts', { behaviours });
    return id;
  }

  async hits(id: string): Promise<readonly Hit[]> {
    const { hits } = await this.#port.ask(hitsAnswer, 'GET', `${pathOf(id)}/hits`);
    return hits;
  }

  async counts(id: string): Promise<ScriptCounts> {
    const { counts } = await this.#poll(id, {}, 0);
    return counts;
  }

  async waitForHits(id: string, count: number, options?: WaitOptions): Promise<readonly Hit[]> {
    await this.waitFor(id, { hits: count }, options);
    return this.hits(id);
  }

  async waitFor(
    id: string,
    condition: WaitCondition,
    { timeoutMs = usualTimeoutMs, signal }: WaitOptions = {},
  ): Promise<ScriptCounts> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      signal?.throwIfAborted();
      const left = Math.max(0, until - performance.now());
      const { met, counts } = await this.#poll(
        id,
        condition,
        Math.min(left, longestPollMs),
        signal,
      );
      if (met) return counts;
      if (performance.now() >= until) throw new WaitTimedOut(id, condition, counts, timeoutMs);
    }
  }

  async #poll(id: string, condition: WaitCondition, timeoutMs: number, signal?: AbortSignal) {
    const question = { condition, timeoutMs };
    return this.#port.ask(waitAnswer, 'POST', `${pathOf(id)}/wait`, question, signal);
  }

  async release(id: string, count?: number): Promise<void> {
    await this.#port.ask(doneAnswer, 'POST', `${pathOf(id)}/release`, { count });
  }

  async forget(id: string): Promise<void> {
    await this.#port.ask(doneAnswer, 'DELETE', pathOf(id));
  }

  async setPressure(pressure: Pressure | null, listener?: string): Promise<void> {
    await this.#port.ask(doneAnswer, 'PUT', '/pressure', { pressure, listener });
  }

  async totals(): Promise<readonly ListenerTotals[]> {
    const { totals } = await this.#port.ask(totalsAnswer, 'GET', '/totals');
    return totals;
  }

  async recentHits(): Promise<readonly Hit[]> {
    const { hits } = await this.#port.ask(hitsAnswer, 'GET', '/hits');
    return hits;
  }

  async turn(alone: boolean, signal?: AbortSignal, at?: TurnAt): Promise<() => void> {
    return this.#port.hold({ alone, at }, signal);
  }

  async close(): Promise<void> {
    await this.#port.close();
  }
}
