/** How much a key may ask for: request buckets, daily tokens, serverless rates. */

import type { RouterChoices } from '../choices.ts';
import type { RequestContext, Route } from '../context.ts';
import type { KeyEntry, ModelQuota } from '../deployment.ts';
import { RouterFailure } from '../failure.ts';

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
      if (choices.booksAfterMs > 0) setTimeout(entry, choices.booksAfterMs).unref();
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
