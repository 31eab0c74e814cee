/** The plan of a run, and the selection of its cases by requirement, section, profile and shard. */

import type { Target } from '../../schemas/target.ts';
import type { Contract, Requirement } from '../../schemas/requirement.ts';
import {
  type CaseOptions,
  type Depth,
  type Section,
  type SuiteCase,
  fixturesOf,
  requestsOf,
} from './case.ts';
import { contractData, profilesOf, requirementsOf } from '../../schemas/contracts.ts';
import { caseName } from './recorder.ts';
import { type CaseOfSection, casesOf } from './run.ts';

export interface PlannedTarget {
  readonly target: Target;
  /** Secrets by the name that stands for them in the target. They are passed in memory and never written. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Folder in which hooks and provision commands run. */
  readonly folder: string;
}

export interface RunPlan {
  readonly runId: string;
  readonly targets: readonly PlannedTarget[];
  readonly seed: number;
  /** Values that a property of weight 1 tries. */
  readonly runs: number;
  /** How much is tried (default 'standard'). */
  readonly depth?: Depth | undefined;
  readonly only: readonly string[];
  readonly section?: string | undefined;
  readonly profile?: string | undefined;
  /** Names of cases as in a report (default all). */
  readonly cases?: readonly string[] | undefined;
  /** Where the run records instances that it makes (default beside each target file). */
  readonly journal?: string | undefined;
  /** A counterexample to replay directly. */
  readonly replay?: { readonly property: string; readonly path: string } | undefined;
  /** The part of the run that this process runs. */
  readonly shard?: Shard | undefined;
}

declare module 'vitest' {
  interface ProvidedContext {
    plumbline: RunPlan;
  }
}

export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
}

/** What sharding needs to know of a case. */
export type ShardedCase = Pick<
  SuiteCase<never>,
  'judges' | 'needs' | 'isolation' | 'requests' | 'waitsLong'
>;

/** Keys that are used up, and instances that are changed by a case. */
const spent: ReadonlySet<string> = new Set([
  'keys.requestsPerMinute',
  'keys.tokensPerDay',
  'keys.perModel',
  'keys.serverless',
  'instances.stopped',
  'instances.terminated',
]);
const ALONE = '(alone)';

/** Weight of a case's wait, in requests. */
const WAIT = 20;

/** The cases of this shard. Every process deals the same cases in the same way. */
export function shardOf<One extends ShardedCase>(
  { index, count }: Shard,
  cases: readonly One[],
  catalogue: readonly Requirement[],
): ReadonlySet<One> {
  const needs = new Map(catalogue.map((requirement) => [requirement.id, requirement.needs ?? []]));
  const exclusive = new Set(cases.flatMap((one) => fixturesOf(one)));
  const usedBy = (one: One): readonly string[] => {
    const needed = [...(one.needs ?? []), ...one.judges.flatMap((id) => needs.get(id) ?? [])];
    // A need may name a part of a fixture, such as `models.capped.imagesMax`.
    const whole = needed.map((need) => need.split('.').slice(0, 2).join('.'));
    return [
      ...fixturesOf(one),
      ...whole.filter((need) => exclusive.has(need) || spent.has(need)),
      ...(one.isolation === 'target' ? [ALONE] : []),
    ];
  };

  // Greedy balancing: the heaviest group goes first, and each goes to the shard with the least weight.
  const groups = grouped(cases, usedBy)
    .map((members) => ({ members, weight: members.reduce((sum, one) => sum + weightOf(one), 0) }))
    .toSorted((one, other) => other.weight - one.weight);
  const shards = Array.from({ length: count }, () => ({ weight: 0, cases: new Set<One>() }));
  for (const { members, weight } of groups) {
    const least = shards.reduce((one, other) => (other.weight < one.weight ? other : one));
    least.weight += weight;
    for (const member of members) least.cases.add(member);
  }
  return shards[index - 1]?.cases ?? new Set();
}

function weightOf(one: ShardedCase): number {
  return requestsOf(one) + (one.waitsLong === true ? WAIT : 0);
}

/** Groups cases that share a fixture, directly or through other cases. */
function grouped<One>(
  cases: readonly One[],
  usedBy: (one: One) => readonly string[],
): readonly (readonly One[])[] {
  let groups: { members: One[]; fixtures: Set<string> }[] = [];
  for (const one of cases) {
    const fixtures = new Set(usedBy(one));
    const shares = (group: { readonly fixtures: ReadonlySet<string> }): boolean =>
      [...fixtures].some((fixture) => group.fixtures.has(fixture));
    const joined = groups.filter(shares);
    const made = {
      members: [...joined.flatMap(({ members }) => members), one],
      fixtures: new Set([...joined.flatMap((group) => [...group.fixtures]), ...fixtures]),
    };
    groups = [...groups.filter((group) => !shares(group)), made];
  }
  return groups.map(({ members }) => members);
}

/** What a plan selects of a contract. */
export interface Selection {
  /** Ids that the run reports on. */
  readonly requirements: ReadonlySet<string>;
  /** Whether the selection needs the case. */
  readonly includes: (one: Pick<CaseOptions<string>, 'judges'>) => boolean;
}

/** Selects by requirement, section and profile. A profile that the contract does not have selects nothing. */
export function plannedSelection(
  contract: Contract,
  { only, section, profile }: Pick<RunPlan, 'only' | 'section' | 'profile'>,
): Selection {
  const catalogue = requirementsOf(contract);
  const ids = new Set(catalogue.map(({ id }) => id));
  const level = profilesOf(contract).find(({ name }) => name === profile);
  const ofProfile = profile === undefined ? ids : new Set(level?.requirements);
  // A complete id selects only itself, even if it is the prefix of another id.
  const isNamed = (id: string, prefix: string): boolean =>
    ids.has(prefix) ? id === prefix : id.startsWith(prefix);
  const selected = catalogue.filter(
    (one) =>
      (only.length === 0 || only.some((prefix) => isNamed(one.id, prefix))) &&
      (section === undefined || one.section === section) &&
      ofProfile.has(one.id),
  );
  const requirements = new Set(selected.map(({ id }) => id));
  // A universal requirement without a case of its own needs the traffic of every case, unless it was selected with a
  // section whose cases provoke what it judges.
  const everyCase = selected.some(
    (one) =>
      one.universal === true &&
      one.hasCases !== true &&
      (contractData(contract).aboutEveryAnswer.includes(one.section) || only.includes(one.id)),
  );
  return {
    requirements,
    includes: ({ judges }) => everyCase || judges.some((id) => requirements.has(id)),
  };
}

/** The cases of a contract that a plan selects, in starting order. */
export function plannedCases(
  sections: readonly Section<never>[],
  contract: Contract,
  plan: Pick<RunPlan, 'only' | 'section' | 'profile' | 'cases' | 'shard'>,
): readonly CaseOfSection[] {
  const selection = plannedSelection(contract, plan);
  const { cases = [] } = plan;
  const selected = casesOf(sections, contract, (one) => selection.includes(one)).filter(
    ({ section, one }) =>
      cases.length === 0 || cases.includes(caseName(contract, section.name, one.title)),
  );
  if (plan.shard === undefined) return selected;
  // Sorted by name, so that every process deals the same.
  const nameOf = ({ section, one }: CaseOfSection): string => `${section.name} ${one.title}`;
  const named = selected.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const own = shardOf(
    plan.shard,
    named.map(({ one }) => one),
    requirementsOf(contract),
  );
  return selected.filter(({ one }) => own.has(one));
}
