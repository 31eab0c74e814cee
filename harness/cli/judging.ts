/** Where exchanges are judged: in this thread, or in one of their own so that nothing waits for it. */

import type { Exchange } from '../exchange/exchange.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { trafficJudgeOf } from '../contracts/index.ts';
import type { JudgedView } from '../passive/traffic-judge.ts';
import type { JudgeOptions } from '../passive/followers.ts';
import { JobThread } from '../proving/threads.ts';

export interface Judging {
  /** Takes an exchange that has ended, unless too many wait already; returns at once. */
  take(exchange: Exchange): void;
  /** Exchanges that were not taken because judging fell behind. */
  readonly dropped: number;
  view(): Promise<JudgedView>;
  /** Judges what waits, and ends. Rejects with what broke the judging, if anything did. */
  finish(): Promise<CaseOutcome>;
}

/** What the thread is asked; a gap is where exchanges were left out. */
export type JudgingJob =
  | { readonly kind: 'exchange'; readonly exchange: Exchange }
  | { readonly kind: 'gap' | 'view' | 'finish' };

/** What it answers to the last two of these. */
export interface JudgingAnswer {
  readonly view?: JudgedView;
  readonly outcome?: CaseOutcome;
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
  const module = new URL('./judging-thread.js', import.meta.url);
  const thread = new JobThread<JudgingJob, JudgingAnswer>(module, options);
  const waiting = { exchanges: 0, kib: 0 };
  let dropped = 0;
  let hasGap = false;
  let isBroken = false;
  const post = async (job: JudgingJob, kib: number): Promise<void> => {
    waiting.exchanges += 1;
    waiting.kib += kib;
    try {
      await thread.ask(job);
    } catch {
      // Whoever asks for the view or the outcome is told.
      isBroken = true;
    }
    waiting.exchanges -= 1;
    waiting.kib -= kib;
  };
  return {
    get dropped() {
      return dropped;
    },
    take: (exchange) => {
      if (isBroken || waiting.exchanges >= MAX_WAITING || waiting.kib >= MAX_WAITING_KIB) {
        dropped += 1;
        hasGap = true;
        return;
      }
      if (hasGap) void post({ kind: 'gap' }, 0);
      hasGap = false;
      const { request, response } = exchange;
      const kib = Math.ceil((request.body.length + (response?.body.length ?? 0)) / 1024);
      void post({ kind: 'exchange', exchange }, kib);
    },
    view: async () => {
      const { view } = await thread.ask({ kind: 'view' });
      if (view === undefined) throw new Error('the judging thread gave no view');
      return view;
    },
    finish: async () => {
      try {
        const { outcome } = await thread.ask({ kind: 'finish' });
        if (outcome === undefined) throw new Error('the judging thread gave no outcome');
        return outcome;
      } finally {
        await thread.terminate();
      }
    },
  };
}
