/** Reads HTTP/1.1 messages from a stream of bytes. */

import type { HeaderLines } from '../exchange/exchange.ts';

export interface MessageHead {
  /** The request method; `''` for a response. */
  readonly method: string;
  /** The request target as sent; `''` for a response. */
  readonly target: string;
  /** The response status; 0 for a request. */
  readonly status: number;
  readonly headers: HeaderLines;
}

/**
 * What the head of a message means for the bytes that follow.
 * - `no-body`: the message ends with its head, whatever its headers say (the response to a HEAD).
 * - `stop`: the following bytes are not HTTP any more (an upgrade, a tunnel).
 */
export type AfterHead = 'no-body' | 'stop' | undefined;

export interface MessageEvents {
  /** `offset` is the end of the head in the bytes being read. */
  head(head: MessageHead, offset: number): AfterHead;
  body(bytes: Uint8Array): void;
  /** `offset` is the end of the message in the bytes being read. */
  end(offset: number): void;
}

/** Maximum bytes of a line, and of all lines of a head. Real clients send less. */
const MAX_LINES_BYTES = 1024 * 1024;
const LF = 0x0a;

const requestLine = /^([!#$%&'*+.^_`|~\w-]+) ([\x21-\x7E\x80-\xFF]+) HTTP\/1\.[01]$/u;
const statusLine = /^HTTP\/1\.[01] (\d{3})(?: [\t\x20-\x7E\x80-\xFF]*)?$/u;
const headerLine =
  /^([!#$%&'*+.^_`|~\w-]+):[\t ]*((?:[\x21-\x7E\x80-\xFF](?:[\t\x20-\x7E\x80-\xFF]*[\x21-\x7E\x80-\xFF])?)?)[\t ]*$/u;
const chunkLine = /^([\dA-F]{1,12})(?:;[\t\x20-\x7E\x80-\xFF]*)?$/iu;
/** Patterns for an incomplete first line. */
const requestBegin = /^(?:[!#$%&'*+.^_`|~\w-]+(?: .*)?)?$/su;
const statusBegin = /^(?:H|HT|HTT|HTTP|HTTP\/|HTTP\/1.*)?$/su;

class NotHttp extends Error {}

/** What the next bytes are: `octets` belong to a body of known length or a chunk, `rest` extends to the end. */
type Awaited = 'start' | 'header' | 'octets' | 'chunk' | 'chunk-end' | 'trailer' | 'rest';

export class MessageReader {
  readonly #isRequest: boolean;
  readonly #events: MessageEvents;
  #awaited: Awaited = 'start';
  #isChunked = false;
  /** Remaining bytes of the body or chunk. */
  #left = 0;
  /** An incomplete line, and the number of bytes read of the current head. */
  #line: Buffer = Buffer.alloc(0);
  #lineBytes = 0;
  #start: RegExpExecArray | undefined;
  #headers: (readonly [string, string])[] = [];
  #stopped = false;

  constructor(side: 'REQUEST' | 'RESPONSE', events: MessageEvents) {
    this.#isRequest = side === 'REQUEST';
    this.#events = events;
  }

  /** True once both sides have agreed to stop using HTTP. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Reads more bytes. Returns an error if they are not HTTP; the reader cannot be used after that. */
  read(bytes: Buffer): Error | undefined {
    try {
      let at = 0;
      while (at < bytes.length && !this.#stopped) at = this.#step(bytes, at);
      return undefined;
    } catch (error) {
      if (error instanceof NotHttp) return error;
      throw error;
    }
  }

  /** The sender has closed its side, which ends a body without a length. */
  close(): void {
    if (this.#awaited === 'rest') this.#end(0);
  }

  /** Reads what it can from `at` and returns where it stopped. */
  #step(bytes: Buffer, at: number): number {
    if (this.#awaited === 'rest') {
      this.#events.body(bytes.subarray(at));
      return bytes.length;
    }
    if (this.#awaited === 'octets') return this.#octets(bytes, at);
    const lineEnd = bytes.indexOf(LF, at);
    const to = lineEnd === -1 ? bytes.length : lineEnd + 1;
    this.#line = Buffer.concat([this.#line, bytes.subarray(at, to)]);
    this.#lineBytes += to - at;
    if (this.#lineBytes > MAX_LINES_BYTES) throw new NotHttp('no end of a head in sight');
    const line = this.#line.toString('latin1');
    if (lineEnd === -1) {
      if (this.#awaited === 'start') this.#requireBegin(line);
      return to;
    }
    this.#line = Buffer.alloc(0);
    if (!line.endsWith('\r\n')) throw new NotHttp('a line ends in LF alone');
    this.#take(line.slice(0, -2), to);
    return to;
  }

  #requireBegin(line: string): void {
    const begin = this.#isRequest ? requestBegin : statusBegin;
    if (line !== '\r' && !begin.test(line)) throw new NotHttp('no message of HTTP/1 begins so');
  }

  #octets(bytes: Buffer, at: number): number {
    const to = Math.min(bytes.length, at + this.#left);
    this.#left -= to - at;
    this.#events.body(bytes.subarray(at, to));
    if (this.#left === 0) {
      if (this.#isChunked) this.#awaited = 'chunk-end';
      else this.#end(to);
    }
    return to;
  }

  #take(line: string, offset: number): void {
    switch (this.#awaited) {
      case 'start': {
        // Empty lines before a message are ignored (RFC 9112 section 2.2).
        if (line === '') return;
        const start = (this.#isRequest ? requestLine : statusLine).exec(line);
        if (start === null) throw new NotHttp(`no first line of HTTP/1: ${line.slice(0, 100)}`);
        this.#start = start;
        this.#awaited = 'header';
        return;
      }
      case 'header':
        if (line === '') this.#head(offset);
        else this.#headers.push(headerOf(line));
        return;
      case 'chunk': {
        const size = chunkLine.exec(line)?.[1];
        if (size === undefined) throw new NotHttp(`no size of a chunk: ${line.slice(0, 100)}`);
        this.#lineBytes = 0;
        this.#left = Number.parseInt(size, 16);
        this.#awaited = this.#left === 0 ? 'trailer' : 'octets';
        return;
      }
      case 'chunk-end':
        if (line !== '') throw new NotHttp('a chunk is longer than its size');
        this.#awaited = 'chunk';
        return;
      case 'trailer':
        if (line === '') this.#end(offset);
        else headerOf(line);
        return;
      case 'octets':
      case 'rest':
        throw new Error('these are no lines');
    }
  }

  #head(offset: number): void {
    const headers = this.#headers;
    const [, first = '', target = ''] = this.#start ?? [];
    this.#headers = [];
    this.#lineBytes = 0;
    const status = this.#isRequest ? 0 : Number(first);
    const after = this.#events.head(
      this.#isRequest
        ? { method: first, target, status, headers }
        : { method: '', target: '', status, headers },
      offset,
    );
    const framing = framingOf(headers);
    if (after === 'stop') this.#stopped = true;
    else if (after === 'no-body' || status === 204 || status === 304) this.#end(offset);
    else this.#expect(framing, offset);
  }

  #expect(framing: Framing, offset: number): void {
    this.#isChunked = framing === 'chunked';
    if (framing === 'chunked') this.#awaited = 'chunk';
    else if (framing === 'none' && !this.#isRequest) this.#awaited = 'rest';
    else if (framing === 'none' || framing === 0) this.#end(offset);
    else {
      this.#left = framing;
      this.#awaited = 'octets';
    }
  }

  #end(offset: number): void {
    this.#awaited = 'start';
    this.#isChunked = false;
    this.#lineBytes = 0;
    this.#events.end(offset);
  }
}

function headerOf(line: string): readonly [string, string] {
  const [, name, value] = headerLine.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    throw new NotHttp(`no header line: ${line.slice(0, 100)}`);
  }
  return [name, value];
}

type Framing = number | 'chunked' | 'none';

/** How the end of a body is marked. Two conflicting marks allow request smuggling, so they are an error. */
function framingOf(headers: HeaderLines): Framing {
  const all = (wanted: string): readonly string[] =>
    headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  const codings = all('transfer-encoding').join(',').toLowerCase();
  const lengths = all('content-length');
  const [length] = lengths;
  if (codings !== '') {
    if (length !== undefined) throw new NotHttp('a length stands beside a transfer coding');
    if (!/(?:^|,)\s*chunked$/u.test(codings)) throw new NotHttp(`no end is told by ${codings}`);
    return 'chunked';
  }
  if (length === undefined) return 'none';
  if (lengths.length > 1) throw new NotHttp('there are two lengths');
  if (!/^\d{1,15}$/u.test(length)) throw new NotHttp(`no length: ${length.slice(0, 100)}`);
  return Number(length);
}
