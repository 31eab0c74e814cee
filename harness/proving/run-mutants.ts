/** Runs the suite against mutants: first some cases for each, then groups of survivors, then suspects one by one. */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Contract } from '../../schemas/requirement.ts';
import type { MutantJob, MutantResult, MutantThreadData } from './mutant-thread.ts';
import { eachAtOnce, JobThread } from './threads.ts';
import { type Recording, type JobEnd, type CaseCost, type MutantVerdict, Trial } from './trial.ts';
import type { FurtherDeployment } from '../contracts/references.ts';
import type { Mutated } from './instrument.ts';

/** Maximum milliseconds of a job. A whole run takes seconds, so this is ample even on a busy processor. */
const LONGEST_MS = 180_000;

interface MutantPoolOptions extends Pick<MutantRunOptions, 'contract' | 'runs'> {
  /** Root of the mutated copy. */
  readonly folder: string;
}

type Thread = JobThread<MutantJob, MutantResult>;

class MutantPool {
  readonly #options: MutantPoolOptions;
  readonly #idle: Thread[] = [];

  constructor(options: MutantPoolOptions) {
    this.#options = options;
  }

  /** Runs a job in an idle thread, or in a new one. */
  async run(job: MutantJob): Promise<JobEnd> {
    const thread = this.#idle.pop() ?? this.#open();
    const end = await this.#ask(thread, job);
    if (typeof end === 'string') await thread.terminate();
    else this.#idle.push(thread);
    return end;
  }

  /** Runs a job in a thread of its own with the mutant on from the start, for code that runs once at import. */
  async runFromImport(id: string, cases: readonly number[] | undefined): Promise<JobEnd> {
    const thread = this.#open(id);
    const end = await this.#ask(thread, { on: [], cases });
    await thread.terminate();
    return end;
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
      // In the copy, so it is deleted with it.
      journal: path.join(folder, 'journal.ndjson'),
      runs,
      fromImport,
    };
    return new JobThread(url('harness/proving/mutant-thread.js'), data);
  }

  async #ask(thread: Thread, job: MutantJob): Promise<JobEnd> {
    let limit: NodeJS.Timeout | undefined;
    const endless = new Promise<JobEnd>((end) => {
      limit = setTimeout(() => end('endless'), LONGEST_MS);
    });
    const answer = thread.ask(job).catch((): JobEnd => 'died');
    return Promise.race([answer, endless]).finally(() => clearTimeout(limit));
  }
}

/** Records which mutants each case reaches in the unchanged reference. Rejects if the reference has a finding. */
async function recorded(pool: MutantPool, threads: number): Promise<Recording> {
  // A job without cases returns just their titles.
  const first = await pool.run({ on: [], cases: [] });
  if (typeof first === 'string') throw new Error(`the copy cannot be loaded: ${first}`);
  const { titles } = first;
  const costs: CaseCost[] = [];
  const reaching = new Map<string, Set<number>>();
  const undecided = new Set<string>();
  const atImport = new Set<string>();
  const everyCase = [...titles.keys()];
  await eachAtOnce([undefined, ...everyCase], threads, async (at) => {
    const result = await pool.run({ on: [], cases: at === undefined ? undefined : [at] });
    const name = at === undefined ? 'the whole suite' : titles[at];
    if (typeof result === 'string') throw new Error(`${name} before the reference: ${result}`);
    if (result.killedBy !== undefined) {
      throw new Error(`the unchanged reference is found at fault by ${name}: ${result.killedBy}`);
    }
    for (const requirement of result.undecided) undecided.add(requirement);
    for (const id of result.reached.import) atImport.add(id);
    for (const id of result.reached.start) reaching.set(id, new Set(everyCase));
    for (const id of result.reached.cases) {
      const positions = reaching.get(id) ?? new Set();
      reaching.set(id, positions);
      if (at !== undefined) positions.add(at);
    }
    if (at !== undefined) costs[at] = result;
  });
  return {
    titles,
    costs,
    reached: reaching.size,
    casesOf: (id) => {
      const positions = reaching.get(id);
      return positions === undefined ? undefined : [...positions];
    },
    isAtImport: (id) => atImport.has(id),
    undecided,
  };
}

export interface MutantRunOptions {
  readonly contract: Contract;
  /** Number of values that a property of weight 1 tries. */
  readonly runs: number;
  readonly threads: number;
  /** Conforming deployments that show some mutants which the default one hides. */
  readonly further: readonly FurtherDeployment[];
  /** No further mutant is started after this time. */
  readonly untilMs: number;
  readonly onRecorded: (cases: number, reached: number) => void;
  readonly onVerdict: (verdict: MutantVerdict, done: number, total: number) => void;
}

/** Verdicts of the mutants that there was time for. Throws if the unchanged reference has a finding. */
export async function runMutants(
  { folder, mutants }: Mutated,
  options: MutantRunOptions,
): Promise<readonly MutantVerdict[]> {
  const pool = new MutantPool({ ...options, folder });
  try {
    const recording = await recorded(pool, options.threads);
    options.onRecorded(recording.costs.length, recording.reached);
    const verdicts: MutantVerdict[] = [];
    const trial = new Trial({
      pool,
      recording,
      further: (mutant) => furtherJobs(options.further, mutant.file, recording.titles),
      report: (verdict) => {
        verdicts.push(verdict);
        options.onVerdict(verdict, verdicts.length, mutants.length);
      },
    });
    const inTime = (): boolean => performance.now() < options.untilMs;
    await eachAtOnce([...mutants], options.threads, async (mutant) => {
      if (inTime()) await trial.first(mutant);
    });
    while (trial.hasLiving && inTime()) {
      await eachAtOnce([...trial.takeLiving()], options.threads, async (group) => {
        if (inTime()) await trial.together(group);
      });
    }
    return verdicts;
  } finally {
    await pool.close();
  }
}

/** Additional jobs for a mutant that survives the default deployment; `titles` are the case titles by position. */
function furtherJobs(
  deployments: readonly FurtherDeployment[],
  file: string,
  titles: readonly string[],
) {
  return deployments
    .filter(({ files }) => files.includes(file))
    .map(({ variant, titles: meant }) => ({
      variant,
      cases: [...titles.keys()].filter((at) => meant.test(titles[at] ?? '')),
    }));
}
