/** Watches who keeps to the wait that an answer asks for. */

import { keptWait, toldToWait } from '../checks/retry-etiquette.ts';
import { type Exchange, headerValue } from '../exchange/exchange.ts';
import { endOf, type Follower, Recent, type Tell } from './follower.ts';
import { shortened } from './kept-exchanges.ts';

/** Clients that are told apart. */
const MAX_CLIENTS = 500;
const LONGEST_NAME = 60;

/** How often one client was asked to wait, and what it did. */
export interface ClientManners {
  /** The name of its key, and what it calls itself. */
  readonly client: string;
  readonly askedToWait: number;
  readonly waited: number;
  readonly hurried: number;
}

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

  take(exchange: Exchange, tell: Tell): void {
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
      tell.record(
        this.#noted,
        `429 with ${value === undefined ? 'no' : value} Retry-After`,
        exchange,
      );
    }
    if (toldToWait(exchange) === undefined) return;
    const asked = client ?? { askedToWait: 0, waited: 0, hurried: 0, limited: undefined };
    asked.askedToWait += 1;
    // Of several answers at once the one that came last counts.
    if (asked.limited === undefined || endOf(asked.limited) < endOf(exchange)) {
      asked.limited = shortened(exchange, 0);
    }
    this.#clients.set(name, asked);
  }

  /** Forgets who is waiting: what comes next may not be the next request. */
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
