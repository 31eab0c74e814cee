/** Proves many subjects: one thread for each processor, several subjects at once in each thread. */

import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import type { Contract } from '../../schemas/requirement.ts';
import { type Proof, type ProveOptions, verdictOf } from './prove.ts';
import { catalogueOf, type Subject, subjectsOf } from './subject.ts';
import { eachAtOnce, JobThread } from './threads.ts';

export interface ProveAllOptions extends Pick<ProveOptions, 'depth' | 'seed' | 'runs'> {
  readonly contracts: readonly Contract[];
  /** Names of the faults and variants to prove. Undefined: all. */
  readonly named: Readonly<Record<'fault' | 'variant', readonly string[]>> | undefined;
  /** Skips the whole runs of conforming deployments, which take most of the time. */
  readonly faultsOnly: boolean;
  readonly onProof: (proof: Proof, done: number, total: number) => void;
}

/** The start data of a proving thread. */
export interface ProvingThreadData extends Omit<ProveOptions, 'sections'> {
  readonly suites: string;
}

/** Names one subject to a thread, which has the catalogue itself. */
export type ProvingJob = Pick<Subject, 'contract' | 'kind' | 'name' | 'members'>;

/** Concurrent proofs in a thread. They spend most of their time waiting. */
const AT_ONCE = 8;

/** Megabytes for short-lived objects. With the default, garbage collection takes 10 % of the time of a proof. */
const YOUNG_GENERATION_MB = 192;

/** Number of parts that the faults are dealt into, each with some of every section. */
const LANES = 25;

/** Maximum number of faults in one deployment for whole runs. More would hide one another. */
const FAULTS_TOGETHER = 5;

/**
 * Proofs in catalogue order. Variants are combined, except at depth `full`, and faults at depth `whole`. If a
 * combination does not behave as expected, its members are proved one by one. Rejects if a thread dies.
 */
export async function proveAll(options: ProveAllOptions): Promise<readonly Proof[]> {
  const single = (await Promise.all(options.contracts.map(subjectsOf))).flat();
  const catalogue = await provenCombined(single, options);
  const jobs = catalogue.filter((subject) => isWanted(subject, options));
  const queue = inOrderOfWork(jobs);
  const proofs = new Map<string, Proof>();
  const data: ProvingThreadData = {
    suites: new URL('../../suites/all.js', import.meta.url).href,
    depth: options.depth,
    seed: options.seed,
    runs: options.runs,
    journal: path.join(tmpdir(), `plumbline-proof-${process.pid}`),
  };
  const count = Math.min(availableParallelism(), Math.max(1, Math.ceil(queue.length / AT_ONCE)));
  const threads = Array.from(
    { length: count },
    () =>
      new JobThread<ProvingJob, Proof>(new URL('./proving-thread.js', import.meta.url), data, {
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      }),
  );
  const free = Array.from({ length: AT_ONCE }, () => threads).flat();
  try {
    await eachAtOnce(queue, free.length, async ({ contract, kind, name, members }) => {
      const thread = free.pop();
      if (thread === undefined) throw new Error('there is no thread that is free');
      const proof = await thread.ask({ contract, kind, name, members });
      free.unshift(thread);
      const { settled, open } = resolved(proof, single);
      for (const one of settled) {
        proofs.set(keyOf(one), one);
        options.onProof(one, proofs.size, proofs.size + remaining(queue) + remaining(open));
      }
      queue.push(...open);
    });
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
  const order = new Map([...catalogue, ...single].map((subject, index) => [keyOf(subject), index]));
  return [...proofs.values()].toSorted(
    (one, other) => (order.get(keyOf(one)) ?? 0) - (order.get(keyOf(other)) ?? 0),
  );
}

/** The subjects or combinations to prove. */
async function provenCombined(
  single: readonly Subject[],
  { contracts, depth, named }: ProveAllOptions,
): Promise<readonly Subject[]> {
  if (depth === 'full' || named !== undefined) return single;
  const catalogues = await Promise.all(contracts.map(catalogueOf));
  const variantCombinations = catalogues.flatMap(({ combined }) => combined);
  const others = single.filter(({ kind }) => kind !== 'variant');
  if (depth === 'likely') return [...others, ...variantCombinations];
  const faultCombinations = catalogues.flatMap(({ solo, faultsTogether }) => {
    const names = solo.filter(({ kind }) => kind === 'fault').map(({ name }) => name);
    const count = Math.ceil(names.length / FAULTS_TOGETHER);
    // Neighbours in the catalogue break the same requirements, so each goes into another combination.
    return Array.from({ length: count }, (_, at) =>
      faultsTogether(names.filter((__, index) => index % count === at)),
    );
  });
  return [
    ...others.filter(({ kind }) => kind !== 'fault'),
    ...faultCombinations,
    ...variantCombinations,
  ];
}

/** What a proof settles, and which members of a combination still need a proof of their own. */
function resolved(
  proof: Proof,
  single: readonly Subject[],
): { readonly settled: readonly Proof[]; readonly open: readonly Subject[] } {
  const members = single.filter(
    ({ contract, kind, name }) =>
      contract === proof.contract && kind === proof.kind && proof.members.includes(name),
  );
  if (proof.kind !== 'fault' || members.length === 0) {
    return { settled: [proof], open: verdictOf(proof).kind === 'quiet' ? [] : members };
  }
  const found = new Set(proof.found);
  const isKilled = ({ breaks }: Subject): boolean => breaks.every((id) => found.has(id));
  return {
    settled: members.filter(isKilled).map(({ name, summary, breaks, consequences }) => ({
      ...proof,
      name,
      summary,
      breaks,
      consequences,
      members: [],
      // The other members caused the other findings.
      found: breaks,
    })),
    open: members.filter((member) => !isKilled(member)),
  };
}

function isWanted({ kind, name }: Subject, { named, faultsOnly }: ProveAllOptions): boolean {
  if (faultsOnly && kind !== 'fault') return false;
  return named === undefined || (kind !== 'unchanged' && named[kind].includes(name));
}

/** Number of proofs still expected for these subjects. */
function remaining(subjects: readonly Subject[]): number {
  return subjects.reduce(
    (sum, { kind, members }) => sum + (kind === 'fault' ? Math.max(1, members.length) : 1),
    0,
  );
}

/** Whole runs start first, since they take longest. Neighbours wait for the same events, so they are interleaved. */
function inOrderOfWork(subjects: readonly Subject[]): Subject[] {
  const isWholeRun = ({ kind, members }: Subject): boolean =>
    kind !== 'fault' || members.length > 0;
  const interleaved = Array.from({ length: LANES }, (_, lane) =>
    subjects.filter((subject, index) => !isWholeRun(subject) && index % LANES === lane),
  );
  return [...subjects.filter(isWholeRun), ...interleaved.flat()];
}

function keyOf({ contract, kind, name }: Omit<ProvingJob, 'members'>): string {
  return `${contract} ${kind} ${name}`;
}
