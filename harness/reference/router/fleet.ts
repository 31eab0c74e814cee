/** The agents of a deployment as the router sees them: slots, connections, engine pressure. */

import { Agent, type AgentAnswer } from './agents.ts';
import {
  type AgentEntry,
  type Dispatch,
  LinkLost,
  type ModelEntry,
  type RequestContext,
} from './model.ts';
import type { RouterRules } from './rules/rules.ts';
import { Slots } from './holdings.ts';

/** Milliseconds for which a reading of the engine metrics is used. */
const PRESSURE_AGE_MS = 200;

interface Member {
  readonly entry: AgentEntry;
  readonly agent: Agent;
  /** True while the router still holds the connection to an agent that has gone. */
  stale: boolean;
  /** Milliseconds since the epoch until which the agent gets no requests. */
  restsUntil: number;
  reading: { readonly at: number; readonly pressure: number } | undefined;
}

export class Fleet {
  readonly slots: Slots;
  readonly #rules: RouterRules;
  readonly #members: ReadonlyMap<string, Member>;

  constructor(entries: readonly AgentEntry[], rules: RouterRules) {
    this.#rules = rules;
    this.slots = new Slots(
      new Map(entries.map(({ name, capacity }) => [name, rules.capacity('slot', capacity)])),
    );
    this.#members = new Map(
      entries.map((entry) => {
        const agent = new Agent(entry, rules);
        return [entry.name, { entry, agent, stale: false, restsUntil: 0, reading: undefined }];
      }),
    );
  }

  start(): void {
    for (const { entry, agent } of this.#members.values()) if (entry.reachable) agent.start();
  }

  stop(): void {
    for (const { agent } of this.#members.values()) agent.stop();
  }

  /** Stops an agent and its connections. The router still considers it ready. */
  disconnect(name: string): void {
    const member = this.#member(name);
    member.stale = true;
    member.agent.stop();
  }

  reconnect(name: string): void {
    this.#member(name).agent.start();
  }

  entries(): readonly AgentEntry[] {
    return Array.from(this.#members.values(), ({ entry }) => entry);
  }

  eligible(name: string): boolean {
    const member = this.#members.get(name);
    return member?.entry.state === 'ready' && Date.now() >= member.restsUntil;
  }

  /** Excludes an agent that has failed for as long as the rules say. */
  rest(name: string): void {
    this.#member(name).restsUntil = Date.now() + this.#rules.restMs(name);
  }

  /** Sends a request. A lost connection is redialled for free, which `redialled` records by agent. @throws LinkLost */
  async call(
    name: string,
    { dispatch, context }: { readonly dispatch: Dispatch; readonly context: RequestContext },
    redialled: Set<string>,
  ): Promise<AgentAnswer> {
    const member = this.#member(name);
    try {
      if (member.stale) throw new LinkLost(`the connection to agent ${name} is stale`);
      return await member.agent.answer(dispatch, context);
    } catch (error) {
      dispatch.signal.throwIfAborted();
      if (redialled.has(name)) throw error;
      redialled.add(name);
    }
    for (let redials = this.#rules.redials(context); redials > 0; redials -= 1) {
      try {
        const answer = await member.agent.answer(dispatch, context);
        member.stale = false;
        return answer;
      } catch {
        dispatch.signal.throwIfAborted();
      }
    }
    throw new LinkLost(`agent ${name} is gone`);
  }

  /** Mean engine pressure of the ready agents of a model. */
  async pressure(model: ModelEntry, signal: AbortSignal): Promise<number> {
    const names = new Set(model.steps.flatMap((step) => step.agents));
    const ready = Array.from(names).filter((name) => this.eligible(name));
    const readings = await Promise.all(ready.map(async (name) => this.#read(name, signal)));
    return readings.reduce((sum, pressure) => sum + pressure, 0) / Math.max(1, readings.length);
  }

  async #read(name: string, signal: AbortSignal): Promise<number> {
    const { entry, agent, reading } = this.#member(name);
    if (entry.pressure !== undefined) return entry.pressure;
    if (reading !== undefined && Date.now() - reading.at < PRESSURE_AGE_MS) return reading.pressure;
    const pressure = await waitingRequests(agent, signal);
    this.#member(name).reading = { at: Date.now(), pressure };
    return pressure;
  }

  #member(name: string): Member {
    const member = this.#members.get(name);
    if (member === undefined) throw new Error(`the deployment has no agent ${name}`);
    return member;
  }
}

/** Sum of the engine's waiting-request gauges, 0 for an engine without metrics. */
async function waitingRequests(agent: Agent, signal: AbortSignal): Promise<number> {
  try {
    const text = await agent.metrics(signal);
    const gauges = text.matchAll(/^vllm:num_requests_waiting(?:\{[^}]*\})?\s+([\d.e+]+)/gm);
    return Array.from(gauges, ([, value]) => Number(value)).reduce((sum, value) => sum + value, 0);
  } catch {
    signal.throwIfAborted();
    return 0;
  }
}
