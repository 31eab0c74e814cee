/** A thread that judges exchanges, so that the proxy never waits for a verdict. */

import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { JudgingAnswer, JudgingOrder, JudgingThreadData } from './judging.ts';
import { trafficJudgeOf } from '../contracts/index.ts';

/** Lower than usual, and high enough that verdicts come on a busy machine too. */
const GIVING_WAY = 5;

/** On a busy machine the proxy goes first. Linux alone has a priority for each thread; elsewhere all stays as it is. */
function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = Number(path.basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, GIVING_WAY);
  } catch {
    // Without /proc it competes like any other thread.
  }
}

giveWay();
const { options, done }: JudgingThreadData = workerData;
const counters = new Int32Array(done);
const judge = await trafficJudgeOf(options);

parentPort?.on('message', (order: JudgingOrder) => {
  switch (order.kind) {
    case 'exchange':
      judge.take(order.exchange);
      Atomics.add(counters, 0, 1);
      Atomics.add(counters, 1, order.kib);
      break;
    case 'gap':
      // What was left out may have been the start of an instance, or a page of a walk.
      judge.startTimeline();
      break;
    case 'view':
      parentPort?.postMessage({ view: judge.view() } satisfies JudgingAnswer);
      break;
    case 'finish':
      parentPort?.postMessage({ outcome: judge.outcome() } satisfies JudgingAnswer);
      break;
  }
});
