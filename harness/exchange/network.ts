/** Connections to an origin: through the proxy that the environment names, with the certificates of the target file. */

import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TargetFile } from '../../schemas/target.ts';
import { isLoopback } from './exchange.ts';

/** Certificates as PEM: authorities to trust besides the usual ones, and a client certificate with its key. */
type Certificates = NonNullable<TargetFile['tls']>;

export interface Network {
  readonly tls?: Certificates | undefined;
  readonly proxy?: URL | undefined;
}

/**
 * The proxy for an origin according to HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in upper or lower case; undefined for a
 * direct connection, which loopback always uses.
 */
export function proxyFor(
  target: URL,
  environment: NodeJS.ProcessEnv = process.env,
): URL | undefined {
  const named = (name: string): string =>
    environment[name.toLowerCase()] ?? environment[name] ?? '';
  const proxy = named(target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY').trim();
  if (proxy === '' || isLoopback(target) || isExcepted(target, named('NO_PROXY'))) return undefined;
  const text = proxy.includes('://') ? proxy : `http://${proxy}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Matches `NO_PROXY`: host names that include their subdomains, each with or without a port, or `*` for every host. */
function isExcepted(target: URL, list: string): boolean {
  const host = target.hostname.toLowerCase();
  return list
    .toLowerCase()
    .split(/[\s,]+/u)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = entry, port] = /^(.*?)(?::(\d+))?$/u.exec(entry.replace(/^\*?\./u, '')) ?? [];
      if (port !== undefined && port !== portOf(target)) return false;
      return name === '*' || host === name || host.endsWith(`.${name}`);
    });
}

/** A socket to the origin of a URL, new or `over` a connected one. With `allowHalfOpen` each side closes separately. */
export function dial(
  target: URL,
  options: {
    readonly allowHalfOpen?: boolean;
    readonly tls?: Certificates | undefined;
    readonly over?: Socket | undefined;
  } = {},
): Socket {
  const { allowHalfOpen = false, tls, over } = options;
  const host = target.hostname.replace(/^\[(.*)\]$/u, '$1');
  const port = Number(portOf(target));
  if (target.protocol === 'http:') return over ?? connectTcp({ host, port, allowHalfOpen });
  const secured = {
    ...(over === undefined ? { host, port } : { socket: over }),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...tls,
    ALPNProtocols: ['http/1.1'],
    // The types lack this option for TLS.
    allowHalfOpen,
  };
  return connectTls(secured);
}

/** A socket to the origin, through the proxy if there is one. Throws if the proxy refuses the tunnel. */
export async function openSocket(target: URL, { tls, proxy }: Network): Promise<Socket> {
  const over = proxy === undefined ? undefined : await tunnel(target, proxy);
  return dial(target, { tls, over });
}

/** A socket that has connected within `withinMs` milliseconds, as undici needs it. */
export async function connectedSocket(
  target: URL,
  network: Network,
  withinMs = 0,
): Promise<Socket> {
  const socket = await openSocket(target, network);
  if (target.protocol === 'http:' && network.proxy !== undefined) return socket;
  if (withinMs > 0) {
    socket.setTimeout(withinMs, () => {
      socket.destroy(new Error(`no connection within ${withinMs / 1_000} s`));
    });
  }
  await once(socket, target.protocol === 'https:' ? 'secureConnect' : 'connect');
  socket.setTimeout(0);
  return socket;
}

/** Milliseconds that a proxy may take to open a tunnel. */
const TUNNEL_MS = 10_000;

async function tunnel(target: URL, proxy: URL): Promise<Socket> {
  const authority = `${target.hostname}:${portOf(target)}`;
  const user = [proxy.username, proxy.password].map(decodeURIComponent).join(':');
  const credentials = Buffer.from(user).toString('base64');
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(Object.assign(new Error(`the proxy ${proxy.host} ${why}`), { code: 'EPROXY' }));
    const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
    const asked = send({
      host: proxy.hostname.replace(/^\[(.*)\]$/u, '$1'),
      port: portOf(proxy),
      method: 'CONNECT',
      path: authority,
      agent: false,
      timeout: TUNNEL_MS,
      headers: {
        Host: authority,
        ...(proxy.username === '' ? {} : { 'Proxy-Authorization': `Basic ${credentials}` }),
      },
    });
    asked.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      return fail(`answered ${statusCode} to CONNECT ${authority}`);
    });
    asked.once('timeout', () => asked.destroy(new Error(`gave no answer in ${TUNNEL_MS} ms`)));
    asked.once('error', ({ message }) => fail(`could not be used: ${message}`));
    asked.end();
  });
}

function portOf({ port, protocol }: URL): string {
  if (port !== '') return port;
  return protocol === 'https:' ? '443' : '80';
}
