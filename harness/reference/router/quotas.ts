/** The books of one router: request buckets, daily tokens and serverless rates by account. */

import type { KeyEntry, ServerlessRates } from './deployment.ts';
import type { RequestContext } from './context.ts';
import { RouterFailure } from './failure.ts';
import type { Remaining } from './rules/answer.ts';
import type { Bucket, KeyQuota, Ledger } from './rules/quota.ts';
import type { RouterRules } from './rules/rules.ts';

interface ServerlessBooks {
  readonly input: Bucket;
  readonly output: Bucket;
  share: number;
}

export class Quotas {
  readonly #rules: RouterRules;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #ledgers = new Map<string, Ledger>();
  readonly #serverless = new Map<string, ServerlessBooks>();
  /** Streams whose output no longer fitted the budget: all that is left of the event. */
  streamOverruns = 0;

  constructor(rules: RouterRules, now: () => number) {
    this.#rules = rules;
    this.#now = now;
  }

  /** What a key has left, for the headers; without a model only what holds for all models. */
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

  /** Takes one request of a key's bucket. @throws RouterFailure rate_limit_exceeded */
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

  /** Daily tokens that are left; undefined when unlimited. */
  tokensLeft(key: KeyEntry, model: string): number | undefined {
    const ledger = this.#ledger(key, model);
    return ledger === undefined ? undefined : Math.max(0, ledger.limit - ledger.spent);
  }

  /** Sets what is left of a key's daily tokens. */
  setTokensLeft(key: KeyEntry, model: string, left: number): void {
    const ledger = this.#ledger(key, model);
    if (ledger !== undefined) ledger.spent = ledger.limit - left;
  }

  /** The serverless books of a key for a model at the replica of a request, filled up to now. */
  serverless(
    { key, model }: { readonly key: KeyEntry; readonly model: string },
    rates: ServerlessRates,
    context: RequestContext,
  ): ServerlessBooks {
    const name = this.#atReplica(this.#rules.serverlessAccount(key, model), context);
    const books = this.#serverless.get(name) ?? {
      input: this.#newBucket(rates.inputTokensPerMinute, rates.inputTokensPerMinute),
      output: this.#newBucket(rates.outputTokensPerMinute, rates.outputTokensPerMinute),
      share: 0,
    };
    this.#serverless.set(name, books);
    this.#refill(books.input);
    this.#refill(books.output);
    return books;
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
