/** Reads recordings in HAR format. */

import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { jsonIn } from '../exchange/body.ts';
import { type Exchange, type HeaderLines, headerValue, mediaType } from '../exchange/exchange.ts';

/** One exchange of a recording. */
export interface RecordedEntry extends Pick<Exchange, 'ending' | 'headMs' | 'durationMs'> {
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  readonly requestHeaders: HeaderLines;
  readonly requestBody: Uint8Array;
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
  /** False if the body is or may be incomplete. Only the head is judged then. */
  readonly isWhole: boolean;
  /** Milliseconds since the epoch, 0 if the recording does not say. */
  readonly startedAt: number;
}

/** The result of reading one entry: an exchange, or the reason why it is skipped. */
export type EntryReading = { readonly entry: RecordedEntry } | { readonly skipped: string };

/** A file that is not a readable recording. The message is for the user. */
export class UnreadableRecording extends Error {
  override readonly name = 'UnreadableRecording';
}

interface HarBody {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
  /** True if the body still has the content coding that its headers name. */
  readonly isCoded: boolean;
}

const nothing: HarBody = { bytes: new Uint8Array(), isWhole: false, isCoded: false };

/** Reads the content of a HAR response. Recorders may cut bodies, so one counts as whole only if something shows it. */
function harBody(
  content: HarContent,
  headers: HeaderLines,
  status: number,
  bodySize: number | undefined,
): HarBody {
  if (status === 204 || status === 304) return { ...nothing, isWhole: true };
  const stated = Number(headerValue(headers, 'content-length') ?? Number.NaN);
  const { text = '', size = -1 } = content;
  if (text === '') {
    // An empty text may also mean a recorder without bodies. Only sizes stated as 0 tell the two apart.
    const isEmpty = stated === 0 || (content.text !== undefined && size === 0 && bodySize === 0);
    return { ...nothing, isWhole: isEmpty };
  }
  const isBase64 = isInBase64(content);
  const bytes = bytesOf(content);
  const coding = (headerValue(headers, 'content-encoding') ?? 'identity').toLowerCase();
  const isGzip = coding.includes('gzip') && bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (coding !== 'identity' && isBase64 && !isGzip && !isUtf8(bytes)) return { ...nothing, bytes };
  const wanted = size > 0 ? size : coding === 'identity' && !isBase64 ? stated : Number.NaN;
  const isWhole = Number.isNaN(wanted) ? provesItself(bytes, headers) : bytes.length >= wanted;
  return { bytes, isWhole, isCoded: isGzip };
}

function isInBase64({ encoding }: HarContent): boolean {
  return encoding?.toLowerCase() === 'base64';
}

function bytesOf(content: HarContent = {}): Buffer {
  return Buffer.from(content.text ?? '', isInBase64(content) ? 'base64' : 'utf8');
}

/** JSON that parses is complete. */
function provesItself(bytes: Buffer, headers: HeaderLines): boolean {
  return mediaType(headers)?.includes('json') === true && jsonOf(bytes.toString()) !== undefined;
}

const number = z.number().optional().catch(undefined);
const text = z.string().optional().catch(undefined);
const headers = z.array(z.object({ name: z.string(), value: z.string() })).catch([]);
const harContent = z.object({ size: number, text, encoding: text });
type HarContent = z.infer<typeof harContent>;

/** The used members of an entry. Recorders omit and add members freely. */
const harEntry = z.object({
  startedDateTime: text,
  time: number,
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers,
    postData: harContent.optional().catch(undefined),
  }),
  response: z.object({
    status: z.number().catch(0),
    headers,
    content: harContent.optional().catch(undefined),
    bodySize: number,
    _error: text,
  }),
  timings: z
    .object({ blocked: number, dns: number, connect: number, send: number, wait: number })
    .optional()
    .catch(undefined),
  _fromCache: text,
  _fetchedViaServiceWorker: z.boolean().optional().catch(undefined),
  _resourceType: text,
});

const archive = z.object({ log: z.object({ entries: z.array(z.unknown()) }) });

/** The entries of a HAR file, in order. `name` is the file name for messages. Throws `UnreadableRecording`. */
export function readHar(content: string, name: string): readonly EntryReading[] {
  const json = jsonOf(content);
  if (json === undefined) throw new UnreadableRecording(`${name} is not JSON, as a HAR file is.`);
  const parsed = archive.safeParse(json);
  if (!parsed.success) {
    throw new UnreadableRecording(`${name} is no HAR file: it has no log with entries.`);
  }
  return parsed.data.log.entries.map(readEntry);
}

/** True for a text in HAR format, even without entries. */
export function isHar(content: string): boolean {
  return archive.safeParse(jsonOf(content)).success;
}

/** Parses JSON, with or without a byte order mark. Undefined for invalid JSON. */
export function jsonOf(content: string): unknown {
  return jsonIn(content.replace(/^\uFEFF/u, ''));
}

function readEntry(entry: unknown): EntryReading {
  const parsed = harEntry.safeParse(entry);
  if (!parsed.success) return { skipped: 'entries without a request or a response' };
  const { request, response, timings, ...rest } = parsed.data;
  if (rest._resourceType === 'websocket' || /^wss?:/iu.test(request.url)) {
    return { skipped: 'WebSockets' };
  }
  // A response from a cache or a service worker does not come from the deployment at that moment.
  if (rest._fromCache !== undefined || rest._fetchedViaServiceWorker === true) {
    return { skipped: 'answers of a cache or a service worker' };
  }
  if (response.status < 100) return { skipped: 'requests without a response' };
  if (response.status === 101) return { skipped: 'WebSockets' };
  if (response.headers.length === 0) return { skipped: 'responses without their headers' };

  const lines = linesOf(response.headers);
  const body = harBody(response.content ?? {}, lines, response.status, response.bodySize);
  const startedAt = Date.parse(rest.startedDateTime ?? '');
  const { postData } = request;
  // A recording does not show whether the client or the server ended a stream.
  const isStream = mediaType(lines) === 'text/event-stream';
  const isCut = isStream || (response._error ?? '') !== '';
  return {
    entry: {
      method: request.method.toUpperCase(),
      url: request.url,
      requestHeaders: linesOf(request.headers),
      requestBody: bytesOf(postData),
      status: response.status,
      headers: body.isCoded ? lines : withoutCoding(lines),
      body: body.bytes,
      isWhole: body.isWhole,
      ending: isCut ? 'aborted' : 'complete',
      startedAt: Number.isNaN(startedAt) ? 0 : startedAt,
      headMs: headMsOf(timings),
      durationMs: Math.max(0, rest.time ?? 0),
    },
  };
}

/** Drops HTTP/2 pseudo headers and splits header values that a recorder joined with line breaks. */
function linesOf(all: readonly { readonly name: string; readonly value: string }[]): HeaderLines {
  return all
    .filter(({ name }) => !name.startsWith(':'))
    .flatMap(({ name, value }) => value.split('\n').map((line) => [name, line] as const));
}

function withoutCoding(lines: HeaderLines): HeaderLines {
  return lines.filter(([name]) => name.toLowerCase() !== 'content-encoding');
}

/** Milliseconds until the head arrived: the sum of the timed phases. -1 marks a phase that did not apply. */
function headMsOf(
  timings: Readonly<Record<string, number | undefined>> | undefined,
): number | undefined {
  if (timings?.['wait'] === undefined || timings['wait'] < 0) return undefined;
  return Object.values(timings).reduce<number>((sum, part) => sum + Math.max(0, part ?? 0), 0);
}
