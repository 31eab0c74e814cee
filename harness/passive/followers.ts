/** Followers of traffic: what one exchange alone does not show. */

import type { Received } from '../exchange/received-body.ts';
import { reported } from '../exchange/redaction.ts';
import { type Exchange, type ReceivedChunk, headerValue } from '../exchange/exchange.ts';
import type { ReportedExchange } from '../../schemas/exchange.ts';
import type { ObservedTraffic } from '../../schemas/report.ts';
import type { Credentials } from './credentials.ts';
import type { Target } from '../../schemas/target.ts';
import type { UniversalJudgement } from '../checks/universal.ts';
import type { PlannedTarget } from '../runner/selection.ts';
import type { Judgement } from '../checks/judgement.ts';
import { keptWait, waitAskedFor } from '../checks/clients.ts';
import { endOf } from '../checks/reading.ts';

/** Where a follower tells what it found. */
export interface FindingSink {
  judge(requirement: string, judgement: Judgement, shown: Exchange): void;
  record(requirement: string, note: string, exchange: Exchange): void;
  transition(from: string, to: string): void;
}

export interface Follower {
  /** Takes every exchange, in the order in which they ended. */
  take(exchange: Exchange, sink: FindingSink): void;
}

/**
 * Where exchanges come from: bytes that passed through a proxy, or a recording that may have left out what is
 * missing in it.
 */
export type TrafficSource = 'proxy' | 'recording';

export interface JudgeOptions {
  readonly planned: Pick<PlannedTarget, 'target' | 'secrets'>;
  readonly source: TrafficSource;
  /** Nobody acts on the deployment but through what is seen. */
  readonly exclusive: boolean;
}

/** How the exchanges of others are judged. */
export interface TrafficJudgement {
  readonly operation: (exchange: Exchange) => string | undefined;
  /** False for what the contract does not speak of. */
  covers(exchange: Exchange): boolean;
  /** What one exchange shows by itself. */
  alone(exchange: Exchange): Iterable<UniversalJudgement>;
  /** Fresh ones, which know nothing yet. */
  followers(): {
    readonly all: readonly Follower[];
    following(): { readonly instances: number; readonly cursors: number };
  };
}

/** Loaded when exchanges are judged that the suite did not send. */
export interface TrafficModule<T extends Target> {
  /** The checks of every exchange, where of the target only its bindings are known. */
  readonly universal: (bindings: object) => (exchange: Exchange) => Iterable<UniversalJudgement>;
  judge(target: T, options: JudgeOptions): TrafficJudgement;
  /** The open requirement that records which clients were asked to wait, where there is one. */
  readonly observedLimit?: string;
}

/** A map that forgets what was not touched for longest. */
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

/** Bytes of a body that are held. More than a report keeps, so that no key is cut in half before it is taken out. */
const BODY_BYTES = 48 * 1024;
/** Bytes that are held in all; further exchanges are cited without their bodies. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Kept {
  readonly exchange: Exchange;
  readonly operation: string | undefined;
  /** Sizes of the whole bodies. */
  readonly sent: number;
  readonly received: number;
}

export class KeptExchanges {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** Holds an exchange, and gives the name to cite it by. */
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

  /** All of them as a report keeps them. */
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

/** The same with at most so many bytes of each body, in memory of its own. */
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

/** Clients that are told apart. */
const MAX_CLIENTS = 500;
const LONGEST_NAME = 60;

/** How often one client, by the name of its key and what it calls itself, was asked to wait, and what it did. */
export type ClientManners = ObservedTraffic['clients'][number];

interface Client {
  askedToWait: number;
  waited: number;
  hurried: number;
  /** The latest answer that asked to wait, until the next request. */
  limited: Exchange | undefined;
}

export class ClientFollower implements Follower {
  readonly #clients = new Recent<string, Client>(MAX_CLIENTS);
  readonly #noted: string | undefined;

  /** `noted` is the open requirement under which the waits are recorded. */
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
    // Of several answers at once the one that came last counts.
    if (asked.limited === undefined || endOf(asked.limited) < endOf(exchange)) {
      asked.limited = shortened(exchange, 0);
    }
    this.#clients.set(name, asked);
  }

  /** Forgets the clients that wait: what comes next may not be the next request. */
  startTimeline(): void {
    for (const [, client] of this.#clients.entries()) client.limited = undefined;
  }

  /** Every client that was asked to wait, the hastiest first. */
  manners(): readonly ClientManners[] {
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
