/** Threads of the mutated copy, each at one job at a time. */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Contract } from '../../schemas/requirement.ts';
import type { MutantJob, MutantResult, MutantThreadData } from './mutant-thread.ts';
import { eachAtOnce, JobThread } from './threads.ts';

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

type Thread = JobThread<MutantJob, MutantResult>;

export class MutantPool {
  readonly #options: MutantPoolOptions;
  readonly #idle: Thread[] = [];

  constructor(options: MutantPoolOptions) {
    this.#options = options;
  }

  /** Runs a job in a thread that is free, or in a new one. */
  async run(job: MutantJob): Promise<JobEnd> {
    const thread = this.#idle.pop() ?? this.#open();
    const end = await this.#ask(thread, job);
    if (typeof end === 'string') await thread.terminate();
    else this.#idle.push(thread);
    return end;
  }

  /** Runs a job in a thread of its own, in which the mutant is on from the beginning: for what happens once, at import. */
  async runFromImport(id: string, cases: readonly number[] | undefined): Promise<JobEnd> {
    const thread = this.#open(id);
    const end = await this.#ask(thread, { on: [], cases });
    await thread.terminate();
    return end;
  }

  /** Does `work` for every item, as many at once as there are threads. */
  async each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    await eachAtOnce([...items], this.#options.threads, work);
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((thread) => thread.terminate()));
  }

  #open(fromImport?: string): Thread {
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
    return new JobThread(url('harness/proving/mutant-thread.js'), data);
  }

  async #ask(thread: Thread, job: MutantJob): Promise<JobEnd> {
    let limit: NodeJS.Timeout | undefined;
    const endless = new Promise<JobEnd>((end) => {
      limit = setTimeout(() => end('endless'), this.#options.longestMs);
    });
    const answer = thread.ask(job).catch((): JobEnd => 'died');
    return Promise.race([answer, endless]).finally(() => clearTimeout(limit));
  }
}
