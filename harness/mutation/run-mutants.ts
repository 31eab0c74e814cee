/** Puts mutants before the suite, one at a time in each thread. */

import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Mutant, Mutated } from './instrument.ts';
import type { MutantJob, MutantResult, MutantThreadData } from './mutant-thread.ts';

/**
 * - `killed`: the suite found something.
 * - `survived`: it ran to its end and found nothing.
 * - `inconclusive`: it found nothing because it could not decide much; no run like that conforms in silence.
 * - `not-reached`: no request of a whole run passes through.
 * - `endless`: it came to no end; whoever waits for an answer would have noticed.
 */
export interface MutantVerdict {
  readonly mutant: Mutant;
  readonly kind: 'killed' | 'survived' | 'inconclusive' | 'not-reached' | 'endless';
  readonly by?: string | undefined;
  readonly requests: number;
}

export interface MutantRunOptions {
  readonly runs: number;
  /** After this no further mutant is begun. */
  readonly untilMs: number;
  readonly onVerdict: (verdict: MutantVerdict, done: number, total: number) => void;
}

/** Requirements that a loaded machine may leave undecided. */
const FEW = 5;

/** Whole runs of conforming deployments take seconds; this is far from that. */
const LONGEST_MS = 90_000;

/** Verdicts of those that were begun. Throws when the unchanged reference is found at fault. */
export async function runMutants(
  { folder, mutants }: Mutated,
  { runs, untilMs, onVerdict }: MutantRunOptions,
): Promise<readonly MutantVerdict[]> {
  const url = (name: string): URL => pathToFileURL(path.join(folder, name));
  const data: MutantThreadData = {
    suites: url('suites/all.js').href,
    journal: path.join(tmpdir(), `plumbline-mutants-${process.pid}.ndjson`),
    runs,
  };
  const thread = (): Worker =>
    new Worker(url('harness/mutation/mutant-thread.js'), { workerData: data });
  const first = thread();
  const usual = await ask(first, { id: undefined });
  await first.terminate();
  if (usual === undefined || usual.killedBy !== undefined) {
    throw new Error(`the unchanged reference is found at fault: ${usual?.killedBy ?? 'no end'}`);
  }
  const reached = new Set(usual.reached);
  const verdicts: MutantVerdict[] = [];
  const tell = (verdict: MutantVerdict): void => {
    verdicts.push(verdict);
    onVerdict(verdict, verdicts.length, mutants.length);
  };
  const queue: Mutant[] = [];
  for (const mutant of mutants) {
    if (reached.has(mutant.id)) queue.push(mutant);
    else tell({ mutant, kind: 'not-reached', requests: 0 });
  }
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      let worker = thread();
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        if (performance.now() > untilMs) break;
        const result = await ask(worker, { id: mutant.id });
        if (result === undefined) {
          await worker.terminate();
          worker = thread();
          tell({ mutant, kind: 'endless', requests: 0 });
          continue;
        }
        const { killedBy: by, requests, inconclusive } = result;
        const undecided = inconclusive > usual.inconclusive + FEW ? 'inconclusive' : 'survived';
        tell({ mutant, kind: by === undefined ? undecided : 'killed', by, requests });
      }
      await worker.terminate();
    }),
  );
  return verdicts;
}

/** Undefined when the thread ends or gives no answer in time. */
async function ask(worker: Worker, job: MutantJob): Promise<MutantResult | undefined> {
  return new Promise((resolve) => {
    const onMessage = (result: MutantResult): void => settle(result);
    const onEnd = (): void => settle(undefined);
    const limit = setTimeout(onEnd, LONGEST_MS);
    const settle = (result: MutantResult | undefined): void => {
      clearTimeout(limit);
      worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
      resolve(result);
    };
    worker.on('message', onMessage).on('error', onEnd).on('exit', onEnd);
    worker.postMessage(job);
  });
}
