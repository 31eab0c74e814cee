/** What a model wrote, charged to the key that asked: daily tokens and serverless output rates. */

import type { RequestContext } from './context.ts';
import type { KeyEntry, ModelEntry } from './deployment.ts';
import type { Quotas } from './quotas.ts';
import type { RouterRules } from './rules/rules.ts';

export interface Bill {
  readonly context: RequestContext;
  readonly key: KeyEntry;
  readonly model: ModelEntry;
  readonly inputTokens: number;
  /** Whether what was written is taken of the daily tokens. */
  readonly budgeted: boolean;
}

export class Accounting {
  readonly #rules: RouterRules;
  readonly #quotas: Quotas;

  constructor(rules: RouterRules, quotas: Quotas) {
    this.#rules = rules;
    this.#quotas = quotas;
  }

  /** Books a whole answer (token-limit-rules/2). @throws RouterFailure when it no longer fits the budget */
  settle(bill: Bill, outputTokens: number, body: Uint8Array): void {
    const { context, key, model, inputTokens } = bill;
    this.#chargeRate(bill, outputTokens);
    if (!bill.budgeted) return;
    const estimated = this.#quotas.tokensLeft(key, model.id);
    if (estimated === undefined) return;
    const left = estimated + inputTokens - this.#rules.promptCost(inputTokens, body, context);
    if (this.#rules.settles(left, outputTokens, context)) {
      this.#quotas.setTokensLeft(
        key,
        model.id,
        this.#rules.afterCompletion(left, outputTokens, context),
      );
      return;
    }
    this.#quotas.setTokensLeft(key, model.id, this.#rules.afterOverrun(left, inputTokens, context));
    throw this.#rules.overrun(body, context);
  }

  /** Books a stream that has ended, however it did (token-limit-rules/3). */
  bookStream(bill: Bill, outputTokens: number): void {
    const { context, key, model } = bill;
    this.#chargeRate(bill, outputTokens);
    if (!bill.budgeted) return;
    this.#rules.book(() => {
      const left = this.#quotas.tokensLeft(key, model.id);
      if (left === undefined) return;
      if (!this.#rules.settles(left, outputTokens, context)) this.#quotas.streamOverruns += 1;
      this.#quotas.setTokensLeft(
        key,
        model.id,
        this.#rules.afterStream(left, outputTokens, context),
      );
    }, context);
  }

  #chargeRate({ context, key, model }: Bill, outputTokens: number): void {
    const { serverless } = model;
    if (serverless === undefined || !this.#rules.chargesRate(context)) return;
    this.#rules.book(() => {
      const { output } = this.#quotas.serverless({ key, model: model.id }, serverless, context);
      output.level = this.#rules.charge(output, outputTokens, context);
    }, context);
  }
}
