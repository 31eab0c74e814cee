/** An agent in front of one engine: it forwards what the router dispatches, and tells what became of it. */

import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent as Pool } from 'node:http';
import { classify, noted } from './classification.ts';
import type { RequestContext } from './context.ts';
import type { AgentEntry } from './deployment.ts';
import type { Dispatch } from './dispatch.ts';
import { LinkLost } from './failure.ts';
import { aborted, ask, bodyOf } from './http-call.ts';
import type { RouterRules } from './rules/rules.ts';

/**
 * What became of a request:
 * - `answered`: the engine's success, as it comes;
 * - `forwarded`: the engine's error, as it comes;
 * - `failed`: a code and a message of the agent's own.
 */
export type AgentAnswer =
  | { readonly outcome: 'answered' | 'forwarded'; readonly message: IncomingMessage }
  | { readonly outcome: 'failed'; readonly code: string; readonly message: string };

export class Agent {
  readonly #entry: AgentEntry;
  readonly #rules: RouterRules;
  /** Connections to the engine, which closes none that is idle: what ends one is meant. */
  readonly #pool = new Pool({ keepAlive: true });
  readonly #underWay = new Set<ClientRequest>();
  #runs = false;

  constructor(entry: AgentEntry, rules: RouterRules) {
    this.#entry = entry;
    this.#rules = rules;
  }

  start(): void {
    this.#runs = true;
  }

  /** Goes away in the middle of whatever is under way. */
  stop(): void {
    this.#runs = false;
    for (const request of this.#underWay) request.destroy(this.#lost());
    this.#pool.destroy();
  }

  /** @throws LinkLost when the agent is gone, or the reason of the signal */
  async answer(
    { path, headers, body, signal }: Dispatch,
    context: RequestContext,
  ): Promise<AgentAnswer> {
    let engine: IncomingMessage;
    try {
      engine = await this.#askEngine(path, { headers: kept(headers), body, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof LinkLost) throw error;
      const refused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
      const code = this.#rules.lostCode(refused, context);
      return { outcome: 'failed', code, message: 'the engine is unavailable' };
    }
    const status = engine.statusCode ?? 502;
    if (this.#rules.isSuccess(status, context)) return { outcome: 'answered', message: engine };
    if (!this.#rules.classifies(path, context)) return { outcome: 'forwarded', message: engine };
    // A body that was lost on the way says nothing.
    const bytes = await bodyOf(engine).catch(() => Buffer.alloc(0));
    const said = noted(this.#rules, { status, headers: engine.headers, bytes }, context);
    return { outcome: 'failed', ...classify(this.#rules, said, context) };
  }

  /** The metrics of the engine as it tells them. @throws LinkLost when the agent is gone, or what the connection met */
  async metrics(signal: AbortSignal): Promise<string> {
    const engine = await this.#askEngine('/metrics', { method: 'GET', signal });
    return (await bodyOf(engine)).toString('utf8');
  }

  async #askEngine(
    path: string,
    call: Omit<Parameters<typeof ask>[1], 'pool' | 'onSent'>,
  ): Promise<IncomingMessage> {
    if (!this.#runs) throw this.#lost();
    const patienceMs = this.#rules.patienceMs();
    const asked = ask(`${this.#entry.engine}${path}`, {
      ...call,
      signal: this.#rules.endOfEngineWork(call.signal),
      pool: this.#pool,
      onSent: (request) => {
        this.#underWay.add(request);
        request.once('close', () => this.#underWay.delete(request));
        if (patienceMs === Infinity) return;
        const giveUp = setTimeout(
          () => request.destroy(new Error('the engine is silent')),
          patienceMs,
        );
        for (const event of ['response', 'close']) request.once(event, () => clearTimeout(giveUp));
      },
    });
    return Promise.race([asked, aborted(call.signal)]);
  }

  #lost(): LinkLost {
    return new LinkLost(`agent ${this.#entry.name} is gone`);
  }
}

/** Headers that travel between router and engine: all but those of the connection. */
function kept(headers: IncomingHttpHeaders): Record<string, string> {
  const lines: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && !CONNECTION_HEADERS.has(name)) lines[name] = value;
  }
  return lines;
}

const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'transfer-encoding',
]);
