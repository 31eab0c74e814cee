/** One instance that the suite may do anything to, and everything that was seen of it. */

import { isStop } from '../../checks/compute/actions.ts';
import type { InstanceState } from '../../../schemas/compute/states.ts';
import {
  type ObservedState,
  earlyOrderKept,
  isBooting,
  isInstanceState,
  isPassing,
  orderKept,
} from '../../checks/compute/lifecycle.ts';
import {
  type Journey,
  LAG_MS,
  CERTAINLY_STUCK_MS,
  isOver,
  leftBehind,
  settles,
  startOfStopped,
  stopOfRunning,
  stuckOnTheWay,
} from '../../checks/compute/settling.ts';
import { type Judgement, notObserved } from '../../checks/judgement.ts';
import { isSuccess } from '../../checks/compute/records.ts';
import { pause } from '../../exchange/budget.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';
import { foundStuck, observeAmongTerminated, outOfSight, untilDone } from './instances.ts';
import { startWithRetries, stopInTurn, terminateErred } from './actions.ts';
import type { Observation, ComputeContext } from './api.ts';
import { limitMs, retry } from '../../runner/retry.ts';

/** What following an instance needs of a context. */
export type Watching = Pick<ComputeContext, 'observe' | 'observeInList' | 'transition' | 'judge'> &
  Pick<ComputeContext, 'signal' | 'session' | 'disposable' | 'bindings' | 'target'> & {
    readonly api: Pick<
      ComputeContext['api'],
      'get' | 'list' | 'start' | 'stop' | 'terminate' | 'mayHaveStopped'
    >;
  };

/** Looks at an instance at rest, and the milliseconds that they span: two ticks of a meter with a period of 1 s. */
const WATCHED = { forMs: 2_200, times: 8 };
/** Looks in a row that show nothing before an instance counts as invisible. */
const MAX_UNSEEN_IN_A_ROW = 4;
/** Looks in a row at an undocumented status, after which it does not count as a passing one. */
const MAX_UNKNOWN_IN_A_ROW = 10;

export class InstanceProbe {
  readonly id: string;
  readonly #t: Watching;
  readonly #ours: boolean;
  readonly #states: ObservedState[] = [];
  #started = false;
  /** When the last start reached the instance, in milliseconds since 1970. */
  #startedAt = -Infinity;
  /** When the instance was first seen in its latest state. */
  #movedAt = 0;
  /** When the instance was requested; undefined when it may have existed before. */
  readonly #askedAt: number | undefined;
  /** Milliseconds from the request until the instance was seen running. */
  #bootMs: number | undefined;
  /** When the list was first seen ahead of the single record. */
  #settledInList: number | undefined;
  #unknownInARow = 0;

  /** `ours`: nobody else acts on the instance, so each look is checked against the order of states. */
  constructor(t: Watching, id: string, ours = false, askedAt?: number) {
    this.#t = t;
    this.id = id;
    this.#ours = ours;
    this.#askedAt = askedAt;
  }

  /** A disposable instance in any state. */
  static async any(t: Watching): Promise<InstanceProbe> {
    const from = performance.now();
    const isMade = !Array.isArray(t.target.instances?.provision);
    return new InstanceProbe(t, await t.disposable(), true, isMade ? from : undefined);
  }

  /** A running disposable instance. Throws `NotExercised` if it cannot be started, `Inconclusive` if that takes too long. */
  static async running(t: Watching): Promise<InstanceProbe> {
    const probe = await InstanceProbe.any(t);
    if ((await probe.rest()) === 'STOPPED' && t.bindings.start !== undefined) {
      const { answer } = await startWithRetries(t, probe.id);
      probe.startedSince();
      if (isSuccess(answer)) await probe.follow(startOfStopped);
    }
    await probe.#requireSeen('RUNNING');
    return probe;
  }

  /** A disposable instance that was stopped and has settled. Throws like `running`. */
  static async stopped(t: Watching): Promise<InstanceProbe> {
    const probe = await InstanceProbe.any(t);
    await probe.stopAndWait();
    return probe;
  }

  /** Waits until the instance runs, or rests in another state that it does not leave by itself. */
  async rest(): Promise<InstanceState> {
    return this.#until((state) => !isPassing(state));
  }

  /** Stops the instance if it runs, and waits until it is STOPPED. */
  async stopAndWait(): Promise<void> {
    const runs = (await this.rest()) === 'RUNNING';
    if (runs && isSuccess(await stopInTurn(this.#t, this))) await this.follow(stopOfRunning);
    await this.#requireSeen('STOPPED');
  }

  /** Requires that the last look showed the state, or that a new one does. What the run made and erred is terminated. */
  async #requireSeen(state: InstanceState): Promise<void> {
    const last = this.#states.at(-1)?.state;
    if (last === 'ERRORED' && this.#askedAt !== undefined) await terminateErred(this.#t, this);
    else if (last !== state) await this.requireStatus(state);
  }

  /** Every documented state that was seen, in order. */
  get observedStates(): readonly ObservedState[] {
    return this.#states;
  }

  /** Records that a start may have reached the instance. */
  startedSince(): void {
    this.#started = true;
    this.#startedAt = Date.now();
  }

  /** Looks once, or again if the look goes back and may be stale; undefined if invisible. `soon` waits for no other case. */
  async observe(soon = false): Promise<Observation | undefined> {
    const { seen, observe } = await retry(
      this.#t,
      'copyOfInstance',
      async () => this.#observeOnce(soon),
      (one) => one.observe === undefined || !this.#mayBeBehind(one.observe),
    );
    if (observe !== undefined) this.#take(observe);
    this.#unknownInARow = seen === undefined || observe !== undefined ? 0 : this.#unknownInARow + 1;
    if (this.#unknownInARow < MAX_UNKNOWN_IN_A_ROW) return seen;
    throw new Inconclusive(`instance ${this.id} rests in ${seen?.status}, an undocumented state`);
  }

  async #observeOnce(
    soon: boolean,
  ): Promise<{ readonly seen?: Observation | undefined; readonly observe?: ObservedState }> {
    const seen =
      (await this.#t.observe(this.id, 'primary', soon)) ??
      (await observeAmongTerminated(this.#t.api, this.id));
    if (seen === undefined || !isInstanceState(seen.status)) return { seen };
    const { status: state, exchange } = seen;
    return { seen, observe: { state, exchange, startedSince: this.#started } };
  }

  /** Looks that are spread over the time, without those that show nothing. */
  async watch({ forMs, times } = WATCHED): Promise<readonly Observation[]> {
    const observations: (Observation | undefined)[] = [];
    for (let n = 0; n < times; n += 1) {
      if (n > 0) await pause(forMs / (times - 1), this.#t.signal);
      observations.push(await this.observe());
    }
    return observations.filter((seen) => seen !== undefined);
  }

  /** Whether a look shows an earlier state than the look before it, while that may come from a stale copy. */
  #mayBeBehind(observe: ObservedState): boolean {
    const before = this.#states.at(-1);
    if (before === undefined || !this.#ours) return false;
    // A stale copy shows the state before the start, which the order of states would allow as the end of a stop.
    const isOfBefore = observe.exchange.startedAt < this.#startedAt + LAG_MS;
    if (isOfBefore && observe.state === 'STOPPED' && isBooting(before.state)) return true;
    if (performance.now() > this.#movedAt + LAG_MS || this.#wasNeverIn(observe)) return false;
    // A start of a booting or running instance may do nothing, so it does not explain a way back.
    const then = isBooting(before.state) ? { ...observe, startedSince: false } : observe;
    return [orderKept, earlyOrderKept].some((kept) => kept([before, then]).violations.length > 0);
  }

  /** Whether a look shows what no copy can have kept: a stop of an instance that the run made and never stopped. */
  #wasNeverIn({ state }: ObservedState): boolean {
    const isFollowed =
      this.#askedAt !== undefined && !this.#states.some((one) => isStop(one.state));
    const isEnding = this.#states.at(-1)?.state === 'TERMINATING';
    return isStop(state) && isEnding && isFollowed && !this.#t.api.mayHaveStopped(this.id);
  }

  #take(observe: ObservedState): void {
    if (observe.state === 'RUNNING' && this.#askedAt !== undefined) {
      this.#bootMs ??= performance.now() - this.#askedAt;
    }
    const before = this.#states.at(-1);
    if (before !== undefined && this.#ours) {
      this.#t.judge('compute.states.order-kept', orderKept([before, observe]));
      this.#t.judge('compute.states.early-order-kept', earlyOrderKept([before, observe]));
    }
    this.#states.push(observe);
    if (before?.state === observe.state) return;
    if (before !== undefined) this.#t.transition(before.state, observe.state);
    this.#movedAt = performance.now();
    // A start may take time: it can show in any look until the instance has moved.
    if (before !== undefined) this.#started = false;
  }

  /** Looks until the state is new, one of `states`, or certainly not stale; undefined when the instance is not visible. */
  async observeFresh(...states: readonly InstanceState[]): Promise<Observation | undefined> {
    const before = new Set(this.#states.map(({ state }) => state));
    const isFresh = (seen: Observation | undefined): boolean =>
      !isInstanceState(seen?.status) || !before.has(seen.status) || states.includes(seen.status);
    return retry(this.#t, 'copyOfInstance', async () => this.observe(true), isFresh);
  }

  /** Looks once. Throws `Inconclusive` if it sees nothing, `NotExercised` if it sees none of the named states. */
  async requireStatus(...states: readonly InstanceState[]): Promise<Observation> {
    const seen = await this.observe();
    if (seen === undefined) throw await outOfSight(this.#t, this.id);
    if (states.length === 0 || states.some((state) => state === seen.status)) return seen;
    throw new NotExercised(
      `the disposable instance ${this.id} is ${seen.status} and not ${states.join(' or ')}`,
    );
  }

  /**
   * Follows the instance after an accepted call until it has settled, taken a wrong way, erred or become invisible.
   * Throws `Inconclusive` when that takes too long, since the contract gives no times. An instance is stuck only when
   * it has not moved for many times as long as it took to boot. A single record that stays behind the list is a
   * violation with `blameRecord`, and not observed otherwise. `closely` looks often enough to meet passing states.
   */
  async follow(
    journey: Journey,
    { blameRecord = false, closely = false, from = this.#states.length } = {},
  ): Promise<Judgement> {
    this.#settledInList = undefined;
    let missed = 0;
    // A journey that the list has shown to be over is late in the record, and not stuck.
    const stuck = (leastMs?: number): Judgement =>
      this.#settledInList === undefined
        ? stuckOnTheWay(this.#states.slice(from), journey, this.#bootMs, leastMs)
        : notObserved;
    const isFinished = async (): Promise<boolean> => {
      missed = (await this.observe()) === undefined ? missed + 1 : 0;
      const states = this.#states.slice(from);
      return (
        missed >= MAX_UNSEEN_IN_A_ROW ||
        isOver(states, journey) ||
        (await this.#isSettledInList(states, journey.to)) ||
        stuck(CERTAINLY_STUCK_MS).violations.length > 0
      );
    };
    const goal = { instance: this.id, goal: journey.to, states: this.#states };
    const wait = closely ? 'settlesClosely' : 'settles';
    const given = await untilDone(this.#t, goal, isFinished, wait).catch((why: unknown) => why);
    if (missed >= MAX_UNSEEN_IN_A_ROW) return notObserved;
    const states = this.#states.slice(from);
    if (await this.#isSettledInList(states, journey.to)) {
      return blameRecord ? leftBehind(states, journey) : notObserved;
    }
    const broken = stuck();
    if (broken.violations.length > 0) {
      foundStuck(this.#t);
      return broken;
    }
    if (given !== undefined) throw given;
    return settles(states, journey);
  }

  /** Whether the list has shown the end of the journey for a while, and the single record still does not. */
  async #isSettledInList(states: readonly ObservedState[], to: InstanceState): Promise<boolean> {
    const [first, last] = [states[0], states.at(-1)];
    if (first === undefined || last === undefined || last.state === to) return false;
    if (this.#t.bindings.getInstance === undefined) return false;
    const since = this.#settledInList;
    if (since !== undefined) return last.exchange.startedAt - since > LAG_MS;
    if (last.exchange.startedAt - first.exchange.startedAt < LAG_MS) return false;
    const listed = await this.#t.observeInList(this.id);
    if (listed?.status === to) this.#settledInList = listed.exchange.startedAt;
    return false;
  }

  async #until(enough: (state: InstanceState) => boolean): Promise<InstanceState> {
    let state: InstanceState | undefined;
    const from = this.#states.length;
    this.#settledInList = undefined;
    const appearing = performance.now() + limitMs('appears');
    const goal = { instance: this.id, goal: 'rest', states: this.#states };
    await untilDone(this.#t, goal, async () => {
      const seen = await this.observe();
      state = isInstanceState(seen?.status) ? seen.status : undefined;
      if (state === undefined) return performance.now() > appearing;
      return enough(state) || (await this.#isSettledInList(this.#states.slice(from), 'RUNNING'));
    });
    if (state !== undefined && !enough(state)) {
      throw new Inconclusive(`the single record of ${this.id} stays behind the list`);
    }
    if (state === undefined) throw await outOfSight(this.#t, this.id);
    return state;
  }
}
