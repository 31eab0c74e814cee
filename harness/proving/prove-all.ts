/** Proves many subjects: in as many threads as there are processors, several at a time in each. */

import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Contract } from '../../schemas/requirement.ts';
import type { Proof } from './prove.ts';
import { type Subject, companiesOf, subjectsOf } from './subject.ts';
import { verdictOf } from './verdict.ts';

export interface ProveAllOptions {
  readonly contracts: readonly Contract[];
  /** Names of faults; all without any name at all. */
  readonly faults?: readonly string[] | undefined;
  readonly variants?: readonly string[] | undefined;
  /** Leaves whole runs of conforming deployments out; they take most of the time. */
  readonly faultsOnly?: boolean | undefined;
  /** Every fault against everything, every variant by itself. */
  readonly full: boolean;
  readonly seed: number;
  readonly runs: number;
  readonly onProof?: (proof: Proof, done: number, total: number) => void;
}

/** What a proving thread is given to begin with. */
export interface ProvingThreadData {
  readonly suites: string;
  readonly full: boolean;
  readonly seed: number;
  readonly runs: number;
  readonly journal: string;
}

/** Names one subject to a thread, which knows the catalogue of subjects itself. */
export interface ProvingJob {
  readonly contract: Contract;
  readonly kind: Subject['kind'];
  readonly name: string;
}

/** Subjects under proof at once in a thread: most of their time is waiting. */
const AT_ONCE = 3;

/**
 * Proofs in the order of the catalogue. Variants keep company, unless everything is to be run in full; the members of a
 * company that is found at fault are proved one by one, to tell which of them it is. Rejects when a thread dies.
 */
export async function proveAll(options: ProveAllOptions): Promise<readonly Proof[]> {
  const alone = (await Promise.all(options.contracts.map(subjectsOf))).flat();
  const inCompany = (await Promise.all(options.contracts.map(companiesOf))).flat();
  const asked = options.full || options.faults !== undefined || options.variants !== undefined;
  const catalogue = asked
    ? alone
    : [...alone.filter(({ kind }) => kind !== 'variant'), ...inCompany];
  const jobs = catalogue.filter((subject) => isWanted(subject, options));
  // Whole runs take longest: they begin first, so that no thread is left with one at the end.
  const queue = jobs.toSorted((one, other) => weight(other) - weight(one));
  const proofs = new Map<string, Proof>();
  const data: ProvingThreadData = {
    suites: new URL('../../suites/all.js', import.meta.url).href,
    full: options.full,
    seed: options.seed,
    runs: options.runs,
    journal: path.join(tmpdir(), `plumbline-proof-${process.pid}.ndjson`),
  };
  const threads = Math.min(availableParallelism(), Math.max(1, Math.ceil(queue.length / AT_ONCE)));
  await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(new URL('./proving-thread.js', import.meta.url), {
        workerData: data,
      });
      try {
        await drain(worker, queue, (proof) => {
          proofs.set(keyOf(proof), proof);
          options.onProof?.(proof, proofs.size, jobs.length);
          if (verdictOf(proof).kind === 'quiet') return;
          const members = alone.filter(
            ({ contract, name }) => contract === proof.contract && proof.members.includes(name),
          );
          jobs.push(...members);
          queue.push(...members);
        });
      } finally {
        await worker.terminate();
      }
    }),
  );
  return jobs.flatMap((subject) => proofs.get(keyOf(subject)) ?? []);
}

async function drain(
  worker: Worker,
  queue: Subject[],
  onProof: (proof: Proof) => void,
): Promise<void> {
  await new Promise<void>((done, failed) => {
    let underWay = 0;
    const feed = (): void => {
      while (underWay < AT_ONCE) {
        const next = queue.shift();
        if (next === undefined) break;
        underWay += 1;
        const job: ProvingJob = { contract: next.contract, kind: next.kind, name: next.name };
        worker.postMessage(job);
      }
      if (underWay === 0) done();
    };
    worker.on('message', (proof: Proof) => {
      underWay -= 1;
      onProof(proof);
      feed();
    });
    worker.on('error', failed);
    worker.on('exit', (code) => failed(new Error(`a proving thread ended with ${code}`)));
    feed();
  });
}

function isWanted(subject: Subject, { faults, variants, faultsOnly }: ProveAllOptions): boolean {
  if (faultsOnly === true && subject.kind !== 'fault') return false;
  if (faults === undefined && variants === undefined) return true;
  if (subject.kind === 'fault') return faults?.includes(subject.name) === true;
  return variants?.includes(subject.name) === true;
}

function weight(subject: Subject): number {
  return subject.kind === 'fault' ? 0 : 1;
}

function keyOf({ contract, kind, name }: ProvingJob): string {
  return `${contract} ${kind} ${name}`;
}
