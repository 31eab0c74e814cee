/** Runs the suite against one subject and reports what it found. */

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { RunnableSession, SuiteSession } from '../runner/run-case.ts';
import { requirementsOf } from '../../schemas/contracts.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { openSession } from '../contracts/index.ts';
import type { Section, SuiteCase } from '../runner/case.ts';
import { casesOf, runCases } from '../runner/run.ts';
import type { Subject } from './subject.ts';

export interface WatchedSession {
  readonly session: SuiteSession<unknown>;
  readonly requests: () => number;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
}

/** `onFinding` receives the requirement, the number of exchanges so far, and a function that ends the run for a reason. */
export function watched(
  opened: RunnableSession,
  onFinding: (requirement: string, requests: number, end: (why: string) => void) => void,
): WatchedSession {
  const ending = new AbortController();
  let requests = 0;
  const end = (why: string): void => {
    ending.abort(new Error(why));
    opened.abort();
  };
  return {
    session: {
      ...opened,
      tools: {
        ...opened.tools,
        universal: (exchange) => {
          requests += 1;
          return opened.tools.universal(exchange);
        },
        onFinding: (requirement) => onFinding(requirement, requests, end),
      },
    },
    requests: () => requests,
    signal: ending.signal,
  };
}

/** The findings of the suite for a subject. */
export interface Proof extends Omit<Subject, 'start' | 'exercisedBy'> {
  readonly depth: Depth;
  /** Stated and implied requirements with findings. */
  readonly found: readonly string[];
  /** The first finding of each requirement, as text. */
  readonly messages: Readonly<Record<string, string>>;
  /** Undecided requirements with their reasons, from completed cases only. */
  readonly inconclusive: readonly string[];
  /** Errors of our own. */
  readonly errors: readonly string[];
  readonly requests: number;
  /** Requests up to the first declared finding. Undefined without one. */
  readonly requestsToFirst: number | undefined;
  readonly durationMs: number;
}

/**
 * How much of the suite runs against a fault:
 * - `likely`: the cases that judge what it declares, then all cases if those did not find it;
 * - `whole`: all cases concurrently, as in a real run, until everything declared was found;
 * - `full`: all cases, to their end.
 */
type Depth = 'likely' | 'whole' | 'full';

export interface ProveOptions {
  readonly sections: readonly Section<never>[];
  readonly seed: number;
  readonly runs: number;
  readonly depth: Depth;
  /** Path prefix of the journals. Each subject has its own. */
  readonly journal: string;
}

/** Runs the suite against a subject, as far as `depth` says. A conforming subject always gets the whole suite. */
export async function prove(subject: Subject, options: ProveOptions): Promise<Proof> {
  if (options.depth !== 'likely' || subject.kind !== 'fault') {
    return attempt(subject, options, () => true);
  }
  const quick = await attempt(subject, options, likelyCases(subject));
  const all = subject.breaks.every((id) => quick.found.includes(id));
  if (all) return quick;
  const thorough = await attempt(subject, options, () => true);
  const firsts = [quick.requestsToFirst, thorough.requestsToFirst].filter((n) => n !== undefined);
  return {
    ...thorough,
    requestsToFirst: firsts.length === 0 ? undefined : Math.min(...firsts),
    durationMs: quick.durationMs + thorough.durationMs,
  };
}

type Wanted = (one: SuiteCase<never>, section: Section<never>) => boolean;

/** Cases that trigger the fault or judge what it declares. For universal requirements, all cases of their section. */
function likelyCases(subject: Subject): Wanted {
  if (subject.exercisedBy.length > 0) {
    return (one) => one.judges.some((id) => subject.exercisedBy.includes(id));
  }
  const declared = requirementsOf(subject.contract).filter(({ id }) => subject.breaks.includes(id));
  const universalSections = new Set(
    declared.filter(({ universal }) => universal).map(({ section }) => section),
  );
  return (one, section) =>
    one.judges.some((id) => subject.breaks.includes(id)) || universalSections.has(section.name);
}

async function attempt(subject: Subject, options: ProveOptions, wanted: Wanted): Promise<Proof> {
  const from = performance.now();
  const running = await subject.start();
  const found = new Set<string>();
  let requestsToFirst: number | undefined;
  let stopped = false;
  // One journal per proof, so that concurrent proofs do not read each other's entries.
  const journal = `${options.journal}-${randomUUID()}`;
  const session = await openSession(running.planned, { runId: `proof-${process.pid}`, journal });
  const run = watched(session, (requirement, requests, end) => {
    found.add(requirement);
    if (!subject.breaks.includes(requirement)) return;
    requestsToFirst ??= requests;
    const all = subject.breaks.every((id) => found.has(id));
    if (!all || options.depth === 'full' || subject.kind !== 'fault') return;
    stopped = true;
    end('everything declared was found');
  });
  try {
    const cases = casesOf(options.sections, subject.contract, wanted);
    const outcomes = await runCases(cases, run.session, {
      seed: options.seed,
      depth: 'thorough',
      runs: options.runs,
      signal: run.signal,
    });
    const { start: _start, exercisedBy: _exercisedBy, ...described } = subject;
    return {
      ...described,
      depth: options.depth,
      found: [...found].toSorted(),
      messages: firstMessages(outcomes),
      inconclusive: stopped ? [] : gapsOf(outcomes),
      errors: stopped
        ? []
        : outcomes.flatMap(({ case: name, errors }) =>
            errors.map(({ message }) => `${name}: ${message}`),
          ),
      requests: run.requests(),
      requestsToFirst,
      durationMs: performance.now() - from,
    };
  } finally {
    await session.close();
    await running.close();
    // The instances in the journal are gone with the subject.
    rmSync(journal, { force: true });
  }
}

function firstMessages(outcomes: readonly CaseOutcome[]): Readonly<Record<string, string>> {
  const messages: Record<string, string> = {};
  for (const { findings } of outcomes) {
    for (const { requirement, message, expected, actual } of findings) {
      messages[requirement] ??= `${message} Expected ${expected}, actual ${actual}`.slice(0, 500);
    }
  }
  return messages;
}

function gapsOf(outcomes: readonly CaseOutcome[]): readonly string[] {
  return outcomes
    .flatMap(({ gaps }) => gaps)
    .filter(({ kind }) => kind === 'inconclusive')
    .map(({ requirement, reason }) => `${requirement}: ${reason}`);
}

export interface ProofVerdict {
  /**
   * - `killed`: everything that the fault declares was found, and nothing else except its consequences. At depth
   *   `full`, any of these is enough, since the fault may disturb the case that would find it.
   * - `survived`: a declared requirement was not found.
   * - `wrongly-killed`: found, but also a requirement that is not a consequence.
   * - `quiet`: a conforming subject without findings.
   * - `false-alarm`: a conforming subject with a finding, or with an error of our own.
   */
  readonly kind: 'killed' | 'survived' | 'wrongly-killed' | 'quiet' | 'false-alarm';
  readonly missed: readonly string[];
  readonly surplus: readonly string[];
}

export function verdictOf(proof: Proof): ProofVerdict {
  const missed = proof.breaks.filter((id) => !proof.found.includes(id));
  const declared = new Set([...proof.breaks, ...proof.consequences]);
  const surplus = proof.found.filter((id) => !declared.has(id));
  if (proof.kind !== 'fault') {
    const quiet = surplus.length === 0 && proof.errors.length === 0;
    return { kind: quiet ? 'quiet' : 'false-alarm', missed, surplus };
  }
  const found = proof.depth === 'full' && surplus.length < proof.found.length;
  if (missed.length > 0 && !found) return { kind: 'survived', missed, surplus };
  return { kind: surplus.length > 0 ? 'wrongly-killed' : 'killed', missed, surplus };
}
