/** A thread of the mutated copy: switches one mutant on, puts the reference before cases, and tells what was found. */

import { workerData } from 'node:worker_threads';
import type { Contract } from '../../schemas/requirement.ts';
import { subjectsOf } from './subject.ts';
import { answerJobs } from './threads.ts';
import type { Subject } from './subject.ts';
import { watched } from './prove.ts';
import { openSession } from '../contracts/index.ts';
import type { Section } from '../runner/case.ts';
import { casesOf, runCases } from '../runner/run.ts';

export interface MutantThreadData {
  readonly contract: Contract;
  readonly suites: string;
  readonly journal: string;
  readonly runs: number;
  /** A mutant that is to be on from the beginning, while the modules of the reference are evaluated. */
  readonly fromImport: string | undefined;
}

export interface MutantJob {
  /** Mutants to switch on; none for the reference as it is, of which is told what it passes through. */
  readonly on: readonly string[];
  /** Positions of the cases to run; all of them without any. */
  readonly cases: readonly number[] | undefined;
  /** Name of the variant to run before; the reference as it is unless told. */
  readonly variant?: string;
}

export interface MutantResult {
  /** Titles of all cases, in the order of their positions. */
  readonly titles: readonly string[];
  /** The first requirement found broken, or the error of ours; undefined when nothing was. */
  readonly killedBy: string | undefined;
  /** Positions of the cases that found something. */
  readonly finders: readonly number[];
  readonly requests: number;
  readonly durationMs: number;
  /** Requirements that could not be decided or exercised: many where a server does not answer, or has nothing to show. */
  readonly undecided: readonly string[];
  /** Of those that were on, which were passed through. */
  readonly met: readonly string[];
  /** Mutants that the reference as it is passes through, by when: as its modules are evaluated, as it starts, in cases. */
  readonly reached: Readonly<Record<'import' | 'start' | 'cases', readonly string[]>>;
}

/** What the instrumented code reads and writes: its own names, but for `activeMutants` (see instrument.ts). */
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

/** A loop that goes on and on ends here, with an error in the reference. */
const MAX_HITS = 20_000_000;
const SEED = 1;

const data: MutantThreadData = workerData;
// The instrumented modules keep the object that they find first.
const board = switchboard();
const always = data.fromImport === undefined ? [] : [data.fromImport];
switchOn(always);

const { sections }: { readonly sections: readonly Section<never>[] } = await import(data.suites);
const cases = casesOf(sections, data.contract);
const titles = cases.map(({ section, one }) => `${section.name} › ${one.title}`);
const subjects = await subjectsOf(data.contract);

/** What a job is for. Throws where there is no such variant. */
function subjectOf({ variant }: Pick<MutantJob, 'variant'>): Subject {
  const found = subjects.find(({ kind, name }) =>
    variant === undefined ? kind === 'unchanged' : kind === 'variant' && name === variant,
  );
  if (found === undefined) throw new Error(`${data.contract} has no variant ${String(variant)}`);
  return found;
}

// Loads the reference, so that what its modules pass through is known before any case.
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
    // What closes is to be the reference as it was written.
    switchOn(always);
    board.currentTestId = undefined;
    delete board.mutantCoverage?.perTest[starting];
    delete board.mutantCoverage?.perTest[testing];
    await session.close();
    await running.close();
  }
}

/** Switches these mutants on and all others off. Returns those that are passed through, as they are. */
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
