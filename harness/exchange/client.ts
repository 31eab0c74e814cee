/**
 * The HTTP client that sends every request of a run. It checks the request, takes it from the budget, adds the
 * credential, sends it, repeats it where that is safe, and records it without secrets.
 */

import type { Contract } from '../../schemas/requirement.ts';
import type { Secret } from '../target/keys.ts';
import { type Budget, pause } from './budget.ts';
import { type Exchange, transportProblem } from './exchange.ts';
import {
  bodyBytes,
  contentType,
  hidden,
  type HeaderContent,
  type Outgoing,
  queryText,
  revealed,
} from './outgoing.ts';
import type { Network } from './network.ts';
import { sendRaw } from './raw-transport.ts';
import {
  afterProxy,
  answered,
  CircuitBreaker,
  fromProxy,
  type RepeatPolicy,
  TransportError,
} from './repeating.ts';
import type { Transport, WireResult } from './transport.ts';

export interface HttpClientOptions {
  readonly contract: Contract;
  readonly target: string;
  readonly baseUrl: string;
  readonly keys: ReadonlyMap<string, Secret>;
  readonly budget: Budget;
  readonly transport: Transport;
  /** How `sendBytes` reaches the target. */
  readonly network?: Network;
  /** Header lines for a request that does not set them itself; called for each request. */
  readonly extraHeaders?: (of: Pick<Outgoing, 'untraced'>) => NonNullable<Outgoing['headers']>;
  readonly check: (method: string, path: string) => void;
  readonly repeat: RepeatPolicy;
  /** True for a response that may come from a proxy in front of the target. */
  readonly mayBeFromProxy?: ((exchange: Exchange) => boolean) | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Ends everything when the run is interrupted. */
  readonly signal?: AbortSignal | undefined;
}

/** Receives every recorded attempt. */
export type OnExchange = (exchange: Exchange) => void;

let counter = 0;

export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #origin: string;
  readonly #basePath: string;
  readonly #pulse = new CircuitBreaker();

  constructor(options: HttpClientOptions) {
    this.#options = options;
    const base = new URL(options.baseUrl);
    this.#origin = base.origin;
    this.#basePath = base.pathname.replace(/\/+$/u, '');
  }

  /**
   * Sends a request, repeats it as the policy says, and returns the last exchange. It repeats a request whose response may
   * be a proxy's. If a different response follows, a GET returns that one, and any other method throws, since the proxy may
   * have forwarded the first attempt.
   * Throws `TransportError` when the policy gives up or each response may be a proxy's, `BudgetSpent` when the budget is
   * used up, and whatever `check` throws for a request that must not be sent.
   */
  async send(outgoing: Outgoing, onExchange: OnExchange): Promise<Exchange> {
    this.#options.check(outgoing.method, outgoing.path);
    const { budget, signal } = this.#options;
    let proxyAnswer: Exchange | undefined;
    // A rate limit does not use up the further try after a failure.
    const met = new Map<number | undefined, number>();
    for (let attempt = 0; ; attempt += 1) {
      if (budget.leftMs === 0) throw budget.minutesSpent();
      const silence = await this.#pulse.admit(signal, outgoing.signal);
      if (silence !== undefined) throw new TransportError(silence.reason, silence.last);
      const exchange = await this.#once(outgoing, attempt);
      onExchange(exchange);
      this.#pulse.note(exchange);
      if (exchange.ending !== 'aborted') {
        budget.noteProblem(exchange.ending === 'complete' ? '' : transportProblem(exchange));
      }
      if (this.#options.mayBeFromProxy?.(exchange) === true) {
        // A limit has forwarded nothing. Beside held requests, one that is repeated late would look like one that waits.
        const isLimited = exchange.response?.status === 429;
        if (!isLimited) proxyAnswer = exchange;
        const mayWait = isLimited && outgoing.unbounded !== true;
        await afterProxy(exchange, mayWait ? 'proxyLimit' : 'proxyAnswer', signal);
        continue;
      }
      if (proxyAnswer !== undefined && outgoing.method !== 'GET') {
        throw fromProxy(proxyAnswer, ', and otherwise when it was asked again');
      }
      const status = exchange.response?.status;
      const earlier = met.get(status) ?? 0;
      met.set(status, earlier + 1);
      const next = outgoing.repeat === false ? undefined : this.#options.repeat(exchange, earlier);
      if (next === undefined) return exchange;
      if ('giveUp' in next) throw new TransportError(next.giveUp, exchange);
      if (next.afterMs > budget.leftMs) {
        const again = answered(exchange, ', and was to be asked again');
        if (exchange.ending === 'complete') budget.noteProblem(again);
        throw budget.minutesSpent();
      }
      await pause(next.afterMs, signal);
    }
  }

  /** Sends the request line, headers and raw `pieces` over a new connection; repeats only if a proxy may have answered. */
  async sendBytes(
    outgoing: Pick<Outgoing, 'method' | 'path' | 'query' | 'headers' | 'as' | 'timeoutMs'> & {
      readonly pieces: readonly Uint8Array[];
      readonly endAfter?: boolean;
    },
    onExchange: OnExchange,
  ): Promise<Exchange> {
    this.#options.check(outgoing.method, outgoing.path);
    const headers: readonly (readonly [string, HeaderContent])[] = [
      ['Host', new URL(this.#origin).host],
      ...this.#headers(outgoing),
      ['Connection', 'close'],
    ];
    const lines = revealed(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const address = this.#address(outgoing.path, queryText(outgoing.query));
    const head = Buffer.from(
      `${outgoing.method} ${address} HTTP/1.1\r\n${lines.join('')}\r\n`,
      'latin1',
    );
    const { maxBytes } = this.#options;
    const raw = {
      origin: this.#origin,
      network: this.#options.network ?? {},
      pieces: [head, ...outgoing.pieces],
      maxBytes,
      ...(outgoing.endAfter === undefined ? {} : { endAfter: outgoing.endAfter }),
    };
    const sent = { headers, body: Buffer.concat(outgoing.pieces) };
    for (let attempt = 0; ; attempt += 1) {
      const exchange = await this.#paid(outgoing, { ...sent, attempt }, async (ms, signals) =>
        sendRaw({ ...raw, timeoutMs: ms, signals }),
      );
      onExchange(exchange);
      if (this.#options.mayBeFromProxy?.(exchange) !== true) return exchange;
      await afterProxy(exchange, 'proxyAnswer', this.#options.signal);
    }
  }

  async #once(outgoing: Outgoing, attempt: number): Promise<Exchange> {
    const { transport, maxBytes } = this.#options;
    const body = bodyBytes(outgoing);
    const headers = [...this.#headers(outgoing), ...contentType(outgoing)];
    const { method, onHead, onChunk } = outgoing;
    return this.#paid(outgoing, { headers, body, attempt }, async (timeoutMs, signals, address) =>
      transport({
        method,
        origin: this.#origin,
        path: address,
        headers: revealed(headers),
        body,
        timeoutMs,
        maxBytes,
        signals,
        onHead,
        onChunk,
      }),
    );
  }

  /** Takes a request from the budget, sends it and records the response. */
  async #paid(
    outgoing: Omit<Outgoing, 'body'>,
    sent: {
      readonly headers: readonly (readonly [string, HeaderContent])[];
      readonly body: Uint8Array | undefined;
      readonly attempt: number;
    },
    send: (ms: number, signals: readonly AbortSignal[], address: string) => Promise<WireResult>,
  ): Promise<Exchange> {
    const query = queryText(outgoing.query);
    const address = this.#address(outgoing.path, query);
    const signals = [this.#options.signal, outgoing.signal].filter((one) => one !== undefined);
    const { unbounded = false, urgent = false } = outgoing;
    const leave = await this.#options.budget.enter({ signals, unbounded, urgent });
    try {
      const result = await send(this.#patience(outgoing), signals, address);
      counter += 1;
      const exchange: Exchange = {
        id: `e${counter}`,
        contract: this.#options.contract,
        target: this.#options.target,
        request: {
          method: outgoing.method,
          url: `${this.#origin}${address}`,
          path: outgoing.path,
          query,
          headers: hidden(sent.headers),
          body: sent.body ?? new Uint8Array(),
          credential: outgoing.as ?? undefined,
        },
        ...result,
        retries: sent.attempt,
      };
      this.#requireTime(outgoing, exchange);
      return exchange;
    } finally {
      leave();
    }
  }

  #address(path: string, query: string): string {
    return `${this.#basePath}${path}${query === '' ? '' : `?${query}`}`;
  }

  /** The timeout of a request in milliseconds, at most the time that the run has left. */
  #patience({ timeoutMs }: Pick<Outgoing, 'timeoutMs'>): number {
    return Math.max(1, Math.min(timeoutMs ?? this.#options.timeoutMs, this.#options.budget.leftMs));
  }

  /** Throws if the request timed out only because the run has no time left: that is not the target's fault. */
  #requireTime({ timeoutMs }: Pick<Outgoing, 'timeoutMs'>, exchange: Exchange): void {
    const { budget } = this.#options;
    const { request, response, ending, durationMs } = exchange;
    const whole = timeoutMs ?? this.#options.timeoutMs;
    if (ending !== 'timeout' || durationMs >= whole - 50 || budget.leftMs >= 50) return;
    const awaited = response === undefined ? 'an answer' : 'the rest of an answer';
    const seconds = (durationMs / 1_000).toFixed(1);
    budget.noteProblem(`${request.method} ${request.path} waited ${seconds} s for ${awaited}`);
    throw budget.minutesSpent(exchange);
  }

  #headers(outgoing: Omit<Outgoing, 'method'>): (readonly [string, HeaderContent])[] {
    const own = outgoing.headers ?? [];
    const names = new Set(own.map(([name]) => name.toLowerCase()));
    const lines: (readonly [string, HeaderContent])[] = [];
    if (outgoing.as !== null) {
      const key = this.#options.keys.get(outgoing.as);
      if (key === undefined) throw new Error(`the target file has no key "${outgoing.as}"`);
      lines.push(['Authorization', ['Bearer ', key]]);
    }
    if (!names.has('accept')) lines.push(['Accept', '*/*']);
    if (!names.has('accept-encoding')) lines.push(['Accept-Encoding', 'identity']);
    if (!names.has('user-agent')) lines.push(['User-Agent', 'plumbline']);
    const extra = this.#options.extraHeaders?.(outgoing) ?? [];
    lines.push(...extra.filter(([name]) => !names.has(name.toLowerCase())));
    return [...lines, ...own];
  }
}
