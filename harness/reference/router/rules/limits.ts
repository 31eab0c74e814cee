/** What one model takes at once, what a key may ask for, and for how long a request waits. */

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

/** What limits a request beside its size: what it holds, and the quotas of its key. */
export type Limited = Holding | 'requests' | 'declaration' | 'input-rate' | 'output-rate';

export function admissionRules(choices: RouterChoices) {
  return {
    /** Whether the engines of a model can do what a route asks (codes/request_invalid). */
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

    /** Tokens by which a request counts while it runs. */
    weigh(input: number, output: number | undefined, _context: RequestContext): number {
      return input + (output ?? choices.assumedOutputTokens);
    },

    /** Whether a serverless key may have so many tokens in flight. */
    withinShare(used: number, weight: number, share: number, _context: RequestContext): boolean {
      return used + weight <= share;
    },

    /** Whether a request over the share of its key waits: it is refused (rate-limit-rules/2). */
    waitsForShare(_context: RequestContext): boolean {
      return false;
    },

    /** What a request takes of an occupancy budget. */
    occupancy(weight: number, budget: number, _context: RequestContext): number {
      return choices.oversizeOccupancy === 'clamp' ? Math.min(weight, budget) : weight;
    },

    /** Whether a limit holds for a request: each does, whatever the route and whether it streams. */
    limited(_by: Limited, _context: RequestContext): boolean {
      return true;
    },

    /** How much there is of something that requests hold. */
    capacity(_holding: Holding, configured: number): number {
      return configured;
    },

    /** How many requests the pending channel holds (limits/queue). */
    channelSize(configured: number): number {
      return configured;
    },

    /** How long a request parks for a place, in milliseconds. */
    parkMs(limits: Limits, _context: RequestContext): number {
      return limits.parkTimeoutMs;
    },

    /** What ends the parking for a place beside its time: the deadline, and a client that left. */
    endOfParking(signal: AbortSignal, _context: RequestContext): AbortSignal {
      return signal;
    },

    /** How long a full pending channel is waited for, in milliseconds (codes/queue_full). */
    queueFullMs(limits: Limits, _context: RequestContext): number {
      return limits.queueFullMs;
    },

    /** Milliseconds from the arrival of a request to its deadline. */
    deadlineMs(limits: Limits, _context: RequestContext): number {
      return limits.requestTimeoutMs;
    },

    /** What ends the waiting for a processor: the deadline, and a client that left (limits/processor-concurrency). */
    endOfWaiting(signal: AbortSignal, _context: RequestContext): AbortSignal {
      return signal;
    },

    /**
     * What becomes of the deadline when a processor takes a request, when a try has failed, and when the head of an
     * answer in one piece has come: it runs on (limits/deadline, limits/processor-concurrency). Whether a stream that has
     * begun has one is chosen.
     */
    deadlineAt(
      moment: 'processor' | 'failed-try' | 'next-step' | 'provider' | 'head' | 'stream',
      _context: RequestContext,
    ): 'runs-on' | 'restarts' | 'stops' {
      return moment === 'stream' && !choices.deadlineCutsStreams ? 'stops' : 'runs-on';
    },

    /** Gives back what a request held, however it ended. */
    release(_holding: Holding, _ending: Ending, free: () => void, _context: RequestContext): void {
      if (choices.givesBackAfterMs > 0) setTimeout(free, choices.givesBackAfterMs);
      else free();
    },
  };
}

/** A bucket that fills by itself; the level counts what may be taken now. */
export interface Bucket {
  level: number;
  /** Milliseconds since the epoch at which the level was true. */
  at: number;
  readonly size: number;
  readonly perMinute: number;
}

/** What was spent of a daily budget. */
export interface Ledger {
  day: string;
  spent: number;
  readonly limit: number;
}

/** What a router sets against a key's limits; undefined where nothing is limited. */
export interface KeyQuota {
  readonly requestsPerMinute: number | undefined;
  readonly tokensPerDay: number | undefined;
}

export function quotaRules(choices: RouterChoices) {
  return {
    /** Quotas of a key for a model; 'undeclared' when it must list the model and does not. */
    quotaOf(key: KeyEntry, model: string): KeyQuota | 'undeclared' {
      if (key.perModel === undefined) {
        return { requestsPerMinute: key.requestsPerMinute, tokensPerDay: key.tokensPerDay };
      }
      const declared = Object.hasOwn(key.perModel, model) ? key.perModel[model] : undefined;
      return declared === undefined ? 'undeclared' : limitsOf(declared);
    },

    /** Name under which a key's usage is booked, so that keys do not share quotas. */
    account(key: KeyEntry, model: string): string {
      return key.perModel === undefined ? key.name : `${key.name}/${model}`;
    },

    /** Name under which a key's serverless rates are booked. */
    serverlessAccount(key: KeyEntry, model: string): string {
      return `${key.name}/${model}`;
    },

    /** The replica that works on a request: each has request buckets and serverless rates of its own. */
    replicaOf({ sequence }: RequestContext): number {
      return sequence % choices.replicas;
    },

    /** Most requests that a bucket of so many per minute gives at once. */
    burst(perMinute: number): number {
      return Math.max(1, Math.floor(perMinute * choices.burstShare));
    },

    /** What a request takes of its bucket. */
    requestCost(_context: RequestContext): number {
      return 1;
    },

    /** Level of a bucket by now: it fills continuously, whatever the clock says (rate-limit-rules/1). */
    refill(bucket: Bucket, now: number): number {
      const filled = (Math.max(0, now - bucket.at) / 60_000) * bucket.perMinute;
      return Math.min(bucket.size, bucket.level + filled);
    },

    /** Whether a bucket gives `amount`. */
    gives(level: number, amount: number, _what: 'request' | 'input'): boolean {
      return level >= amount;
    },

    /** Level of a bucket that has refused a request: whether that costs as well is open. */
    levelAfterRefusal(bucket: Bucket): number {
      return choices.refusalsCost ? bucket.level - 1 : bucket.level;
    },

    /** Whether an output rate is exhausted; what a response costs is only known after it. */
    exhausted(level: number, _context: RequestContext): boolean {
      return level <= 0;
    },

    /** Whether the output of a response is charged to an output rate: all is (rate-limit-rules/2). */
    chargesRate(_context: RequestContext): boolean {
      return true;
    },

    /** Level of an output bucket after a response; the debt is bounded so that a key comes back. */
    charge(bucket: Bucket, tokens: number, _context: RequestContext): number {
      const deepest = -(bucket.perMinute / 60) * choices.outputDebtSeconds;
      return Math.max(deepest, bucket.level - tokens);
    },

    /** Books what a response wrote: soon after it, not necessarily at once. */
    book(entry: () => void, _context: RequestContext): void {
      if (choices.chargesAfterMs > 0) setTimeout(entry, choices.chargesAfterMs).unref();
      else entry();
    },

    /** The UTC day to which tokens are booked (limits/daily-tokens). */
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

    /** What a completion that fits leaves of the budget. */
    afterCompletion(remaining: number, output: number, _context: RequestContext): number {
      return Math.max(0, remaining - output);
    },

    /** How an overrun is told; nothing of the answer goes with it (token-limit-rules/2). */
    overrun(_discarded: Uint8Array, _context: RequestContext): RouterFailure {
      const text = 'the completion no longer fits the daily token budget';
      return new RouterFailure('token_limit_exceeded', text, { quota: 'overrun' });
    },

    /** Tokens of the budget that a prompt costs once it is answered: those that were estimated and deducted. */
    promptCost(estimated: number, _answer: Uint8Array, _context: RequestContext): number {
      return estimated;
    },

    /** What an overrun leaves: nothing, or what the prompt, deducted already, left. */
    afterOverrun(remaining: number, _input: number, _context: RequestContext): number {
      return choices.overrunCharges === 'output' ? 0 : remaining;
    },

    /** What a stream leaves of the budget once it has ended (token-limit-rules/3). */
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
