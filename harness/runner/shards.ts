/**
 * Deals the cases of a contract out to the processes of a run. Cases that could be in each other's way through a
 * fixture go to the same one, since each process guards its fixtures for itself alone.
 */

import type { Requirement } from '../../schemas/requirement.ts';
import type { CaseOptions } from './case.ts';

export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
}

/** What dealing must know of a case. */
export type DealtCase = Pick<
  CaseOptions<string>,
  'judges' | 'needs' | 'exclusive' | 'alone' | 'requests' | 'waits'
>;

/** Keys that are spent by use, and instances that are changed by it. */
const spent: ReadonlySet<string> = new Set([
  'keys.requestsPerMinute',
  'keys.tokensPerDay',
  'keys.perModel',
  'keys.serverless',
  'instances.stopped',
  'instances.terminated',
]);
const ALONE = '(alone)';

/** A case that says nothing of it sends about so many requests. */
const USUAL_REQUESTS = 5;
/** What the wait of a case counts for, in requests. */
const WAIT = 20;

/** The cases that this shard runs. Every process deals the same cases in the same way. */
export function dealtTo<One extends DealtCase>(
  { index, count }: Shard,
  cases: readonly One[],
  catalogue: readonly Requirement[],
): ReadonlySet<One> {
  const needs = new Map(catalogue.map((requirement) => [requirement.id, requirement.needs ?? []]));
  const exclusive = new Set(cases.flatMap((one) => one.exclusive ?? []));
  const fixturesOf = (one: One): readonly string[] => {
    const needed = [...(one.needs ?? []), ...one.judges.flatMap((id) => needs.get(id) ?? [])];
    // A need may name a part of a fixture: `models.capped.imagesMax`.
    const whole = needed.map((need) => need.split('.').slice(0, 2).join('.'));
    return [
      ...(one.exclusive ?? []),
      ...whole.filter((need) => exclusive.has(need) || spent.has(need)),
      ...(one.alone === true ? [ALONE] : []),
    ];
  };

  // The heaviest group first, each to the shard that has least: the usual way to make parts alike.
  const groups = grouped(cases, fixturesOf)
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

function weightOf({ requests = USUAL_REQUESTS, waits }: DealtCase): number {
  return requests + (waits === true ? WAIT : 0);
}

/** Cases that share a fixture, directly or through others, in one group; in the order of their first members. */
function grouped<One>(
  cases: readonly One[],
  fixturesOf: (one: One) => readonly string[],
): readonly (readonly One[])[] {
  let groups: { members: One[]; fixtures: Set<string> }[] = [];
  for (const one of cases) {
    const fixtures = new Set(fixturesOf(one));
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
