/** A thread of the mutated copy: switches one mutant on, puts the reference before the suite, and tells what was found. */

import { parentPort, workerData } from 'node:worker_threads';
import { openSession } from '../session/open.ts';
import { subjectsOf } from '../proving/subject.ts';
import type { Section } from '../suite/case.ts';
import { fitting } from '../suite/fitting.ts';
import { runSections } from '../suite/run-all.ts';
import { watched } from '../proving/watched-session.ts';

export interface MutantThreadData {
  readonly suites: string;
  readonly journal: string;
  readonly runs: number;
}

/** Undefined for the unchanged reference, of which is told what it passes through. */
export type MutantJob = { readonly id: string | undefined };

export interface MutantResult {
  readonly id: string | undefined;
  /** The first requirement found broken, or the error of ours; undefined when nothing was. */
  readonly killedBy: string | undefined;
  readonly requests: number;
  /** Requirements that could not be decided; many where a server does not answer. */
  readonly inconclusive: number;
  /** Mutants that the requests passed through; of the unchanged reference alone. */
  readonly reached: readonly string[];
}

/** What the instrumented code reads and writes (its own names). */
interface Switchboard {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>> };
}

const TEST = 'run';
/** A loop that goes on and on ends here, with an error in the reference. */
const MOST_HITS = 20_000_000;
const SEED = 1;

const data: MutantThreadData = workerData;
const { sections }: { readonly sections: readonly Section<never>[] } = await import(data.suites);
const own: readonly Section<unknown>[] = sections
  .filter(({ contract }) => contract === 'compute')
  .map((section) => fitting(section));
const [reference] = await subjectsOf('compute');

async function judge({ id }: MutantJob): Promise<MutantResult> {
  const board: Switchboard = {
    activeMutant: id ?? '',
    currentTestId: id === undefined ? TEST : undefined,
    hitCount: 0,
    hitLimit: MOST_HITS,
  };
  // The instrumented modules keep the object that they found first.
  const shared: Switchboard = Object.assign(switchboard(), board);
  const running = await reference?.start().catch(() => undefined);
  if (running === undefined) {
    return { id, killedBy: 'it does not start', requests: 0, inconclusive: 0, reached: [] };
  }
  let killedBy: string | undefined;
  const session = await openSession(running.planned, {
    runId: `mutant-${process.pid}`,
    journal: data.journal,
  });
  const run = watched(session, (requirement, _requests, end) => {
    killedBy ??= requirement;
    end('the mutant was found');
  });
  try {
    const outcomes = await runSections(own, run.session, {
      seed: SEED,
      runs: data.runs,
      signal: run.signal,
    });
    const error = outcomes.flatMap(({ errors }) => errors)[0];
    return {
      id,
      killedBy: killedBy ?? error?.message,
      requests: run.requests(),
      inconclusive: new Set(
        outcomes
          .flatMap(({ gaps }) => gaps)
          .filter(({ kind }) => kind === 'inconclusive')
          .map(({ requirement }) => requirement),
      ).size,
      reached: Object.keys(shared.mutantCoverage?.perTest[TEST] ?? {}),
    };
  } finally {
    // What closes is to be the reference as it was written.
    Object.assign(shared, { activeMutant: '', currentTestId: undefined });
    await session.close();
    await running.close();
  }
}

function switchboard(): Switchboard {
  const holder: typeof globalThis & { __stryker__?: Switchboard } = globalThis;
  holder.__stryker__ ??= {};
  return holder.__stryker__;
}

parentPort?.on('message', (job: MutantJob) => {
  void judge(job).then((result) => parentPort?.postMessage(result));
});
