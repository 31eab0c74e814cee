/** Chat streams: cut into pieces, lost on the way, and beyond a budget. */

import { type Arbitrary, array, constantFrom, nat, oneof, record, string } from 'fast-check';
import type { Behaviour, Place } from '../backend/behaviour.ts';
import { encodeEvents } from '../backend/engine/reply.ts';

/** One chunk of a chat completion, the data of one event. */
function chatChunk(content: string) {
  return {
    id: 'chatcmpl-scripted',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  };
}

/** The events of a chat stream with these pieces of text, without an end marker. */
export function chatEvents(pieces: readonly string[]) {
  return pieces.map((piece) => ({ data: JSON.stringify(chatChunk(piece)) }));
}

/** Chunks that may follow: another choice, and the finish reason of the first one. */
export const lastChunks = [
  { index: 1, delta: { content: 'another' }, finish_reason: null },
  { index: 0, delta: {}, finish_reason: 'length' },
].map((choice) => ({ data: JSON.stringify({ ...chatChunk(''), choices: [choice] }) }));

/** A stream on the messages route with these pieces of text: a comment, then its events, of which the last has an id. */
export function messageEvents(pieces: readonly string[]) {
  const named = [
    { type: 'message_start', message: { id: 'msg_scripted', role: 'assistant', content: [] } },
    ...pieces.map((text) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text },
    })),
    { type: 'message_stop' },
  ];
  const last = named.at(-1);
  return [
    { comment: 'ping' },
    ...named.map((event) => ({
      event: event.type,
      data: JSON.stringify(event),
      ...(event === last ? { id: '7' } : {}),
    })),
  ];
}

/** Converts shares of a length, in thousandths, to ascending positions. */
export function cutsIn(shares: readonly number[]) {
  return ({ length }: Uint8Array): readonly number[] => {
    const places = shares.map((share) => Math.floor((share / 1_000) * length));
    return [...new Set(places)].toSorted((one, other) => one - other);
  };
}

type Events = Extract<Behaviour, { kind: 'events' }>;

export interface Writing extends Omit<Events, 'kind' | 'events'> {
  /** Positions after which the engine's output is cut (default none). */
  readonly cuts?: (bytes: Uint8Array) => readonly number[];
}

/** Headers of many engines: the label with its character set, and an id of their own that is no UUID. */
const ofEngines: Events['headers'] = [
  ['Content-Type', 'text/event-stream; charset=utf-8'],
  ['X-Request-ID', 'req_engine'],
];

/** A stream as an engine writes it, and all of its bytes. */
export function writtenStream(list: Events['events'], { cuts, ...how }: Writing = {}) {
  const { body: bytes } = encodeEvents(list, how.lineEnding);
  const splitAt = cuts === undefined ? {} : { splitAt: [...cuts(bytes)] };
  const answer: Events = { kind: 'events', events: list, headers: ofEngines, ...how, ...splitAt };
  return { answer, bytes };
}

const MAX_CUTS = 12;
/** Milliseconds between pieces, so that they arrive separately. */
const APART_MS = 5;

/** Positions inside characters, CRLF line endings and empty lines; of many positions, an even selection. */
function awkwardCuts(bytes: Uint8Array): readonly number[] {
  const inside = Array.from(bytes.keys()).filter((at) => {
    const byte = bytes[at] ?? 0;
    return (byte & 0xc0) === 0x80 || (byte === 0x0a && [0x0d, 0x0a].includes(bytes[at - 1] ?? 0));
  });
  const step = Math.max(1, Math.ceil(inside.length / MAX_CUTS));
  return inside.filter((_, index) => index % step === 0);
}

/** Texts with characters of several bytes, which an engine sends in pieces. */
export const wideCharacters: readonly string[] = ['ß', '界🚀'];
/** Sends a stream in awkward pieces, each by itself. */
export const inAwkwardPieces = { cuts: awkwardCuts, delayChunkMs: APART_MS } as const;

/** Many bytes in few words, since a router may count words: more than any usual buffer, with one very long line. */
export const longPieces: readonly string[] = Array.from(
  { length: 24 },
  (_, index) => `${index} ${'longer-and-'.repeat(index === 12 ? 10_000 : 290)}`,
);

/** Pieces of a stream with more events than a router buffers. */
export const manyPieces: readonly string[] = Array.from({ length: 800 }, (_, index) => `${index} `);

/** Pieces of text with characters of one to four bytes, and with text that resembles framing. */
const piece = oneof(
  constantFrom('Hello', ' wörld', '日本', '👩‍🚀', '\n\n', 'data: x', '[DONE]', ': ', '\\', '\u2028'),
  string({ unit: 'grapheme', maxLength: 12 }),
);

export interface CutStream {
  readonly pieces: readonly string[];
  readonly lineEnding: 'lf' | 'crlf';
  /** Positions after which the engine's output is cut, as shares of its length in thousandths. */
  readonly cuts: readonly number[];
}

/** A stream and its cuts: inside characters, inside line endings, between events. */
export const cutStream: Arbitrary<CutStream> = record({
  pieces: array(piece, { minLength: 1, maxLength: 5 }),
  lineEnding: constantFrom('lf', 'crlf'),
  cuts: array(nat(1_000), { minLength: 1, maxLength: 12 }),
});

export interface FailingStream extends Omit<CutStream, 'cuts'> {
  /** The share of its bytes that is sent, in thousandths. */
  readonly share: number;
  readonly how: 'close' | 'reset';
}

export const failingStream: Arbitrary<FailingStream> = record({
  stream: cutStream,
  share: nat(999),
  how: constantFrom('close' as const, 'reset' as const),
}).map(({ stream: { pieces, lineEnding }, share, how }) => ({ pieces, lineEnding, share, how }));

/** A stream whose engine is lost in the middle. */
export const lostEvents = chatEvents(['one', 'zwei äöü', '三']);

/** Where the engine is lost, the requirement that this tests, and how many whole events it has sent by then. */
export const losses: readonly (readonly [
  name: string,
  slug: 'failure-between-events' | 'failure-inside-event',
  at: Place,
  whole: number,
])[] = [
  ['after one event', 'failure-between-events', { afterEvents: 1 }, 1],
  ['after two events', 'failure-between-events', { afterEvents: 2 }, 2],
  ['before its end', 'failure-between-events', 'before-end', 3],
  ['inside the second event', 'failure-inside-event', { insideEvent: 1 }, 1],
  [
    'before the last byte of an event',
    'failure-inside-event',
    { insideEvent: 1, afterBytes: 10_000 },
    1,
  ],
];

/** Words that are really written; the usage claims the rest. */
const MAX_WORDS = 20_000;
const PIECES = 20;
/** The word that the text repeats. */
export const OVERRUN_WORD = 'overrun';

/** Three times `limit` tokens, in the text and in the usage of the last chunk. The engine adds its end marker. */
export function streamBeyond(limit: number): {
  readonly events: readonly { readonly data: string }[];
  readonly bytes: Uint8Array;
} {
  const outputTokens = 3 * limit;
  const words = `${OVERRUN_WORD} `.repeat(Math.ceil(Math.min(outputTokens, MAX_WORDS) / PIECES));
  const usage = {
    prompt_tokens: 10,
    completion_tokens: outputTokens,
    total_tokens: outputTokens + 10,
  };
  const events = [
    ...chatEvents(Array.from({ length: PIECES }, () => words)),
    { data: JSON.stringify({ ...chatChunk(''), choices: [], usage }) },
  ];
  const sent = [...events, { data: '[DONE]' }].map(({ data }) => `data: ${data}\n\n`);
  return { events, bytes: Buffer.from(sent.join('')) };
}
