/** Secrets are taken out of everything that leaves the run: exchanges as the report keeps them. */

import type { Secret } from '../target/keys.ts';
import { createHash } from 'node:crypto';
import type { BodyText, ReportedExchange } from '../../schemas/exchange.ts';
import { type Exchange, mediaType } from './exchange.ts';

/** Secrets shorter than this would match by chance. */
const SHORTEST = 6;

/** Forms are found by how they begin and how long they are: thousands of secrets cost little more than one. */
const BEGINNING = 4;

const PAIRS = 2 ** 16;

/** A number for the two units at `at`; others may share it. */
function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at) * 257 + text.charCodeAt(at + 1)) % PAIRS;
}

interface Alike {
  /** Of the forms, the longest first: a form that contains another is replaced whole. */
  lengths: readonly number[];
  readonly instead: Map<string, string>;
}

export class Redactor {
  readonly #forms = new Map<string, Alike>();
  /** Whether some form begins with two units of this sum: most places of a text are passed over by it. */
  readonly #begun = new Uint8Array(PAIRS);

  constructor(secrets: Iterable<Secret>) {
    for (const secret of secrets) this.add(secret);
  }

  /** From here on this secret is taken out, too. */
  add(secret: Secret): void {
    const value = secret.reveal();
    if (value.length < SHORTEST) return;
    for (const form of formsOf(value)) {
      const beginning = form.slice(0, BEGINNING);
      const alike: Alike = this.#forms.get(beginning) ?? { lengths: [], instead: new Map() };
      this.#forms.set(beginning, alike);
      this.#begun[pairAt(form, 0)] = 1;
      alike.instead.set(form, String(secret));
      if (alike.lengths.includes(form.length)) continue;
      alike.lengths = [...alike.lengths, form.length].toSorted((one, other) => other - one);
    }
  }

  /** The text without any secret. */
  text(text: string): string {
    let clean = '';
    let from = 0;
    for (let at = 0; at + BEGINNING <= text.length; at += 1) {
      if (this.#begun[pairAt(text, at)] === 0) continue;
      const alike = this.#forms.get(text.slice(at, at + BEGINNING));
      const length = alike?.lengths.find((one) => alike.instead.has(text.slice(at, at + one)));
      if (alike === undefined || length === undefined) continue;
      clean += text.slice(from, at) + (alike.instead.get(text.slice(at, at + length)) ?? '');
      from = at + length;
      at = from - 1;
    }
    return from === 0 ? text : clean + text.slice(from);
  }
}

function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8');
  const sha256 = createHash('sha256').update(bytes).digest();
  return [
    value,
    // Logs and gateways change the case of what they echo.
    value.toLowerCase(),
    value.toUpperCase(),
    ...urlForms(value),
    JSON.stringify(value).slice(1, -1),
    ...base64Forms(bytes),
    ...eitherCase(bytes.toString('hex')),
    ...eitherCase(sha256.toString('hex')),
    sha256.toString('base64'),
    sha256.toString('base64url'),
  ];
}

/** Escaped for a query, a form or a path; the digits of an escape may be written in either case (RFC 3986 section 2.1). */
function urlForms(value: string): readonly string[] {
  const escaped = [
    encodeURIComponent(value),
    encodeURI(value),
    new URLSearchParams({ '': value }).toString().slice(1),
  ];
  return escaped.flatMap((form) => [
    form,
    form.replaceAll(/%[\dA-F]{2}/gu, (escape) => escape.toLowerCase()),
  ]);
}

function eitherCase(hex: string): readonly string[] {
  return [hex, hex.toUpperCase()];
}

/**
 * Base64 of the secret at each of the three offsets at which it can stand inside a longer text
 * (`user:secret`, a JSON body), less the digits at both ends that the neighbours decide.
 */
function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const first = offset === 0 ? 0 : offset + 1;
    const whole = Math.floor((padded.length * 8) / 6);
    return [padded.toString('base64'), padded.toString('base64url')].map((text) =>
      text.slice(first, whole),
    );
  });
}

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
