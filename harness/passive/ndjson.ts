/** Reads exchanges of which each line is one, in the form in which a report keeps them. */

import { z } from 'zod';
import type { Ending, HeaderLines } from '../exchange/exchange.ts';
import type { EntryReading } from './recording.ts';

const endings = [
  'complete',
  'cut-short',
  'reset',
  'timeout',
  'aborted',
  'unreachable',
  'malformed',
  'too-large',
] as const satisfies readonly Ending[];

const headers = z
  .union([
    z.array(z.tuple([z.string(), z.string()])),
    z.record(z.string(), z.string()).transform((record): HeaderLines => Object.entries(record)),
  ])
  .default([]);
const body = z
  .union([
    z.string(),
    z.object({
      text: z.string().optional(),
      base64: z.string().optional(),
      bytes: z.number().optional(),
      cut: z.boolean().optional(),
    }),
  ])
  .optional();

const line = z.object({
  request: z.object({ method: z.string(), url: z.string(), headers, body }),
  response: z.object({ status: z.int().min(100).max(999), headers, body }).nullish(),
  ending: z.enum(endings).default('complete'),
  /** Milliseconds since the epoch. */
  startedAt: z.number().default(0),
  headMs: z.number().nullish(),
  durationMs: z.number().min(0).default(0),
});

const NO_JSON = 'lines that are not JSON';
const NO_EXCHANGE = 'lines that are no exchange';

/** Whether a line was skipped since it is of something else than a recording. */
export function isForeign(skipped: string): boolean {
  return skipped === NO_JSON || skipped === NO_EXCHANGE;
}

/** Reads one line; undefined for a blank one. */
export function readNdjsonLine(content: string): EntryReading | undefined {
  if (content.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(content.replace(/^\uFEFF/u, ''));
  } catch {
    return { skipped: NO_JSON };
  }
  const parsed = line.safeParse(value);
  if (!parsed.success) return { skipped: NO_EXCHANGE };
  const { request, response, ending, startedAt, headMs, durationMs } = parsed.data;
  if (response === undefined || response === null)
    return { skipped: 'requests without a response' };
  if (response.headers.length === 0) return { skipped: 'responses without their headers' };
  const isCut = typeof response.body === 'object' && response.body.cut === true;
  return {
    entry: {
      method: request.method.toUpperCase(),
      url: request.url,
      requestHeaders: request.headers,
      requestBody: bytesOf(request.body),
      status: response.status,
      headers: response.headers,
      body: bytesOf(response.body),
      // A line that says nothing of a body does not say that there was none.
      isWhole: response.body !== undefined && !isCut,
      ending,
      startedAt,
      headMs: headMs ?? undefined,
      durationMs,
    },
  };
}

function bytesOf(given: z.output<typeof body>): Uint8Array {
  if (given === undefined) return new Uint8Array();
  if (typeof given === 'string') return Buffer.from(given);
  return given.base64 === undefined
    ? Buffer.from(given.text ?? '')
    : Buffer.from(given.base64, 'base64');
}
