/** Starts a router, conforming or with a fault, alone or in front of the scripted backend. */

import { randomUUID } from 'node:crypto';
import { listen, type Listening } from '../http.ts';
import { defaultChoices, type RouterChoices } from './choices.ts';
import type { Deployment, Limits } from './model.ts';
import { Fleet } from './fleet.ts';
import { Front } from './front.ts';
import { Inference } from './inference.ts';
import { Quotas } from './quotas.ts';
import { referenceDeployment, type RouterTarget, targetOf } from './deployment.ts';
import { Replies } from './replies.ts';
import { conformingRules, type RouterRules } from './rules/rules.ts';
import {
  type BackendOptions,
  type RunningBackend,
  startBackendThread,
  startScriptedBackend,
} from '../../backend/scripted-backend.ts';

export interface RouterOptions {
  /** Base URLs of the engines, without `/v1`. With two or more, a case can tell agents apart. */
  readonly engines: readonly string[];
  /** `backend` of the target file: where the scripted engines listen. Only the caller knows this. */
  readonly backend?: unknown;
  readonly limits?: Partial<Limits>;
  readonly choices?: Partial<RouterChoices>;
  /** Replaces rules, to violate the contract. Called once. */
  readonly patch?: (rules: RouterRules) => Partial<RouterRules>;
  /** Changes the default configuration. */
  readonly configure?: (usual: Deployment) => Deployment;
  /** Default 127.0.0.1 and a free port. */
  readonly host?: string;
  readonly port?: number;
  /** The clock for quotas and the Date header, in milliseconds since the epoch (default: the system clock). */
  readonly now?: () => number;
}

export interface RouterReference {
  /** Without `/v1` and without a trailing slash. */
  readonly baseUrl: string;
  /** The complete target file of this deployment. */
  target(): RouterTarget;
  /** Number of streams that overran a daily budget (token-limit-rules/3). */
  streamOverruns(): number;
  /** Stops an agent and all its requests in progress. The router still considers it ready. */
  disconnectAgent(name: string): void;
  reconnectAgent(name: string): void;
  close(): Promise<void>;
}

/** Starts agents and router. Rejects if a port cannot be opened. */
export async function startRouter(options: RouterOptions): Promise<RouterReference> {
  const { now = Date.now, patch } = options;
  const choices = { ...defaultChoices, ...options.choices };
  const conforming = conformingRules(choices);
  const rules = { ...conforming, ...patch?.(conforming) };
  const usual = referenceDeployment(options);
  const deployment = options.configure?.(usual) ?? usual;
  const { keys, models, limits } = deployment;
  const fleet = new Fleet(deployment.agents, rules);
  const quotas = new Quotas(rules, now);
  const replies = new Replies(rules, choices, (context) => quotas.remaining(context));
  const parts = { rules, choices, models, limits, quotas, fleet };
  const inference = new Inference(parts, replies);
  const front = new Front({ ...parts, keys, replies, inference, now });
  fleet.start();
  const listening = await listen(
    (request, response) => {
      // Otherwise Node would send the system time.
      if (options.now !== undefined) response.setHeader('Date', new Date(now()).toUTCString());
      return front.handle(request, response);
    },
    {
      host: options.host,
      port: options.port,
      malformed: malformedReply,
    },
  );
  return {
    baseUrl: listening.url,
    target: () =>
      targetOf(deployment, {
        baseUrl: listening.url,
        backend: options.backend,
        replicas: choices.declaresReplicas ? choices.replicas : undefined,
      }),
    streamOverruns: () => quotas.streamOverruns,
    disconnectAgent: (name) => fleet.disconnect(name),
    reconnectAgent: (name) => fleet.reconnect(name),
    close: async () => {
      await listening.close();
      fleet.stop();
    },
  };
}

/** The response to bytes that are not HTTP. It has an id, too. */
function malformedReply() {
  return {
    status: 400,
    headers: [
      ['Content-Type', 'text/plain; charset=utf-8'],
      ['X-Request-ID', randomUUID()],
    ] as const,
    body: 'bad request\n',
  };
}

/** Milliseconds before midnight: enough for a run to spend a budget, and soon enough to wait for. */
export const BEFORE_MIDNIGHT_MS = 8_000;

const DAY_MS = 86_400_000;

/** A running clock, in milliseconds since the epoch, that starts so many milliseconds before the end of a UTC day. */
export function clockBeforeMidnight(ms: number): () => number {
  const ahead = DAY_MS - (Date.now() % DAY_MS) - ms;
  return () => Date.now() + ahead;
}

export interface ScriptedRouter {
  readonly baseUrl: string;
  /** The complete target file, with backend and hooks. */
  target(): object;
  close(): Promise<void>;
}

/** Agents of the plain models, which the hooks disconnect and reconnect. */
const PLAIN_AGENTS = ['north', 'south'] as const;

export interface ScriptedRouterOptions extends Omit<RouterOptions, 'engines'> {
  /** Runs the engines in a thread of their own: faster for a single router, expensive for many. */
  readonly hasEngineThread?: boolean;
}

const LISTENING: BackendOptions = {
  listen: ['127.0.0.1:0', '127.0.0.1:0'],
  control: '127.0.0.1:0',
};

/** Starts backend, router and hooks on free loopback ports. */
export async function startScriptedRouter({
  hasEngineThread = false,
  ...options
}: ScriptedRouterOptions = {}): Promise<ScriptedRouter> {
  const backend: RunningBackend = hasEngineThread
    ? await startBackendThread(LISTENING)
    : await startScriptedBackend(LISTENING);
  const router = await startRouter({ engines: backend.listeners, ...options }).catch(
    async (error: unknown) => {
      await backend.close();
      throw error;
    },
  );
  const hooks = await hookServer(router);
  return {
    baseUrl: router.baseUrl,
    target: () => ({
      ...router.target(),
      backend: { control: backend.controlUrl },
      hooks: {
        disconnectAgent: hookCommand(`${hooks.url}/disconnect`),
        reconnectAgent: hookCommand(`${hooks.url}/reconnect`),
      },
    }),
    close: async () => {
      await hooks.close();
      await router.close();
      await backend.close();
    },
  };
}

/** Receives requests from the hook commands, which run as separate processes. */
async function hookServer(router: RouterReference): Promise<Listening> {
  return listen((request, response) => {
    for (const name of PLAIN_AGENTS) {
      if (request.url === '/disconnect') router.disconnectAgent(name);
      else if (request.url === '/reconnect') router.reconnectAgent(name);
    }
    response.writeHead(204).end();
  });
}

/** A shell command that works wherever this program runs: Node sends a request to the hook server. */
function hookCommand(url: string): string {
  // Not `fetch`, since Node takes longer to load it than everything else here.
  const script = `require('http').request('${url}',{method:'POST'},r=>process.exit(r.statusCode<300?0:1)).on('error',()=>process.exit(1)).end()`;
  return `"${process.execPath}" -e "${script}"`;
}
