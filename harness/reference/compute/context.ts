/**
 * The context of a request, its deployment, and the type of all rules. Rules call each other through the context, so a
 * fault that replaces a rule takes effect wherever it is called.
 */

import type { HeaderLine, Reply } from '../http.ts';
import type { ComputeChoices } from './choices.ts';
import type { Account, Instance, KeyEntry, Operation, Timings } from './model.ts';
import type * as access from './rules/access.ts';
import type * as instanceList from './rules/instance-list.ts';
import type * as lifecycle from './rules/lifecycle.ts';
import type * as paging from './rules/paging.ts';
import type * as presets from './rules/presets.ts';
import type * as records from './rules/records.ts';
import type * as requests from './rules/requests.ts';
import type { Timers, World } from './world.ts';

export interface RateLimit {
  readonly requests: number;
  readonly perSeconds: number;
  /** Roles of the keys with this limit (default: every key). */
  readonly roles?: readonly string[];
}

export interface Deployment {
  readonly world: World;
  readonly rules: ComputeRules;
  readonly choices: ComputeChoices;
  readonly timings: Timings;
  /** Applies per key. Undefined: unlimited. */
  readonly rateLimit: RateLimit | undefined;
  /** Signs cursors. New with each start. */
  readonly secret: string;
  /** Content of cursors that are only handles, by handle. */
  readonly storedCursors: Map<string, string>;
  /** Remaining requests of each key, and the time of the last change. */
  readonly usage: Map<string, { left: number; since: number }>;
  readonly timers: Timers;
}

export interface RequestContext {
  readonly deployment: Deployment;
  readonly rules: ComputeRules;
  readonly choices: ComputeChoices;
  readonly world: World;
  /** How many requests this deployment has received, including this one. */
  readonly sequence: number;
  readonly requestId: string;
  /** When the work on it began, in milliseconds since the epoch. */
  readonly now: number;
  readonly method: string;
  /** Relative to the base URL. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** As received, in order. */
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array;
  /** The operation that the path addresses, and the values in the path. */
  readonly operation: Operation | undefined;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Set once the caller is authenticated. */
  key: KeyEntry | undefined;
}

/** A response before it is serialized. */
export interface Answer {
  readonly status: number;
  /** Headers beside Content-Type. */
  readonly headers?: readonly HeaderLine[];
  /** Undefined for a response without a body, or with plain text in `text`. */
  readonly json?: unknown;
  readonly text?: string;
}

/** Rules that see, and may replace, every request and every response. */
interface WireRules {
  /** Runs before anything else. If it returns an answer, that ends the request. */
  readonly onRequest: (context: RequestContext) => Answer | undefined | Promise<Answer | undefined>;
  /** Sees every answer, errors included, before it is serialized. */
  readonly onResponse: (context: RequestContext, answer: Answer) => Answer | Promise<Answer>;
  /** Sees every response as the bytes and headers to be sent. */
  readonly onReply: (context: RequestContext, reply: Reply) => Reply | Promise<Reply>;
  /** The function of each operation. */
  readonly operate: Readonly<Record<Operation, (context: RequestContext) => Answer>>;
}

/** All rules of the deployment: small named functions, exported by the files of `rules/`. */
export type ComputeRules = WireRules &
  typeof access &
  typeof instanceList &
  typeof lifecycle &
  typeof paging &
  typeof presets &
  typeof records &
  typeof requests;

/** The account of an authenticated caller. */
export function callerOf(context: RequestContext): Account {
  if (context.key === undefined) throw new Error('The caller is not known yet.');
  return context.world.account(context.key.account);
}

/** Values of a header, in order. */
export function headerValues(context: RequestContext, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return context.headers
    .filter(([line]) => line.toLowerCase() === wanted)
    .map(([, value]) => value);
}

/** Schedules the next state of an instance. */
export function moveOn(instance: Instance, deployment: Deployment): void {
  deployment.timers.unschedule(instance);
  const next = deployment.rules.successor(instance, deployment);
  if (next === undefined) return;
  deployment.timers.schedule(instance, next.delayMs, () => {
    deployment.rules.enter(instance, next.state, deployment);
  });
}

/** Replaces some operations. */
export function operating(
  operations: readonly Operation[],
  decide: (original: (context: RequestContext) => Answer, context: RequestContext) => Answer,
) {
  return ({ operate }: ComputeRules): Pick<ComputeRules, 'operate'> => {
    const decided = operations.map((operation) => [
      operation,
      (context: RequestContext) => decide(operate[operation], context),
    ]);
    return { operate: { ...operate, ...Object.fromEntries(decided) } };
  };
}
