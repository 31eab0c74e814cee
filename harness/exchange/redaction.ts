/** Redacts secrets in everything that leaves the run, such as the exchanges of the report. */

import type { Secret } from '../target/keys.ts';
import { SecretSearch } from './secret-search.ts';
import type { BodyText, ReportedExchange } from '../../schemas/exchange.ts';
import { type Exchange, mediaType } from './exchange.ts';

export class Redactor {
  readonly #search = new SecretSearch();

  constructor(secrets: Iterable<Secret>) {
    for (const secret of secrets) this.add(secret);
  }

  add(secret: Secret): void {
    this.#search.add(secret.reveal(), String(secret));
  }

  /** The text with every secret redacted, in any encoding. */
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
/** Bytes at the end of the searched text that are not kept, since they may be half a secret. */
const EDGE_BYTES = KEPT_BYTES / 2;
/** Bytes that are searched for secrets to get the kept ones: searching more only costs time. */
const READ_BYTES = KEPT_BYTES + EDGE_BYTES;
const KEPT_PIECES = 200;

/** Redacts and cuts an exchange; `operation` is the documented operation or route, if any. */
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

/** The beginning of a text for the report, redacted before the cut, so that no half secret remains at its end. */
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

/** The bytes as text, undefined if they are not UTF-8; a partial body may end within a character. */
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
  // A secret may be split over two pieces. If the body has any, the pieces keep only their sizes.
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
