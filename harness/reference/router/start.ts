/** Starting a router that keeps its contract, or breaks it on purpose. */

import { randomUUID } from 'node:crypto';
import { listen } from '../http/listen.ts';
import { Audit } from './audit.ts';
import type { AuditRecord } from './audit.ts';
import { defaultChoices } from './choices.ts';
import type { RouterChoices } from './choices.ts';
import type { Deployment, Limits } from './deployment.ts';
import { Fleet } from './fleet.ts';
import { Front } from './front.ts';
import { Inference } from './inference.ts';
import { Quotas } from './quotas.ts';
import { referenceDeployment } from './reference-deployment.ts';
import { Replies } from './replies.ts';
import { conformingRules } from './rules/rules.ts';
import type { RouterRules } from './rules/rules.ts';
import { targetOf } from './target.ts';
import type { RouterTarget } from './target.ts';

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
  readonly patch?: (rules: RouterRules) => RouterRules;
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
  const { now = Date.now, patch = (rules) => rules } = options;
  const choices = { ...defaultChoices, ...options.choices };
  const rules = patch(conformingRules(choices));
  const usual = referenceDeployment(options);
  const deployment = options.configure?.(usual) ?? usual;
  const { keys, models, limits } = deployment;
  const fleet = new Fleet(deployment.agents, rules);
  const quotas = new Quotas(rules, now);
  const audit = new Audit();
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
      ...(options.host === undefined ? {} : { host: options.host }),
      ...(options.port === undefined ? {} : { port: options.port }),
      malformed: () => malformedReply(),
    },
  );
  return {
    baseUrl: listening.url,
    target: () =>
      targetOf(deployment, {
        baseUrl: listening.url,
        backend: options.backend,
        replicas: choices.tellsReplicas ? choices.replicas : undefined,
      }),
    audit: () => audit.records(),
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
