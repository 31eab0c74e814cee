/** Starts a router that keeps its contract, or breaks it on purpose; alone or before the scripted backend. */

import { randomUUID } from 'node:crypto';
import { listen, type Listening } from '../http.ts';
import { defaultChoices, type RouterChoices } from './choices.ts';
import type { AuditRecord, Deployment, Limits } from './model.ts';
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
  /** Base URLs of engines without `/v1`; two or more tell agents apart. */
  readonly engines: readonly string[];
  /** Base URL of the external provider; the last engine unless told. */
  readonly provider?: string;
  /** `backend` of the target file: where the engines are scripted. Only the caller knows. */
  readonly backend?: unknown;
  readonly limits?: Partial<Limits>;
  readonly choices?: Partial<RouterChoices>;
  /** Replaces decisions, to break the contract on purpose. Called once. */
  readonly patch?: (rules: RouterRules) => Partial<RouterRules>;
  /** Another configuration altogether, made from the usual one. */
  readonly configure?: (usual: Deployment) => Deployment;
  /** 127.0.0.1 and a free port unless told. */
  readonly host?: string;
  readonly port?: number;
  /** Milliseconds since the epoch, for quotas and for the Date of answers; the system's clock unless told. */
  readonly now?: () => number;
}

export interface RouterReference {
  /** Without `/v1` and without a slash at the end. */
  readonly baseUrl: string;
  /** The complete target file of this deployment. */
  target(): RouterTarget;
  /** What became of requests that were admitted, newest last. */
  audit(): readonly AuditRecord[];
  /** Streams that overran a daily budget (token-limit-rules/3). */
  streamOverruns(): number;
  /** Takes an agent away with all that it has under way; the router keeps believing it ready. */
  disconnectAgent(name: string): void;
  reconnectAgent(name: string): void;
  close(): Promise<void>;
}

/** Starts agents and router. Rejects when a port cannot be listened on. */
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
  const audit: AuditRecord[] = [];
  const replies = new Replies(rules, choices, (context) => quotas.remaining(context));
  const parts = { rules, choices, models, limits, quotas, fleet };
  const inference = new Inference(parts, replies, audit);
  const front = new Front({ ...parts, keys, replies, inference, now });
  fleet.start();
  const listening = await listen(
    (request, response) => {
      // Node would tell the time of the system.
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
    audit: () => [...audit],
    streamOverruns: () => quotas.streamOverruns,
    disconnectAgent: (name) => fleet.disconnect(name),
    reconnectAgent: (name) => fleet.reconnect(name),
    close: async () => {
      await listening.close();
      fleet.stop();
    },
  };
}

/** The answer to bytes that are no HTTP request: even that carries an id. */
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

/** Milliseconds before midnight that leave a suite time to spend a budget, and do not keep it waiting for long. */
export const BEFORE_MIDNIGHT_MS = 8_000;

const DAY_MS = 86_400_000;

/** A clock, in milliseconds since the epoch, that is so many milliseconds before the end of a UTC day, and runs on. */
export function clockBeforeMidnight(ms: number): () => number {
  const ahead = DAY_MS - (Date.now() % DAY_MS) - ms;
  return () => Date.now() + ahead;
}

export interface ScriptedRouter {
  readonly baseUrl: string;
  /** The complete target file, backend and hooks included. */
  target(): object;
  close(): Promise<void>;
}

/** Agents that serve the plain models: what a hook takes away and brings back. */
const PLAIN_AGENTS = ['north', 'south'] as const;

export interface ScriptedRouterOptions extends Omit<RouterOptions, 'engines'> {
  /** True for engines in a thread of their own: quicker for one router, dear where there are many. */
  readonly hasEngineThread?: boolean;
}

const LISTENING: BackendOptions = {
  listen: ['127.0.0.1:0', '127.0.0.1:0'],
  control: '127.0.0.1:0',
};

/** Starts backend, router and hooks on free ports of the loopback interface. */
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

/** Listens for the hook commands, which are processes of their own. */
async function hookServer(router: RouterReference): Promise<Listening> {
  return listen((request, response) => {
    for (const name of PLAIN_AGENTS) {
      if (request.url === '/disconnect') router.disconnectAgent(name);
      else if (request.url === '/reconnect') router.reconnectAgent(name);
    }
    response.writeHead(204).end();
  });
}

/** A command that every machine with this program has: Node itself, asking the hook server. */
function hookCommand(url: string): string {
  // Not `fetch`, which takes Node longer to load than everything else here.
  const script = `require('http').request('${url}',{method:'POST'},r=>process.exit(r.statusCode<300?0:1)).on('error',()=>process.exit(1)).end()`;
  return `"${process.execPath}" -e "${script}"`;
}
