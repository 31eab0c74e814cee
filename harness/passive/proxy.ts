/** A proxy that relays bytes unchanged and records the exchanges. */

import { createServer, isIP, type Socket } from 'node:net';
import { isOfThisMachine, listenOn, namesThisMachine } from '../backend/address.ts';
import { type Exchange, isLoopback } from '../exchange/exchange.ts';
import { connectedSocket, dial, type Network } from '../exchange/network.ts';
import { endingOf } from '../exchange/transport.ts';
import { HeadEditor, hostOf, hostsIn, relay, reset, withHost, withLines } from './relay.ts';
import { type Place, TrafficRecord } from './traffic-record.ts';

/**
 * Whether to replace a `Host` that names another host with that of the target. `auto` does so for a target with a host
 * name. Unless `keep` is set, a loopback proxy refuses names other than those of this machine and the target: a web
 * page could use DNS rebinding to reach the target through it.
 */
export type HostRule = 'auto' | 'keep' | 'target';

export interface ProxyOptions {
  readonly place: Place;
  /** `host:port`. */
  readonly listen: string;
  readonly host?: HostRule;
  /** The network path to the target (default: direct). */
  readonly network?: Network;
  /** Header lines to add to requests, unless the client sent one with that name. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Maximum bytes of each body that are kept for judging. */
  readonly bodyBytes?: number;
  /** Receives each exchange once it has ended. */
  readonly onExchange: (exchange: Exchange) => void;
}

/** The counters of a proxy. */
export interface ProxyCounts {
  readonly connections: number;
  readonly underWay: number;
  /** Connections that reached the target, in total. */
  readonly reached: number;
  /** Connections that did not reach the target. */
  readonly unreachable: number;
  /** Connections that stopped being HTTP at some point and were relayed without being read. */
  readonly notHttp: number;
  readonly upgraded: number;
}

export interface Proxy {
  /** `http://127.0.0.1:8080`, without the path of the target. */
  readonly origin: string;
  counts(): ProxyCounts;
  /** Accepts no new connections, waits up to `graceMs` for requests in progress, then cuts all connections. */
  close(graceMs: number): Promise<void>;
}

const BODY_BYTES = 1024 * 1024;

/** Throws `AddressError` if the address is in use. */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { place } = options;
  const target = new URL(place.origin);
  const sockets = new Set<Socket>();
  const counts = { underWay: 0, reached: 0, unreachable: 0, notHttp: 0, upgraded: 0 };
  let named = 0;
  let settled: (() => void) | undefined;
  const onExchange = {
    exchange: options.onExchange,
    underWay: (change: 1 | -1) => {
      counts.underWay += change;
      if (counts.underWay === 0) settled?.();
    },
    unreadable: (reason: 'notHttp' | 'upgraded') => void (counts[reason] += 1),
    name: () => `e${(named += 1)}`,
  };
  const replacesHost =
    options.host === 'target' || (options.host !== 'keep' && isFoundByName(target));

  const { network = {}, headers = [] } = options;
  const edited = (head: Buffer): Buffer =>
    withLines(replacesHost ? withHost(head, target.host) : head, headers);
  const pass = (client: Socket, upstream: Socket, connectedBefore: boolean): void => {
    const record = new TrafficRecord(place, onExchange, options.bodyBytes ?? BODY_BYTES);
    let isConnected = connectedBefore;
    if (isConnected) counts.reached += 1;
    else
      upstream.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        isConnected = true;
        counts.reached += 1;
      });
    for (const socket of [client, upstream]) sockets.add(socket);
    const isGuarded = options.host !== 'keep' && isOfThisMachine(client.localAddress ?? '');
    let isRefused = false;
    const editor =
      isGuarded || replacesHost || headers.length > 0
        ? new HeadEditor((head) => {
            isRefused ||= isGuarded && !isMeant(head, target);
            return edited(head);
          })
        : undefined;
    relay(client, upstream, () => isConnected, {
      sent: (bytes) => {
        const boundaries = record.sent(bytes);
        if (editor === undefined) return [bytes];
        const passed = editor.pass(bytes, boundaries);
        if (isRefused) {
          record.broken('aborted', 'Host named neither this machine nor the target');
          upstream.destroy();
          client.end(MISDIRECTED);
          return [];
        }
        return record.isReadable ? passed : [...passed, ...editor.release()];
      },
      rest: () => editor?.release() ?? [],
      received: (bytes) => record.received(bytes),
      serverClosed: (clientClosed) => record.serverClosed(clientClosed),
      broken: (side, error, wasConnected) => {
        if (!wasConnected && side === 'server') counts.unreachable += 1;
        record.broken(
          side === 'client' ? 'aborted' : wasConnected ? 'reset' : 'unreachable',
          side === 'client' ? 'the client hung up' : endingOf(error).cause,
        );
      },
      closed: () => {
        record.broken('aborted', 'the connection was closed');
        sockets.delete(client);
        sockets.delete(upstream);
      },
    });
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (network.proxy === undefined) {
      pass(client, dial(target, { allowHalfOpen: true, tls: network.tls }), false);
      return;
    }
    client.on('error', () => client.destroy());
    connectedSocket(target, network).then(
      (upstream) => pass(client, upstream, true),
      () => {
        counts.unreachable += 1;
        reset(client);
      },
    );
  });
  const origin = await listenOn(server, options.listen);

  return {
    origin,
    counts: () => ({ ...counts, connections: Math.ceil(sockets.size / 2) }),
    close: async (graceMs) => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      if (counts.underWay > 0) {
        await new Promise<void>((resolve) => {
          settled = resolve;
          setTimeout(resolve, graceMs).unref();
        });
      }
      // Idle connections are closed. A request in progress is reset, so that both sides notice.
      const isIdle = counts.underWay === 0;
      for (const socket of sockets) {
        if (isIdle) socket.destroy();
        else reset(socket);
      }
      await closed;
    },
  };
}

/** The response to a request with a foreign host name. */
const MISDIRECTED =
  'HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** True if every `Host` line, if any, names this machine or the target. */
function isMeant(head: Buffer, target: URL): boolean {
  return hostsIn(head).every(
    (value) => namesThisMachine(value) || hostOf(value) === hostOf(target.host),
  );
}

/** True for a target behind a reverse proxy that may need the host name to route the request. */
function isFoundByName(target: URL): boolean {
  return !isLoopback(target) && isIP(target.hostname.replace(/^\[(.*)\]$/u, '$1')) === 0;
}
