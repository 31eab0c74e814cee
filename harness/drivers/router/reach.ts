/** Whether requests for a model reach the scripted engine. Cases that need an unreached engine are not exercised. */

import { routerNeeds } from '../../../schemas/router/needs.ts';
import { complete, stall } from '../../backend/behaviour.ts';
import { type BackendControl, WaitTimedOut } from '../../backend/control.ts';
import { codeOf } from '../../checks/router/envelope.ts';
import { BudgetSpent } from '../../exchange/budget.ts';
import { TransportError } from '../../exchange/repeating.ts';
import type { MissingNeed } from '../../target/offers.ts';
import { isObject } from '../../exchange/body.ts';
import { limitMs, retry, type Waiting, sendAtOnce } from '../../runner/retry.ts';
import type { RouterTarget } from '../../../schemas/router/target.ts';
import type { RouterApi } from './api.ts';

/** What was seen of one model of the target file. */
export interface Reach {
  /** Its place in the target file, such as `models.chat`. */
  readonly need: string;
  readonly model: string;
  /** Addresses of the engine at which its requests arrived. */
  readonly listeners: readonly string[];
  readonly hits: number;
  readonly answer: string;
  /** Whether a missing or misdirected agent explains the response. */
  readonly lacksAgent: boolean;
}

/** Roles whose model nobody serves. */
const UNSERVED: ReadonlySet<string> = new Set(['deadBackend', 'noAgents', 'agentGone']);
/** Roles with several agents, and the number of simultaneous requests that usually reveal them. */
const SEVERAL: Readonly<Record<string, number>> = { pair: 6, bounded: 6 };
const ROUTES = { embedding: 'embeddings', reranker: 'rerank' } as const;

/** Codes of a router whose agents are missing or use another engine; any other refusal is the router's own. */
const WITHOUT_AGENT: ReadonlySet<string> = new Set([
  'model_not_found',
  'no_agents_available',
  'agent_disconnected',
  'backend_unavailable',
  'backend_error',
  'request_timeout',
]);

/** A model of a target file, with its place there. */
export interface Role {
  readonly name: string;
  readonly need: string;
  readonly model: string;
}

/** The models that the engine must serve, without one that sheds now or that nobody serves. */
export function servedRoles({ models = {}, hooks }: RouterTarget): readonly Role[] {
  return rolesOf(models).filter(
    ({ name }) =>
      !UNSERVED.has(name) &&
      (name !== 'shed' || hooks?.shed !== undefined) &&
      (name !== 'hidden' || models.hidden?.from !== 'client'),
  );
}

/** The models of a target file that nobody must serve. */
export function unservedRoles({ models = {} }: RouterTarget): readonly Role[] {
  return rolesOf(models).filter(({ name }) => UNSERVED.has(name));
}

function rolesOf(models: NonNullable<RouterTarget['models']>): readonly Role[] {
  return Object.entries(models).flatMap(([name, held]) => {
    const model: unknown = isObject(held) ? held['id'] : held;
    return typeof model === 'string' ? [{ name, need: `models.${name}`, model }] : [];
  });
}

interface Asker extends Waiting {
  readonly api: RouterApi;
  readonly backend: BackendControl;
  readonly as: string;
}

/** Milliseconds after which a model counts as one that does not answer. */
const ANSWER_MS = 8_000;

/** Sends one marked request to a model, several at once if it has several agents. */
export async function reachOf(t: Asker, { name, need, model }: Role): Promise<Reach> {
  const count = SEVERAL[name] ?? 1;
  const script = await t.backend.script([count > 1 ? stall() : complete()]);
  const route = name === 'embedding' || name === 'reranker' ? ROUTES[name] : 'chat';
  const options = { as: t.as, script, repeat: false, timeoutMs: ANSWER_MS, unbounded: true };
  const asked = sendAtOnce(count, async () => answerTo(t.api.infer(route, model, options)));
  if (count > 1) {
    await Promise.race([asked, seen(t.backend, script, count)]);
    await t.backend.release(script);
  }
  const [answer = { words: 'nothing', lacksAgent: true }] = await asked;
  const hits = await t.backend.hits(script);
  const listeners = [...new Set(hits.map(({ listener }) => listener))];
  const { words, lacksAgent } = answer;
  return { need, model, listeners, hits: hits.length, answer: words, lacksAgent };
}

/** Resolves once so many requests are at the engine, or have not come for a while. */
async function seen(backend: BackendControl, script: string, hits: number): Promise<void> {
  try {
    await backend.waitFor(script, { hits }, { timeoutMs: limitMs('atWork') });
  } catch (error) {
    if (!(error instanceof WaitTimedOut)) throw error;
  }
}

async function answerTo(
  asked: ReturnType<RouterApi['chat']>,
): Promise<{ readonly words: string; readonly lacksAgent: boolean }> {
  try {
    const exchange = await asked;
    const status = exchange.response?.status;
    if (status === undefined) return { words: exchange.cause ?? exchange.ending, lacksAgent: true };
    const code = codeOf(exchange);
    const lacksAgent = status < 300 || status === 404 || WITHOUT_AGENT.has(code);
    return { words: code === '' ? `${status}` : `${status} ${code}`, lacksAgent };
  } catch (error) {
    if (error instanceof TransportError) {
      return { words: String(error.exchange.response?.status ?? error.message), lacksAgent: true };
    }
    throw error;
  }
}

/** Whether the model is set up as its role needs it, as far as one look shows. */
function hasCome({ need, listeners, lacksAgent }: Reach, addresses: number): boolean {
  if (listeners.length === 0) return !lacksAgent;
  const several = SEVERAL[need.slice('models.'.length)] !== undefined && addresses > 1;
  return !several || listeners.length > 1;
}

/**
 * Looks at every role until all models reach the engine, or time is up. Agents that check the health of their engine come
 * some time after it, longer if the engine has only just begun to listen. `onWait` is called once, with what is missing
 * and for how many milliseconds it is awaited.
 */
export async function findEngine(
  t: Asker & { readonly isNew: boolean },
  roles: readonly Role[],
  onWait: (missing: readonly Reach[], forMs: number) => void = () => {},
): Promise<readonly Reach[]> {
  const seenOf = new Map<string, Reach>();
  const addresses = t.backend.listeners.length;
  const wait = t.isNew ? 'agentsCome' : 'agentsThere';
  let announced = false;
  const check = async (): Promise<readonly Reach[]> => {
    const open = roles.filter(({ need }) => {
      const reach = seenOf.get(need);
      return reach === undefined || !hasCome(reach, addresses);
    });
    for (const reach of await Promise.all(open.map(async (role) => reachOf(t, role)))) {
      // A model that was reached once has not gone for good when it is not reached later.
      if (reach.hits > 0 || (seenOf.get(reach.need)?.hits ?? 0) === 0)
        seenOf.set(reach.need, reach);
    }
    const missing = [...seenOf.values()].filter((reach) => !hasCome(reach, addresses));
    if (missing.length > 0 && !announced) onWait(missing, limitMs(wait));
    announced ||= missing.length > 0;
    return missing;
  };
  await retry(t, wait, check, (missing) => missing.length === 0);
  return roles.flatMap(({ need }) => seenOf.get(need) ?? []);
}

/** The line that says which agents are awaited, and for how long. */
export function waitLine(
  missing: readonly Reach[],
  forMs: number,
  listeners: readonly string[],
): string {
  const [first] = missing;
  if (first === undefined) return '';
  const others = missing.length > 1 ? `, and ${missing.length - 1} more models with a role` : '';
  return `waiting up to ${Math.ceil(forMs / 1_000)} s for the agents of ${first.need} (${first.model}, answered ${first.answer})${others} to find the scripted engine at ${listeners.join(', ')}`;
}

/** A line for each model that does not reach the engine, and one for all that do. */
function reachLines(reaches: readonly Reach[]): readonly string[] {
  const reached = reaches.filter(({ hits }) => hits > 0);
  const several = reached.filter(({ listeners }) => listeners.length > 1);
  const through = several.map(({ need, listeners }) => `${need} through ${listeners.length}`);
  const agents = new Set(reached.flatMap(({ listeners }) => listeners)).size;
  return [
    `${reached.length} of ${reaches.length} models with a role reach the scripted engine, at ${agents} of its addresses${through.length > 0 ? ` (${through.join(', ')})` : ''}`,
    ...reaches
      .filter(({ hits }) => hits === 0)
      .map((reach) =>
        isUnreached(reach)
          ? `${reach.need}: ${causeOf(reach)}; what needs that is not exercised`
          : `${reach.need}: a request for ${reach.model} was answered ${reach.answer}`,
      ),
  ];
}

/** True when no request of the model arrived at the engine, for a reason that its agents explain. */
export function isUnreached({ hits, lacksAgent }: Reach): boolean {
  return hits === 0 && lacksAgent;
}

/** What is wrong on the way to the engine, in words. */
export function causeOf({ model, answer }: Reach): string {
  return answer.startsWith('2')
    ? `requests for ${model} are answered ${answer} and never reach the scripted engine: its agents point at another one`
    : `requests for ${model} never reach the scripted engine: they are answered ${answer}`;
}

/** Models with so few places that only a case may send the first request: one that keeps its place would leave none. */
const FEW_PLACES: ReadonlySet<string> = new Set(['models.singleSlot', 'models.maxInflight']);

interface Watched {
  readonly target: RouterTarget;
  readonly backend: BackendControl | undefined;
  readonly api: RouterApi;
  readonly signal: AbortSignal;
  readonly notify: (line: string) => void;
}

export class EngineWatch {
  readonly #watched: Watched;
  readonly #unreached = new Map<string, Reach>();

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** Looks at the models of these needs, and waits a while for those that do not reach the engine. */
  async check(needs: readonly string[]): Promise<void> {
    const { target, backend, api, signal, notify } = this.#watched;
    if (backend === undefined || target.keys.client === undefined) return;
    const wanted = new Set(needs.map(modelPlace));
    const all = servedRoles(target).filter(({ need }) => !FEW_PLACES.has(need));
    if (!all.some(({ need }) => wanted.has(need))) return;
    const roles = all.filter(({ need }) => wanted.has(need) || need === 'models.chat');
    const isNew = target.backend !== undefined && 'listen' in target.backend;
    try {
      const asking = { api, backend, signal, as: 'client', isNew };
      const reaches = await findEngine(asking, roles, (missing, forMs) =>
        notify(waitLine(missing, forMs, backend.listeners)),
      );
      const someReach = reaches.some(({ hits }) => hits > 0);
      for (const reach of reaches.filter(isUnreached)) {
        // Requirements judge the second step of the fallback; its agents are to blame only if no model reaches the engine.
        if (reach.need === 'models.fallback' && someReach) continue;
        this.#unreached.set(reach.need, reach);
      }
      for (const line of reachLines(reaches)) notify(line);
    } catch (error) {
      // Every case that is cut short reports what ended the run.
      if (!signal.aborted && !(error instanceof BudgetSpent)) throw error;
    }
  }

  /** The missing needs of cases that need the engine behind these models; a line helps only if the run hosts the engine. */
  missingNeeds(needs: readonly string[]): readonly MissingNeed[] {
    const { backend } = this.#watched.target;
    const listens = backend !== undefined && 'listen' in backend;
    return [...new Set(needs.map(modelPlace))].flatMap((need) => {
      const reach = this.#unreached.get(need);
      if (reach === undefined) return [];
      const purpose = `the scripted engine, and ${causeOf(reach)}`;
      return [{ need, purpose, line: listens ? routerNeeds.backend.line : '' }];
    });
  }
}

/** The model of a need, which may name a part of one, such as `models.capped.imagesMax`. */
function modelPlace(need: string): string {
  return need.split('.').slice(0, 2).join('.');
}
