/** Chat streams: cut into pieces, lost on the way, and beyond a budget. */

import { type Arbitrary, array, constantFrom, nat, oneof, record, string } from 'fast-check';
import type { Behaviour, Place } from '../backend/behaviour.ts';
import { encodeEvents } from '../backend/engine/reply.ts';

/** One chunk of a chat completion as the data of an event. */
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

/** What may follow them: another choice, and why the first one ended. */
export const lastChunks = [
  { index: 1, delta: { content: 'another' }, finish_reason: null },
  { index: 0, delta: {}, finish_reason: 'length' },
].map((choice) => ({ data: JSON.stringify({ ...chatChunk(''), choices: [choice] }) }));

/** A stream on the messages route with these pieces of text: its events, the last with an id, behind a comment. */
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

/** Shares of a length in thousandths as places in it, in order. */
export function cutsIn(shares: readonly number[]) {
  return ({ length }: Uint8Array): readonly number[] => {
    const places = shares.map((share) => Math.floor((share / 1_000) * length));
    return [...new Set(places)].toSorted((one, other) => one - other);
  };
}

type Events = Extract<Behaviour, { kind: 'events' }>;

export interface Writing extends Omit<Events, 'kind' | 'events'> {
  /** The places in its bytes after which the engine's output is cut; nowhere unless told. */
  readonly cuts?: (bytes: Uint8Array) => readonly number[];
}

/** A stream as an engine writes it, and all of its bytes. */
export function writtenStream(list: Events['events'], { cuts, ...how }: Writing = {}) {
  const { body: bytes } = encodeEvents(list, how.lineEnding);
  const splitAt = cuts === undefined ? {} : { splitAt: [...cuts(bytes)] };
  const answer: Events = { kind: 'events', events: list, ...how, ...splitAt };
  return { answer, bytes };
}

const MAX_CUTS = 12;
/** Milliseconds between pieces, so that they do not travel together. */
const APART_MS = 5;

/** The places inside characters, inside CRLF line endings and inside empty lines, some of them when there are many. */
function awkwardCuts(bytes: Uint8Array): readonly number[] {
  const inside = Array.from(bytes.keys()).filter((at) => {
    const byte = bytes[at] ?? 0;
    return (byte & 0xc0) === 0x80 || (byte === 0x0a && [0x0d, 0x0a].includes(bytes[at - 1] ?? 0));
  });
  const step = Math.max(1, Math.ceil(inside.length / MAX_CUTS));
  return inside.filter((_, index) => index % step === 0);
}

/** A text whose characters an engine sends in pieces. */
export const wideCharacters: readonly string[] = ['ß', '界🚀'];
/** Sends a stream in awkward pieces, each by itself. */
export const inAwkwardPieces = { cuts: awkwardCuts, delayChunkMs: APART_MS } as const;

/**
 * Pieces that make a stream of more bytes than a buffer of any usual size, and of few words: somebody may count them. One
 * makes a line that is longer than those that readers of lines are ready for.
 */
export const longPieces: readonly string[] = Array.from(
  { length: 24 },
  (_, index) => `${index} ${'longer-and-'.repeat(index === 12 ? 10_000 : 290)}`,
);

/** Pieces that make a stream of more events than anybody keeps. */
export const manyPieces: readonly string[] = Array.from({ length: 800 }, (_, index) => `${index} `);

/** Pieces of text, with characters of one to four bytes and what could be taken for framing. */
const piece = oneof(
  constantFrom('Hello', ' wörld', '日本', '👩‍🚀', '\n\n', 'data: x', '[DONE]', ': ', '\\', '\u2028'),
  string({ unit: 'grapheme', maxLength: 12 }),
);

export interface CutStream {
  readonly pieces: readonly string[];
  readonly lineEnding: 'lf' | 'crlf';
  /** Bytes after which the engine's output is cut, as shares of its length in thousandths. */
  readonly cuts: readonly number[];
}

/** A stream and where it is cut: inside characters, inside line endings, between events. */
export const cutStream: Arbitrary<CutStream> = record({
  pieces: array(piece, { minLength: 1, maxLength: 5 }),
  lineEnding: constantFrom('lf', 'crlf'),
  cuts: array(nat(1_000), { minLength: 1, maxLength: 12 }),
});

export interface FailingStream {
  readonly pieces: readonly string[];
  readonly lineEnding: 'lf' | 'crlf';
  /** How much of its bytes is sent, in thousandths. */
  readonly share: number;
  readonly how: 'close' | 'reset';
}

export const failingStream: Arbitrary<FailingStream> = record({
  stream: cutStream,
  share: nat(999),
  how: constantFrom('close' as const, 'reset' as const),
}).map(({ stream: { pieces, lineEnding }, share, how }) => ({ pieces, lineEnding, share, how }));

/** A stream whose engine is lost in the middle of it. */
export const lostEvents = chatEvents(['one', 'zwei äöü', '三']);

/** Where its engine is lost, how many whole events it has sent by then, and which requirement speaks of it. */
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

/** Words that are really written; beyond them the usage alone claims them. */
const MAX_WORDS = 20_000;
const PIECES = 20;
/** The word of which the text consists. */
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
