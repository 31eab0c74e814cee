/** Terminates of instances in each of their states, and calls while they are being destroyed. */

import { isInformative } from '../../checks/compute/answers.ts';
import { isDying, type ObservedState, notYetRunning } from '../../checks/compute/lifecycle.ts';
import { isSuccess } from '../../checks/compute/records.ts';
import { repeatedTermination, termination } from '../../checks/compute/settling.ts';
import {
  earlyConflicts,
  noEarlyConflict,
  repeatedTerminate,
  stateIn,
} from '../../checks/compute/actions.ts';
import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { LONGEST_NOTE, noteOf } from '../../generate/bodies.ts';
import { Inconclusive, NotExercised, orInconclusive } from '../../runner/case.ts';
import type { ActionOptions, Observation, ComputeContext } from './api.ts';
import { BRIEF, NOTED } from './actions.ts';
import { SOON, experiment, followed } from './standing.ts';
import { InstanceProbe } from './instance-probe.ts';
import { wholeRestart } from './restart.ts';
import { rest, retry, sendAtOnce } from '../../runner/retry.ts';

/** Instances on which a passing state is looked for, and on which a call must fail before that is no coincidence. */
export const TRIES = 5;
const FAILURES = 3;
/** A state that belongs to no journey may pass as soon as it is reached, so looks are frequent. */
const CLOSELY = { closely: true } as const;
/** The reason of a `NotExercised` when terminated instances are not visible. */
export const OUT_OF_SIGHT = 'the instance erred, or terminated instances are not to be seen here';

/** Whether the target file lets a run make as many instances as it needs. */
export function makesInstances({ target }: Pick<ComputeContext, 'target'>): boolean {
  return !Array.isArray(target.instances?.provision);
}

/**
 * Terminates an instance that `bring` provides. When a call was repeated and refused, the refusal may be due to the first
 * try, and says nothing of the state before. Then further instances are tried, and the last response counts. Throws
 * `Inconclusive` where there are no further ones and the first try has taken effect, or the instance is out of sight.
 */
export async function terminateWithRetries<
  T extends { readonly probe: Pick<InstanceProbe, 'id' | 'observeFresh'> },
>(
  api: { readonly terminate: (id: string, options: ActionOptions) => Promise<Exchange> },
  options: ActionOptions,
  bring: () => Promise<T>,
  triesLeft = FAILURES,
): Promise<T & { readonly answer: Exchange }> {
  const brought = await bring();
  const answer = await api.terminate(brought.probe.id, options);
  const last = { ...brought, answer };
  if (triesLeft === 1 || isSuccess(answer) || answer.retries === 0) return last;
  try {
    return await terminateWithRetries(api, options, bring, triesLeft - 1);
  } catch (error) {
    if (!(error instanceof NotExercised)) throw error;
    const seen = await brought.probe.observeFresh('TERMINATING', 'TERMINATED');
    const isUnmoved = seen !== undefined && !isDying(seen.status);
    if (isUnmoved) return last;
    throw new Inconclusive('a first try of the terminate failed, and may have taken effect');
  }
}

/** A terminate with the state of the instance before and after it. */
export interface Termination {
  readonly probe: InstanceProbe;
  readonly before: ObservedState;
  readonly answer: Exchange;
  /** A look right after a refusal. */
  readonly refusedAt: Observation | undefined;
  readonly settled: Judgement;
}

/** Terminates what `bring` provides and follows it. A background task may end later, and must not revive the instance. */
async function terminateAndFollow(
  t: ComputeContext,
  options: ActionOptions,
  bring: () => Promise<InstanceProbe>,
): Promise<Termination> {
  const { probe, before, answer } = await terminateWithRetries(t.api, options, async () => {
    const brought = await bring();
    const last = brought.observedStates.at(-1);
    if (last === undefined) throw new Inconclusive(`instance ${brought.id} is out of sight`);
    return { probe: brought, before: last };
  });
  const refusedAt = isSuccess(answer) || !isInformative(answer) ? undefined : await probe.observe();
  return { probe, before, answer, refusedAt, settled: await followedForGood(t, probe, answer) };
}

/** Follows an instance to its end, and looks once more some time later. */
async function followedForGood(
  t: ComputeContext,
  probe: InstanceProbe,
  answer: Exchange,
): Promise<Judgement> {
  const settled = await followed(probe, answer, termination, CLOSELY);
  if (probe.observedStates.at(-1)?.state === 'TERMINATED') {
    await rest(t, 'afterTermination');
    await probe.observe();
  }
  return settled;
}

/** `listed` is the last look at the list before the terminate. */
export const terminationOfRunning = experiment(async (t) => {
  let listed: Observation | undefined;
  const json = { reason_note: noteOf(LONGEST_NOTE) };
  const ended = await terminateAndFollow(t, { json }, async () => {
    const probe = await InstanceProbe.running(t);
    listed = await t.observeInList(probe.id);
    return probe;
  });
  return { ...ended, listed };
});

export const terminationOfBooting = experiment(async (t) => {
  const ended = await terminateAndFollow(t, SOON, async () => {
    for (let tried = 1; ; tried += 1) {
      const probe = await InstanceProbe.any(t);
      const seen = await probe.observe(true);
      if (notYetRunning.has(seen?.status ?? '')) return probe;
      if (tried === TRIES || !makesInstances(t)) {
        throw new NotExercised(`a disposable instance was first seen ${seen?.status ?? 'nowhere'}`);
      }
    }
  });
  // A list also shows what it says of an instance that never ran.
  await t.api.list({ status: 'terminated', size: 200 });
  return ended;
});

/** An instance that was made leaves CREATED by itself. */
export const terminationOfDeployed = experiment(async (t) =>
  terminateAndFollow(t, { ...SOON, json: {} }, async () => {
    const probe = await InstanceProbe.any(t);
    const isPast = (seen: Observation | undefined): boolean => seen?.status !== 'CREATED';
    const seen = await retry(t, 'settlesClosely', async () => probe.observe(true), isPast);
    if (seen?.status === 'DEPLOYED') return probe;
    throw new NotExercised(`after CREATED the instance was seen ${seen?.status ?? 'nowhere'}`);
  }),
);

/** The instance has had two runs. */
export const terminationOfRestarted = async (t: ComputeContext) => restartedOnce.of(t.lasting());

const restartedOnce = wholeRestart.goingOn(async (t, { probe, stopAfter }) => {
  if (stopAfter === undefined) throw new NotExercised('the instance did not run and stop again');
  return terminateAndFollow(t, { ...SOON, ...BRIEF }, async () => probe);
});

/** Only a start certainly leads to STARTING. */
export const terminationOfStarting = experiment(async (t) =>
  terminateAndFollow(t, { ...SOON, ...BRIEF }, async () => {
    const probe = await InstanceProbe.stopped(t);
    for (let tried = 1; ; tried += 1) {
      const start = await t.api.start(probe.id, SOON);
      if (!isSuccess(start)) throw new NotExercised('the start was not accepted');
      probe.startedSince();
      const seen = await probe.observe(true);
      if (seen?.status === 'STARTING') return probe;
      if (seen?.status !== 'RUNNING' || tried === FAILURES) {
        throw new NotExercised(`the started instance was first seen ${seen?.status ?? 'nowhere'}`);
      }
      await probe.stopAndWait();
    }
  }),
);

/** A call that fails is tried on further instances instead of being repeated, which would meet the next state. */
export const terminationOfStopping = experiment(async (t): Promise<Termination> => {
  for (let tried = 1; ; tried += 1) {
    const probe = await InstanceProbe.running(t);
    const stop = await t.api.stop(probe.id);
    // The response may still show the state before the stop; then a look decides.
    const shown = stateIn(stop) === 'STOPPING' ? 'STOPPING' : (await probe.observe(true))?.status;
    const json = { reason_note: 'not needed any more' };
    const answer = await t.api.terminate(probe.id, { ...SOON, repeat: false, json });
    const isMet = isSuccess(stop) && shown === 'STOPPING';
    const isTrouble = (answer.response?.status ?? 500) >= 429;
    if (isMet && (!isTrouble || tried >= FAILURES)) {
      const refusedAt = isSuccess(answer) ? undefined : await probe.observe();
      const settled = await followedForGood(t, probe, answer);
      return { probe, before: { state: 'STOPPING', exchange: stop }, answer, refusedAt, settled };
    }
    if (tried === TRIES || !makesInstances(t)) {
      throw new NotExercised('no instance was met in STOPPING');
    }
  }
});

/** Terminates that are sent together, before those that follow while the instance is being destroyed. */
const AT_ONCE = 4;

/**
 * Sends several terminates together, so that all but the first meet TERMINATING, and more while the instance is
 * TERMINATING; on as many instances as it takes to meet that state (compute#states/terminating-terminate).
 */
export const repeatedTerminates = experiment(async (t) => {
  for (let tried = 1; ; tried += 1) {
    const isLast = tried === TRIES || !makesInstances(t);
    const probe = await InstanceProbe.any(t);
    await probe.rest();
    await probe.requireStatus('RUNNING', 'STOPPED');
    const listed = await t.observeInList(probe.id);
    // The open connections let the calls reach the service at the same moment.
    await sendAtOnce(AT_ONCE, async () => t.observe(probe.id, 'primary', true));
    const terminate = async () => t.api.terminate(probe.id, { ...SOON, repeat: false, json: {} });
    const [first, ...others] = await Promise.all([terminate(), ...more(AT_ONCE - 1, terminate)]);
    const answer = [first, ...others].find((one) => isSuccess(one)) ?? first;
    if (isSuccess(answer)) {
      const sent = [first, ...others].filter((one) => one !== answer);
      const repeated = await repeat(t, probe, answer, sent);
      if (repeated.terminating.seen > 0 || isLast) return { answer, listed, ...repeated };
    } else if (isLast || tried >= FAILURES) {
      const conflicts = noEarlyConflict(answer, await probe.observe());
      return {
        answer,
        listed,
        terminating: notObserved,
        conflicts,
        statuses: [],
        settled: notObserved,
      };
    }
  }
});

function more<T>(count: number, make: () => T): readonly T[] {
  return Array.from({ length: count }, make);
}

/** `sent` are the responses to the terminates that were sent together with the one accepted first. */
async function repeat(
  t: ComputeContext,
  probe: InstanceProbe,
  first: Exchange,
  sent: readonly Exchange[],
) {
  const from = probe.observedStates.length;
  let after = await probe.observe(true);
  const repeated = sent.map((answer) => ({ answer, after }));
  // An instance that leaves TERMINATING again would be terminated anew.
  const wasOnItsWay = () => repeated.some((one) => one.after?.status === 'TERMINATING');
  const isConflict = ({ answer }: { readonly answer: Exchange }): boolean =>
    answer.response?.status === 409;
  // After a conflict only looks show whether it came too early: they follow at once, at shorter intervals than calls.
  const isOver = () =>
    after === undefined ||
    after.status === 'TERMINATED' ||
    (after.status !== 'TERMINATING' && wasOnItsWay()) ||
    repeated.some(isConflict);
  const again = async () => {
    after = await probe.observe(true);
    if (isOver()) return;
    const body = repeated.length % 2 === 1 ? NOTED : {};
    const answer = await t.api.terminate(probe.id, { ...SOON, ...body });
    after = await probe.observe(true);
    repeated.push({ answer, after });
  };
  await retry(t, 'terminatesAgain', again, isOver);
  // Conflicts count even when the instance takes too long to settle.
  const judged = await probe.follow(repeatedTermination, { from }).catch(orInconclusive);
  const settled = judged ?? notObserved;
  const refused = repeated.filter(isConflict).map(({ answer }) => answer);
  const others = repeated.filter((one) => !isConflict(one));
  const early = earlyConflicts(first, refused, probe.observedStates);
  return {
    /** Responses of an instance in TERMINATING; not observed when it was TERMINATED before. */
    terminating: together(...others.map((one) => repeatedTerminate(one.answer, one.after)), early),
    /** Whether any of them was a conflict before the instance was TERMINATED. */
    conflicts: together(...others.map((one) => noEarlyConflict(one.answer, one.after)), early),
    statuses: [...new Set(repeated.map(({ answer }) => answer.response?.status ?? 0))],
    settled,
  };
}
