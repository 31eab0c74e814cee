/** Admission: every check that can refuse a request before it is queued. */

import {
  type KeyEntry,
  type Limits,
  type ModelEntry,
  type RequestBody,
  type RequestContext,
  type Route,
  RouterFailure,
} from './model.ts';
import type { RefusalStage, RouterChoices } from './choices.ts';
import type { Fleet } from './fleet.ts';
import { Gate, type Holdings, sleepUntil } from './holdings.ts';
import type { Quotas } from './quotas.ts';
import type { RouterRules } from './rules/rules.ts';

export interface Applicant {
  readonly context: RequestContext;
  readonly route: Route;
  readonly key: KeyEntry;
  readonly modelId: string;
  readonly body: RequestBody;
  readonly signal: AbortSignal;
  readonly holdings: Holdings;
}

/** What the router knows about a request after admission. */
export interface Admitted {
  readonly model: ModelEntry;
  readonly inputTokens: number;
}

interface Weighed extends Applicant, Admitted {
  readonly output: number | undefined;
  readonly weight: number;
}

export interface AdmissionParts {
  readonly rules: RouterRules;
  readonly choices: RouterChoices;
  readonly models: readonly ModelEntry[];
  readonly limits: Limits;
  readonly quotas: Quotas;
  readonly fleet: Fleet;
}

export class Admission {
  readonly #parts: AdmissionParts;
  readonly #gates = new Map<string, Gate>();

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** Runs the stages in the chosen order. @throws RouterFailure of the first stage that refuses */
  async admit(applicant: Applicant): Promise<Admitted> {
    const { rules, choices, models } = this.#parts;
    const inputTokens = rules.estimateInput(applicant.body, applicant.context);
    const output = rules.requestedOutput(applicant.body, applicant.context);
    const weight = rules.weigh(inputTokens, output, applicant.context);
    // For an unknown model, only the stages that need no model run, until `existence` refuses.
    const model = rules.findModel(models, applicant.modelId, applicant.context);
    for (const stage of choices.refusalOrder) {
      if (model === undefined) this.#judgeUnknown(stage, applicant);
      else await this.#judge[stage]({ ...applicant, model, inputTokens, output, weight });
    }
    if (model === undefined) throw notFound(applicant.modelId);
    return { model, inputTokens };
  }

  #judgeUnknown(stage: RefusalStage, applicant: Applicant): void {
    const { rules, quotas } = this.#parts;
    const { context, key, modelId } = applicant;
    if (stage === 'permission') permit(rules, applicant);
    if (stage === 'existence') throw notFound(modelId);
    if (stage === 'declaration') declared(rules, key, modelId);
    if (stage === 'requests' && !this.#paidBefore(key)) quotas.takeRequest(key, modelId, context);
  }

  readonly #judge: Readonly<Record<RefusalStage, (request: Weighed) => void | Promise<void>>> = {
    permission: (request) => permit(this.#parts.rules, request),
    existence: () => undefined,
    declaration: ({ key, modelId, context }) => {
      const { rules } = this.#parts;
      if (rules.limited('declaration', context)) declared(rules, key, modelId);
    },
    requests: ({ key, modelId, context }) => {
      if (this.#paidBefore(key) || !this.#parts.rules.limited('requests', context)) return;
      this.#parts.quotas.takeRequest(key, modelId, context);
    },
    capability: ({ model, route, context }) => {
      if (this.#parts.rules.capable(model, route, context)) return;
      throw new RouterFailure(
        this.#parts.choices.capabilityMismatch,
        `the engine of ${model.id} cannot serve this route`,
      );
    },
    caps: ({ model, inputTokens, body, context }) => {
      const { rules } = this.#parts;
      if (rules.withinCaps(model, inputTokens, rules.countImages(body, context), context)) return;
      throw new RouterFailure('input_too_long', 'the input is over a cap of the policy');
    },
    shed: async ({ model, signal, context }) => {
      if (model.shedIfPressure === undefined) return;
      const pressure = await this.#parts.fleet.pressure(model, signal);
      if (this.#parts.rules.sheds(model, pressure, context))
        throw busy('the engines are under pressure');
    },
    serverless: async (request) => this.#serverless(request),
    tokens: (request) => this.#tokens(request),
    inflight: async (request) => this.#park(request, 'inflight', request.model.maxInflight, 1),
    occupancy: async (request) => {
      const budget = request.model.occupancyTokens;
      const weight = this.#parts.rules.occupancy(
        request.weight,
        budget ?? Infinity,
        request.context,
      );
      await this.#park(request, 'occupancy', budget, weight);
    },
  };

  #paidBefore(key: KeyEntry): boolean {
    return this.#parts.choices.invalidRequestsCost && key.perModel === undefined;
  }

  async #serverless(request: Weighed): Promise<void> {
    const { context, key, model, inputTokens, weight, signal, holdings } = request;
    const { rules, quotas } = this.#parts;
    const rates = model.serverless;
    if (rates === undefined) return;
    const account = quotas.serverless({ key, model: model.id }, rates, context);
    const output = rules.limited('output-rate', context);
    if (output && rules.exhausted(account.output.level, context))
      throw tooFast('output token rate');
    const fits = (): boolean =>
      !rules.limited('share', context) ||
      rules.withinShare(account.share, weight, rates.occupancyShare, context);
    if (!fits() && !rules.waitsForShare(context)) throw tooFast('occupancy share');
    await sleepUntil(fits, signal);
    const input = rules.limited('input-rate', context);
    if (input && !rules.gives(account.input.level, inputTokens, 'input'))
      throw tooFast('input token rate');
    account.input.level -= inputTokens;
    account.share += weight;
    holdings.add('share', () => {
      account.share -= weight;
    });
  }

  #tokens({ context, key, modelId, route, inputTokens, output }: Weighed): void {
    const { rules, quotas } = this.#parts;
    const left = quotas.tokensLeft(key, modelId);
    if (left === undefined || !rules.budgeted(route, context)) return;
    if (!rules.fitsBudget(left, inputTokens, output ?? 0, context)) {
      throw new RouterFailure(
        'token_limit_exceeded',
        'insufficient daily token budget for the requested max_tokens',
        { quota: 'budget' },
      );
    }
    quotas.setTokensLeft(key, modelId, Math.max(0, left - inputTokens));
  }

  async #park(
    { context, model, signal, holdings }: Weighed,
    holding: 'inflight' | 'occupancy',
    capacity: number | undefined,
    weight: number,
  ): Promise<void> {
    if (capacity === undefined || !this.#parts.rules.limited(holding, context)) return;
    const { choices, rules } = this.#parts;
    const replica = choices.placesInEach ? rules.replicaOf(context) : 0;
    const name = `${holding}/${model.id} at ${replica}`;
    const gate = this.#gates.get(name) ?? new Gate(this.#parts.rules.capacity(holding, capacity));
    this.#gates.set(name, gate);
    const patience = this.#parts.rules.parkMs(this.#parts.limits, context);
    const end = this.#parts.rules.endOfParking(signal, context);
    if (!(await gate.enter(weight, end, patience))) throw busy(`${model.id} is at its limit`);
    holdings.add(holding, () => gate.leave(weight));
  }
}

function permit(rules: RouterRules, { key, modelId, context }: Applicant): void {
  if (!rules.mayUse(key, modelId, context)) {
    throw new RouterFailure('model_forbidden', `the key may not use ${modelId}`);
  }
}

function declared(rules: RouterRules, key: KeyEntry, model: string): void {
  if (rules.quotaOf(key, model) === 'undeclared') {
    throw new RouterFailure('rate_limit_exceeded', `no quota is declared for ${model} on the key`, {
      quota: 'undeclared',
    });
  }
}

export function notFound(model: string): RouterFailure {
  return new RouterFailure('model_not_found', `there is no model ${model}`);
}

function busy(message: string): RouterFailure {
  return new RouterFailure('concurrency_limit_exceeded', message);
}

function tooFast(what: string): RouterFailure {
  return new RouterFailure('rate_limit_exceeded', `the ${what} of the key is exceeded`, {
    quota: 'serverless',
  });
}
