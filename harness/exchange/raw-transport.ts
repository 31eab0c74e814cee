/**
 * One request as bytes over a socket of its own, for what an HTTP client refuses to send:
 * wrong lengths, control characters, bodies that stop half way.
 */

import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { HTTPParser } from 'http-parser-js';
import type { Ending, HeaderLines, ReceivedChunk } from './exchange.ts';
import { endingOf, type WireResult } from './transport.ts';

export interface RawRequest {
  /** `http://host:port` or `https://host:port`. */
  readonly origin: string;
  /** Everything that is written, request line and headers included, in pieces that are written in order. */
  readonly pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** True when we end our side after the last piece, false when we leave it open. */
  readonly endAfter?: boolean;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the pieces and reads one final response (1xx responses are skipped).
 * The peer may answer before everything is written: writing then stops. Never throws for what the peer does.
 */
export async function sendRaw(request: RawRequest): Promise<WireResult> {
  const startedAt = Date.now();
  const from = performance.now();
  const chunks: ReceivedChunk[] = [];
  let head: { status: number; headers: HeaderLines } | undefined;
  let headMs: number | undefined;

  const outcome = await new Promise<{ ending: Ending; cause?: string }>((settle) => {
    const socket = open(request.origin);
    let done = false;
    const end = (ending: Ending, cause?: string): void => {
      if (done) return;
      done = true;
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', interrupted);
      socket.destroy();
      settle(cause === undefined ? { ending } : { ending, cause });
    };
    const interrupted = (): void => end('aborted', 'the run was ended');
    const timer = setTimeout(
      () => end('timeout', `no end within ${request.timeoutMs} ms`),
      request.timeoutMs,
    );
    request.signal?.addEventListener('abort', interrupted, { once: true });
    if (request.signal?.aborted === true) return interrupted();

    let total = 0;
    const parser = new HTTPParser('RESPONSE');
    parser[HTTPParser.kOnHeadersComplete] = (info: { statusCode: number; headers: string[] }) => {
      if (info.statusCode < 200) return;
      headMs = performance.now() - from;
      const headers: [string, string][] = [];
      for (let at = 0; at + 1 < info.headers.length; at += 2) {
        headers.push([info.headers[at] ?? '', info.headers[at + 1] ?? '']);
      }
      head = { status: info.statusCode, headers };
    };
    parser[HTTPParser.kOnBody] = (buffer: Buffer, offset: number, length: number) => {
      total += length;
      const bytes = Buffer.from(buffer.subarray(offset, offset + length));
      chunks.push({ atMs: performance.now() - from, bytes });
      if (total > request.maxBytes)
        end('too-large', `the response passed ${request.maxBytes} bytes`);
    };
    parser[HTTPParser.kOnMessageComplete] = () => {
      if (head !== undefined) end('complete');
    };

    socket.on('data', (bytes: Buffer) => {
      const parsed = parser.execute(bytes);
      if (parsed instanceof Error) end('malformed', parsed.message);
    });
    socket.on('end', () => {
      const parsed = parser.finish();
      if (parsed instanceof Error || head === undefined)
        end('cut-short', 'the peer closed the connection');
      else end('complete');
    });
    socket.on('error', (error) => {
      const { ending, cause } = endingOf(error);
      end(ending, cause);
    });
    socket.on('close', () => end('cut-short', 'the peer closed the connection'));
    void write(socket, request, () => done || head !== undefined);
  });

  return {
    response: head && { ...head, body: Buffer.concat(chunks.map((chunk) => chunk.bytes)), chunks },
    ending: outcome.ending,
    cause: outcome.cause,
    startedAt,
    headMs,
    durationMs: performance.now() - from,
  };
}

function open(origin: string): Socket {
  const url = new URL(origin);
  const host = url.hostname.replace(/^\[(.*)\]$/u, '$1');
  if (url.protocol === 'https:') {
    return connectTls({
      host,
      port: Number(url.port || 443),
      servername: host,
      ALPNProtocols: ['http/1.1'],
    });
  }
  return connectTcp({ host, port: Number(url.port || 80) });
}

async function write(socket: Socket, request: RawRequest, answered: () => boolean): Promise<void> {
  for await (const piece of request.pieces) {
    if (answered() || socket.destroyed) return;
    if (!socket.write(piece)) {
      await new Promise<void>((go) => {
        const proceed = (): void => {
          socket.off('drain', proceed);
          socket.off('close', proceed);
          go();
        };
        socket.once('drain', proceed);
        socket.once('close', proceed);
      });
    }
  }
  if (request.endAfter === true && !answered()) socket.end();
}
