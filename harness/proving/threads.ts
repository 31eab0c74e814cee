/** Threads that answer jobs, several at a time: proofs and mutants are put before the suite in them. */

import { parentPort, type ResourceLimits, Worker } from 'node:worker_threads';

interface Asked {
  readonly id: number;
  readonly job: unknown;
}

interface Answer<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread that was started, and what it was asked. */
export class JobThread<Job, Result> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Answer<Result>>();
  #asked = 0;

  constructor(module: URL, workerData: unknown, resourceLimits: ResourceLimits = {}) {
    this.#worker = new Worker(module, { workerData, resourceLimits });
    this.#worker.on('message', ({ id, result }: { readonly id: number; readonly result: Result }) =>
      this.#take(id)?.resolve(result),
    );
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', (code) => this.#die(new Error(`a thread ended with ${code}`)));
  }

  /** Rejects when the thread dies before it answers. */
  async ask(job: Job): Promise<Result> {
    this.#asked += 1;
    const asked: Asked = { id: this.#asked, job };
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
    for (const id of [...this.#waiting.keys()]) this.#take(id)?.reject(error);
  }
}

/** Does `work` for every item, at most so many at once; items may be added to the queue meanwhile. */
export async function eachAtOnce<Item>(
  queue: Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let underWay = 0;
  await new Promise<void>((done, failed) => {
    const feed = (): void => {
      while (underWay < atOnce && queue.length > 0) {
        const [item] = queue.splice(0, 1);
        if (item === undefined) continue;
        underWay += 1;
        work(item).then(() => {
          underWay -= 1;
          feed();
        }, failed);
      }
      if (underWay === 0) done();
    };
    feed();
  });
}

/** For the thread itself: answers every job that it is asked. */
export function answerJobs<Job, Result>(answer: (job: Job) => Promise<Result>): void {
  parentPort?.on('message', ({ id, job }: { readonly id: number; readonly job: Job }) => {
    void answer(job).then((result) => parentPort?.postMessage({ id, result }));
  });
}
