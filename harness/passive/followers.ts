/** Followers judge what several exchanges show together. */

import type { Received } from '../exchange/received-body.ts';
import { reported } from '../exchange/redaction.ts';
import { type Exchange, type ReceivedChunk, headerValue, endOf } from '../exchange/exchange.ts';
import type { ReportedExchange } from '../../schemas/exchange.ts';
import type { ObservedTraffic } from '../../schemas/report.ts';
import type { Credentials } from './credentials.ts';
import type { Target } from '../../schemas/target.ts';
import type { UniversalJudgement } from '../checks/universal.ts';
import type { PlannedTarget } from '../runner/selection.ts';
import type { Judgement } from '../checks/judgement.ts';
import { keptWait, waitAskedFor } from '../checks/clients.ts';

/** Receives the results of a follower. */
export interface FindingSink {
  judge(requirement: string, judgement: Judgement, shown: Exchange): void;
  record(requirement: string, note: string, exchange: Exchange): void;
  transition(from: string, to: string): void;
}

export interface Follower {
  /** Receives every exchange, in the order in which they ended. */
  take(exchange: Exchange, sink: FindingSink): void;
}

export interface JudgeOptions {
  readonly planned: Pick<PlannedTarget, 'target' | 'secrets'>;
  /** Bytes that passed through the proxy, or a recording, which may be incomplete. */
  readonly source: ObservedTraffic['source'];
  /** True if all requests to the deployment are visible. */
  readonly exclusive: boolean;
}

/** How to judge exchanges that the suite did not send. */
export interface TrafficJudgement {
  readonly operation: (exchange: Exchange) => string | undefined;
  /** False for exchanges outside the contract. */
  covers(exchange: Exchange): boolean;
  /** Judges one exchange by itself. */
  alone(exchange: Exchange): Iterable<UniversalJudgement>;
  /** Creates followers without any history. */
  followers(): {
    readonly all: readonly Follower[];
    following(): { readonly instances: number; readonly cursors: number };
  };
}

/** The module of a contract that judges exchanges of other clients. Loaded on demand. */
export interface TrafficModule<T extends Target> {
  /** The checks of every exchange, for a target of which only the bindings are known. */
  readonly universal: (bindings: object) => (exchange: Exchange) => Iterable<UniversalJudgement>;
  judge(target: T, options: JudgeOptions): TrafficJudgement;
  /** The open requirement that records which clients were asked to wait, if the contract has one. */
  readonly observedLimit?: string;
}

/** A map with a maximum size that drops the least recently used entry. */
export class Recent<K, V> {
  readonly #most: number;
  readonly #entries = new Map<K, V>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#most) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  entries(): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }
}

/** Kept bytes of a body. More than a report shows, so that a key is never cut in half before it is redacted. */
const BODY_BYTES = 48 * 1024;
/** Kept bytes of all bodies. Later exchanges are kept without their bodies. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Kept {
  readonly exchange: Exchange;
  readonly operation: string | undefined;
  /** Sizes of the complete bodies. */
  readonly sent: number;
  readonly received: number;
}

export class KeptExchanges {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** Keeps an exchange and returns its id, by which findings cite it. */
  keep(exchange: Exchange, operation: string | undefined): string {
    if (this.#kept.has(exchange.id)) return exchange.id;
    const small = shortened(exchange, this.#bytes < MAX_BYTES ? BODY_BYTES : 0);
    this.#bytes += small.request.body.length + (small.response?.body.length ?? 0);
    this.#kept.set(exchange.id, {
      exchange: small,
      operation,
      sent: exchange.request.body.length,
      received: exchange.response?.body.length ?? 0,
    });
    return exchange.id;
  }

  /** All kept exchanges in the form of a report. */
  reported(credentials: Credentials): readonly ReportedExchange[] {
    return [...this.#kept.values()].map(({ exchange, operation, sent, received }) => {
      const shown = credentials.overflows ? shortened(exchange, 0) : exchange;
      const { request, response, ...rest } = reported(shown, operation, credentials.redactor);
      return {
        ...rest,
        request: { ...request, body: sized(request.body, sent) },
        response: response && { ...response, body: sized(response.body, received) },
      };
    });
  }
}

/** A copy with at most this many bytes of each body, in its own memory. */
export function shortened(exchange: Exchange, bytes: number): Exchange {
  const { request, response } = exchange;
  return {
    ...exchange,
    request: { ...request, body: request.body.slice(0, bytes) },
    response: response && { ...response, ...shortBody(response, bytes) },
  };
}

function shortBody(whole: Received, bytes: number): Received {
  const body = whole.body.slice(0, bytes);
  const short: ReceivedChunk[] = [];
  let at = 0;
  for (const { atMs, bytes: piece } of whole.chunks) {
    if (at >= body.length) break;
    short.push({ atMs, bytes: body.subarray(at, at + piece.length) });
    at += piece.length;
  }
  return { body, chunks: short };
}

function sized<T extends { readonly bytes: number; readonly cut?: true | undefined }>(
  body: T,
  bytes: number,
): T {
  return body.bytes === bytes ? body : { ...body, bytes, cut: true };
}

/** Maximum number of distinct clients. */
const MAX_CLIENTS = 500;
const LONGEST_NAME = 60;

interface Client {
  askedToWait: number;
  waited: number;
  hurried: number;
  /** The latest response that asked the client to wait, until its next request. */
  limited: Exchange | undefined;
}

export class ClientFollower implements Follower {
  readonly #clients = new Recent<string, Client>(MAX_CLIENTS);
  readonly #noted: string | undefined;

  /** `noted` is the open requirement that records the waits. */
  constructor(noted: string | undefined) {
    this.#noted = noted;
  }

  take(exchange: Exchange, sink: FindingSink): void {
    const name = nameOf(exchange);
    const client = this.#clients.get(name);
    if (client?.limited !== undefined) {
      const kept = keptWait(client.limited, exchange);
      if (kept !== undefined) {
        if (kept) client.waited += 1;
        else client.hurried += 1;
        client.limited = undefined;
      }
    }
    if (exchange.response?.status === 429 && this.#noted !== undefined) {
      const value = headerValue(exchange.response.headers, 'retry-after');
      sink.record(
        this.#noted,
        `429 with ${value === undefined ? 'no' : value} Retry-After`,
        exchange,
      );
    }
    if (waitAskedFor(exchange) === undefined) return;
    const asked = client ?? { askedToWait: 0, waited: 0, hurried: 0, limited: undefined };
    asked.askedToWait += 1;
    // Of concurrent responses, the one that ended last counts.
    if (asked.limited === undefined || endOf(asked.limited) < endOf(exchange)) {
      asked.limited = shortened(exchange, 0);
    }
    this.#clients.set(name, asked);
  }

  /** Forgets which clients are waiting, since their next request may be missing. */
  startTimeline(): void {
    for (const [, client] of this.#clients.entries()) client.limited = undefined;
  }

  /** Every client (key and User-Agent) that was asked to wait, those that most often did not wait first. */
  manners(): ObservedTraffic['clients'] {
    return [...this.#clients.entries()]
      .map(([client, { askedToWait, waited, hurried }]) => ({
        client,
        askedToWait,
        waited,
        hurried,
      }))
      .toSorted((one, other) => other.hurried - one.hurried);
  }
}

function nameOf({ request }: Exchange): string {
  const [key = 'no key'] =
    /‹[^›]*›/u.exec(headerValue(request.headers, 'authorization') ?? '') ?? [];
  const agent = headerValue(request.headers, 'user-agent') ?? 'nameless';
  return `${agent.slice(0, LONGEST_NAME)}, ${key.replaceAll(/[‹›]/gu, '')}`;
}
