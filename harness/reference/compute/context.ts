/** One request while it is worked on, and the deployment that works on it. */

import type { HeaderLine } from '../http/reply.ts';
import type { ComputeChoices } from './choices.ts';
import type { Account, Instance, KeyEntry, Operation, Timings } from './model.ts';
import type { ComputeRules } from './rules.ts';
import type { World } from './world.ts';

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
  /** Calls back later unless the instance is scheduled anew before; at once when `delayMs` is 0. */
  schedule(instance: Instance, delayMs: number, act: () => void): void;
  /** Forgets what was scheduled for an instance. */
  unschedule(instance: Instance): void;
  /** Whether something is scheduled for an instance. */
  isScheduled(instance: Instance): boolean;
}

export interface RequestContext {
  readonly deployment: Deployment;
  readonly rules: ComputeRules;
  readonly choices: ComputeChoices;
  readonly world: World;
  /** How many requests this deployment has received, this one included. */
  readonly sequence: number;
  /** How many requests it is working on, this one included. */
  readonly inFlight: number;
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
  readonly headers: readonly HeaderLine[];
  /** Undefined for an answer without a body; plain text where `text` is set. */
  readonly json: unknown;
  readonly text?: string;
}

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
