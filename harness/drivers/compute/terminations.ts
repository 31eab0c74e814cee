/** Terminates of instances in each of their states, and what is asked of them while they are being destroyed. */

import { isTelling } from '../../checks/compute/answers.ts';
import type { Look } from '../../checks/compute/lifecycle-order.ts';
import { isSuccess } from '../../checks/compute/records.ts';
import { repeatedTermination, termination } from '../../checks/compute/settling.ts';
import { stateIn } from '../../checks/compute/shown-state.ts';
import {
  earlyConflicts,
  noEarlyConflict,
  repeatedTerminate,
} from '../../checks/compute/termination.ts';
import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { LONGEST_NOTE, noteOf } from '../../generate/bodies.ts';
import { Inconclusive, NotExercised } from '../../runner/signals.ts';
import type { ActionOptions } from './api.ts';
import type { ComputeContext } from './context.ts';
import { SOON, experiment, followed } from './experiment.ts';
import type { Sighting } from './instances.ts';
import { Life } from './life.ts';
import { rest } from '../../runner/retry.ts';

/** Instances on which a passing state is looked for, and on which a call must fail before that is no chance. */
const TRIES = 5;
const FAILURES = 3;
/** A state that is none of a journey may pass as soon as it has ended. */
const CLOSELY = { closely: true } as const;
/** What excuses a `NotExercised` where terminated instances are out of sight. */
export const OUT_OF_SIGHT = 'the instance erred, or terminated instances are not to be seen here';

/** Whether the target file lets a run make as many instances as it takes. */
function makesInstances({ target }: Pick<ComputeContext, 'target'>): boolean {
  return !Array.isArray(target.instances?.provision);
}

/** An instance, and what a terminate of it was answered. */
export interface Terminated {
  readonly life: Life;
  readonly answer: Exchange;
}

/**
 * Terminates an instance that `bring` brings. A call that failed and was sent again may have met what its first try had
 * begun, and then its answer tells nothing of the state before: it is tried on further instances, as long as there are any,
 * and the last answer counts.
 */
export async function terminatePatiently(
  api: { readonly terminate: (id: string, options: ActionOptions) => Promise<Exchange> },
  options: ActionOptions,
  bring: () => Promise<Life>,
): Promise<Terminated> {
  const terminated = async (): Promise<Terminated> => {
    const life = await bring();
    return { life, answer: await api.terminate(life.id, options) };
  };
  let last = await terminated();
  for (let tried = 1; tried < FAILURES && isUncertain(last.answer); tried += 1) {
    try {
      last = await terminated();
    } catch (error) {
      if (error instanceof NotExercised) return last;
      throw error;
    }
  }
  return last;
}

function isUncertain(answer: Exchange): boolean {
  return !isSuccess(answer) && answer.retries > 0;
}

/** A terminate, and how the instance was before it and is after it. */
export interface Termination {
  readonly life: Life;
  readonly before: Look;
  readonly answer: Exchange;
  /** Looks right after a refusal. */
  readonly refusedAt: Sighting | undefined;
  readonly settled: Judgement;
}

/** Terminates what `bring` brings, and follows it; a task that was under way may end later, and must not bring it back. */
async function terminateAndFollow(
  t: ComputeContext,
  options: ActionOptions,
  bring: () => Promise<Life>,
): Promise<Termination> {
  const met: Look[] = [];
  const { life, answer } = await terminatePatiently(t.api, options, async () => {
    const brought = await bring();
    const [before] = brought.looks.slice(-1);
    if (before === undefined) throw new Inconclusive(`instance ${brought.id} is out of sight`);
    met.push(before);
    return brought;
  });
  const [before] = met.slice(-1);
  if (before === undefined) throw new Inconclusive('no instance was terminated');
  const refusedAt = isSuccess(answer) || !isTelling(answer) ? undefined : await life.look();
  const settled = await followed(life, answer, termination, CLOSELY);
  if (life.looks.at(-1)?.state === 'TERMINATED') {
    await rest(t, 'afterTermination');
    await life.look();
  }
  return { life, before, answer, refusedAt, settled };
}

export const terminationOfRunning = experiment(async (t) =>
  terminateAndFollow(t, { json: { reason_note: noteOf(LONGEST_NOTE) } }, async () =>
    Life.running(t),
  ),
);

const booting: ReadonlySet<string> = new Set(['CREATED', 'DEPLOYED', 'STARTING', 'ERRORED']);

export const terminationOfBooting = experiment(async (t) => {
  const ended = await terminateAndFollow(t, SOON, async () => {
    for (let tried = 1; ; tried += 1) {
      const life = await Life.any(t);
      const seen = await life.look(true);
      if (booting.has(seen?.status ?? '')) return life;
      if (tried === TRIES || !makesInstances(t)) {
        throw new NotExercised(`a disposable instance was first seen ${seen?.status ?? 'nowhere'}`);
      }
    }
  });
  // A list shows as well what it tells of an instance that never ran.
  await t.api.list({ status: 'terminated', size: 200 });
  return ended;
});

/** A start is the one way to meet STARTING for certain. */
export const terminationOfStarting = experiment(async (t) =>
  terminateAndFollow(t, SOON, async () => {
    const life = await Life.stopped(t);
    for (let tried = 1; ; tried += 1) {
      const start = await t.api.start(life.id, SOON);
      if (!isSuccess(start)) throw new NotExercised('the start was not accepted');
      life.startedSince();
      const seen = await life.look(true);
      if (seen?.status === 'STARTING') return life;
      if (seen?.status !== 'RUNNING' || tried === FAILURES) {
        throw new NotExercised(`what was started was first seen ${seen?.status ?? 'nowhere'}`);
      }
      await life.stopAndWait();
    }
  }),
);

/** A call that fails is not repeated, which would meet the next state, but tried on further instances. */
export const terminationOfStopping = experiment(async (t): Promise<Termination> => {
  for (let tried = 1; ; tried += 1) {
    const life = await Life.running(t);
    const stop = await t.api.stop(life.id);
    // The answer may show the state before: then a look tells.
    const shown = stateIn(stop) === 'STOPPING' ? 'STOPPING' : (await life.look(true))?.status;
    const json = { reason_note: 'not needed any more' };
    const answer = await t.api.terminate(life.id, { ...SOON, repeat: false, json });
    const isMet = isSuccess(stop) && shown === 'STOPPING';
    const isTrouble = (answer.response?.status ?? 500) >= 429;
    if (isMet && (!isTrouble || tried >= FAILURES)) {
      const refusedAt = isSuccess(answer) ? undefined : await life.look();
      const settled = await followed(life, answer, termination, CLOSELY);
      return { life, before: { state: 'STOPPING', exchange: stop }, answer, refusedAt, settled };
    }
    if (tried === TRIES || !makesInstances(t)) {
      throw new NotExercised('no instance was met in STOPPING');
    }
  }
});

/** A stopped instance that is terminated, and what others ask of it while it is being destroyed. */
export interface TerminationOfStopped {
  readonly life: Life;
  readonly listed: Sighting | undefined;
  /** The answer to a terminate with a note that is too long. */
  readonly long: Exchange;
  readonly lastStop: Exchange;
  readonly answer: Exchange;
  readonly stops: readonly Exchange[];
  readonly foreign: Exchange | undefined;
  readonly terminatedList: Exchange;
  readonly after: Sighting | undefined;
  /** Whether a look that was begun once all of these were answered still showed TERMINATING. */
  readonly isMetTerminating: boolean;
  readonly settled: Judgement;
}

const TOO_LONG = { json: { reason_note: noteOf(LONGEST_NOTE + 1) } };

/** As often as it takes to meet TERMINATING, where instances can be made. */
export const terminationOfStopped = experiment(async (t): Promise<TerminationOfStopped> => {
  for (let tried = 1; ; tried += 1) {
    const met: Pick<TerminationOfStopped, 'listed' | 'long' | 'lastStop'>[] = [];
    const { life, answer } = await terminatePatiently(t.api, {}, async () => {
      const stopped = await Life.stopped(t);
      met.push({
        listed: await t.lookInList(stopped.id),
        long: await t.api.terminate(stopped.id, TOO_LONG),
        lastStop: await t.api.stop(stopped.id),
      });
      return stopped;
    });
    const [stop, second, terminatedList, foreign] = await Promise.all([
      t.api.stop(life.id, { ...SOON, repeat: false }),
      t.api.stop(life.id, { ...SOON, repeat: false }),
      t.api.list({ status: 'terminated', size: 200 }, SOON),
      t.target.keys.second === undefined
        ? undefined
        : t.api.terminate(life.id, { ...SOON, as: 'second' }),
    ]);
    const first = await life.look(true);
    const isMetTerminating = isSuccess(answer) && first?.status === 'TERMINATING';
    const isLast = tried === TRIES || !makesInstances(t) || !isSuccess(answer);
    const after = isSuccess(answer) ? await life.lookFresh('TERMINATING', 'TERMINATED') : first;
    const [last] = met.slice(-1);
    if (last === undefined) throw new Inconclusive('no instance was terminated');
    const isMissed = !isMetTerminating && after?.status === 'TERMINATED';
    if (isMissed && !isLast) continue;
    const settled = await followed(life, answer, termination);
    // A lone failure may pass, and a stop that was sent again would meet the next state.
    const failed = [stop, second].filter((one) => one.response?.status === 500);
    const stops =
      failed.length === 1 ? [stop, second].filter((one) => !failed.includes(one)) : [stop, second];
    return {
      ...last,
      life,
      answer,
      stops,
      foreign,
      terminatedList,
      after,
      isMetTerminating,
      settled,
    };
  }
});

/** An instance in which a start is sent right behind the terminate. */
export const startOfTerminating = experiment(async (t) => {
  const life = await Life.stopped(t);
  const answer = await t.api.terminate(life.id, SOON);
  await t.api.start(life.id, SOON);
  if (!isSuccess(answer)) throw new NotExercised('the terminate was not accepted');
  return life.follow(termination);
});

/** How often a terminate is repeated while the instance is being destroyed, at most. */
const REPEATS = 12;

/** What repeated terminates of one instance came to. */
export interface RepeatedTerminates {
  /** The first terminate, which was accepted. */
  readonly answer: Exchange;
  /** Answers that were those of an instance in TERMINATING; not observed where it was TERMINATED before. */
  readonly terminating: Judgement;
  /** Whether any of them was a conflict before the instance was TERMINATED. */
  readonly conflicts: Judgement;
  readonly statuses: readonly number[];
  readonly settled: Judgement;
}

/**
 * Repeats a terminate that was accepted for as long as the instance is TERMINATING, on as many instances as it takes to
 * meet that, and follows the last one until it has settled (compute#states/terminating-terminate).
 */
export const repeatedTerminates = experiment(async (t): Promise<RepeatedTerminates> => {
  for (let tried = 1; ; tried += 1) {
    const { life, answer } = await terminatePatiently(t.api, { json: {} }, async () => {
      const any = await Life.any(t);
      await any.rest();
      await any.requireStatus('RUNNING', 'STOPPED');
      return any;
    });
    if (!isSuccess(answer)) {
      const conflicts = noEarlyConflict(answer, await life.look());
      return { answer, terminating: notObserved, conflicts, statuses: [], settled: notObserved };
    }
    const repeated = await repeat(t, life, answer);
    const isMet = repeated.terminating.seen > 0;
    if (isMet || tried === TRIES || !makesInstances(t)) return { answer, ...repeated };
  }
});

async function repeat(
  t: ComputeContext,
  life: Life,
  first: Exchange,
): Promise<Omit<RepeatedTerminates, 'answer'>> {
  const statuses = new Set<number>();
  const [answers, conflicts]: [Judgement[], Judgement[]] = [[], []];
  const refused: Exchange[] = [];
  for (let n = 0; n < REPEATS; n += 1) {
    const again = await t.api.terminate(life.id, SOON);
    const after = await life.look(true);
    answers.push(repeatedTerminate(again, after));
    if (again.response?.status === 409) refused.push(again);
    else conflicts.push(noEarlyConflict(again, after));
    statuses.add(again.response?.status ?? 0);
    if (after === undefined || after.status === 'TERMINATED') break;
  }
  // An instance that takes too long to settle tells of conflicts all the same.
  const settled = await life.follow(repeatedTermination).catch((error: unknown) => {
    if (!(error instanceof Inconclusive)) throw error;
    return notObserved;
  });
  const early = earlyConflicts(first, refused, life.looks);
  return {
    terminating: together(...answers, early),
    conflicts: together(...conflicts, early),
    statuses: [...statuses],
    settled,
  };
}
