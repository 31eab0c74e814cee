/** The live state of an observation, as a page and as JSON. It is read-only: no request changes anything. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { requirementsOf } from '../../schemas/contracts.ts';
import type { LiveTraffic } from '../../schemas/live.ts';
import type { ObservedTraffic } from '../../schemas/report.ts';
import type { Target } from '../../schemas/target.ts';
import { livePage, livePagePolicy } from '../../reports/html/live-page.ts';
import { present } from '../../reports/model/text.ts';
import { isUnderForeignName, listenOn, stop } from '../backend/address.ts';
import { type Exchange, messageOf } from '../exchange/exchange.ts';
import type { ProxyCounts } from '../passive/proxy.ts';
import type { JudgedView } from '../passive/traffic-judge.ts';
import { counted } from './traffic.ts';

const SECONDS = 60;
const LATENCIES = 2_000;

/** Counts ended exchanges per second. */
export class Rates {
  readonly #perSecond = new Map<number, number>();
  readonly #latencies: number[] = [];
  #next = 0;

  note(exchange: Exchange): void {
    const second = Math.floor(Date.now() / 1_000);
    this.#perSecond.set(second, (this.#perSecond.get(second) ?? 0) + 1);
    for (const one of this.#perSecond.keys()) {
      if (one < second - SECONDS) this.#perSecond.delete(one);
      else break;
    }
    if (exchange.headMs === undefined) return;
    this.#latencies[this.#next] = exchange.headMs;
    this.#next = (this.#next + 1) % LATENCIES;
  }

  /** The counts of the last complete seconds, oldest first. */
  perSecond(): readonly number[] {
    const now = Math.floor(Date.now() / 1_000);
    return Array.from({ length: SECONDS }, (_, at) => this.#perSecond.get(now - SECONDS + at) ?? 0);
  }

  latency(): LiveTraffic['latency'] {
    if (this.#latencies.length === 0) return null;
    const sorted = this.#latencies.toSorted((one, other) => one - other);
    const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    return { median: at(0.5), p99: at(0.99) };
  }
}

/** What was relayed but not judged, or not in full. Reasons that did not occur are left out. */
export function notJudged(
  view: JudgedView,
  counts: Pick<ProxyCounts, 'notHttp' | 'upgraded'>,
  dropped: number,
): ObservedTraffic['notJudged'] {
  return counted([
    [
      'the body was too large to be held, or cannot be read here: judged by its head alone',
      view.headOnly,
    ],
    ['elsewhere than below the base URL, so not of the contract', view.elsewhere],
    ['judging had fallen behind', dropped],
    ['a connection that was no HTTP/1.1, from some point on', counts.notHttp],
    ['a connection that was upgraded to another protocol', counts.upgraded],
  ]);
}

/** The current state. */
export function liveTraffic({
  target,
  listening,
  startedAt,
  view,
  counts,
  dropped,
  rates,
}: {
  readonly target: Target;
  readonly listening: string;
  readonly startedAt: number;
  readonly view: JudgedView;
  readonly counts: ProxyCounts;
  readonly dropped: number;
  readonly rates: Rates;
}): LiveTraffic {
  const known = new Map(requirementsOf(target.contract).map((one) => [one.id, one]));
  const requirements = view.requirements.flatMap(({ requirement, seen, violations, latest }) => {
    const one = known.get(requirement);
    if (one === undefined) return [];
    const { id, statement, strength } = one;
    return [{ id, statement, strength, seen, violations, ...present({ latest }) }];
  });
  return {
    target: { name: target.name, contract: target.contract, baseUrl: target.baseUrl },
    listening,
    startedAt,
    now: Date.now(),
    source: 'proxy',
    judged: view.judged,
    notJudged: notJudged(view, counts, dropped),
    clients: view.clients,
    connections: counts.connections,
    underWay: counts.underWay,
    perSecond: rates.perSecond(),
    latency: rates.latency(),
    requirements: requirements.toSorted(
      (one, other) => other.violations - one.violations || other.seen - one.seen,
    ),
    answers: view.traffic.map(({ latencies: _latencies, ...row }) => row),
    following: view.following,
  };
}

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': livePagePolicy,
} as const;

/** Throws `AddressError` if the address is in use. */
export async function serveLive(address: string, live: () => Promise<LiveTraffic>) {
  const server = createServer((request, response) => {
    answer(request, response, live).catch((error: unknown) => {
      const why = messageOf(error);
      response.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${why}\n`);
    });
  });
  const origin = await listenOn(server, address);
  return { url: `${origin}/`, close: () => stop(server) };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  live: () => Promise<LiveTraffic>,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://page');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { ...HEADERS, Allow: 'GET, HEAD' }).end();
  } else if (isUnderForeignName(request)) {
    // Prevents DNS rebinding: a foreign page could give our address its own host name and read this one.
    response.writeHead(421, HEADERS).end();
  } else if (pathname === '/live.json') {
    const json = `${JSON.stringify(await live(), null, 2)}\n`;
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'application/json' }).end(json);
  } else if (pathname === '/') {
    const page = livePage(await live(), !searchParams.has('still'));
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/html; charset=utf-8' }).end(page);
  } else {
    response.writeHead(404, { ...HEADERS, 'Content-Type': 'text/plain' }).end('not found\n');
  }
}
