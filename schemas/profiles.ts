/**
 * Levels of each contract, as data. A level is named by what a target file must offer for it; each one holds
 * everything of the one before. A requirement belongs to the first level that offers all that it needs.
 */

import { requirementsOf } from './catalogues.ts';
import type { ComputeNeed, NeedName, RouterNeed } from './needs.ts';
import type { Contract, Requirement } from './requirement.ts';

interface Level<Need extends NeedName> {
  readonly name: string;
  /** What holding it says of a deployment, in a sentence. */
  readonly summary: string;
  /** Needs that it adds to those of the level before. */
  readonly adds: readonly Need[];
}

const computeLevels = [
  {
    name: 'read-only',
    summary: 'Everything that shows without changing any instance.',
    adds: [
      'keys.second',
      'keys.empty',
      'bindings.getInstance.record',
      'bindings.regions.codes',
      'bindings.presets.items',
      'bindings.presets.filters.sku',
      'bindings.presets.filters.freeText',
      'bindings.presets.fields.id',
      'bindings.presets.fields.sku',
      'bindings.presets.fields.region',
      'bindings.presets.fields.location',
      'bindings.presets.fields.gpu',
      'bindings.presets.fields.gpuCount',
      'bindings.presets.fields.cpu',
      'bindings.presets.fields.memory',
      'bindings.presets.fields.storage',
      'bindings.presets.fields.price',
      'instances.terminated',
    ],
  },
  {
    name: 'lifecycle',
    summary: 'Instances can also be stopped, started and destroyed as the contract says.',
    adds: [
      'bindings.terminate',
      'bindings.start',
      'instances.provision',
      'instances.stopped',
      'consent.stop',
      'consent.terminate',
    ],
  },
  {
    name: 'complete',
    summary: 'All of the contract, with what takes a spent rate limit or a special key.',
    adds: [
      'keys.forbidden',
      'keys.forbidden.instance',
      'bindings.locations.unmapped',
      'consent.exhaustRateLimit',
    ],
  },
] as const satisfies readonly Level<ComputeNeed>[];

const routerLevels = [
  {
    name: 'client',
    summary: 'What a client with a key relies on: access, answers, errors and streams.',
    adds: [
      'keys.client',
      'keys.second',
      'keys.expired',
      'keys.disabled',
      'keys.removed',
      'keys.allowlisted',
      'models.chat',
      'models.embedding',
      'models.reranker',
      'models.hidden',
      'backend',
    ],
  },
  {
    name: 'admission',
    summary: 'Quotas, budgets, caps, slots and queues also admit and refuse as the contract says.',
    adds: [
      'keys.unlimited',
      'keys.requestsPerMinute',
      'keys.requestsPerMinute.tokens',
      'keys.tokensPerDay',
      'keys.perModel',
      'keys.perModel.declared',
      'keys.serverless',
      'keys.serverless.inputTokensPerMinute',
      'keys.serverless.outputTokensPerMinute',
      'keys.serverless.occupancyShare',
      'models.capped',
      'models.capped.maxInputTokens',
      'models.capped.imagesMax',
      'models.maxInflight',
      'models.occupancy',
      'models.singleSlot',
      'limits.maxRequestBytes',
      'limits.requestTimeoutMs',
      'limits.parkTimeoutMs',
    ],
  },
  {
    name: 'complete',
    summary:
      'All of the contract, with failing agents, fallbacks, a full router and the admin routes.',
    adds: [
      'keys.admin',
      'models.pair',
      'models.bounded',
      'models.overflow',
      'models.fallback',
      'models.provider',
      'models.shed',
      'models.calm',
      'models.deadBackend',
      'models.noAgents',
      'models.agentGone',
      'limits.queueSize',
      'limits.maxConcurrent',
      'limits.maxTries',
      'hooks.disconnectAgent',
      'consent.saturate',
    ],
  },
] as const satisfies readonly Level<RouterNeed>[];

/** Requirements that no level asks for, because a conforming deployment may be unable to show them. */
export const beyondProfiles: Readonly<Record<string, string>> = {
  'compute.errors.status-500': 'a deployment that never fails inside has no 500 to show',
  'compute.errors.code-internal-error': 'a deployment that never fails inside has no 500 to show',
  'router.limits.body-limit-disabled': 'a deployment with a body limit cannot show it',
};

/** One level of a contract with all that it asks for. */
export interface Profile {
  readonly name: string;
  readonly contract: Contract;
  readonly summary: string;
  /** Everything that a target file must offer for it. */
  readonly needs: readonly NeedName[];
  /** Ids of its requirements of any strength: what a run of it judges. */
  readonly requirements: readonly string[];
  /** Ids of the stated ones: it is met when each was exercised and held. */
  readonly stated: readonly string[];
}

/** The levels of a contract, the smallest first, over its catalogue or over another one for tests. */
export function profilesOfContract(
  contract: Contract,
  catalogue: readonly Requirement[] = requirementsOf(contract),
): readonly Profile[] {
  const levels: readonly Level<NeedName>[] = contract === 'compute' ? computeLevels : routerLevels;
  return levels.map(({ name, summary }, at) => {
    const needs = levels.slice(0, at + 1).flatMap(({ adds }) => adds);
    const offered = new Set<string>(needs);
    const belongs = (requirement: Requirement): boolean =>
      beyondProfiles[requirement.id] === undefined &&
      (requirement.needs ?? []).every((need) => offered.has(need));
    const members = catalogue.filter(belongs);
    const stated = members.filter(({ strength }) => strength === 'stated');
    return {
      name,
      contract,
      summary,
      needs,
      requirements: members.map(({ id }) => id),
      stated: stated.map(({ id }) => id),
    };
  });
}

/** The levels of both contracts, as a report takes them. */
export const allProfiles: Readonly<Record<Contract, readonly Profile[]>> = {
  compute: profilesOfContract('compute'),
  router: profilesOfContract('router'),
};
