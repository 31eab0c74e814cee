/** One routing session: the steps of the policy chain, their tries, and the provider at the end. */

import type { IncomingMessage } from 'node:http';
import {
  type Dispatch,
  type EngineError,
  LinkLost,
  type ModelEntry,
  type RequestContext,
  RouterFailure,
  type StepEntry,
} from './model.ts';
import { type DeadlineClock, type Holdings, moveDeadline, sleepUntil } from './holdings.ts';
import { aborted, ask, bodyOf, type Delivery, errorBodyOf, noted, receive } from './agents.ts';
import type { Fleet } from './fleet.ts';
import type { Journey } from './rules/attempts.ts';
import type { RouterRules } from './rules/rules.ts';

export interface Order {
  readonly context: RequestContext;
  readonly model: ModelEntry;
  readonly dispatch: Dispatch;
  readonly holdings: Holdings;
  readonly clock: DeadlineClock;
  /** Charges the delivered response. @throws RouterFailure if it no longer fits a budget */
  readonly settle: (delivery: Delivery) => void;
}

export class Session {
  readonly #rules: RouterRules;
  readonly #fleet: Fleet;
  readonly #order: Order;
  readonly #waiting: Map<string, number>;
  readonly #redialled = new Set<string>();
  readonly #failures: RouterFailure[] = [];
  #full = false;

  /** `waiting` holds the number of sessions that wait for a slot, by model. All sessions share it. */
  constructor(rules: RouterRules, fleet: Fleet, waiting: Map<string, number>, order: Order) {
    this.#rules = rules;
    this.#fleet = fleet;
    this.#waiting = waiting;
    this.#order = order;
  }

  /** @throws RouterFailure that ended the session, or the reason of an abort */
  async run(): Promise<Delivery> {
    const { context, model } = this.#order;
    if (this.#rules.waitsForAgents() && model.provider === undefined) await this.#someEligible();
    for (const [index, step] of model.steps.entries()) {
      const delivery = await this.#step(step);
      if (delivery !== undefined) return delivery;
      if (!this.#rules.advances(index, this.#journey(), context)) break;
      moveDeadline(this.#order.clock, this.#rules.deadlineAt('next-step', context));
    }
    if (model.provider !== undefined && this.#rules.asksProvider(this.#journey(), context)) {
      return this.#provider(model.provider);
    }
    throw this.#rules.finalFailure(this.#journey(), context);
  }

  /** Waits until an agent of the model is eligible. @throws the reason of an abort */
  async #someEligible(): Promise<void> {
    const { context, model, dispatch } = this.#order;
    const names = model.steps.flatMap(({ agents }) => agents);
    context.stage = 'agent-wait';
    await sleepUntil(() => names.some((name) => this.#fleet.eligible(name)), dispatch.signal);
  }

  #journey(): Journey {
    return { failures: this.#failures, full: this.#full };
  }

  async #step(step: StepEntry): Promise<Delivery | undefined> {
    const failed = new Set<string>();
    for (let tries = 0; this.#rules.mayTry(step, tries, this.#order.context); tries += 1) {
      const candidates = step.agents.filter(
        (name) =>
          this.#fleet.eligible(name) && !this.#rules.avoids(failed, name, this.#order.context),
      );
      if (candidates.length === 0) return undefined;
      const agent = await this.#slot(candidates);
      if (agent === undefined) {
        this.#full = true;
        return undefined;
      }
      const delivery = await this.#tryAgent(agent);
      if (delivery !== undefined) return delivery;
      failed.add(agent);
      moveDeadline(this.#order.clock, this.#rules.deadlineAt('failed-try', this.#order.context));
    }
    return undefined;
  }

  /** A slot of one of the agents. Waits for one if the queue of the model has room. */
  async #slot(candidates: readonly string[]): Promise<string | undefined> {
    const { context, model, dispatch } = this.#order;
    if (!this.#rules.limited('slot', context)) return candidates[0];
    const taken = this.#fleet.slots.take(candidates);
    if (taken !== undefined) return taken;
    const waiting = this.#waiting.get(model.id) ?? 0;
    if (!this.#rules.mayWait(waiting, model.capacityQueue, context)) return undefined;
    context.stage = 'agent-wait';
    this.#waiting.set(model.id, waiting + 1);
    try {
      return await this.#fleet.slots.wait(candidates, dispatch.signal);
    } finally {
      this.#waiting.set(model.id, (this.#waiting.get(model.id) ?? 1) - 1);
    }
  }

  /** The response from an agent, or undefined if another agent may be tried. */
  async #tryAgent(agent: string): Promise<Delivery | undefined> {
    const { context, dispatch, holdings, settle } = this.#order;
    const taken = this.#rules.limited('slot', context);
    const release = holdings.add('slot', () => {
      if (taken) this.#fleet.slots.leave(agent);
    });
    context.stage = 'agent';
    context.agent = agent;
    context.engineError = undefined;
    try {
      const delivery = await this.#ask(agent);
      settle(delivery);
      return delivery;
    } catch (error) {
      dispatch.signal.throwIfAborted();
      const failure = asFailure(error);
      if (this.#rules.stops(failure.code, context)) throw failure;
      release('failed');
      this.#failures.push(failure);
      this.#fleet.rest(agent);
      return undefined;
    }
  }

  async #ask(agent: string): Promise<Delivery> {
    const answer = await this.#fleet.call(agent, this.#order, this.#redialled);
    if (answer.outcome === 'failed') throw new RouterFailure(answer.code, answer.message);
    const { outcome, message } = answer;
    if (outcome === 'answered') {
      moveDeadline(this.#order.clock, this.#rules.deadlineAt('head', this.#order.context));
      return this.#receive(message);
    }
    const { context, dispatch } = this.#order;
    const bytes = await errorBodyOf(message, this.#rules, context, dispatch.signal);
    const { statusCode: status = 502, headers } = message;
    const said = noted(this.#rules, { status, headers, bytes }, context);
    throw this.#forwardedFailure(said);
  }

  async #receive(message: IncomingMessage): Promise<Delivery> {
    try {
      const { context, dispatch } = this.#order;
      return await Promise.race([receive(message, this.#rules, context), aborted(dispatch.signal)]);
    } catch {
      this.#order.dispatch.signal.throwIfAborted();
      const text = 'the engine was lost before its answer';
      throw new RouterFailure(this.#rules.lostCode(false, this.#order.context), text);
    }
  }

  /** A forwarded error: an envelope is kept, anything else is wrapped. */
  #forwardedFailure({ status, bytes, json }: EngineError): RouterFailure {
    const { context } = this.#order;
    const named = this.#rules.messageIn(json, context);
    const text = named ?? this.#rules.truncate(bytes, context);
    const envelope = this.#rules.envelopeIn(json, context);
    if (envelope === undefined) {
      const code = this.#rules.wrapCode(status, named ?? bytes.toString('utf8'), context);
      return new RouterFailure(code, text, { source: 'backend' });
    }
    return new RouterFailure(envelope.code, text, { source: envelope.source, status });
  }

  async #provider(provider: string): Promise<Delivery> {
    const { context, dispatch, settle } = this.#order;
    context.stage = 'provider';
    dispatch.signal.throwIfAborted();
    moveDeadline(this.#order.clock, this.#rules.deadlineAt('provider', context));
    context.agent = 'provider';
    const delivery = await this.#tryProvider(provider, this.#rules.providerTries(context)).catch(
      (error: unknown) => {
        dispatch.signal.throwIfAborted();
        const text = error instanceof Error ? error.message : String(error);
        throw this.#rules.providerFailure(text, context);
      },
    );
    settle(delivery);
    return delivery;
  }

  async #tryProvider(provider: string, tries: number): Promise<Delivery> {
    try {
      return await this.#askProvider(provider);
    } catch (error) {
      this.#order.dispatch.signal.throwIfAborted();
      if (tries <= 1) throw error;
      return this.#tryProvider(provider, tries - 1);
    }
  }

  async #askProvider(provider: string): Promise<Delivery> {
    const { context, dispatch } = this.#order;
    const message = await ask(`${provider}${dispatch.path}`, dispatch);
    const status = message.statusCode ?? 502;
    if (this.#rules.isSuccess(status, context)) return receive(message, this.#rules, context);
    throw new Error(
      `it answered ${status}: ${this.#rules.truncate(await bodyOf(message), context)}`,
    );
  }
}

function asFailure(error: unknown): RouterFailure {
  if (error instanceof RouterFailure) return error;
  if (error instanceof LinkLost) return new RouterFailure('agent_disconnected', error.message);
  throw error;
}
