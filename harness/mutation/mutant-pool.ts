/** Threads of the mutated copy, each at one job at a time. */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Contract } from '../../schemas/requirement.ts';
import type {
  MutantJob,
  MutantResult,
  MutantThreadData,
  MutantThreadReady,
} from './mutant-thread.ts';

/** What became of a job: a result, or that the thread gave none in time, or that it died of it. */
export type JobEnd = MutantResult | 'endless' | 'died';

export interface MutantPoolOptions {
  /** Root of the mutated copy. */
  readonly folder: string;
  readonly contract: Contract;
  readonly threads: number;
  /** Values that a property of weight 1 tries. */
  readonly runs: number;
  /** Milliseconds that a job may take: much more than the whole suite needs. */
  readonly longestMs: number;
}

interface Thread {
  readonly worker: Worker;
  readonly ready: MutantThreadReady;
}

export class MutantPool {
  readonly #options: MutantPoolOptions;
  readonly #idle: Thread[] = [];

  constructor(options: MutantPoolOptions) {
    this.#options = options;
  }

  /** Titles of the cases, in the order of their positions. Rejects when the copy cannot be loaded. */
  async cases(): Promise<readonly string[]> {
    const thread = await this.#open();
    this.#idle.push(thread);
    return thread.ready.cases;
  }

  /** Runs a job in a thread that is free, or in a new one. */
  async run(job: MutantJob): Promise<JobEnd> {
    const thread = this.#idle.pop() ?? (await this.#open());
    const end = await this.#ask(thread.worker, job);
    if (end === 'endless' || end === 'died') await thread.worker.terminate();
    else this.#idle.push(thread);
    return end;
  }

  /** Runs a job in a thread of its own, in which the mutant is on from the beginning: for what happens once, at import. */
  async runFromImport(id: string, cases: readonly number[] | undefined): Promise<JobEnd> {
    const thread = await this.#open(id).catch(() => undefined);
    if (thread === undefined) return 'died';
    const end = await this.#ask(thread.worker, { on: [], cases });
    await thread.worker.terminate();
    return end;
  }

  /** Does `work` for every item, as many at once as there are threads. */
  async each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    const queue = [...items];
    await Promise.all(
      Array.from({ length: this.#options.threads }, async () => {
        for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map(({ worker }) => worker.terminate()));
  }

  async #open(fromImport?: string): Promise<Thread> {
    const { folder, contract, runs } = this.#options;
    const url = (name: string): URL => pathToFileURL(path.join(folder, name));
    const data: MutantThreadData = {
      contract,
      suites: url('suites/all.js').href,
      // Within the copy, whose end it shares.
      journal: path.join(folder, 'journal.ndjson'),
      runs,
      fromImport,
    };
    const worker = new Worker(url('harness/mutation/mutant-thread.js'), { workerData: data });
    return new Promise((resolve, reject) => {
      worker.once('message', (ready: MutantThreadReady) => {
        worker.off('error', reject);
        resolve({ worker, ready });
      });
      worker.once('error', reject);
    });
  }

  async #ask(worker: Worker, job: MutantJob): Promise<JobEnd> {
    return new Promise((resolve) => {
      const onMessage = (result: MutantResult): void => settle(result);
      const onEnd = (): void => settle('died');
      const limit = setTimeout(() => settle('endless'), this.#options.longestMs);
      const settle = (end: JobEnd): void => {
        clearTimeout(limit);
        worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
        resolve(end);
      };
      worker.on('message', onMessage).on('error', onEnd).on('exit', onEnd);
      worker.postMessage(job);
    });
  }
}
