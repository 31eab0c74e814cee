/** Exchanges as a recording holds them, whatever its form, before it is known which deployment they went to. */

import { contractNames } from '../../schemas/contracts.ts';
import { contractOf } from '../contracts.ts';
import type { Contract } from '../../schemas/requirement.ts';
import type { Ending, Exchange, HeaderLines } from '../exchange/exchange.ts';
import { locate, type Place } from './traffic-record.ts';

/** One exchange of a recording. */
export interface RecordedEntry {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly requestHeaders: HeaderLines;
  readonly requestBody: Uint8Array;
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
  /** False when some of the body is missing, or may be: the exchange is judged by its head alone. */
  readonly isWhole: boolean;
  readonly ending: Ending;
  /** Milliseconds since the epoch; 0 when the recording does not tell. */
  readonly startedAt: number;
  readonly headMs: number | undefined;
  readonly durationMs: number;
}

/** What reading one piece of a recording gave: an exchange, or why there is none. */
export type EntryReading = { readonly entry: RecordedEntry } | { readonly skipped: string };

/** A file that cannot be read as a recording, with a message for its user. */
export class UnreadableRecording extends Error {
  override readonly name = 'UnreadableRecording';
}

/** True for an entry that went to the origin of the place. */
export function wentTo(entry: RecordedEntry, place: Place): boolean {
  return URL.canParse(entry.url) && new URL(entry.url).origin === place.origin;
}

/** The entry as the checks take it; `name` is what findings cite it by. */
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

/** A deployment that entries of a recording may have gone to. */
export interface Candidate {
  readonly contract: Contract;
  readonly baseUrl: string;
  readonly entries: number;
}

const shapes = contractNames.flatMap((contract) =>
  contractOf(contract).paths.map((shape) => [contract, shape] as const),
);

/** Guesses by documented paths which deployments a recording shows. */
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

  /** The most frequent one first. */
  get candidates(): readonly Candidate[] {
    return [...this.#counts.values()].toSorted((one, other) => other.entries - one.entries);
  }
}
