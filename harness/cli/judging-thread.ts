/** A thread that judges exchanges, so that the proxy never waits for it. */

import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';
import { workerData } from 'node:worker_threads';
import type { JudgingAnswer, JudgingJob } from './traffic.ts';
import { trafficJudgeOf } from '../contracts/index.ts';
import type { JudgeOptions } from '../passive/followers.ts';
import { answerJobs } from '../proving/threads.ts';

/** Below normal priority, but high enough to make progress on a busy machine. */
const GIVING_WAY = 5;

/** Lowers the priority of this thread in favour of the proxy. Only Linux has priorities per thread. */
function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = Number(path.basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, GIVING_WAY);
  } catch {
    // Without /proc the priority stays unchanged.
  }
}

giveWay();
const options: JudgeOptions = workerData;
const judge = await trafficJudgeOf(options);

answerJobs(async (job: JudgingJob): Promise<JudgingAnswer> => {
  if (job.kind === 'view') return { view: judge.view() };
  if (job.kind === 'finish') return { outcome: judge.outcome() };
  if (job.kind === 'exchange') judge.take(job.exchange);
  // A dropped exchange may have started an instance or belong to a walk.
  else judge.startTimeline();
  return {};
});
