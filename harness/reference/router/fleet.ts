/** The agents of a deployment as the router knows them: slots, connections, pressure. */

import { Agent as Pool } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { AgentServer } from './agent-server.ts';
import type { AgentEntry, ModelEntry } from './deployment.ts';
import { LinkLost } from './failure.ts';
import { ask, bodyOf } from './http-call.ts';
import type { RouterRules } from './rules/rules.ts';
import { Slots } from './slots.ts';

/** How long a reading of engine metrics is good for, in milliseconds. */
const PRESSURE_AGE_MS = 200;

interface FleetAgent {
  readonly entry: AgentEntry;
  readonly server: AgentServer;
  readonly pool: Pool;
  /** The router still holds the connection to an agent that went away meanwhile. */
  stale: boolean;
  /** When it may get requests again, in milliseconds since the epoch. */
  restsUntil: number;
  reading: { readonly at: number; readonly pressure: number } | undefined;
}

/** What is sent to an agent. */
export interface Dispatch {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

export class Fleet {
  readonly slots: Slots;
  readonly #rules: RouterRules;
  readonly #agents: ReadonlyMap<string, FleetAgent>;

  constructor(entries: readonly AgentEntry[], rules: RouterRules) {
    this.#rules = rules;
    this.slots = new Slots(
      new Map(entries.map(({ name, capacity }) => [name, rules.capacity('slot', capacity)])),
    );
    this.#agents = new Map(
      entries.map((entry) => {
        const server = new AgentServer(entry, rules);
        const pool = new Pool({ keepAlive: true });
        return [
          entry.name,
          { entry, server, pool, stale: false, restsUntil: 0, reading: undefined },
        ];
      }),
    );
  }

  async start(): Promise<void> {
    const reachable = Array.from(this.#agents.values()).filter(({ entry }) => entry.reachable);
    await Promise.all(reachable.map(({ server }) => server.start()));
  }

  async stop(): Promise<void> {
    for (const { pool } of this.#agents.values()) pool.destroy();
    await Promise.all(Array.from(this.#agents.values(), ({ server }) => server.stop()));
  }

  /** Takes an agent's server away, connections and all; the router still believes it ready. */
  async disconnect(name: string): Promise<void> {
    const agent = this.#agent(name);
    agent.stale = true;
    await agent.server.stop();
  }

  async reconnect(name: string): Promise<void> {
    await this.#agent(name).server.start();
  }

  entries(): readonly AgentEntry[] {
    return Array.from(this.#agents.values(), ({ entry }) => entry);
  }

  /** Whether an agent may get requests. */
  eligible(name: string): boolean {
    const agent = this.#agents.get(name);
    return agent?.entry.state === 'ready' && Date.now() >= agent.restsUntil;
  }

  /** Leaves an agent out for as long as the rules say: it has failed. */
  rest(name: string): void {
    this.#agent(name).restsUntil = Date.now() + this.#rules.restMs();
  }

  /**
   * Sends to an agent. A lost connection is reset and dialled again as often as the rules give for free;
   * `redialled` remembers per request for which agents that was used up.
   * @throws LinkLost when the agent cannot be reached
   */
  async call(name: string, dispatch: Dispatch, redialled: Set<string>): Promise<IncomingMessage> {
    const agent = this.#agent(name);
    const { server, pool } = agent;
    const url = `${server.address}${dispatch.path}`;
    try {
      if (agent.stale) throw new LinkLost(`the connection to agent ${name} is stale`);
      return await ask(url, { ...dispatch, pool });
    } catch (error) {
      dispatch.signal.throwIfAborted();
      if (redialled.has(name)) throw new LinkLost(`agent ${name} is gone`, { cause: error });
      redialled.add(name);
    }
    for (const sockets of Object.values(pool.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
    for (let redials = this.#rules.redials(); redials > 0; redials -= 1) {
      try {
        const answer = await ask(url, dispatch);
        agent.stale = false;
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
    const agent = this.#agent(name);
    if (agent.entry.pressure !== undefined) return agent.entry.pressure;
    if (agent.reading !== undefined && Date.now() - agent.reading.at < PRESSURE_AGE_MS)
      return agent.reading.pressure;
    const pressure = await waitingRequests(agent, signal);
    agent.reading = { at: Date.now(), pressure };
    return pressure;
  }

  #agent(name: string): FleetAgent {
    const agent = this.#agents.get(name);
    if (agent === undefined) throw new Error(`the deployment has no agent ${name}`);
    return agent;
  }
}

/** Sum of the engine's gauges of waiting requests; an engine that tells nothing is under no pressure. */
async function waitingRequests(agent: FleetAgent, signal: AbortSignal): Promise<number> {
  try {
    const url = `${agent.server.address}/metrics`;
    const answer = await ask(url, { method: 'GET', signal, pool: agent.pool });
    const text = (await bodyOf(answer)).toString('utf8');
    const gauges = text.matchAll(/^vllm:num_requests_waiting(?:\{[^}]*\})?\s+([\d.e+]+)/gm);
    return Array.from(gauges, ([, value]) => Number(value)).reduce((sum, value) => sum + value, 0);
  } catch {
    signal.throwIfAborted();
    return 0;
  }
}
