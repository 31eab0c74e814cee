/** Runs the judging of exchanges in a thread of its own, so that the proxy never waits. */

import type { Exchange } from '../exchange/exchange.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import type { JudgedView } from '../passive/traffic-judge.ts';
import type { JudgeOptions } from '../passive/followers.ts';
import { JobThread } from '../proving/threads.ts';

export interface Judging {
  /** Takes an exchange that has ended, unless too many are waiting. Returns at once. */
  take(exchange: Exchange): void;
  /** Exchanges that were dropped because judging fell behind. */
  readonly dropped: number;
  view(): Promise<JudgedView>;
  /** Judges the waiting exchanges and ends. Rejects with an error that broke the judging. */
  finish(): Promise<CaseOutcome>;
}

/** A job for the thread. `gap` marks dropped exchanges. */
export type JudgingJob =
  | { readonly kind: 'exchange'; readonly exchange: Exchange }
  | { readonly kind: 'gap' | 'view' | 'finish' };

/** The reply to `view` and `finish`. */
export interface JudgingAnswer {
  readonly view?: JudgedView;
  readonly outcome?: CaseOutcome;
}

/** Maximum number and size of the exchanges that wait for the thread. */
const MAX_WAITING = 5_000;
const MAX_WAITING_KIB = 128 * 1024;

/** Starts the thread. Works from compiled code alone, since not every Node can load TypeScript in a thread. */
export function startJudging(options: JudgeOptions): Judging {
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
      // The next `view` or `finish` reports the error.
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
