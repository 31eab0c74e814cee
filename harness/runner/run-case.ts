/** Runs one case against one session and returns its outcome. Errors of the case become part of the outcome. */

import type { NeedName } from '../../schemas/contracts.ts';
import type { CaseOutcome } from '../../schemas/outcome.ts';
import { BudgetSpent } from '../exchange/budget.ts';
import { messageOf } from '../exchange/exchange.ts';
import type { Semaphore } from '../exchange/semaphore.ts';
import { TransportError } from '../exchange/repeating.ts';
import {
  Inconclusive,
  NotExercised,
  type Section,
  type SuiteCase,
  type TestContext,
  endOf,
  fixturesOf,
} from './case.ts';
import type { MissingNeed } from '../target/offers.ts';
import { CaseRecorder, type RecorderTools } from './recorder.ts';
import type { Lease, Locks } from './locks.ts';
import { runProperty } from './property.ts';
import { retry } from './retry.ts';
import type { RunPlan } from './selection.ts';

/** What the runner needs from a session of any contract. */
export interface SuiteSession<Context> {
  readonly tools: RecorderTools;
  readonly locks: Locks;
  /** Limits the cases that work at the same time; cases that mostly wait take no permit. */
  readonly permits: Semaphore;
  /** Requests that the budget still covers (default unlimited). */
  readonly requestsLeft?: () => number;
  /** Needs of the named requirements and of the case itself that the target file does not meet. */
  readonly missing: (
    requirements: readonly string[],
    needs: readonly NeedName[],
  ) => readonly MissingNeed[];
  /** Waits until the target and its surroundings are ready for these cases; what is not ready in time counts as missing. */
  readonly ready?: (cases: readonly Pick<SuiteCase<never>, 'judges' | 'needs'>[]) => Promise<void>;
  /** The context in which a case of this contract runs. */
  readonly context: (evidence: CaseRecorder, testContext: TestContext<string>) => Context;
}

/** A session that a run opens and closes. */
export interface RunnableSession extends SuiteSession<unknown> {
  /** Ends all requests and gives back what the session took from the target. */
  close(): Promise<void>;
  /** Ends all requests; requirements that are being judged become inconclusive. */
  readonly abort: () => void;
}

export interface CaseRunOptions extends Pick<RunPlan, 'seed' | 'runs' | 'depth' | 'replay'> {
  readonly signal: AbortSignal;
}

export async function runCase<Context>(
  section: Pick<Section<never>, 'contract' | 'name'>,
  one: SuiteCase<Context>,
  session: SuiteSession<Context>,
  options: CaseRunOptions,
): Promise<CaseOutcome> {
  const evidence = new CaseRecorder(session.tools);
  const about = { section: section.name, title: one.title, judges: one.judges };
  const missing = session.missing(one.judges, one.needs ?? []);
  if (missing.length > 0) {
    // A need that the target file cannot meet has no line.
    const line = missing.flatMap((need) => need.line || []).join('\n') || undefined;
    const reason = `needs ${missing.map((need) => need.purpose).join('; and ')}`;
    for (const requirement of one.judges) evidence.notExercised(requirement, reason, line);
    return evidence.outcome(about);
  }

  const isAlone = one.isolation === 'target';
  const lease = await session.locks.take({
    exclusive: fixturesOf(one),
    wholeTarget: isAlone,
    last: isAlone && one.waitsLong !== true,
    whenIdle: one.whenIdle === true,
  });
  // A case that holds the target or a fixture goes first, since other cases wait for it.
  const ahead = isAlone || fixturesOf(one).length > 0;
  const leave = one.waitsLong === true ? undefined : await session.permits.take({ ahead });
  const ended: (() => void)[] = [];
  try {
    options.signal.throwIfAborted();
    const context = session.context(evidence, {
      ...testContext(evidence, section, one, options, lease),
      atEnd: (act) => ended.push(act),
    });
    await attempt(() => one.run(context), evidence, one.judges, options);
  } catch (error) {
    gapsFor(error, evidence, one.judges, options.signal);
  } finally {
    for (const act of ended) act();
    leave?.();
    lease.release();
  }
  for (const requirement of one.judges) {
    if (evidence.accountsFor(requirement)) continue;
    evidence.gap({
      requirement,
      kind: 'inconclusive',
      reason: `no evidence: the case ended before it could check this${evidence.usualAnswer}`,
    });
  }
  return evidence.outcome(about);
}

/** Runs the case, and repeats it when trouble on the wire kept it from seeing all its requirements. */
async function attempt(
  run: () => Promise<void>,
  evidence: CaseRecorder,
  judges: readonly string[],
  options: CaseRunOptions,
): Promise<void> {
  let tries = 0;
  const once = async () => {
    if ((tries += 1) > 1) evidence.startOver();
    const before = evidence.unanswered;
    try {
      await run();
      const sawAll = judges.every((id) => evidence.accountsFor(id));
      return { isDone: sawAll || evidence.unanswered === before, threw: [] };
    } catch (error) {
      const judged = evidence.findings.some((finding) => judges.includes(finding.requirement));
      const isTransportError =
        error instanceof TransportError ||
        (error instanceof Inconclusive && evidence.unanswered > before);
      return { isDone: !isTransportError || judged, threw: [error] };
    }
  };
  const { threw } = await retry(options, 'caseAgain', once, ({ isDone }) => isDone);
  for (const error of threw) throw error;
}

/** Turns what a case threw into a gap, for a missing need or an obstacle, or into an error of our own. */
function gapsFor(
  error: unknown,
  evidence: CaseRecorder,
  judges: readonly string[],
  signal: AbortSignal,
): void {
  if (error instanceof NotExercised) {
    for (const requirement of judges) {
      if (!evidence.accountsFor(requirement))
        evidence.notExercised(requirement, error.message, error.line);
    }
    return;
  }
  const inTheWay =
    isGivenUp(error) ||
    error instanceof Inconclusive ||
    error instanceof TransportError ||
    error instanceof BudgetSpent ||
    signal.aborted;
  if (!inTheWay) {
    evidence.error(error);
    return;
  }
  // The case did not run to its end, so what it saw is incomplete.
  const reason = signal.aborted
    ? endOf(signal)
    : isGivenUp(error)
      ? 'a request was given up before budget.requestsPerSecond let it be sent'
      : messageOf(error);
  if (error instanceof BudgetSpent && error.waiting !== undefined) evidence.waited(error.waiting);
  const begun = !(error instanceof BudgetSpent) || evidence.requests > 0;
  for (const requirement of judges) {
    evidence.gap({ requirement, kind: 'inconclusive', reason, ...(begun ? {} : { begun }) });
  }
}

/** True when a request was aborted while it waited for the pace. */
function isGivenUp(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function testContext<Context>(
  evidence: CaseRecorder,
  section: Pick<Section<never>, 'contract' | 'name'>,
  one: SuiteCase<Context>,
  options: CaseRunOptions,
  lease: Lease,
): Omit<TestContext<string>, 'atEnd'> {
  const seed = seedOf(options.seed, `${section.contract}/${section.name}/${one.title}`);
  const some = <T>(values: readonly T[], few = 2, usual = Infinity): readonly T[] => {
    if (options.depth === 'thorough') return values;
    return someOf(values, options.depth === 'quick' ? few : usual, seed);
  };
  return {
    seed,
    thorough: options.depth === 'thorough',
    some,
    signal: options.signal,
    judge: (id, judgement) => {
      // An interrupted run cuts off its own requests, which says nothing about the target.
      if (!options.signal.aborted) evidence.judge(id, judgement);
    },
    record: (id, note, exchange) => evidence.record(id, note, exchange),
    notExercised: (requirement, reason, line) => evidence.notExercised(requirement, reason, line),
    inconclusive: (requirement, reason) =>
      evidence.gap({ requirement, kind: 'inconclusive', reason }),
    transition: (from, to) => evidence.transition(from, to),
    yieldTarget: lease.yieldTarget,
    property: async (name, arbitrary, probe, settings) =>
      runProperty(
        {
          ...settings,
          name,
          arbitrary,
          probe,
          examples: some(settings?.examples ?? [], 3),
          runs: Math.round(options.runs * (settings?.weight ?? 1)),
          seed: seedOf(seed, name),
          path: options.replay?.property === name ? options.replay.path : undefined,
          signal: options.signal,
        },
        evidence,
      ),
  };
}

/** The first value and consecutive others, which begin where the seed says. */
function someOf<T>(values: readonly T[], few: number, seed: number): readonly T[] {
  if (values.length <= few) return values;
  const others = values.slice(1);
  const from = seed % others.length;
  return [...values.slice(0, 1), ...others.slice(from), ...others.slice(0, from)].slice(0, few);
}

/** A 31-bit seed for a named part of a run (FNV-1a over the name, mixed with the run's seed). */
function seedOf(seed: number, name: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const unit of Buffer.from(name)) {
    hash ^= unit;
    hash = Math.imul(hash, 0x01000193);
  }
  return hash & 0x7fffffff;
}
