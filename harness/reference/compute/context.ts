/**
 * One request while it is worked on, the deployment that works on it, and every rule by its name. Rules call each other
 * through the request (or the deployment), so that a fault which replaces one is seen wherever that rule counts: none of the
 * three can be told without the others.
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
  /** Roles of the keys that it holds for; every key unless told. */
  readonly roles?: readonly string[];
}

export interface Deployment {
  readonly world: World;
  readonly rules: ComputeRules;
  readonly choices: ComputeChoices;
  readonly timings: Timings;
  /** Per key; undefined: unlimited. */
  readonly rateLimit: RateLimit | undefined;
  /** Signs cursors, new with each start. */
  readonly secret: string;
  /** Cursors that are kept here instead of being written out. */
  readonly storedCursors: Map<string, string>;
  /** Use of each key: what is left, and since when. */
  readonly usage: Map<string, { left: number; since: number }>;
  readonly timers: Timers;
}

export interface RequestContext {
  readonly deployment: Deployment;
  readonly rules: ComputeRules;
  readonly choices: ComputeChoices;
  readonly world: World;
  /** How many requests this deployment has received, this one included. */
  readonly sequence: number;
  readonly requestId: string;
  /** When work on it began, in milliseconds since the epoch. */
  readonly now: number;
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** As they came, in order. */
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array;
  /** What the path names, and the values in it. */
  readonly operation: Operation | undefined;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Set once the caller is known. */
  key: KeyEntry | undefined;
}

/** An answer before it becomes text. */
export interface Answer {
  readonly status: number;
  /** Further headers, beside the type. */
  readonly headers?: readonly HeaderLine[];
  /** Undefined for an answer without a body; plain text where `text` is set. */
  readonly json?: unknown;
  readonly text?: string;
}

/** What may see or replace every request and every answer. */
interface WireRules {
  /** Before anything else; an answer ends the request there. */
  readonly onRequest: (context: RequestContext) => Answer | undefined | Promise<Answer | undefined>;
  /** Every answer, errors included, before it becomes text. */
  readonly onResponse: (context: RequestContext, answer: Answer) => Answer | Promise<Answer>;
  /** Every answer as the bytes and headers that will be sent. */
  readonly onReply: (context: RequestContext, reply: Reply) => Reply | Promise<Reply>;
  /** What each operation does. */
  readonly operate: Readonly<Record<Operation, (context: RequestContext) => Answer>>;
}

/** Every decision of the deployment as a small named function: what the files of `rules/` export. */
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

/** Decides anew what some operations do. */
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
