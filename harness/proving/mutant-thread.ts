/** A thread in the mutated copy: switches mutants on, runs cases against the reference and reports the findings. */

import { workerData } from 'node:worker_threads';
import type { Contract } from '../../schemas/requirement.ts';
import { type Subject, subjectsOf } from './subject.ts';
import { answerJobs } from './threads.ts';
import { watched } from './prove.ts';
import { openSession } from '../contracts/index.ts';
import type { Section } from '../runner/case.ts';
import { casesOf, runCases } from '../runner/run.ts';

export interface MutantThreadData {
  readonly contract: Contract;
  readonly suites: string;
  readonly journal: string;
  readonly runs: number;
  /** A mutant that is on from the start, while the modules of the reference are evaluated. */
  readonly fromImport: string | undefined;
}

export interface MutantJob {
  /** Mutants to switch on. Empty for the unchanged reference, which records the mutants that it reaches. */
  readonly on: readonly string[];
  /** Positions of the cases to run (default: all). */
  readonly cases: readonly number[] | undefined;
  /** Name of the variant to mutate (default: the unchanged reference). */
  readonly variant?: string;
}

export interface MutantResult {
  /** Titles of all cases, by position. */
  readonly titles: readonly string[];
  /** The first broken requirement, or the message of an error. Undefined if nothing was found. */
  readonly killedBy: string | undefined;
  /** Positions of the cases with findings. */
  readonly finders: readonly number[];
  readonly requests: number;
  readonly durationMs: number;
  /** Requirements that were not decided or not exercised. They are many if a server does not answer or has no data. */
  readonly undecided: readonly string[];
  /** The active mutants that the run reached. */
  readonly met: readonly string[];
  /** The mutants that the unchanged reference reaches while its modules are evaluated, while it starts, and in cases. */
  readonly reached: Readonly<Record<'import' | 'start' | 'cases', readonly string[]>>;
}

/** Read and written by the instrumented code. The names are Stryker's, except `activeMutants` (see instrument.ts). */
interface Switchboard {
  activeMutants?: { has(id: string): boolean } | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>;
    readonly perTest: Record<string, Readonly<Record<string, number>> | undefined>;
  };
}

/** Maximum number of hits of mutants in a job. An endless loop then throws an error in the reference. */
const MAX_HITS = 20_000_000;
const SEED = 1;

const data: MutantThreadData = workerData;
// Set before the import, since the instrumented modules keep the first object that they find.
const board = switchboard();
const always = data.fromImport === undefined ? [] : [data.fromImport];
switchOn(always);

const { sections }: { readonly sections: readonly Section<never>[] } = await import(data.suites);
const cases = casesOf(sections, data.contract);
const titles = cases.map(({ section, one }) => `${section.name} › ${one.title}`);
const subjects = await subjectsOf(data.contract);

/** The subject of a job. Throws for an unknown variant. */
function subjectOf({ variant }: Pick<MutantJob, 'variant'>): Subject {
  const found = subjects.find(({ kind, name }) =>
    variant === undefined ? kind === 'unchanged' : kind === 'variant' && name === variant,
  );
  if (found === undefined) throw new Error(`${data.contract} has no variant ${String(variant)}`);
  return found;
}

// Loads the reference, so that the mutants that its modules reach are known before any case runs.
const loaded = await subjectOf({})
  .start()
  .catch(() => undefined);
await loaded?.close();
const atImport = Object.keys(board.mutantCoverage?.static ?? {});

let jobs = 0;

async function judge(subject: Subject, { on, cases: asked }: MutantJob): Promise<MutantResult> {
  jobs += 1;
  const [starting, testing] = [`${jobs} start`, `${jobs} cases`];
  const from = performance.now();
  const met = switchOn([...always, ...on]);
  const isRecording = on.length === 0 && always.length === 0;
  Object.assign(board, {
    currentTestId: isRecording ? starting : undefined,
    hitCount: 0,
    hitLimit: MAX_HITS,
  });
  const reachedIn = (test: string): readonly string[] =>
    Object.keys(board.mutantCoverage?.perTest[test] ?? {});
  const running = await subject.start().catch(() => undefined);
  if (running === undefined) {
    const nothing = { finders: [], requests: 0, durationMs: 0, undecided: [] };
    const reached = { import: atImport, start: [], cases: [] };
    return { titles, killedBy: 'it does not start', ...nothing, met: [...met], reached };
  }
  if (isRecording) board.currentTestId = testing;
  let killedBy: string | undefined;
  const session = await openSession(running.planned, {
    runId: `mutant-${process.pid}`,
    journal: data.journal,
  });
  const run = watched(session, (requirement, _requests, end) => {
    killedBy ??= requirement;
    end('the mutant was found');
  });
  const chosen = asked === undefined ? cases : cases.filter((_, at) => asked.includes(at));
  try {
    const outcomes = await runCases(chosen, run.session, {
      seed: SEED,
      runs: data.runs,
      signal: run.signal,
    });
    const error = outcomes.flatMap(({ errors }) => errors)[0];
    const finders = new Set(
      outcomes
        .filter(({ findings, errors }) => findings.length + errors.length > 0)
        .map((outcome) => outcome.case.replace(/^\w+\//u, '')),
    );
    return {
      titles,
      killedBy: killedBy ?? error?.message,
      finders: [...titles.keys()].filter((at) => finders.has(titles[at] ?? '')),
      requests: run.requests(),
      durationMs: performance.now() - from,
      undecided: [
        ...new Set(outcomes.flatMap(({ gaps }) => gaps.map(({ requirement }) => requirement))),
      ],
      met: [...met],
      reached: { import: atImport, start: reachedIn(starting), cases: reachedIn(testing) },
    };
  } finally {
    // Closes without the mutants of this job.
    switchOn(always);
    board.currentTestId = undefined;
    delete board.mutantCoverage?.perTest[starting];
    delete board.mutantCoverage?.perTest[testing];
    await session.close();
    await running.close();
  }
}

/** Switches these mutants on and all others off. Returns a set that collects those that are reached. */
function switchOn(ids: readonly string[]): ReadonlySet<string> {
  const active = new Set(ids);
  const met = new Set<string>();
  board.activeMutants = {
    has: (id) => {
      if (!active.has(id)) return false;
      met.add(id);
      return true;
    },
  };
  return met;
}

function switchboard(): Switchboard {
  const holder: typeof globalThis & { __stryker__?: Switchboard } = globalThis;
  holder.__stryker__ ??= {};
  return holder.__stryker__;
}

answerJobs(async (job: MutantJob) => judge(subjectOf(job), job));
