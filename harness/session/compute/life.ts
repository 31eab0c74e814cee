/** One instance that we may do anything to, and everything that was seen of it. */

import { type InstanceState, lifecycleOrder } from '../../../schemas/compute/states.ts';
import { type Look, isInstanceState } from '../../checks/compute/lifecycle-order.ts';
import { type Journey, settles } from '../../checks/compute/settling.ts';
import { type Judgement, vacuous } from '../../checks/judgement.ts';
import { instancesOf, textOf } from '../../checks/compute/records.ts';
import { pause } from '../../exchange/budget.ts';
import { Inconclusive, NotExercised } from '../../suite/signals.ts';
import type { Sighting } from './instances.ts';
import type { ComputeContext } from './session.ts';

type Watching = Pick<
  ComputeContext,
  'api' | 'look' | 'transition' | 'signal' | 'disposable' | 'bindings'
>;

/** Milliseconds for which a change is waited for. */
const SETTLING_MS = 5 * 60_000;
const FIRST_POLL_MS = 10;
const SLOWEST_POLL_MS = 1_000;
/** Looks in a row that show nothing before an instance counts as out of sight. */
const LOOKS_INTO_NOTHING = 4;
/** States that an instance leaves by itself before it runs. */
const early: ReadonlySet<string> = new Set(
  lifecycleOrder.slice(0, lifecycleOrder.indexOf('RUNNING')),
);

export class Life {
  readonly id: string;
  readonly #t: Watching;
  readonly #looks: Look[] = [];
  #started = false;

  constructor(t: Watching, id: string) {
    this.#t = t;
    this.id = id;
  }

  /** A disposable instance of our own, in whatever state it is. */
  static async any(t: Watching): Promise<Life> {
    return new Life(t, await t.disposable());
  }

  /**
   * A disposable instance that runs. Throws `NotExercised` when it rests in another state and cannot be started,
   * `Inconclusive` when it takes too long.
   */
  static async running(t: Watching): Promise<Life> {
    const life = await Life.any(t);
    if ((await life.rest()) === 'STOPPED' && t.bindings.start !== undefined) {
      await t.api.start(life.id);
      life.startedSince();
      await life.#until((state) => state === 'RUNNING' || state === 'ERRORED');
    }
    await life.mustSee('RUNNING');
    return life;
  }

  /** A disposable instance that was stopped and has settled. Throws as `running` does. */
  static async stopped(t: Watching): Promise<Life> {
    const life = await Life.any(t);
    await life.beStopped();
    return life;
  }

  /** Waits until the instance runs, or rests in a state that it does not leave by itself. */
  async rest(): Promise<InstanceState> {
    return this.#until((state) => !early.has(state) && state !== 'STOPPING');
  }

  /** Stops the instance if it runs, and waits until it is STOPPED. */
  async beStopped(): Promise<void> {
    if ((await this.rest()) === 'RUNNING') await this.#t.api.stop(this.id);
    await this.#until((state) => state !== 'RUNNING' && state !== 'STOPPING');
    await this.mustSee('STOPPED');
  }

  /** Every documented state that was seen, in order. */
  get looks(): readonly Look[] {
    return this.#looks;
  }

  /** Says that a start may have reached the instance. */
  startedSince(): void {
    this.#started = true;
  }

  /** Looks once; undefined when the instance is not to be seen. */
  async look(): Promise<Sighting | undefined> {
    const seen = (await this.#t.look(this.id)) ?? (await this.#lookAmongTerminated());
    if (seen === undefined || !isInstanceState(seen.status)) return seen;
    const before = this.#looks.at(-1)?.state;
    if (before !== undefined && before !== seen.status) this.#t.transition(before, seen.status);
    this.#looks.push({ state: seen.status, exchange: seen.exchange, startedSince: this.#started });
    this.#started = false;
    return seen;
  }

  /**
   * Looks once, and must see it, in one of the states when any are named. Throws `Inconclusive` when it is out
   * of sight, `NotExercised` when it is in another state.
   */
  async mustSee(...states: readonly InstanceState[]): Promise<Sighting> {
    const seen = await this.look();
    if (seen === undefined) throw new Inconclusive(`instance ${this.id} is out of sight`);
    if (states.length === 0 || states.some((state) => state === seen.status)) return seen;
    throw new NotExercised(
      `the disposable instance ${this.id} is ${seen.status} and not ${states.join(' or ')}`,
    );
  }

  /**
   * Follows the instance after an accepted call until it has settled, went astray, erred or fell out of sight.
   * Throws `Inconclusive` when it takes too long: the contract gives no times.
   */
  async follow(journey: Journey): Promise<Judgement> {
    const from = this.#looks.length;
    let missed = 0;
    await this.#poll(async () => {
      missed = (await this.look()) === undefined ? missed + 1 : 0;
      const looks = this.#looks.slice(from);
      return (
        missed >= LOOKS_INTO_NOTHING ||
        looks.at(-1)?.state === 'ERRORED' ||
        settles(looks, journey).seen > 0
      );
    }, journey.to);
    return missed >= LOOKS_INTO_NOTHING ? vacuous : settles(this.#looks.slice(from), journey);
  }

  async #until(enough: (state: InstanceState) => boolean): Promise<InstanceState> {
    let state: InstanceState | undefined;
    await this.#poll(async () => {
      const seen = await this.look();
      state = isInstanceState(seen?.status) ? seen.status : undefined;
      return state !== undefined && enough(state);
    }, 'rest');
    if (state === undefined) throw new Inconclusive(`instance ${this.id} is out of sight`);
    return state;
  }

  async #poll(done: () => Promise<boolean>, goal: string): Promise<void> {
    const until = performance.now() + SETTLING_MS;
    for (let wait = FIRST_POLL_MS; !(await done()); wait = Math.min(wait * 1.5, SLOWEST_POLL_MS)) {
      if (performance.now() > until) {
        throw new Inconclusive(
          `instance ${this.id} did not come to ${goal} within ${SETTLING_MS / 60_000} minutes; last seen ${this.#looks.at(-1)?.state ?? 'nowhere'}`,
        );
      }
      await pause(wait, this.#t.signal);
    }
  }

  /** Whether what is terminated stays readable and listed is open; the status filter is the last resort. */
  async #lookAmongTerminated(): Promise<Sighting | undefined> {
    const exchange = await this.#t.api.list({ status: 'terminated', size: 200 });
    const record = instancesOf(exchange)?.find((one) => textOf(one, 'instance_id') === this.id);
    return record === undefined
      ? undefined
      : { exchange, record, status: textOf(record, 'status') ?? '' };
  }
}
