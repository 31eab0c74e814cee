/** Stops of running instances, and what follows them. */

import { mayBeAutomatic } from '../../checks/compute/actions.ts';
import { isSuccess, type WireRecord } from '../../checks/compute/records.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive } from '../../runner/case.ts';
import { InstanceProbe } from './instance-probe.ts';
import { createdNow, newerFirst } from '../../checks/collection/boundary.ts';
import { clockOf } from '../../checks/compute/figures.ts';
import { instant } from '../collection/dating.ts';
import { isDying, isInstanceState, type ObservedState } from '../../checks/compute/lifecycle.ts';
import { runtimeIn, type RuntimeReading } from '../../checks/compute/runs.ts';
import { stopOfRunning as stopJourney } from '../../checks/compute/settling.ts';
import { type Judgement, notObserved } from '../../checks/judgement.ts';
import { pause } from '../../exchange/budget.ts';
import { LONGEST_NOTE, noteOf } from '../../generate/bodies.ts';
import { NOTED, restsInTheEnd, type WrongBody } from './actions.ts';
import type { ActionOptions, Observation, ComputeContext } from './api.ts';
import { SOON, experiment, followed } from './standing.ts';
import { type Listing, readInstances } from '../collection/reading.ts';
import { eventually, retry } from '../../runner/retry.ts';
import { waits } from '../../runner/waits.ts';

const booting: ReadonlySet<string> = new Set(['CREATED', 'DEPLOYED', 'STARTING']);

/**
 * Requires that the instance still ran when it was called; `listed` is its record in an earlier list. Throws
 * `Inconclusive` when the call was refused and the instance may have left RUNNING before, also by a first try of the
 * call that failed and still took effect.
 */
export async function requireStillRan(
  probe: Pick<InstanceProbe, 'observeFresh'>,
  answer: Exchange,
  listed: WireRecord | undefined,
): Promise<void> {
  if (isSuccess(answer)) return;
  const seen = await probe.observeFresh();
  const left = seen?.status ?? '';
  // Another user, or the service, may have terminated it.
  if (left === 'ERRORED' || isDying(left) || mayBeAutomatic('RUNNING', left, listed)) {
    throw new Inconclusive('the instance left RUNNING by itself before it was called');
  }
  if (seen !== undefined && booting.has(seen.status)) {
    throw new Inconclusive('the instance was rebooted when it was called');
  }
  const isConflict = answer.response?.status === 409;
  if (answer.retries > 0 && isConflict && seen !== undefined && seen.status !== 'RUNNING') {
    throw new Inconclusive('a first try of the call failed, and may have moved the instance');
  }
}

/**
 * The response to a stop of a stopped instance. Throws `Inconclusive` when the instance has erred by itself, for which no
 * outcome is stated; a 400 refuses the body.
 */
export async function stopStopped(
  t: Pick<ComputeContext, 'api' | 'observe'>,
  id: string,
  options?: ActionOptions,
): Promise<Exchange> {
  const answer = await t.api.stop(id, options);
  if (isSuccess(answer) || answer.response?.status === 400) return answer;
  if ((await t.observe(id))?.status !== 'ERRORED') return answer;
  throw new Inconclusive('the stopped instance became ERRORED by itself');
}

/** Instances on which a call must fail before that is no coincidence. */
const FAILURES = 3;

/** The responses of a running instance to requests with wrong bodies, and its state afterwards. */
export interface Refused {
  readonly probe: InstanceProbe;
  readonly answers: readonly { readonly body: WrongBody; readonly answer: Exchange }[];
  /** A look after the last of them, and another one if that did not show the instance running. */
  readonly after: readonly [Observation, Observation];
  readonly listed: Observation | undefined;
}

/** Sends wrong bodies to a running instance, up to the first that is accepted or moves it. */
export async function sendWrongBodies(
  t: ComputeContext,
  action: 'stop' | 'terminate',
  bodies: readonly WrongBody[],
): Promise<Refused> {
  const probe = await InstanceProbe.running(t);
  const listed = await t.observeInList(probe.id);
  const answers: Refused['answers'][number][] = [];
  for (const body of bodies) {
    const answer = await t.api[action](probe.id, body.options);
    answers.push({ body, answer });
    if (isSuccess(answer)) break;
    // Outside RUNNING a stop may be refused for another reason.
    const hasMoved = action === 'stop' && (await probe.requireStatus()).status !== 'RUNNING';
    if (hasMoved && answer.response?.status !== 400) answers.pop();
    if (hasMoved) break;
  }
  const first = await probe.requireStatus();
  const after = [first, first.status === 'RUNNING' ? first : await probe.requireStatus()] as const;
  if (mayBeAutomatic('RUNNING', after[1].status, listed?.record)) {
    throw new Inconclusive('the hours of the instance ended while it was looked at');
  }
  return { probe, answers, after, listed };
}

/** The response to another account that reads the instance in a passing state; undefined without a second key. */
export async function seenByOther(
  t: Pick<ComputeContext, 'api' | 'target'>,
  id: string,
): Promise<Exchange | undefined> {
  return t.target.keys.second === undefined ? undefined : t.api.get(id, { ...SOON, as: 'second' });
}

/** A stop of a running instance, followed to its end, with the list from before the instance was made. */
export const stopOfRunning = experiment(async (t) => {
  const listedBefore = await readInstances(t.api);
  const stopped = await stopRunning(t);
  const { probe, listed, answer } = stopped;
  const [second, foreignGet] = await Promise.all([t.api.stop(probe.id), seenByOther(t, probe.id)]);
  await requireStillRan(probe, answer, listed?.record);
  const settled = await followed(probe, answer, stopJourney);
  const after = await probe.requireStatus();
  return { ...stopped, listedBefore, second, foreignGet, settled, after };
});

/** Milliseconds around now: more than clocks and boots need, less than local time that is taken for UTC is off. */
const AROUND_NOW_MS = [-90 * 60_000, 45 * 60_000] as const;

/** Whether dates around now select an instance that was made for this run and not listed before. */
export async function datedNow(
  t: Pick<ComputeContext, 'api' | 'signal'>,
  { probe, listedBefore }: { readonly probe: InstanceProbe; readonly listedBefore: Listing },
): Promise<Judgement> {
  const [page] = listedBefore.exchanges;
  const { earliest, latest } = page ? clockOf(page) : { earliest: Date.now(), latest: Date.now() };
  const query = {
    date_range_begin: instant(earliest + AROUND_NOW_MS[0]),
    date_range_end: instant(latest + AROUND_NOW_MS[1]),
  };
  const read = async () => readInstances(t.api, query, { mostPages: 1 });
  const judge = async () => createdNow(probe.id, listedBefore, await read());
  return eventually(t, 'copyCatchesUp', judge);
}

/** Whether the default order begins with an instance that was made for this run, ahead of those listed before. */
export async function listedFirst(
  t: Pick<ComputeContext, 'api' | 'signal'>,
  { probe, listedBefore }: { readonly probe: InstanceProbe; readonly listedBefore: Listing },
): Promise<Judgement> {
  const [first] = listedBefore.exchanges;
  if (first === undefined) return notObserved;
  const query = { date_range_begin: instant(clockOf(first).latest) };
  const judge = async () => {
    const page = await readInstances(t.api, {}, { mostPages: 1 });
    return newerFirst(probe.id, listedBefore, page, await readInstances(t.api, query));
  };
  return eventually(t, 'copyCatchesUp', judge);
}

/**
 * Stops a running instance and looks at it until the response comes. After a failure without effect, the stop is sent
 * again. After a failure that stopped the instance all the same, a further instance is tried, since a repeated stop
 * would hide the failure.
 */
async function stopRunning(t: ComputeContext) {
  for (let tried = 1; ; tried += 1) {
    const probe = await InstanceProbe.running(t);
    const listed = await t.observeInList(probe.id);
    const before = await probe.requireStatus('RUNNING');
    const stopping = t.api.stop(probe.id, { ...NOTED, repeat: false });
    const meanwhile = await observeUntil(t, probe.id, stopping);
    const answer = await stopping;
    const status = answer.response?.status;
    if (status !== 500 && status !== 429) return { probe, listed, before, answer, meanwhile };
    const acted =
      status === 500 && (await probe.observeFresh('STOPPING', 'STOPPED'))?.status !== 'RUNNING';
    if (!acted)
      return { probe, listed, before, answer: await t.api.stop(probe.id, NOTED), meanwhile: [] };
    if (tried === FAILURES) return { probe, listed, before, answer, meanwhile };
  }
}

const MAX_LOOKS = 20;

/** Looks at an instance until the response to a call comes. */
async function observeUntil(
  t: ComputeContext,
  id: string,
  call: Promise<Exchange>,
): Promise<readonly ObservedState[]> {
  const observedStates: ObservedState[] = [];
  let isAnswered = false;
  const answered = call.then(
    () => (isAnswered = true),
    () => (isAnswered = true),
  );
  for (let n = 0; n < MAX_LOOKS; n += 1) {
    await Promise.race([answered, pause(waits.unansweredCall.pollMs[0], t.signal)]);
    if (isAnswered) break;
    const seen = await t.observe(id, 'primary', true);
    if (isInstanceState(seen?.status))
      observedStates.push({ state: seen.status, exchange: seen.exchange });
  }
  return observedStates;
}

/** How a stopped instance is watched: number of looks, and milliseconds that they are spread over. */
const AFTER_A_STOP = { forMs: 1_800, times: 4 };

/** An instance from its boot to a stop with the longest note, as lists and responses describe it. */
export const bootRunStop = experiment(async (t) => {
  const probe = await InstanceProbe.running(t);
  // One look shows no order, so an instance that already ran is looked at twice.
  await probe.observe();
  const booted = [...probe.observedStates];
  const running = await t.observeInList(probe.id);
  const stop = await t.api.stop(probe.id, { json: { reason_note: noteOf(LONGEST_NOTE) } });
  await requireStillRan(probe, stop, running?.record);
  const settled = await followed(probe, stop, stopJourney, { blameRecord: true });
  const hasStopped = probe.observedStates.at(-1)?.state === 'STOPPED';
  // A stale copy may still show the state before the start, so a refused second stop is repeated.
  const second = hasStopped
    ? await retry(t, 'copyCatchesUp', async () => t.api.stop(probe.id), isSuccess)
    : undefined;
  // The instance may err between two calls, and the response to a stop is open then.
  const stays = hasStopped && (await probe.observe())?.status === 'STOPPED';
  const stopped = await t.observeInList(probe.id);
  const rests = hasStopped
    ? await restsInTheEnd(t, async () => runtimeWhileStopped(probe))
    : notObserved;
  const secondStop = stays ? second : undefined;
  return { probe, booted, running, stop, settled, secondStop, stopped, rests };
});

/** The runtimes of a stopped instance over a while, for as long as it is STOPPED. */
async function runtimeWhileStopped(probe: InstanceProbe): Promise<readonly RuntimeReading[]> {
  const observations = await probe.watch(AFTER_A_STOP);
  return observations
    .filter(({ status }) => status === 'STOPPED')
    .flatMap(({ record, exchange }) => runtimeIn(record, exchange));
}
