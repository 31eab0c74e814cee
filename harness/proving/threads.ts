/** Worker threads that answer jobs, several at once. Proofs, mutants and the judging of traffic use them. */

import { parentPort, type ResourceLimits, Worker } from 'node:worker_threads';

/** A message to a thread. The reply has the same id. */
interface Asked<Job> {
  readonly id: number;
  readonly job: Job;
}

interface Answer<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** A worker thread and its pending jobs. */
export class JobThread<Job, Result> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Answer<Result>>();
  #asked = 0;
  #end: unknown;

  constructor(module: URL, workerData: unknown, resourceLimits: ResourceLimits = {}) {
    this.#worker = new Worker(module, { workerData, resourceLimits });
    this.#worker.on('message', ({ id, result }: { readonly id: number; readonly result: Result }) =>
      this.#take(id)?.resolve(result),
    );
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', (code) => this.#die(new Error(`a thread ended with ${code}`)));
  }

  /** Rejects if the thread dies before it replies, or is already dead. */
  async ask(job: Job): Promise<Result> {
    if (this.#end !== undefined) throw this.#end;
    this.#asked += 1;
    const asked: Asked<Job> = { id: this.#asked, job };
    return new Promise((resolve, reject) => {
      this.#waiting.set(asked.id, { resolve, reject });
      this.#worker.postMessage(asked);
    });
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #take(id: number): Answer<Result> | undefined {
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    return answer;
  }

  #die(error: unknown): void {
    this.#end ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** Runs in the thread: replies to every job. The caller that started the thread determines the type of the jobs. */
export function answerJobs(work: (job: never) => Promise<unknown>): void {
  parentPort?.on('message', ({ id, job }: Asked<never>) => {
    void work(job).then((result) => parentPort?.postMessage({ id, result }));
  });
}

/** Runs `work` for every item, at most `atOnce` concurrently. Items may be added to the queue meanwhile. */
export async function eachAtOnce<Item>(
  queue: Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let underWay = 0;
  await new Promise<void>((done, failed) => {
    const one = async (item: Item): Promise<void> => {
      underWay += 1;
      await work(item);
      underWay -= 1;
      feed();
    };
    const feed = (): void => {
      for (const item of queue.splice(0, atOnce - underWay)) one(item).catch(failed);
      if (underWay === 0) done();
    };
    feed();
  });
}
