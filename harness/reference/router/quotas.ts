/** The quotas of keys: what remains, and what a response costs. */

import { createParser } from 'eventsource-parser';
import {
  jsonIn,
  type KeyEntry,
  memberOf,
  type ModelEntry,
  type RequestContext,
  RouterFailure,
  type ServerlessRates,
} from './model.ts';
import type { Remaining, RouterRules } from './rules/rules.ts';
import type { Bucket, KeyQuota, Ledger } from './rules/limits.ts';

/** Output tokens in a usage record, in either of the two dialects. */
function outputIn(json: unknown): number | undefined {
  const usages = [memberOf(json, 'usage'), memberOf(memberOf(json, 'message'), 'usage')];
  const counts = usages.flatMap((usage) => [
    memberOf(usage, 'completion_tokens'),
    memberOf(usage, 'output_tokens'),
  ]);
  return counts.filter((count) => typeof count === 'number').find((count) => count >= 0);
}

/** Output tokens of a whole response, 0 if it has no usage. */
export function outputOf(body: Buffer): number {
  return outputIn(jsonIn(body)) ?? 0;
}

/** Counts the output tokens of a stream as it passes. */
export class StreamMeter {
  #named: number | undefined;
  #pieces = 0;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    onEvent: ({ data }) => {
      const json = jsonIn(Buffer.from(data));
      const named = outputIn(json);
      // Usage grows along a stream, so the largest value counts.
      if (named !== undefined) this.#named = Math.max(named, this.#named ?? 0);
      if (memberOf(json, 'choices') !== undefined || memberOf(json, 'delta') !== undefined)
        this.#pieces += 1;
    },
  });

  add(piece: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(piece, { stream: true }));
  }

  /** The reported usage, or else one token for each piece of text. */
  output(): number {
    return this.#named ?? this.#pieces;
  }
}

interface ServerlessBooks {
  readonly input: Bucket;
  readonly output: Bucket;
  share: number;
}

/** The request that a response is charged to. */
export interface Bill {
  readonly context: RequestContext;
  readonly key: KeyEntry;
  readonly model: ModelEntry;
  readonly inputTokens: number;
  /** Whether the output counts towards the daily tokens. */
  readonly budgeted: boolean;
}

export class Quotas {
  readonly #rules: RouterRules;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #ledgers = new Map<string, Ledger>();
  readonly #serverless = new Map<string, ServerlessBooks>();
  /** Number of streams whose output exceeded the budget. Nothing else records the event. */
  streamOverruns = 0;

  constructor(rules: RouterRules, now: () => number) {
    this.#rules = rules;
    this.#now = now;
  }

  /** The remaining quotas of a key, for the headers. Without a model, only those that apply to all models. */
  remaining(context: RequestContext): Remaining {
    const { key, model } = context;
    const none = { requests: undefined, tokens: undefined };
    if (key === undefined || key.role !== 'client') return none;
    const account = this.#account(key, model ?? '');
    if (account === undefined) return none;
    const bucket = this.#bucket(account, context);
    return {
      requests: bucket === undefined ? undefined : this.#refill(bucket),
      tokens: this.tokensLeft(key, model ?? ''),
    };
  }

  /** Takes one request from a key's bucket. @throws RouterFailure rate_limit_exceeded */
  takeRequest(key: KeyEntry, model: string, context: RequestContext): void {
    const account = this.#account(key, model);
    const bucket = account === undefined ? undefined : this.#bucket(account, context);
    if (bucket === undefined) return;
    if (!this.#rules.gives(this.#refill(bucket), 1, 'request')) {
      bucket.level = this.#rules.levelAfterRefusal(bucket);
      throw new RouterFailure('rate_limit_exceeded', 'too many requests', { quota: 'bucket' });
    }
    bucket.level -= this.#rules.requestCost(context);
  }

  /** Daily tokens left, or undefined if unlimited. */
  tokensLeft(key: KeyEntry, model: string): number | undefined {
    const ledger = this.#ledger(key, model);
    return ledger === undefined ? undefined : Math.max(0, ledger.limit - ledger.spent);
  }

  setTokensLeft(key: KeyEntry, model: string, left: number): void {
    const ledger = this.#ledger(key, model);
    if (ledger !== undefined) ledger.spent = ledger.limit - left;
  }

  /** The serverless rates of a key for a model at the request's replica, refilled up to now. */
  serverless(
    { key, model }: { readonly key: KeyEntry; readonly model: string },
    rates: ServerlessRates,
    context: RequestContext,
  ): ServerlessBooks {
    const name = this.#atReplica(this.#rules.serverlessAccount(key, model), context);
    const account = this.#serverless.get(name) ?? {
      input: this.#newBucket(rates.inputTokensPerMinute, rates.inputTokensPerMinute),
      output: this.#newBucket(rates.outputTokensPerMinute, rates.outputTokensPerMinute),
      share: 0,
    };
    this.#serverless.set(name, account);
    this.#refill(account.input);
    this.#refill(account.output);
    return account;
  }

  /** Charges a whole response (token-limit-rules/2). @throws RouterFailure if it no longer fits the budget */
  settle(bill: Bill, outputTokens: number, body: Uint8Array): void {
    const { context, key, model, inputTokens } = bill;
    this.#chargeRate(bill, outputTokens);
    if (!bill.budgeted) return;
    const estimated = this.tokensLeft(key, model.id);
    if (estimated === undefined) return;
    const left = estimated + inputTokens - this.#rules.promptCost(inputTokens, body, context);
    if (this.#rules.settles(left, outputTokens, context)) {
      this.setTokensLeft(key, model.id, this.#rules.afterCompletion(left, outputTokens, context));
      return;
    }
    this.setTokensLeft(key, model.id, this.#rules.afterOverrun(left, inputTokens, context));
    throw this.#rules.overrun(body, context);
  }

  /** Charges a stream that has ended, in whatever way (token-limit-rules/3). */
  bookStream(bill: Bill, outputTokens: number): void {
    const { context, key, model } = bill;
    this.#chargeRate(bill, outputTokens);
    if (!bill.budgeted) return;
    this.#rules.book(() => {
      const left = this.tokensLeft(key, model.id);
      if (left === undefined) return;
      if (!this.#rules.settles(left, outputTokens, context)) this.streamOverruns += 1;
      this.setTokensLeft(key, model.id, this.#rules.afterStream(left, outputTokens, context));
    }, context);
  }

  #chargeRate({ context, key, model }: Bill, outputTokens: number): void {
    const { serverless } = model;
    if (serverless === undefined || !this.#rules.chargesRate(context)) return;
    this.#rules.book(() => {
      const { output } = this.serverless({ key, model: model.id }, serverless, context);
      output.level = this.#rules.charge(output, outputTokens, context);
    }, context);
  }

  #account(key: KeyEntry, model: string): { name: string; quota: KeyQuota } | undefined {
    const quota = this.#rules.quotaOf(key, model);
    return quota === 'undeclared' ? undefined : { name: this.#rules.account(key, model), quota };
  }

  #bucket(account: { name: string; quota: KeyQuota }, context: RequestContext): Bucket | undefined {
    const perMinute = account.quota.requestsPerMinute;
    if (perMinute === undefined) return undefined;
    const name = this.#atReplica(account.name, context);
    const bucket =
      this.#buckets.get(name) ?? this.#newBucket(perMinute, this.#rules.burst(perMinute));
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #atReplica(name: string, context: RequestContext): string {
    return `${name} at ${this.#rules.replicaOf(context)}`;
  }

  #ledger(key: KeyEntry, model: string): Ledger | undefined {
    const account = this.#account(key, model);
    const limit = account?.quota.tokensPerDay;
    if (account === undefined || limit === undefined) return undefined;
    const day = this.#rules.dayOf(this.#now());
    const ledger = this.#ledgers.get(account.name) ?? { day, spent: 0, limit };
    this.#ledgers.set(account.name, ledger);
    if (ledger.day !== day) {
      ledger.day = day;
      ledger.spent = 0;
    }
    return ledger;
  }

  #newBucket(perMinute: number, size: number): Bucket {
    return { level: size, at: this.#now(), size, perMinute };
  }

  #refill(bucket: Bucket): number {
    const now = this.#now();
    bucket.level = this.#rules.refill(bucket, now);
    bucket.at = now;
    return bucket.level;
  }
}
