/** A thread that judges exchanges, so that the proxy never waits for a verdict. */

import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';
import { workerData } from 'node:worker_threads';
import type { JudgingAnswer, JudgingJob } from './judging.ts';
import { trafficJudgeOf } from '../contracts/index.ts';
import type { JudgeOptions } from '../passive/followers.ts';
import { answerJobs } from '../proving/threads.ts';

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
const options: JudgeOptions = workerData;
const judge = await trafficJudgeOf(options);

answerJobs(async (job: JudgingJob): Promise<JudgingAnswer> => {
  if (job.kind === 'view') return { view: judge.view() };
  if (job.kind === 'finish') return { outcome: judge.outcome() };
  if (job.kind === 'exchange') judge.take(job.exchange);
  // What was left out may have been the start of an instance, or a page of a walk.
  else judge.startTimeline();
  return {};
});
