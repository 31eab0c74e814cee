/** The start of a stopped instance, from the run before it to the end of the run after it. */

import { restarted } from '../../checks/compute/runs.ts';
import { isSuccess } from '../../checks/compute/records.ts';
import { startOfStopped, stopOfRunning } from '../../checks/compute/settling.ts';
import { notObserved } from '../../checks/judgement.ts';
import { type Exchange, endOf } from '../../exchange/exchange.ts';
import { Experiment, Inconclusive, NotExercised } from '../../runner/case.ts';
import { followed } from './standing.ts';
import { stopStopped } from './stops.ts';
import { InstanceProbe } from './instance-probe.ts';
import { startWithRetries } from './actions.ts';
import { rest, retry } from '../../runner/retry.ts';
import type { ComputeContext } from './api.ts';
import { readInstances } from '../collection/reading.ts';

/** Statuses with which a correct start may be refused, for lack of credit, permission or a host. */
const unavailable: ReadonlySet<number> = new Set([402, 403, 409, 503]);

/** The start of a stopped instance up to its response. */
const start = new Experiment(async (t: ComputeContext) => {
  const probe = await InstanceProbe.any(t);
  if ((await probe.rest()) === 'RUNNING') await rest(t, 'firstRun');
  await probe.stopAndWait();
  const before = await probe.requireStatus('STOPPED');
  const stopBefore = await t.api.stop(probe.id);
  const listedBefore = await t.observeInList(probe.id);
  const { answer, mayHaveStarted } = await startWithRetries(t, probe.id);
  probe.startedSince();
  const status = answer.response?.status ?? 0;
  if (unavailable.has(status)) {
    throw new NotExercised(
      `the start was refused with ${status}: for lack of credit, permission or a host`,
    );
  }
  if (!isSuccess(answer)) {
    const now = (await probe.observeFresh())?.status;
    if (now === 'ERRORED') {
      throw new NotExercised(
        'the instance became ERRORED, and the contract does not show what a start does then',
      );
    }
    if (mayHaveStarted && now !== 'STOPPED') {
      throw new Inconclusive('a first try of the start failed, and may have taken effect');
    }
  }
  return { probe, before, stopBefore, listedBefore, answer };
});

export const startOfOne = async (t: ComputeContext) => start.of(t.lasting());

/** A stopped instance that is started and stopped again; `stop` and `stopAfter` are undefined where they were impossible. */
export const wholeRestart = start.goingOn(async (t, started) => {
  const { probe, before, listedBefore, answer } = started;
  if (!isSuccess(answer)) throw new NotExercised('the start was not accepted');
  const settled = await probe.follow(startOfStopped);
  const after = await probe.requireStatus();
  const firstRun = probe.observedStates.find(({ state }) => state === 'RUNNING')?.exchange;
  // Milliseconds from a moment in the first run to the request for the second one.
  const apartMs = firstRun === undefined ? 0 : answer.startedAt - endOf(firstRun);
  // Only the list certainly shows the cost of the current run; a stale one may still show the run before.
  const listed = await retry(
    t,
    'copyCatchesUp',
    async () => t.observeInList(probe.id),
    (seen) => seen === undefined || restarted(before.record, seen, apartMs).violations.length === 0,
  );
  // What was listed before the start is owned by the caller: a list that has lost it is read until it shows it again.
  const whole =
    listedBefore === undefined || listed !== undefined
      ? undefined
      : await retry(
          t,
          'stoppedListed',
          async () => readInstances(t.api),
          ({ ids }) => ids.includes(probe.id.toLowerCase()),
        );
  const secondStart = await t.api.start(probe.id);
  probe.startedSince();
  const end = { ...started, settled, apartMs, after, listed, whole, secondStart };
  let stop: Exchange | undefined;
  if ((await probe.rest()) === 'RUNNING') {
    stop = await retry(t, 'onceMore', async () => t.api.stop(probe.id), isSuccess);
    if (!isSuccess(stop)) {
      // For an instance that ended by itself meanwhile no outcome is stated.
      const isRunning = (await probe.requireStatus()).status === 'RUNNING';
      if (isRunning) return { ...end, stop, ended: notObserved, stopAfter: undefined };
      stop = undefined;
    }
  }
  const ended = stop === undefined ? notObserved : await followed(probe, stop, stopOfRunning);
  if (ended.violations.length > 0) return { ...end, stop, ended, stopAfter: undefined };
  await probe.stopAndWait();
  return { ...end, stop, ended, stopAfter: await stopStopped(t, probe.id) };
});

export const restart = async (t: ComputeContext) => wholeRestart.of(t.lasting());
