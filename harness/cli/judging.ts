/** Where exchanges are judged: in this thread, or in one of their own so that nothing waits for it. */

import { Worker } from 'node:worker_threads';
import type { Exchange } from '../exchange/exchange.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { trafficJudgeOf } from '../contracts/index.ts';
import type { JudgedView } from '../passive/traffic-judge.ts';
import type { JudgeOptions } from '../passive/followers.ts';

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
  | { readonly kind: 'exchange'; readonly exchange: Exchange; readonly kib: number }
  /** Exchanges were left out here. */
  | { readonly kind: 'gap' }
  | { readonly kind: 'view' | 'finish' };

/** What it answers to the last two of these. */
export interface JudgingAnswer {
  readonly view?: JudgedView;
  readonly outcome?: CaseOutcome;
}

export interface JudgingThreadData {
  readonly options: JudgeOptions;
  /** Exchanges that were judged, and their size in KiB. */
  readonly done: SharedArrayBuffer;
}

/** Compiled code judges in a thread of its own; a run of the sources cannot, and does so where it is. */
export async function startJudging(options: JudgeOptions): Promise<Judging> {
  return import.meta.url.endsWith('.js') ? judgeInThread(options) : judgeHere(options);
}

/** Judges in this thread, at once. */
async function judgeHere(options: JudgeOptions): Promise<Judging> {
  const judge = await trafficJudgeOf(options);
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

/** Node cannot load TypeScript in a thread, in every version. */
function judgeInThread(options: JudgeOptions): Judging {
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
  const ask = async (kind: 'view' | 'finish'): Promise<JudgingAnswer> => {
    if (broken !== undefined) throw broken;
    const answer = await new Promise<JudgingAnswer | Error>((settle) => {
      waiting.push(settle);
      worker.postMessage({ kind } satisfies JudgingOrder);
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
      const { request, response } = exchange;
      const kib = Math.ceil((request.body.length + (response?.body.length ?? 0)) / 1024);
      posted = (posted + 1) | 0;
      postedKib = (postedKib + kib) | 0;
      worker.postMessage({ kind: 'exchange', exchange, kib } satisfies JudgingOrder);
    },
    view: async () => {
      const { view } = await ask('view');
      if (view === undefined) throw new Error('the judging thread gave no view');
      return view;
    },
    finish: async () => {
      try {
        const { outcome } = await ask('finish');
        if (outcome === undefined) throw new Error('the judging thread gave no outcome');
        return outcome;
      } finally {
        await worker.terminate();
      }
    },
  };
}
