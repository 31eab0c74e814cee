/** Reads recordings (HAR or NDJSON) and finds the deployment that they belong to. */

import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { z } from 'zod';
import { contractData, contractNames } from '../../schemas/contracts.ts';
import type { Contract } from '../../schemas/requirement.ts';
import { endings, type Exchange, type HeaderLines, messageOf } from '../exchange/exchange.ts';
import { locate, type Place } from './traffic-record.ts';
import {
  type EntryReading,
  isHar,
  jsonOf,
  readHar,
  type RecordedEntry,
  UnreadableRecording,
} from './har.ts';

/** True for an entry whose URL has the origin of `place`. */
export function wentTo(entry: RecordedEntry, place: Place): boolean {
  return URL.canParse(entry.url) && new URL(entry.url).origin === place.origin;
}

/** Converts an entry for the checks; `name` is the id that findings cite. */
export function exchangeOf(entry: RecordedEntry, place: Place, name: string): Exchange {
  const { path, query } = locate(place, entry.url.replace(/#.*$/su, ''));
  const ending = entry.ending === 'complete' && !entry.isWhole ? 'too-large' : entry.ending;
  return {
    id: name,
    contract: place.contract,
    target: place.target,
    request: {
      method: entry.method,
      url: entry.url,
      path,
      query,
      headers: entry.requestHeaders,
      body: entry.requestBody,
      credential: undefined,
    },
    response: {
      status: entry.status,
      headers: entry.headers,
      body: entry.body,
      chunks: entry.body.length === 0 ? [] : [{ atMs: entry.headMs ?? 0, bytes: entry.body }],
    },
    ending,
    cause: ending === 'too-large' ? 'the recording does not hold the whole body' : undefined,
    startedAt: entry.startedAt,
    headMs: entry.headMs,
    durationMs: entry.durationMs,
    retries: 0,
  };
}

/** A deployment that a recording may belong to. */
export interface Candidate {
  readonly contract: Contract;
  readonly baseUrl: string;
  readonly entries: number;
}

const shapes = contractNames.flatMap((contract) =>
  contractData(contract).paths.map((shape) => [contract, shape] as const),
);

/** Guesses the deployments in a recording from the documented paths. */
export class Guess {
  readonly #counts = new Map<string, { contract: Contract; baseUrl: string; entries: number }>();

  note({ url }: Pick<RecordedEntry, 'url'>): void {
    if (!URL.canParse(url)) return;
    const { origin, pathname } = new URL(url);
    for (const [contract, shape] of shapes) {
      const match = shape.exec(pathname);
      if (match === null) continue;
      const baseUrl = `${origin}${match[1] ?? ''}`;
      const key = `${contract} ${baseUrl}`;
      const known = this.#counts.get(key) ?? { contract, baseUrl, entries: 0 };
      known.entries += 1;
      this.#counts.set(key, known);
      return;
    }
  }

  /** Most frequent first. */
  get candidates(): readonly Candidate[] {
    return [...this.#counts.values()].toSorted((one, other) => other.entries - one.entries);
  }
}

/** Maximum bytes of a HAR file, which has to be read as a whole. */
const LARGEST_HAR = 400 * 1024 * 1024;
const BEGINNING = 64 * 1024;

/** The entries of a HAR or NDJSON file, in order. Throws `UnreadableRecording`, also for any other file. */
export async function* readRecording(file: string): AsyncGenerator<EntryReading> {
  const har = await harIn(file);
  if (har !== undefined) {
    yield* readHar(har, file);
    return;
  }
  let lines = 0;
  let foreign = 0;
  for await (const line of linesOf(createReadStream(file, 'utf8'))) {
    const reading = readNdjsonLine(line);
    if (reading === undefined) continue;
    lines += 1;
    if ('skipped' in reading && [NO_JSON, NO_EXCHANGE].includes(reading.skipped)) foreign += 1;
    yield reading;
  }
  if (lines > 0 && foreign === lines) {
    throw new UnreadableRecording(
      `${file} is neither HAR nor NDJSON of exchanges: no line of it is an exchange.`,
    );
  }
}

/** Splits at line feeds only. `node:readline` also splits at other characters, which JSON may contain. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let begun = '';
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    begun += first;
    for (const next of others) {
      yield begun;
      begun = next;
    }
  }
  yield begun;
}

/** The text of a HAR file, recognized by its name or its content. Undefined for another file. */
async function harIn(file: string): Promise<string | undefined> {
  const found = await orUnreadable(file, stat(file));
  if (found.isDirectory()) throw new UnreadableRecording(`${file} is a folder.`);
  const isNamed = /\.har$/iu.test(file);
  if (isNamed && found.size > LARGEST_HAR) {
    throw new UnreadableRecording(
      `${file} is larger than ${LARGEST_HAR / 1024 / 1024} MiB, and a HAR file is read as a whole. Record it in parts.`,
    );
  }
  if (!isNamed) {
    if (/\.(?:ndjson|jsonl)$/iu.test(file) || found.size > LARGEST_HAR) return undefined;
    const start = await textOf(createReadStream(file, { end: BEGINNING }));
    if (!/^\uFEFF?\s*\{\s*"(?:log|_|\$)/u.test(start)) return undefined;
  }
  const text = await orUnreadable(file, readFile(file, 'utf8'));
  return isNamed || isHar(text) ? text : undefined;
}

async function orUnreadable<T>(file: string, reading: Promise<T>): Promise<T> {
  return reading.catch((error: unknown) => {
    throw new UnreadableRecording(`${file} cannot be read: ${messageOf(error)}`);
  });
}

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

/** Why a line is skipped that suggests that the file is not a recording. */
const NO_JSON = 'lines that are not JSON';
const NO_EXCHANGE = 'lines that are no exchange';

/** Reads one line. Undefined for a blank line. */
export function readNdjsonLine(content: string): EntryReading | undefined {
  if (content.trim() === '') return undefined;
  const value = jsonOf(content);
  if (value === undefined) return { skipped: NO_JSON };
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
      // A line without a body does not mean that the response had none.
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
