/** Where exchanges are judged: in this thread, or in one of their own so that nothing waits for it. */

import { Worker } from 'node:worker_threads';
import type { Exchange, RecordedResponse } from '../exchange/exchange.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { type JudgedView, TrafficJudge } from './traffic-judge.ts';
import type { JudgeOptions } from './followers.ts';

export interface PackedExchange extends Omit<Exchange, 'response'> {
  readonly response:
    | (Omit<RecordedResponse, 'chunks'> & {
        /** Arrival and length of each piece of the body. */
        readonly pieces: readonly (readonly [atMs: number, bytes: number])[];
      })
    | undefined;
}

/** The exchange is of no use to the caller afterwards: its bodies have moved. */
function packed(exchange: Exchange): {
  readonly message: PackedExchange;
  readonly transfer: ArrayBuffer[];
  readonly bytes: number;
} {
  const { response, ...rest } = exchange;
  const body = movable(exchange.request.body);
  const answer = movable(response?.body ?? new Uint8Array());
  return {
    message: {
      ...rest,
      request: { ...exchange.request, body: new Uint8Array(body) },
      response: response && {
        status: response.status,
        headers: response.headers,
        body: new Uint8Array(answer),
        pieces: response.chunks.map(({ atMs, bytes }) => [atMs, bytes.length] as const),
      },
    },
    transfer: response === undefined ? [body] : [body, answer],
    bytes: body.byteLength + answer.byteLength,
  };
}

/** The exchange as it was. */
export function unpacked({ response, ...rest }: PackedExchange): Exchange {
  if (response === undefined) return { ...rest, response };
  const { pieces, ...answer } = response;
  let at = 0;
  const chunks = pieces.map(([atMs, length]) => {
    const from = at;
    at += length;
    return { atMs, bytes: answer.body.subarray(from, at) };
  });
  return { ...rest, response: { ...answer, chunks } };
}

/** The memory of a body when it holds nothing else; a copy otherwise. */
function movable(bytes: Uint8Array): ArrayBuffer {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length
    ? buffer
    : new Uint8Array(bytes).buffer;
}

export interface Judging {
  /** Takes an exchange that has ended, unless too many wait already; returns at once. */
  take(exchange: Exchange): void;
  /** Exchanges that were not taken because judging fell behind. */
  readonly dropped: number;
  view(): Promise<JudgedView>;
  /** Judges what waits, and ends. Rejects with what broke the judging, if anything did. */
  finish(): Promise<CaseOutcome>;
}

/** What the thread is asked. */
export type JudgingOrder =
  | { readonly kind: 'exchange'; readonly exchange: PackedExchange; readonly kib: number }
  /** Exchanges were left out here. */
  | { readonly kind: 'gap' }
  | { readonly kind: 'view' | 'finish' };

export type JudgingAnswer =
  | { readonly kind: 'view'; readonly view: JudgedView }
  | { readonly kind: 'finish'; readonly outcome: CaseOutcome };

export interface JudgingThreadData {
  readonly options: JudgeOptions;
  /** Exchanges that were judged, and their size in KiB. */
  readonly done: SharedArrayBuffer;
}

/** Judges in this thread, at once. */
export async function judgeHere(options: JudgeOptions): Promise<Judging> {
  const judge = await TrafficJudge.of(options);
  return {
    dropped: 0,
    take: (exchange) => judge.take(exchange),
    view: async () => judge.view(),
    finish: async () => judge.outcome(),
  };
}

/** Exchanges that may wait for the thread, and their size. */
const MAX_WAITING = 5_000;
const MAX_WAITING_KIB = 128 * 1024;

/** Judges in a thread. It runs compiled code alone: Node cannot load TypeScript in every version. */
export function judgeInThread(options: JudgeOptions): Judging {
  const done = new SharedArrayBuffer(8);
  const counters = new Int32Array(done);
  const data: JudgingThreadData = { options, done };
  const worker = new Worker(new URL('./judging-thread.js', import.meta.url), { workerData: data });
  let posted = 0;
  let postedKib = 0;
  let dropped = 0;
  let hasGap = false;
  let broken: Error | undefined;
  const waiting: ((answer: JudgingAnswer | Error) => void)[] = [];
  worker.on('message', (answer: JudgingAnswer) => waiting.shift()?.(answer));
  worker.on('error', (error) => {
    broken = error instanceof Error ? error : new Error(String(error));
    for (const settle of waiting.splice(0)) settle(broken);
  });
  const ask = async (order: JudgingOrder): Promise<JudgingAnswer> => {
    if (broken !== undefined) throw broken;
    const answer = await new Promise<JudgingAnswer | Error>((settle) => {
      waiting.push(settle);
      worker.postMessage(order);
    });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return {
    get dropped() {
      return dropped;
    },
    take: (exchange) => {
      const ahead = (posted - Atomics.load(counters, 0)) | 0;
      const aheadKib = (postedKib - Atomics.load(counters, 1)) | 0;
      if (broken !== undefined || ahead >= MAX_WAITING || aheadKib >= MAX_WAITING_KIB) {
        dropped += 1;
        hasGap = true;
        return;
      }
      if (hasGap) worker.postMessage({ kind: 'gap' } satisfies JudgingOrder);
      hasGap = false;
      const { message, transfer, bytes } = packed(exchange);
      const kib = Math.ceil(bytes / 1024);
      posted = (posted + 1) | 0;
      postedKib = (postedKib + kib) | 0;
      const order: JudgingOrder = { kind: 'exchange', exchange: message, kib };
      worker.postMessage(order, transfer);
    },
    view: async () => {
      const answer = await ask({ kind: 'view' });
      if (answer.kind !== 'view') throw new Error(`the judging thread answered ${answer.kind}`);
      return answer.view;
    },
    finish: async () => {
      try {
        const answer = await ask({ kind: 'finish' });
        if (answer.kind !== 'finish') throw new Error(`the judging thread answered ${answer.kind}`);
        return answer.outcome;
      } finally {
        await worker.terminate();
      }
    },
  };
}
