/** Reads one direction of a connection as HTTP messages, beside the bytes and never instead of them. */

import { HTTPParser, methods } from 'http-parser-js';
import type { HeaderLines } from '../exchange/exchange.ts';

// Bytes beyond ASCII in a header must not come out as other, harmless characters.
HTTPParser.encoding = 'latin1';

export interface MessageHead {
  /** Of a request; `''` for a response. */
  readonly method: string;
  /** The request target as it was sent; `''` for a response. */
  readonly target: string;
  /** Of a response; 0 for a request. */
  readonly status: number;
  readonly headers: HeaderLines;
}

/**
 * What the head of a message means for the bytes behind it.
 * - `no-body`: the message ends with its head, whatever its headers say (the answer to a HEAD).
 * - `stop`: what follows is no HTTP any more (an upgrade, a tunnel).
 */
export type AfterHead = 'no-body' | 'stop' | undefined;

export interface MessageEvents {
  /** `offset` is where the head ends in the bytes that are being read. */
  head(head: MessageHead, offset: number): AfterHead;
  body(bytes: Uint8Array): void;
  /** `offset` is where the message ends in the bytes that are being read. */
  end(offset: number): void;
}

/** Bytes that may pass without a head, a piece of a body or an end: more is no HTTP that anybody sends. */
const MAX_IDLE_BYTES = 1024 * 1024;

export class MessageReader {
  readonly #parser: InstanceType<typeof HTTPParser>;
  #stopped = false;
  #idleBytes = 0;

  constructor(side: 'REQUEST' | 'RESPONSE', events: MessageEvents) {
    const parser = new HTTPParser(side);
    this.#parser = parser;
    const isRequest = side === 'REQUEST';
    parser[HTTPParser.kOnHeadersComplete] = (info) => {
      this.#idleBytes = 0;
      const after = events.head(
        {
          method: isRequest ? (methods[info.method] ?? '') : '',
          target: isRequest ? info.url : '',
          status: isRequest ? 0 : info.statusCode,
          headers: pairs(info.headers),
        },
        this.#offset,
      );
      if (after === 'stop') this.#stopped = true;
      return after === undefined ? undefined : 1;
    };
    parser[HTTPParser.kOnBody] = (bytes, offset, length) => {
      this.#idleBytes = 0;
      events.body(bytes.subarray(offset, offset + length));
    };
    parser[HTTPParser.kOnMessageComplete] = () => {
      this.#idleBytes = 0;
      if (!this.#stopped) events.end(this.#offset);
    };
  }

  /** True once what passes is no HTTP any more, by agreement of both sides. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Reads on. Returns why these bytes cannot be read as HTTP, if so; the reader is of no use from there on. */
  read(bytes: Buffer): Error | undefined {
    this.#idleBytes += bytes.length;
    let rest = bytes;
    while (rest.length > 0 && !this.#stopped) {
      const read = this.#parser.execute(rest);
      if (read instanceof Error) return read;
      // It pauses after a request that asks for an upgrade, which a server need not grant.
      if (read === 0) return undefined;
      rest = rest.subarray(read);
    }
    return this.#idleBytes > MAX_IDLE_BYTES ? new Error('no end of a line in sight') : undefined;
  }

  /** The sender has closed its side. True when that is a proper place to do so. */
  close(): boolean {
    return this.#stopped || !(this.#parser.finish() instanceof Error);
  }

  /** Where the parser stands in the bytes that it is reading; its types do not tell of it. */
  get #offset(): number {
    const offset: unknown = Reflect.get(this.#parser, 'offset');
    return typeof offset === 'number' ? offset : 0;
  }
}

function pairs(flat: readonly string[]): HeaderLines {
  const lines: [string, string][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) lines.push([flat[at] ?? '', flat[at + 1] ?? '']);
  return lines;
}
