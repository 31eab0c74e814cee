/** One instance that we may do anything to, and everything that was seen of it. */

import { type InstanceState, lifecycleOrder } from '../../../schemas/compute/states.ts';
import {
  type Look,
  earlyOrderKept,
  isBooting,
  isInstanceState,
  orderKept,
} from '../../checks/compute/lifecycle.ts';
import {
  type Journey,
  LAG_MS,
  hasReturned,
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
import { lookAmongTerminated } from './instances.ts';
import { startPatiently } from './actions.ts';
import type { Sighting, ComputeContext } from './api.ts';
import { limitMs, retry, waits, within } from '../../runner/retry.ts';

/** What following an instance needs of a context. */
export type Watching = Pick<
  ComputeContext,
  'look' | 'lookInList' | 'transition' | 'judge' | 'signal' | 'disposable' | 'bindings' | 'target'
> & { readonly api: Pick<ComputeContext['api'], 'get' | 'list' | 'start' | 'stop' | 'terminate'> };

/** Milliseconds for which an instance that rests is watched, two ticks of a meter that is read once a second, and looks. */
const WATCHED = { forMs: 2_200, looks: 8 };
/** Looks in a row that show nothing before an instance counts as out of sight. */
const LOOKS_INTO_NOTHING = 4;
/** Looks in a row at a status that no document knows, after which it is no passing one. */
const LOOKS_AT_UNKNOWN = 10;
/** States that an instance leaves by itself; others may destroy one that is ours. */
const passing: ReadonlySet<string> = new Set([
  ...lifecycleOrder.slice(0, lifecycleOrder.indexOf('RUNNING')),
  'STOPPING',
  'TERMINATING',
]);

export class InstanceProbe {
  readonly id: string;
  readonly #t: Watching;
  readonly #ours: boolean;
  readonly #looks: Look[] = [];
  #started = false;
  /** When a start reached the instance last, in milliseconds since 1970. */
  #startedAt = -Infinity;
  /** When the instance was first seen in its latest state. */
  #movedAt = 0;
  /** When the instance was asked for; undefined where it may have been there before. */
  readonly #askedAt: number | undefined;
  /** Milliseconds from then on until it was seen to run. */
  #bootMs: number | undefined;
  /** When the list was first seen to be ahead of the single record. */
  #settledInList: number | undefined;
  #looksAtUnknown = 0;

  /** `ours` says that nobody else acts on the instance: then the order of its states is judged with each look. */
  constructor(t: Watching, id: string, ours = false, askedAt?: number) {
    this.#t = t;
    this.id = id;
    this.#ours = ours;
    this.#askedAt = askedAt;
  }

  /** A disposable instance of our own, in whatever state it is. */
  static async any(t: Watching): Promise<InstanceProbe> {
    const from = performance.now();
    const isMade = !Array.isArray(t.target.instances?.provision);
    return new InstanceProbe(t, await t.disposable(), true, isMade ? from : undefined);
  }

  /**
   * A disposable instance that runs. Throws `NotExercised` when it rests in another state and cannot be started,
   * `Inconclusive` when it takes too long.
   */
  static async running(t: Watching): Promise<InstanceProbe> {
    const probe = await InstanceProbe.any(t);
    if ((await probe.rest()) === 'STOPPED' && t.bindings.start !== undefined) {
      const { answer } = await startPatiently(t, probe.id);
      probe.startedSince();
      if (isSuccess(answer)) await probe.follow(startOfStopped);
    }
    await probe.requireStatus('RUNNING');
    return probe;
  }

  /** A disposable instance that was stopped and has settled. Throws as `running` does. */
  static async stopped(t: Watching): Promise<InstanceProbe> {
    const probe = await InstanceProbe.any(t);
    await probe.stopAndWait();
    return probe;
  }

  /** Waits until the instance runs, or rests in a state that it does not leave by itself. */
  async rest(): Promise<InstanceState> {
    return this.#until((state) => !passing.has(state));
  }

  /** Stops the instance if it runs, and waits until it is STOPPED. */
  async stopAndWait(): Promise<void> {
    const runs = (await this.rest()) === 'RUNNING';
    if (runs && isSuccess(await this.#t.api.stop(this.id))) await this.follow(stopOfRunning);
    await this.requireStatus('STOPPED');
  }

  /** Every documented state that was seen, in order. */
  get looks(): readonly Look[] {
    return this.#looks;
  }

  /** Says that a start may have reached the instance. */
  startedSince(): void {
    this.#started = true;
    this.#startedAt = Date.now();
  }

  /**
   * Looks once; undefined when the instance is not to be seen. `soon` waits for no other case. A look that goes back may be
   * that of a copy which is behind: it is taken again for as long as that can be.
   */
  async look(soon = false): Promise<Sighting | undefined> {
    const { seen, look } = await retry(
      this.#t,
      'copyOfInstance',
      async () => this.#lookOnce(soon),
      (one) => one.look === undefined || !this.#mayBeBehind(one.look),
    );
    if (look !== undefined) this.#take(look);
    this.#looksAtUnknown = seen === undefined || look !== undefined ? 0 : this.#looksAtUnknown + 1;
    if (this.#looksAtUnknown < LOOKS_AT_UNKNOWN) return seen;
    throw new Inconclusive(`instance ${this.id} rests in ${seen?.status}, an undocumented state`);
  }

  async #lookOnce(
    soon: boolean,
  ): Promise<{ readonly seen?: Sighting | undefined; readonly look?: Look }> {
    const seen =
      (await this.#t.look(this.id, 'primary', soon)) ??
      (await lookAmongTerminated(this.#t.api, this.id));
    if (seen === undefined || !isInstanceState(seen.status)) return { seen };
    const { status: state, exchange } = seen;
    return { seen, look: { state, exchange, startedSince: this.#started } };
  }

  /** Looks that are spread over the time; those that see nothing are left out. */
  async watch({ forMs, looks } = WATCHED): Promise<readonly Sighting[]> {
    const sightings: (Sighting | undefined)[] = [];
    for (let n = 0; n < looks; n += 1) {
      if (n > 0) await pause(forMs / (looks - 1), this.#t.signal);
      sightings.push(await this.look());
    }
    return sightings.filter((seen) => seen !== undefined);
  }

  /** Whether a look shows what was before the one before it, while a copy may still do so. */
  #mayBeBehind(look: Look): boolean {
    const before = this.#looks.at(-1);
    if (before === undefined || !this.#ours) return false;
    // A copy that is behind shows what was before the start, which the order allows as the end of a stop.
    const isOfBefore = look.exchange.startedAt < this.#startedAt + LAG_MS;
    if (isOfBefore && look.state === 'STOPPED' && isBooting(before.state)) return true;
    if (performance.now() > this.#movedAt + LAG_MS) return false;
    // A start of what boots or runs already need not do anything: it explains no way back.
    const then = isBooting(before.state) ? { ...look, startedSince: false } : look;
    return [orderKept, earlyOrderKept].some((kept) => kept([before, then]).violations.length > 0);
  }

  #take(look: Look): void {
    if (look.state === 'RUNNING' && this.#askedAt !== undefined) {
      this.#bootMs ??= performance.now() - this.#askedAt;
    }
    const before = this.#looks.at(-1);
    if (before !== undefined && this.#ours) {
      this.#t.judge('compute.states.order-kept', orderKept([before, look]));
      this.#t.judge('compute.states.early-order-kept', earlyOrderKept([before, look]));
    }
    this.#looks.push(look);
    if (before?.state === look.state) return;
    if (before !== undefined) this.#t.transition(before.state, look.state);
    this.#movedAt = performance.now();
    // A start may take its time: it can show in any look until the instance has moved.
    if (before !== undefined) this.#started = false;
  }

  /**
   * Looks until the instance is in one of the states, or in none that it was seen in before, or readers of a copy
   * would no longer be behind; undefined when it is not to be seen.
   */
  async lookFresh(...states: readonly InstanceState[]): Promise<Sighting | undefined> {
    const before = new Set(this.#looks.map(({ state }) => state));
    const isFresh = (seen: Sighting | undefined): boolean =>
      !isInstanceState(seen?.status) || !before.has(seen.status) || states.includes(seen.status);
    return retry(this.#t, 'copyOfInstance', async () => this.look(true), isFresh);
  }

  /**
   * Looks once, and must see it, in one of the states when any are named. Throws `Inconclusive` when it is out
   * of sight, `NotExercised` when it is in another state.
   */
  async requireStatus(...states: readonly InstanceState[]): Promise<Sighting> {
    const seen = await this.look();
    if (seen === undefined) throw new Inconclusive(`instance ${this.id} is out of sight`);
    if (states.length === 0 || states.some((state) => state === seen.status)) return seen;
    throw new NotExercised(
      `the disposable instance ${this.id} is ${seen.status} and not ${states.join(' or ')}`,
    );
  }

  /**
   * Follows the instance after an accepted call until it has settled, went astray, erred or fell out of sight.
   * Throws `Inconclusive` when it takes too long: the contract gives no times. Only what has not moved for many times
   * as long as the instance took to come about is stuck. A single record that stays behind the list is broken where
   * `blameRecord` asks for it; elsewhere nothing can be said. `closely` looks so often that what passes is met.
   */
  async follow(
    journey: Journey,
    { blameRecord = false, closely = false } = {},
  ): Promise<Judgement> {
    const from = this.#looks.length;
    this.#settledInList = undefined;
    let missed = 0;
    const isSettled = async (): Promise<boolean> => {
      missed = (await this.look()) === undefined ? missed + 1 : 0;
      const looks = this.#looks.slice(from);
      return (
        missed >= LOOKS_INTO_NOTHING ||
        looks.at(-1)?.state === 'ERRORED' ||
        hasReturned(looks, journey) ||
        settles(looks, journey).seen > 0 ||
        (await this.#isSettledInList(looks, journey.to))
      );
    };
    try {
      await this.#poll(isSettled, journey.to, closely ? 'settlesClosely' : 'settles');
    } catch (error) {
      const stuck = stuckOnTheWay(this.#looks.slice(from), journey, this.#bootMs);
      if (error instanceof Inconclusive && stuck.violations.length > 0) return stuck;
      throw error;
    }
    const looks = this.#looks.slice(from);
    if (await this.#isSettledInList(looks, journey.to)) {
      return blameRecord ? leftBehind(looks, journey) : notObserved;
    }
    return missed >= LOOKS_INTO_NOTHING ? notObserved : settles(this.#looks.slice(from), journey);
  }

  /** Whether the list has shown the end of the journey for a while that the single record does not show. */
  async #isSettledInList(looks: readonly Look[], to: InstanceState): Promise<boolean> {
    const [first, last] = [looks[0], looks.at(-1)];
    if (first === undefined || last === undefined || last.state === to) return false;
    if (this.#t.bindings.getInstance === undefined) return false;
    const since = this.#settledInList;
    if (since !== undefined) return last.exchange.startedAt - since > LAG_MS;
    if (last.exchange.startedAt - first.exchange.startedAt < LAG_MS) return false;
    const listed = await this.#t.lookInList(this.id);
    if (listed?.status === to) this.#settledInList = listed.exchange.startedAt;
    return false;
  }

  async #until(enough: (state: InstanceState) => boolean): Promise<InstanceState> {
    let state: InstanceState | undefined;
    const from = this.#looks.length;
    this.#settledInList = undefined;
    const appearing = performance.now() + limitMs('appears');
    await this.#poll(async () => {
      const seen = await this.look();
      state = isInstanceState(seen?.status) ? seen.status : undefined;
      if (state === undefined) return performance.now() > appearing;
      return enough(state) || (await this.#isSettledInList(this.#looks.slice(from), 'RUNNING'));
    }, 'rest');
    if (state !== undefined && !enough(state)) {
      throw new Inconclusive(`the single record of ${this.id} stays behind the list`);
    }
    if (state === undefined) throw new Inconclusive(`instance ${this.id} is out of sight`);
    return state;
  }

  async #poll(
    done: () => Promise<boolean>,
    goal: string,
    wait: 'settles' | 'settlesClosely' = 'settles',
  ): Promise<void> {
    // No time is documented, so patience comes from the budget.
    const ms = Math.min(waits.settles.withinMs, (this.#t.target.budget.minutes * 60_000) / 4);
    if (await retry(this.#t, within(wait, ms), done, (isDone) => isDone)) return;
    throw new Inconclusive(
      `instance ${this.id} did not come to ${goal} within ${Math.round(ms / 1_000)} s, a quarter of budget.minutes; last seen ${this.#looks.at(-1)?.state ?? 'nowhere'}`,
    );
  }
}
