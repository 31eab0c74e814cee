/** Relays bytes between a client and the deployment, with backpressure. */

import { Socket } from 'node:net';
import { connectedSocket, type Network } from '../exchange/network.ts';
import { endingOf } from '../exchange/transport.ts';

const PATIENCE_MS = 10_000;

/** Why no connection can be opened, or undefined. A successful connection is closed at once. */
export async function reachable(origin: string, network: Network): Promise<string | undefined> {
  return connectedSocket(new URL(origin), network, PATIENCE_MS).then(
    (socket) => void socket.destroy(),
    (error: unknown) => endingOf(error).cause,
  );
}

export interface RelayTaps {
  /** Receives the client's bytes and returns those to forward. */
  sent(bytes: Buffer): readonly Buffer[];
  /** Returns the bytes still held back when the client sends no more. */
  rest(): readonly Buffer[];
  /** Receives the server's bytes after they were forwarded to the client. */
  received(bytes: Buffer): void;
  /** The server has closed its side properly. */
  serverClosed(clientClosed: boolean): void;
  /** A connection broke; `side` says which one. */
  broken(side: 'client' | 'server', error: Error, connected: boolean): void;
  closed(): void;
}

/** The sockets need `allowHalfOpen`. `connected` says whether the server connection is established. */
export function relay(
  client: Socket,
  server: Socket,
  connected: () => boolean,
  taps: RelayTaps,
): void {
  let clientClosed = false;
  let open = 2;
  client.setNoDelay(true);
  server.setNoDelay(true);
  writesWithoutTimeout(client);
  writesWithoutTimeout(server);

  const forward = (pieces: readonly Buffer[]): void => {
    for (const piece of pieces) {
      if (!server.write(piece)) client.pause();
    }
  };
  client.on('data', (bytes: Buffer) => {
    forward(taps.sent(bytes));
  });
  server.on('drain', () => client.resume());
  client.on('end', () => {
    clientClosed = true;
    forward(taps.rest());
    server.end();
  });

  server.on('data', (bytes: Buffer) => {
    if (!client.write(bytes)) server.pause();
    taps.received(bytes);
  });
  client.on('drain', () => server.resume());
  server.on('end', () => {
    client.end();
    taps.serverClosed(clientClosed);
  });

  client.on('error', (error) => {
    clientClosed = true;
    taps.broken('client', error, connected());
    reset(server);
  });
  server.on('error', (error) => {
    taps.broken(clientClosed ? 'client' : 'server', error, connected());
    // The client still gets what the server sent before it broke off.
    client.write('', () => reset(client));
  });
  for (const socket of [client, server]) {
    socket.once('close', () => {
      open -= 1;
      if (open === 0) taps.closed();
    });
  }
}

/** Ends a connection with a reset, so that the peer does not take it for a proper end. */
export function reset(socket: Socket): void {
  if (socket.destroyed) return;
  // A TLS socket cannot reset its underlying connection.
  if (socket.constructor === Socket) socket.resetAndDestroy();
  else socket.destroy();
}

type Written = (error?: Error | null) => void;

/** After the first failed write, further writes are dropped. The read side then shows how the connection ended. */
function writesWithoutTimeout(socket: Socket): void {
  let isDeaf = false;
  const patient =
    (done: Written): Written =>
    (error) => {
      // With the read side at its end, nothing else would report the error.
      if (error === undefined || error === null || socket.readableEnded) {
        done(error);
        return;
      }
      isDeaf = true;
      done();
    };
  const write = socket._write.bind(socket);
  socket._write = (chunk: unknown, encoding, done) => {
    if (isDeaf && !socket.readableEnded) done();
    else write(chunk, encoding, patient(done));
  };
  const writev = socket._writev?.bind(socket);
  if (writev === undefined) return;
  socket._writev = (chunks, done) => {
    if (isDeaf && !socket.readableEnded) done();
    else writev(chunks, patient(done));
  };
}

/** The head of a request, with the value of `Host` replaced where it names another host. Other bytes are unchanged. */
export function withHost(head: Buffer, authority: string): Buffer {
  const text = head.toString('latin1');
  const changed = text.replaceAll(
    /^(host:[ \t]*)([^\r\n]*?)([ \t]*\r?)$/gimu,
    (line, name: string, value: string, end: string) =>
      hostOf(value) === hostOf(authority) ? line : `${name}${authority}${end}`,
  );
  return changed === text ? head : Buffer.from(changed, 'latin1');
}

/** The head of a request with these lines added. A header that the client sent is not added again. */
export function withLines(
  head: Buffer,
  lines: readonly (readonly [name: string, value: string])[],
): Buffer {
  const text = head.toString('latin1');
  const sent = new Set(
    [...text.matchAll(/^([^\r\n:]+):/gmu)].map(([, name = '']) => name.toLowerCase()),
  );
  const added = lines
    .filter(([name]) => !sent.has(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    text.replace(/(\r?\n)$/u, (end) => `${added.join('')}${end}`),
    'latin1',
  );
}

/** The values of the `Host` lines of a head. */
export function hostsIn(head: Buffer): readonly string[] {
  const lines = head.toString('latin1').matchAll(/^host[ \t]*:[ \t]*([^\r\n]*?)[ \t]*\r?$/gimu);
  return Array.from(lines, ([, value = '']) => value);
}

/** The host of `HOST:PORT` in lower case. */
export function hostOf(authority: string): string {
  return authority.replace(/:\d+$/u, '').toLowerCase();
}

/** Edits the head of each request and passes all other bytes through. A reader reports where heads and messages end. */
export class HeadEditor {
  readonly #edit: (head: Buffer) => Buffer;
  #held: Buffer[] = [];
  #inHead = true;

  constructor(edit: (head: Buffer) => Buffer) {
    this.#edit = edit;
  }

  /** Returns the bytes to forward. `offsets` are positions in `bytes`, in order. */
  pass(
    bytes: Buffer,
    boundaries: readonly { readonly kind: 'head' | 'end'; readonly offset: number }[],
  ): readonly Buffer[] {
    const out: Buffer[] = [];
    let at = 0;
    for (const { kind, offset } of boundaries) {
      const piece = bytes.subarray(at, offset);
      at = offset;
      if (kind === 'head') {
        out.push(this.#edit(Buffer.concat([...this.#held, piece])));
        this.#held = [];
        this.#inHead = false;
      } else {
        if (piece.length > 0) out.push(piece);
        this.#inHead = true;
      }
    }
    const rest = bytes.subarray(at);
    if (rest.length === 0) return out;
    if (this.#inHead) this.#held.push(rest);
    else out.push(rest);
    return out;
  }

  /** Returns the bytes still held back, which will not become a request. */
  release(): readonly Buffer[] {
    return this.#held.splice(0);
  }
}
