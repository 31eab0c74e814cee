/** One instance of a target with its model: each call and each look is checked against the model. */

import type { ComputeRequirementId } from '../../schemas/compute/catalogue.ts';
import type { InstanceState } from '../../schemas/compute/states.ts';
import {
  type Action,
  type Answered,
  isStopStated,
  mayHaveEffect,
  outcomeOf,
  PossibleStates,
} from './model.ts';
import { blameForAnswer, blameForState, creditForAnswer, creditForState } from './blame.ts';
import { FirstRun, type Judge } from './first-run.ts';
import { foreignNotFound } from '../checks/compute/scoping.ts';
import {
  earlyOrderKept,
  isInstanceState,
  isPassing,
  type ObservedState,
} from '../checks/compute/lifecycle.ts';
import { LAG_MS } from '../checks/compute/settling.ts';
import { type Judgement, pass, violated } from '../checks/judgement.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { ComputeContext } from '../drivers/compute/session.ts';
import { pause } from '../exchange/budget.ts';
import { restsInTheEnd } from '../drivers/compute/actions.ts';
import { retry } from '../runner/retry.ts';
import { waits } from '../runner/waits.ts';
import type { Observation } from '../drivers/compute/api.ts';

/** Thrown when a requirement is broken or the target has forgotten the instance; its state is unknown from then on. */
class ModelBroken extends Error {
  override name = 'ModelBroken';
}

/** Tracks an instance up to the first broken requirement, which is judged before this returns. */
export async function untilBroken(track: () => Promise<void>): Promise<void> {
  try {
    await track();
  } catch (error) {
    if (!(error instanceof ModelBroken)) throw error;
  }
}

type Observer = Pick<
  ComputeContext,
  'observe' | 'observeInList' | 'transition' | 'record' | 'signal'
>;
type Client = Observer & {
  readonly api: Pick<ComputeContext['api'], Action | 'get'>;
};

/** Milliseconds before the second look while an instance settles, and the longest pause between two looks. */
const POLL_MS = [40, 1_000] as const;
/** Milliseconds for which a resting instance is watched, and the stops that a stopped one gets meanwhile. */
const LINGER_MS = 2_000;
const STOPS = 4;

export class TrackedInstance {
  readonly id: string;
  readonly #t: Client;
  readonly #judge: Judge;
  #states = PossibleStates.any();
  #last: { readonly state: InstanceState; readonly exchange: Exchange } | undefined;
  /** When the instance was first seen in its latest state. */
  #movedAt = Number.NEGATIVE_INFINITY;
  /** `started_at` of the record that last showed it RUNNING. */
  #ranFrom: unknown;
  /** When the last start that may have had an effect was answered, and whether a stop may have had one since. */
  #startedAt = Number.NEGATIVE_INFINITY;
  #stoppedSince = false;
  /** Calls since the last look, their answers, and whether some of them were concurrent. */
  #calls: readonly Answered[] = [];
  #answers: readonly Exchange[] = [];
  #together = false;
  #isBroken = false;
  readonly #isAtRest: boolean;
  readonly #firstRun: FirstRun;

  /** `isAtRest`: the instance came to rest so long ago that no copy shows an earlier state. */
  constructor(t: Client, id: string, judge: Judge, isAtRest = false) {
    this.#t = t;
    this.id = id;
    this.#judge = judge;
    this.#isAtRest = isAtRest;
    this.#firstRun = new FirstRun(judge);
  }

  /** True once a requirement is broken or the instance is forgotten. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** The state that was seen last, if no call was sent since; undefined otherwise. */
  get known(): InstanceState | undefined {
    return this.#calls.length === 0 ? this.#last?.state : undefined;
  }

  /** Looks at the record of the instance, or at the list. An instance that is not visible is not judged. */
  async observe(through: 'record' | 'list' = 'record'): Promise<InstanceState | undefined> {
    const seen = await retry(
      this.#t,
      'copyOfInstance',
      async () => (through === 'list' ? this.#t.observeInList(this.id) : this.#t.observe(this.id)),
      (one) => !this.#mayBeBehind(one, through),
    );
    const state = seen?.status;
    if (seen === undefined || !isInstanceState(state)) return undefined;
    if (!this.#states.visible.includes(state)) {
      if (!this.#hasRebooted(seen)) this.#refuse(state, seen.exchange);
      this.#states = PossibleStates.any();
    }
    if (state === 'RUNNING') this.#ranFrom = seen.record['started_at'];
    const precedesStart = this.#mayPrecedeStart(state, seen.exchange);
    // A start may take its time, so such a look says nothing about it.
    if (precedesStart && !this.#stoppedSince) return state;
    if (through === 'record') this.#firstRun.seen(seen);
    return this.#take(state, seen.exchange, precedesStart);
  }

  /** Whether the instance rebooted between two looks at RUNNING: no outcome is stated for a stop that meets a boot. */
  #hasRebooted({ status, record }: Observation): boolean {
    const { started_at: from } = record;
    const isLater =
      typeof from === 'string' && this.#ranFrom !== undefined && from !== this.#ranFrom;
    const hasStopped =
      this.#calls.length > 0 && this.#calls.every(({ action }) => action === 'stop');
    return isLater && hasStopped && this.#last?.state === 'RUNNING' && status === 'RUNNING';
  }

  /** Whether a look may come from a copy that is slightly behind earlier calls and looks. */
  #mayBeBehind(seen: Observation | undefined, through: 'record' | 'list'): boolean {
    const state = seen?.status;
    if (seen === undefined || !isInstanceState(state)) return false;
    const isOnward = earlyOrderKept(this.#steps(state, seen.exchange)).violations.length === 0;
    if (this.#states.visible.includes(state)) {
      if (this.#mayPrecedeStart(state, seen.exchange) && !this.#stoppedSince) return true;
      if (isOnward) return false;
    }
    const isMoving = through === 'list' || performance.now() < this.#movedAt + LAG_MS;
    return isMoving || this.#states.isBehind(state);
  }

  /** Whether a look may show the state before the last start. Such a look fits the model, so it must be told apart. */
  #mayPrecedeStart(state: InstanceState, { startedAt }: Exchange): boolean {
    return (state === 'STOPPING' || state === 'STOPPED') && startedAt < this.#startedAt + LAG_MS;
  }

  /** Looks until the instance is in a state that it does not leave by itself, or time is up. */
  async settle(withinMs: number): Promise<void> {
    const isAtRest = (state: InstanceState | undefined): boolean =>
      state === undefined || !isPassing(state);
    const observe = async () => {
      // A single record may stay stale while the list is current.
      const isLate = performance.now() > this.#movedAt + LAG_MS;
      if (isLate && !isAtRest(this.#last?.state)) await this.observe('list');
      return this.observe();
    };
    await retry(this.#t, { ...waits.settles, withinMs, pollMs: POLL_MS }, observe, isAtRest);
  }

  /** Looks again some time after the last call. A stopped instance is looked at and stopped again several times. */
  async linger(): Promise<void> {
    const rests = await restsInTheEnd(this.#t, async () => {
      const stops = this.#last?.state === 'STOPPED' ? STOPS : 1;
      const before = this.#firstRun.readings.length;
      for (let n = 0; n < stops; n += 1) {
        await pause(LINGER_MS / stops, this.#t.signal);
        if ((await this.observe()) === 'STOPPED') await this.call('stop');
      }
      return this.#firstRun.readings.slice(before);
    });
    this.#judge('compute.states.runtime-rests', rests);
  }

  /** Sends calls, concurrently if there are several, and checks the answers against the model. */
  async call(...actions: readonly Action[]): Promise<void> {
    const { known } = this;
    const answers = await Promise.all(
      actions.map(async (action) =>
        this.#t.api[action](this.id, { unbounded: actions.length > 1 }),
      ),
    );
    const calls = answers.map((answer, index): Answered => ({
      action: actions[index] ?? 'stop',
      outcome: outcomeOf(answer),
    }));
    const before = this.#states;
    this.#states = before.together(calls);
    const mayHaveDone = (action: Action): boolean =>
      calls.some((call) => call.action === action && mayHaveEffect(call.outcome));
    if (mayHaveDone('start')) {
      this.#firstRun.started();
      this.#startedAt = Math.max(...answers.map((one) => one.startedAt + one.durationMs));
      this.#stoppedSince = false;
    }
    if (mayHaveDone('stop')) this.#stoppedSince = true;
    this.#calls = [...this.#calls, ...calls];
    this.#answers = [...this.#answers, ...answers];
    this.#together ||= calls.length > 1;
    const [only] = calls;
    if (only === undefined) return;
    const id =
      calls.length > 1 ? 'compute.states.concurrent-calls' : blameForAnswer(only, before.visible);
    if (this.#states.isEmpty) {
      if (before.visible.includes('TERMINATED')) await this.#endIfForgotten(answers);
      this.#hold(
        id,
        violated(
          'The answer is one that no order of the documented transitions explains.',
          { expected: `what fits ${before.visible.join(', ')}`, actual: callsText(calls) },
          ...answers,
        ),
      );
    }
    const [answer] = answers;
    if (calls.length > 1) this.#firstRun.calledTogether();
    else if (only.action === 'stop' && answer) this.#firstRun.stopped(known, answer);
    if (known === undefined || answer === undefined) return;
    // Only a known state makes an answer right or wrong; otherwise nearly every answer fits.
    const shownBy = calls.length > 1 ? id : creditForAnswer(only, known);
    if (shownBy !== undefined) this.#judge(shownBy, pass());
    if (calls.length > 1 || only.action !== 'stop') return;
    if (!isStopStated(known)) {
      const note = `a stop of an instance that is ${known} is ${only.outcome}`;
      this.#t.record('compute.stop-instance.elsewhere', note, answer);
    }
  }

  /** Sends a call with another account's key. The model does not move, so the next look shows whether it had an effect. */
  async foreign(action: Action | 'get'): Promise<void> {
    const answer = await this.#t.api[action](this.id, { as: 'second' });
    const what = `A ${action} with the key of another account`;
    this.#hold(`compute.scoping.foreign-${action}`, foreignNotFound(answer, undefined, what));
  }

  /** Checks a look against the model; an `old` one does not narrow the set. */
  #take(state: InstanceState, exchange: Exchange, old: boolean): InstanceState {
    const early = earlyOrderKept(this.#steps(state, exchange));
    this.#hold('compute.states.early-order-kept', early);
    const shown = creditForState(this.#calls, this.#last?.state, state);
    if (shown !== undefined) this.#judge(shown, pass());
    const isNew = this.#last === undefined ? !this.#isAtRest : this.#last.state !== state;
    if (isNew) this.#movedAt = performance.now();
    if (this.#last !== undefined) {
      this.#judge('compute.states.order-kept', pass());
      if (this.#last.state !== state) this.#t.transition(this.#last.state, state);
    }
    if (!old) this.#states = this.#states.observed(state);
    this.#last = { state, exchange };
    this.#calls = [];
    this.#answers = [];
    this.#together = false;
    return state;
  }

  /** The last look and this one, if no call was sent in between. */
  #steps(state: InstanceState, exchange: Exchange): readonly ObservedState[] {
    const last = this.#last;
    return last === undefined || this.#calls.length > 0 ? [] : [last, { state, exchange }];
  }

  #refuse(state: InstanceState, exchange: Exchange): void {
    this.#hold(
      blameForState(this.#calls, this.#last?.state, this.#together, state),
      violated(
        `An instance that was ${this.#last?.state ?? 'not seen'}${this.#calls.length === 0 ? '' : `, and then ${callsText(this.#calls)},`} cannot be ${state}.`,
        { expected: this.#states.visible.join(' or '), actual: state },
        exchange,
        ...this.#answers,
        ...(this.#last === undefined ? [] : [this.#last.exchange]),
      ),
    );
  }

  /** Stops tracking a terminated instance that is no longer visible: how long one is kept is open. */
  async #endIfForgotten(answers: readonly Exchange[]): Promise<void> {
    const isUnknown = answers.some(({ response }) => response?.status === 404);
    if (isUnknown && (await this.#t.observe(this.id)) === undefined) this.#end();
  }

  /** Reports a judgement, and ends the tracking if it has a violation. */
  #hold(id: ComputeRequirementId, judgement: Judgement): void {
    this.#judge(id, judgement);
    if (judgement.violations.length > 0) this.#end();
  }

  #end(): never {
    this.#isBroken = true;
    throw new ModelBroken();
  }
}

function callsText(calls: readonly Answered[]): string {
  return calls.map(({ action, outcome }) => `${action}: ${outcome}`).join(', ');
}
