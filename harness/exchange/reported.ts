/** An exchange as the report keeps it: text, redacted, cut to a readable size. */

import type { BodyText, ReportedExchange } from '../../schemas/outcome.ts';
import type { Exchange } from './exchange.ts';
import { mediaType } from './headers.ts';
import type { Redactor } from './redaction.ts';

/** Bytes of a body that the report keeps. */
const KEPT_BYTES = 16 * 1024;
/** Pieces of a stream that the report keeps. */
const KEPT_PIECES = 200;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

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
      url: redactor.text(request.url),
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

function bodyOf(bytes: Uint8Array, redactor: Redactor): BodyText {
  // Redact before the cut, or half a secret could stand at the edge.
  const text = textOf(bytes);
  const size = { bytes: bytes.length };
  if (text === undefined) {
    const latin1 = redactor.text(Buffer.from(bytes).toString('latin1'));
    const kept = Buffer.from(latin1, 'latin1').subarray(0, KEPT_BYTES);
    return {
      base64: kept.toString('base64'),
      ...size,
      ...(latin1.length > KEPT_BYTES ? { cut: true } : {}),
    };
  }
  const clean = redactor.text(text);
  return clean.length > KEPT_BYTES
    ? { text: clean.slice(0, KEPT_BYTES), ...size, cut: true }
    : { text: clean, ...size };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function timelineOf(
  response: NonNullable<Exchange['response']>,
  redactor: Redactor,
): { atMs: number; text: string }[] {
  // A secret may be split over two pieces: then the pieces keep their sizes and lose their text.
  const whole = Buffer.from(response.body).toString('utf8');
  const echoes = redactor.text(whole) !== whole;
  return response.chunks.slice(0, KEPT_PIECES).map((chunk) => ({
    atMs: Math.round(chunk.atMs * 10) / 10,
    text: echoes
      ? `(${chunk.bytes.length} bytes)`
      : Buffer.from(chunk.bytes.subarray(0, 1_000)).toString('utf8'),
  }));
}
