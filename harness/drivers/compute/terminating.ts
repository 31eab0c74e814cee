/** Calls to an instance while it is being destroyed. */

import { stateIn } from '../../checks/compute/actions.ts';
import { isSuccess } from '../../checks/compute/records.ts';
import { termination } from '../../checks/compute/settling.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { LONGEST_NOTE, noteOf } from '../../generate/bodies.ts';
import { NotExercised } from '../../runner/case.ts';
import { underWay } from '../../runner/retry.ts';
import { NOTED } from './actions.ts';
import type { ActionOptions, ComputeContext } from './api.ts';
import { InstanceProbe } from './instance-probe.ts';
import { experiment, followed, SOON } from './standing.ts';
import { seenByOther } from './stops.ts';
import { makesInstances, terminateWithRetries, TRIES } from './terminations.ts';

const TOO_LONG = { json: { reason_note: noteOf(LONGEST_NOTE + 1) } };

/**
 * Terminates a stopped instance and sends calls while it is being destroyed; if instances can be made, on as many as
 * it takes to meet TERMINATING. `long` is the response to a terminate with a note that is too long.
 */
export const terminationOfStopped = experiment(async (t) => {
  for (let tried = 1; ; tried += 1) {
    let behind: Promise<StopOfTerminating> | undefined;
    const api = {
      terminate: async (id: string, options: ActionOptions) => {
        const terminated = t.api.terminate(id, options);
        behind = underWay(stopOfTerminating(t, id));
        return terminated;
      },
    };
    const { answer, ...met } = await terminateWithRetries(api, SOON, async () => {
      const probe = await InstanceProbe.stopped(t);
      const long = await t.api.terminate(probe.id, TOO_LONG);
      // The open connections let a terminate and a stop reach the service at the same moment.
      const [listed, lastStop] = await Promise.all([
        t.observeInList(probe.id),
        t.api.stop(probe.id, SOON),
      ]);
      return { probe, long, listed, lastStop };
    });
    const { probe } = met;
    const [[first, second], terminatedList, foreign, foreignGet] = await Promise.all([
      stopsOfTerminating(t, probe.id),
      t.api.list({ status: 'terminated', size: 200 }, SOON),
      t.target.keys.second === undefined
        ? undefined
        : t.api.terminate(probe.id, { ...SOON, as: 'second' }),
      seenByOther(t, probe.id),
    ]);
    // A stop of a stopped instance is accepted, so a conflict shows that the stop came after the terminate.
    const early = await behind;
    const isBehind = early?.answer.response?.status === 409 && early.isMet;
    const sent = [first, second, ...(isBehind ? [early] : [])];
    const wasMet = isSuccess(answer) && sent.some(({ isMet }) => isMet);
    const isLast = tried === TRIES || !makesInstances(t) || !isSuccess(answer);
    const after = isSuccess(answer)
      ? await probe.observeFresh('TERMINATING', 'TERMINATED')
      : await probe.observe(true);
    if (!wasMet && after?.status === 'TERMINATED' && !isLast) continue;
    const settled = await followed(probe, answer, termination);
    // A single 500 may be a passing failure, and a repeated stop would meet the next state, so it is left out.
    const failed = sent.filter((one) => one.answer.response?.status === 500);
    const stops = failed.length === 1 ? sent.filter((one) => !failed.includes(one)) : sent;
    return { ...met, answer, stops, foreign, foreignGet, terminatedList, after, settled };
  }
});

/** A stop right after a terminate. */
interface StopOfTerminating {
  readonly answer: Exchange;
  /** Whether a look that began after the response still shows TERMINATING. */
  readonly isMet: boolean;
  /** Whether the response, or an earlier look, shows that the termination had begun: an accepted one may be queued. */
  readonly hasBegun: boolean;
}

/** Two stops, one after the other. */
async function stopsOfTerminating(t: ComputeContext, id: string) {
  const first = await stopOfTerminating(t, id);
  const second = await stopOfTerminating(t, id, NOTED);
  return [first, { ...second, hasBegun: second.hasBegun || first.isMet }] as const;
}

async function stopOfTerminating(
  t: ComputeContext,
  id: string,
  body: ActionOptions = {},
): Promise<StopOfTerminating> {
  const answer = await t.api.stop(id, { ...SOON, ...body, repeat: false });
  const seen = await t.observe(id, 'primary', true);
  const shown = stateIn(answer);
  const hasBegun = shown === 'TERMINATING' || shown === 'TERMINATED';
  return { answer, isMet: seen?.status === 'TERMINATING', hasBegun };
}

/** Sends a start right after the terminate. */
export const startOfTerminating = experiment(async (t) => {
  const probe = await InstanceProbe.stopped(t);
  const answer = await t.api.terminate(probe.id, SOON);
  await t.api.start(probe.id, SOON);
  probe.startedSince();
  if (!isSuccess(answer)) throw new NotExercised('the terminate was not accepted');
  return probe.follow(termination);
});
