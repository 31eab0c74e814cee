/** Ordinary HTTP traffic through undici, without redirects or decompression, and with unchanged header lines. */

import { callbackify } from 'node:util';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { type Ending, type Exchange, type HeaderLines, messageOf } from './exchange.ts';
import { connectedSocket, type Network } from './network.ts';
import { ReceivedBody } from './received-body.ts';

export interface WireRequest {
  readonly method: string;
  /** `http://host:port` or `https://host:port`. */
  readonly origin: string;
  readonly path: string;
  readonly headers: HeaderLines;
  readonly body: Uint8Array | undefined;
  readonly timeoutMs: number;
  /** Bytes of response body after which the client stops reading. */
  readonly maxBytes: number;
  /** Any of them ends the request. */
  readonly signals?: readonly AbortSignal[] | undefined;
  /** Called for each piece of the body; returning `hang-up` closes the connection at once. */
  readonly onChunk?: ((piece: Uint8Array, totalBytes: number) => 'hang-up' | undefined) | undefined;
  /** Called for the response head; returning `hang-up` closes the connection at once. */
  readonly onHead?: ((status: number) => 'hang-up' | undefined) | undefined;
}

/** The limits of a response and the callbacks during its arrival. */
export type Arriving = Pick<
  WireRequest,
  'timeoutMs' | 'maxBytes' | 'signals' | 'onHead' | 'onChunk'
>;

/** The part of an exchange that the wire decides. */
export type WireResult = Pick<
  Exchange,
  'response' | 'ending' | 'cause' | 'startedAt' | 'headMs' | 'durationMs'
>;

/** Sends one request and returns its result; never throws because of the network or the peer. */
export type Transport = (request: WireRequest) => Promise<WireResult>;

/** The ending for each error code; `endingOf` recognises TLS codes by their prefix. */
const endings: Readonly<Record<string, Ending>> = {
  ECONNREFUSED: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EACCES: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'unreachable',
  CERT_HAS_EXPIRED: 'unreachable',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'unreachable',
  SELF_SIGNED_CERT_IN_CHAIN: 'unreachable',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unreachable',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unreachable',
  EPROTO: 'unreachable',
  EPROXY: 'unreachable',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  // Oversized headers, or a body that does not match its Content-Length.
  UND_ERR_HEADERS_OVERFLOW: 'malformed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'malformed',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
};

/** The ending of an exchange that this error ended. */
export function endingOf(error: unknown): { ending: Ending; cause: string } {
  const code = errorCode(error);
  const message = plainMessage(messageOf(error));
  // The server switched protocols unasked; undici's error has no code for it.
  if (message === 'bad upgrade') {
    return { ending: 'malformed', cause: 'it switched protocols unasked (bad upgrade)' };
  }
  if (code === 'ERR_ASSERTION') {
    return { ending: 'malformed', cause: 'it is no HTTP that can be read' };
  }
  const cause = `${code === '' ? '' : `${code}: `}${message}${exampleOf(error)}`;
  if (/^ERR_(?:SSL|TLS)/u.test(code)) return { ending: 'unreachable', cause };
  // Undici's parse errors do not always carry a code.
  const isParseError = code.startsWith('HPE_') || Object(error).name === 'HTTPParserError';
  if (isParseError) return { ending: 'malformed', cause };
  return { ending: endings[code] ?? 'cut-short', cause };
}

/** The reason within an OpenSSL message of the form `…:error:0A00010B:SSL routines:function:reason:file:line:`. */
function plainMessage(message: string): string {
  return /:error:[\dA-F]+:[^:]*:[^:]*:([^:]+):/u.exec(message)?.[1] ?? message.trim();
}

/** Characters of an unreadable response that the message shows. */
const SHOWN = 80;

/** The beginning of an unreadable response, without a word that is cut off, since that may be half a secret. */
function exampleOf(error: unknown): string {
  const { rawPacket, data } = Object(error);
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : data;
  if (typeof text !== 'string' || text === '') return '';
  const shown = text.length <= SHOWN ? text : text.slice(0, SHOWN).replace(/[^\s"'<>{},]*$/u, '');
  return `: it sent ${JSON.stringify(shown)}${text.length > shown.length ? ' …' : ''}`;
}

function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? errorCode(error.cause) : '';
}

/** Header lines from a flat list of alternating names and values. */
export function pairs(flat: unknown): HeaderLines {
  const raw = Array.isArray(flat) ? flat : [];
  const lines: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    lines.push([latin1(raw[at]), latin1(raw[at + 1])]);
  }
  return lines;
}

function latin1(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}

const CONTINUE = Buffer.from('HTTP/1.1 100');
const EARLY_HINTS = Buffer.from('HTTP/1.1 103');
const END_OF_HEAD = '\r\n\r\n';

/**
 * Undici closes a connection on which a server sends `100 Continue` unasked, which HTTP allows, and skips other interim
 * responses. So each one with which the received bytes begin is turned into `103 Early Hints`.
 */
function skippingContinue(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return done(error, null);
      const read = socket.read.bind(socket);
      socket.read = (size) => {
        const bytes: unknown = read(size);
        if (!Buffer.isBuffer(bytes)) return bytes;
        for (let at = 0; CONTINUE.equals(bytes.subarray(at, at + CONTINUE.length));) {
          EARLY_HINTS.copy(bytes, at);
          at = bytes.indexOf(END_OF_HEAD, at) + END_OF_HEAD.length;
        }
        return bytes;
      };
      return done(null, socket);
    });
}

/** Connects undici through a proxy. Undici's own proxy agents are not used, since they join header lines of one name. */
function through(network: Network): buildConnector.connector {
  return ({ protocol, host }, done) => {
    const origin = new URL(`${protocol}//${host}`);
    callbackify(connectedSocket)(origin, network, (error: Error | null, socket) =>
      error === null ? done(null, socket) : done(error, null),
    );
  };
}

/**
 * Milliseconds after which an idle connection is not reused, unless the server sends a time of its own. Servers close
 * idle connections after a second or more, and a request that changes something cannot be repeated if it hits that.
 */
const RESTS_MS = 300;

/** A transport with its own connection pool; close it when the session ends. */
export function createTransport(network: Network = {}): {
  readonly send: Transport;
  close(): Promise<void>;
} {
  // `connections` stays unset: with a limit, undici leaks a slot for every request that it refuses to build.
  const agent = new Agent({
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: RESTS_MS,
    pipelining: 1,
    connect: skippingContinue(
      network.proxy === undefined
        ? buildConnector({ allowH2: false, ...network.tls })
        : through(network),
    ),
  });
  return {
    send: async (request) =>
      new Promise((resolve) => {
        const arrival = new Arrival(request, resolve);
        if (arrival.hasEnded) return;
        const { origin, path, method, headers, body = null } = request;
        agent.dispatch({ origin, path, method, headers: headers.flat(), body }, into(arrival));
      }),
    close: () => agent.destroy(),
  };
}

/** Receives a response directly from undici's dispatcher: without a stream in between, small responses cost half as much. */
function into(arrival: Arrival): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      arrival.onEnd = (ending, cause) => {
        if (ending !== 'complete') controller.abort(new Error(cause));
      };
      if (arrival.hasEnded) controller.abort(new Error('ended before it began'));
    },
    onResponseStart(controller, status) {
      // Informational responses (100, 103) are skipped.
      if (status >= 200) arrival.head(status, pairs(controller.rawHeaders));
    },
    onResponseData: (_controller, bytes) => arrival.add(bytes),
    onResponseEnd: () => arrival.end('complete'),
    onResponseError(_controller, error) {
      const { ending, cause } = endingOf(error);
      arrival.end(ending, cause);
    },
  };
}

/** One response as it arrives, until it is complete or a limit, a signal or an error ends it. Keeps what has arrived. */
export class Arrival {
  /** Called once at the end, to close the connection of a response that is not read to its end. */
  onEnd: (ending: Ending, cause: string | undefined) => void = () => {};
  readonly #request: Arriving;
  readonly #resolve: (result: WireResult) => void;
  readonly #from = performance.now();
  readonly #body: ReceivedBody;
  readonly #timer: NodeJS.Timeout;
  readonly #interrupt = (): void => this.end('aborted', 'the run was ended');
  #head: { status: number; headers: HeaderLines } | undefined;
  #headMs: number | undefined;
  #hasEnded = false;

  constructor(request: Arriving, resolve: (result: WireResult) => void) {
    this.#request = request;
    this.#body = new ReceivedBody(request.maxBytes);
    this.#resolve = resolve;
    this.#timer = setTimeout(
      () => this.end('timeout', `no end within ${Math.round(request.timeoutMs)} ms`),
      request.timeoutMs,
    );
    for (const signal of request.signals ?? []) {
      signal.addEventListener('abort', this.#interrupt, { once: true });
      if (signal.aborted) this.#interrupt();
    }
  }

  get hasHead(): boolean {
    return this.#head !== undefined;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  head(status: number, headers: HeaderLines): void {
    if (this.#hasEnded) return;
    this.#headMs = performance.now() - this.#from;
    this.#head = { status, headers };
    if (this.#request.onHead?.(status) === 'hang-up') this.end('aborted', 'we hung up');
  }

  add(bytes: Buffer): void {
    if (this.#hasEnded) return;
    this.#body.add(bytes, performance.now() - this.#from);
    const { excess, isCut, total } = this.#body;
    if (this.#request.onChunk?.(bytes, total) === 'hang-up') this.end('aborted', 'we hung up');
    else if (excess !== undefined) this.end(isCut ? 'too-large' : 'unread', excess);
  }

  end(ending: Ending, cause?: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    for (const signal of this.#request.signals ?? []) {
      signal.removeEventListener('abort', this.#interrupt);
    }
    this.onEnd(ending, cause);
    this.#resolve({
      response: this.#head && { ...this.#head, ...this.#body.taken(ending === 'complete') },
      ending,
      cause,
      startedAt: performance.timeOrigin + this.#from,
      headMs: this.#headMs,
      durationMs: performance.now() - this.#from,
    });
  }
}
