/** The limits of models, the quotas of keys, and how long a request waits. */

import type { RouterChoices } from '../choices.ts';
import {
  type Ending,
  type Holding,
  type KeyEntry,
  type Limits,
  type ModelEntry,
  type ModelQuota,
  type RequestContext,
  type Route,
  RouterFailure,
} from '../model.ts';

/** What limits a request beside its size: the resources that it holds, and the quotas of its key. */
export type Limited = Holding | 'requests' | 'declaration' | 'input-rate' | 'output-rate';

export function admissionRules(choices: RouterChoices) {
  return {
    /** Whether the engines of a model support a route (codes/request_invalid). */
    capable(model: ModelEntry, route: Route, _context: RequestContext): boolean {
      return route.capability === undefined || model.capabilities.includes(route.capability);
    },

    /** Whether an input is within the caps of a policy (limits/input-caps). */
    withinCaps(
      model: ModelEntry,
      input: number,
      images: number,
      _context: RequestContext,
    ): boolean {
      return input <= (model.maxInputTokens ?? Infinity) && images <= (model.imagesMax ?? Infinity);
    },

    /** Whether a policy sheds at this pressure (limits/shed). */
    sheds(model: ModelEntry, pressure: number, _context: RequestContext): boolean {
      return model.shedIfPressure !== undefined && pressure >= model.shedIfPressure;
    },

    /** The tokens that a request counts for while it runs. */
    weigh(input: number, output: number | undefined, _context: RequestContext): number {
      return input + (output ?? choices.assumedOutputTokens);
    },

    /** Whether a serverless key may have this many tokens in flight. */
    withinShare(used: number, weight: number, share: number, _context: RequestContext): boolean {
      return used + weight <= share;
    },

    /** Whether a request over the occupancy share of its key waits. By the contract it is refused (rate-limit-rules/2). */
    waitsForShare(_context: RequestContext): boolean {
      return false;
    },

    /** Tokens that a request takes from an occupancy budget. */
    occupancy(weight: number, budget: number, _context: RequestContext): number {
      return choices.oversizeOccupancy === 'clamp' ? Math.min(weight, budget) : weight;
    },

    /** Whether a limit applies to a request. Every limit does, on all routes, for streams too. */
    limited(_by: Limited, _context: RequestContext): boolean {
      return true;
    },

    capacity(_holding: Holding, configured: number): number {
      return configured;
    },

    /** How many requests the pending channel holds (limits/queue). */
    channelSize(configured: number): number {
      return configured;
    },

    /** How long a request parks for a permit, in milliseconds. */
    parkMs(limits: Limits, _context: RequestContext): number {
      return limits.parkTimeoutMs;
    },

    /** What ends the parking early: the deadline, or a client that disconnects. */
    endOfParking(signal: AbortSignal, _context: RequestContext): AbortSignal {
      return signal;
    },

    /** How long a request waits for a full pending channel, in milliseconds (codes/queue_full). */
    queueFullMs(limits: Limits, _context: RequestContext): number {
      return limits.queueFullMs;
    },

    /** Milliseconds from the arrival of a request to its deadline. */
    deadlineMs(limits: Limits, _context: RequestContext): number {
      return limits.requestTimeoutMs;
    },

    /** What ends the wait for a processor: the deadline, or a client that disconnects (limits/processor-concurrency). */
    endOfWaiting(signal: AbortSignal, _context: RequestContext): AbortSignal {
      return signal;
    },

    /**
     * What happens to the deadline at a moment of the request. It runs on (limits/deadline,
     * limits/processor-concurrency), except that a choice decides whether a stream that has begun still has one.
     */
    deadlineAt(
      moment: 'processor' | 'failed-try' | 'next-step' | 'provider' | 'head' | 'stream',
      _context: RequestContext,
    ): 'runs-on' | 'restarts' | 'stops' {
      return moment === 'stream' && !choices.deadlineCutsStreams ? 'stops' : 'runs-on';
    },

    /** Releases a resource, however the request ended. */
    release(_holding: Holding, _ending: Ending, free: () => void, _context: RequestContext): void {
      if (choices.givesBackAfterMs > 0) setTimeout(free, choices.givesBackAfterMs);
      else free();
    },
  };
}

/** A bucket that refills continuously. `level` is what may be taken now. */
export interface Bucket {
  level: number;
  /** When `level` was computed, in milliseconds since the epoch. */
  at: number;
  readonly size: number;
  readonly perMinute: number;
}

/** What has been spent of a daily budget. */
export interface Ledger {
  day: string;
  spent: number;
  readonly limit: number;
}

/** The quotas of a key. Undefined: unlimited. */
export interface KeyQuota {
  readonly requestsPerMinute: number | undefined;
  readonly tokensPerDay: number | undefined;
}

export function quotaRules(choices: RouterChoices) {
  return {
    /** The quotas of a key for a model, or 'undeclared' if the key must list the model and does not. */
    quotaOf(key: KeyEntry, model: string): KeyQuota | 'undeclared' {
      if (key.perModel === undefined) {
        return { requestsPerMinute: key.requestsPerMinute, tokensPerDay: key.tokensPerDay };
      }
      const declared = Object.hasOwn(key.perModel, model) ? key.perModel[model] : undefined;
      return declared === undefined ? 'undeclared' : limitsOf(declared);
    },

    /** The account that a key's usage is charged to. Keys do not share accounts. */
    account(key: KeyEntry, model: string): string {
      return key.perModel === undefined ? key.name : `${key.name}/${model}`;
    },

    /** The account that a key's serverless usage is charged to. */
    serverlessAccount(key: KeyEntry, model: string): string {
      return `${key.name}/${model}`;
    },

    /** The replica that serves a request. Each has its own request buckets and serverless rates. */
    replicaOf({ sequence }: RequestContext): number {
      return sequence % choices.replicas;
    },

    /** Requests that a full bucket allows at once. */
    burst(perMinute: number): number {
      return Math.max(1, Math.floor(perMinute * choices.burstShare));
    },

    requestCost(_context: RequestContext): number {
      return 1;
    },

    /** The level of a bucket now. It refills continuously, not on clock minutes (rate-limit-rules/1). */
    refill(bucket: Bucket, now: number): number {
      const filled = (Math.max(0, now - bucket.at) / 60_000) * bucket.perMinute;
      return Math.min(bucket.size, bucket.level + filled);
    },

    /** Whether a bucket allows `amount`. */
    gives(level: number, amount: number, _what: 'request' | 'input'): boolean {
      return level >= amount;
    },

    /** The level of a bucket after a refusal. The contract leaves open whether a refusal costs anything. */
    levelAfterRefusal(bucket: Bucket): number {
      return choices.refusalsCost ? bucket.level - 1 : bucket.level;
    },

    /** Whether an output rate is exhausted. The cost of a response is only known after it. */
    exhausted(level: number, _context: RequestContext): boolean {
      return level <= 0;
    },

    /** Whether a response is charged to an output rate. All are (rate-limit-rules/2). */
    chargesRate(_context: RequestContext): boolean {
      return true;
    },

    /** The level of an output bucket after a response. The debt is bounded, so that the key recovers soon. */
    charge(bucket: Bucket, tokens: number, _context: RequestContext): number {
      const deepest = -(bucket.perMinute / 60) * choices.outputDebtSeconds;
      return Math.max(deepest, bucket.level - tokens);
    },

    /** Charges a response, soon after it or at once. */
    book(entry: () => void, _context: RequestContext): void {
      if (choices.chargesAfterMs > 0) setTimeout(entry, choices.chargesAfterMs).unref();
      else entry();
    },

    /** The UTC day that tokens are charged to (limits/daily-tokens). */
    dayOf(now: number): string {
      return new Date(now).toISOString().slice(0, 10);
    },

    /** Whether a route spends daily tokens. */
    budgeted(route: Route, _context: RequestContext): boolean {
      if (choices.budgetTouches === 'native') return route.family === 'native';
      return choices.budgetTouches === 'all' || route.generates === true;
    },

    /** Whether input and requested output fit what is left today (token-limit-rules/1). */
    fitsBudget(
      remaining: number,
      input: number,
      output: number,
      _context: RequestContext,
    ): boolean {
      return input + output <= remaining;
    },

    /** Whether the real output of a completion still fits (token-limit-rules/2). */
    settles(remaining: number, output: number, _context: RequestContext): boolean {
      return output <= remaining;
    },

    /** What is left after a completion that fits. */
    afterCompletion(remaining: number, output: number, _context: RequestContext): number {
      return Math.max(0, remaining - output);
    },

    /** The failure for an overrun. It contains nothing of the discarded response (token-limit-rules/2). */
    overrun(_discarded: Uint8Array, _context: RequestContext): RouterFailure {
      const text = 'the completion no longer fits the daily token budget';
      return new RouterFailure('token_limit_exceeded', text, { quota: 'overrun' });
    },

    /** What a prompt costs once it is answered: the estimate that was already deducted. */
    promptCost(estimated: number, _answer: Uint8Array, _context: RequestContext): number {
      return estimated;
    },

    /** What is left after an overrun: nothing, or what was left after the prompt. */
    afterOverrun(remaining: number, _input: number, _context: RequestContext): number {
      return choices.overrunCharges === 'output' ? 0 : remaining;
    },

    /** What is left after a stream has ended (token-limit-rules/3). */
    afterStream(remaining: number, output: number, _context: RequestContext): number {
      return Math.max(0, remaining - output);
    },
  };
}

function limitsOf(quota: ModelQuota): KeyQuota {
  return {
    requestsPerMinute: quota.requestsPerMinutePerReplica || undefined,
    tokensPerDay: quota.tokensPerDay || undefined,
  };
}
