/** Which cases a run takes in: by requirement, section, profile and shard. */

import { requirementsOf, contractData, profilesOf } from '../../schemas/contracts.ts';
import type { Contract, Requirement } from '../../schemas/requirement.ts';
import type { CaseOptions, Section } from './case.ts';
import { type CaseOfSection, casesOf } from './run.ts';
import type { RunPlan } from './run-plan.ts';
import { dealtTo } from './shards.ts';

export interface SelectionOptions {
  /** Requirement ids or prefixes of them. */
  readonly only?: readonly string[] | undefined;
  readonly section?: string | undefined;
  /** Ids that a profile names; undefined without a profile. */
  readonly profileIds?: ReadonlySet<string> | undefined;
}

export class Selection {
  readonly #requirements: ReadonlySet<string>;
  readonly #everyCase: boolean;

  /** `catalogue` holds every requirement of the target's contract. */
  constructor(catalogue: readonly Requirement[], options: SelectionOptions) {
    const ids = new Set(catalogue.map((requirement) => requirement.id));
    // A whole id names itself alone, also where it is the beginning of another.
    const named = (id: string, prefix: string): boolean =>
      ids.has(prefix) ? id === prefix : id.startsWith(prefix);
    const selected = catalogue.filter(
      (requirement) =>
        (options.only === undefined ||
          options.only.length === 0 ||
          options.only.some((prefix) => named(requirement.id, prefix))) &&
        (options.section === undefined || requirement.section === options.section) &&
        (options.profileIds === undefined || options.profileIds.has(requirement.id)),
    );
    this.#requirements = new Set(selected.map((requirement) => requirement.id));
    // What is judged on every exchange and by no case of its own needs the traffic of every case, unless it was selected
    // with its section, whose cases bring about what it is about.
    this.#everyCase = selected.some(
      ({ id, contract, section, universal, hasCases }) =>
        universal === true &&
        hasCases !== true &&
        (contractData(contract).aboutEveryAnswer.includes(section) ||
          options.only?.includes(id) === true),
    );
  }

  /** Ids that the run reports on. */
  get requirements(): ReadonlySet<string> {
    return this.#requirements;
  }

  /** Whether the selection needs the case. */
  includes(one: Pick<CaseOptions<string>, 'judges'>): boolean {
    return this.#everyCase || one.judges.some((id) => this.#requirements.has(id));
  }
}

/** What a plan selects of a contract. A profile that the contract does not have selects nothing of it. */
export function plannedSelection(
  contract: Contract,
  { only, section, profile }: Pick<RunPlan, 'only' | 'section' | 'profile'>,
): Selection {
  const level = profilesOf(contract).find(({ name }) => name === profile);
  const profileIds = profile === undefined ? undefined : new Set(level?.requirements);
  return new Selection(requirementsOf(contract), { only, section, profileIds });
}

/** The cases of a contract that a plan takes in, in the order in which they start. */
export function plannedCases(
  sections: readonly Section<never>[],
  contract: Contract,
  plan: Pick<RunPlan, 'only' | 'section' | 'profile' | 'shard'>,
): readonly CaseOfSection[] {
  const selection = plannedSelection(contract, plan);
  const selected = casesOf(sections, contract, (one) => selection.includes(one));
  if (plan.shard === undefined) return selected;
  // By name, so that every process deals the same.
  const nameOf = ({ section, one }: CaseOfSection): string => `${section.name} ${one.title}`;
  const named = selected.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const own = dealtTo(
    plan.shard,
    named.map(({ one }) => one),
    requirementsOf(contract),
  );
  return selected.filter(({ one }) => own.has(one));
}
