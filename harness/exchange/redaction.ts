/** Secrets are taken out of everything that leaves the run: exchanges as the report keeps them. */

import type { Secret } from '../target/keys.ts';
import { SecretSearch } from './secret-search.ts';
import type { BodyText, ReportedExchange } from '../../schemas/exchange.ts';
import { type Exchange, mediaType } from './exchange.ts';

export class Redactor {
  readonly #search = new SecretSearch();

  constructor(secrets: Iterable<Secret>) {
    for (const secret of secrets) this.add(secret);
  }

  /** From here on this secret is taken out, too. */
  add(secret: Secret): void {
    this.#search.add(secret.reveal(), String(secret));
  }

  /** The text without any secret, however it is written there. */
  text(text: string): string {
    let clean = '';
    let from = 0;
    for (const found of this.#search.in(text)) {
      clean += text.slice(from, found.from) + found.instead;
      from = found.to;
    }
    return from === 0 ? text : clean + text.slice(from);
  }
}

/** Bytes of a body that the report keeps. */
const KEPT_BYTES = 16 * 1024;
/** Bytes at the end of what is read that may be half a secret, and are not kept. */
const EDGE_BYTES = KEPT_BYTES / 2;
/** Bytes that are read for those that are kept: to search more costs every run, and would keep no more. */
const READ_BYTES = KEPT_BYTES + EDGE_BYTES;
/** Pieces of a stream that the report keeps. */
const KEPT_PIECES = 200;

/** Redacts and cuts; `operation` is the documented operation or route, when it is one. */
export function reported(
  exchange: Exchange,
  operation: string | undefined,
  redactor: Redactor,
): ReportedExchange {
  const { request, response } = exchange;
  const lines = (headers: Exchange['request']['headers']): [string, string][] =>
    headers.map(([name, value]) => [redactor.text(name), redactor.text(value)]);
  return {
    id: exchange.id,
    target: exchange.target,
    operation,
    request: {
      method: request.method,
      url: beginningOf(request.url, redactor).text,
      headers: lines(request.headers),
      body: bodyOf(request.body, redactor),
      credential: request.credential,
    },
    response: response && {
      status: response.status,
      headers: lines(response.headers),
      body: bodyOf(response.body, redactor),
      ...(mediaType(response.headers) === 'text/event-stream'
        ? { timeline: timelineOf(response, redactor) }
        : {}),
    },
    ending: exchange.ending,
    cause: exchange.cause === undefined ? undefined : redactor.text(exchange.cause),
    startedAt: exchange.startedAt,
    headMs: exchange.headMs,
    durationMs: exchange.durationMs,
    retries: exchange.retries,
  };
}

/** The beginning of a text that the report keeps. Redacted before the cut, or half a secret could stand at its edge. */
function beginningOf(
  text: string,
  redactor: Redactor,
  isWhole = text.length <= READ_BYTES,
): { readonly text: string; readonly cut?: true } {
  const clean = redactor.text(text.slice(0, READ_BYTES));
  const sure = isWhole ? clean.length : Math.max(0, clean.length - EDGE_BYTES);
  return isWhole && sure <= KEPT_BYTES
    ? { text: clean }
    : { text: clean.slice(0, Math.min(KEPT_BYTES, sure)), cut: true };
}

function bodyOf(bytes: Uint8Array, redactor: Redactor): BodyText {
  const read = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, READ_BYTES));
  const isWhole = read.length === bytes.length;
  const text = textOf(read, isWhole);
  const size = { bytes: bytes.length };
  if (text !== undefined) return { ...beginningOf(text, redactor, isWhole), ...size };
  const { text: kept, ...cut } = beginningOf(read.toString('latin1'), redactor, isWhole);
  return { base64: Buffer.from(kept, 'latin1').toString('base64'), ...size, ...cut };
}

/** Undefined for what is no UTF-8; the beginning of a text may end within a character. */
function textOf(bytes: Uint8Array, isWhole: boolean): string | undefined {
  try {
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return strict.decode(bytes, { stream: !isWhole });
  } catch {
    return undefined;
  }
}

function timelineOf(
  response: NonNullable<Exchange['response']>,
  redactor: Redactor,
): { atMs: number; text: string }[] {
  // A secret may be split over two pieces: then the pieces keep their sizes and lose their text.
  const read = Buffer.from(response.body.subarray(0, READ_BYTES)).toString('utf8');
  const echoes = redactor.text(read) !== read;
  let end = 0;
  return response.chunks.slice(0, KEPT_PIECES).map(({ atMs, bytes }) => {
    end += bytes.length;
    return {
      atMs: Math.round(atMs * 10) / 10,
      text:
        echoes || end > READ_BYTES - EDGE_BYTES
          ? `(${bytes.length} bytes)`
          : Buffer.from(bytes.subarray(0, 1_000)).toString('utf8'),
    };
  });
}
