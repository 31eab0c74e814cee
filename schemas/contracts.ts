/** The contracts by name: their requirements, levels and target files. */

import { z } from 'zod';
import { type ContractData, registered } from './registered.ts';
import type { Contract, Requirement } from './requirement.ts';

type Registered = typeof registered;

/** The path of a need in the target file of any contract. */
export type NeedName = { [C in keyof Registered]: keyof Registered[C]['needs'] }[keyof Registered];

/** A target file as its author writes it, before defaults. */
export type TargetFileInput = {
  [C in keyof Registered]: z.input<Registered[C]['targetFile']>;
}[keyof Registered];

const contracts = new Map<Contract, ContractData>(Object.entries(registered));

/** The names of all contracts. */
export const contractNames: readonly Contract[] = [...contracts.keys()];

/** A contract by its name. */
export function contractData(name: Contract): ContractData {
  const data = contracts.get(name);
  if (data === undefined) throw new Error(`there is no contract ${name}`);
  return data;
}

const catalogues = new Map(
  [...contracts].map(([name, { catalogue }]) => [name, Object.values(catalogue)] as const),
);

/** Every requirement of a contract, in the order of its document. */
export function requirementsOf(contract: Contract): readonly Requirement[] {
  return catalogues.get(contract) ?? [];
}

/** Every requirement of all contracts. */
export const allRequirements: readonly Requirement[] = [...catalogues.values()].flat();

const [first, ...others] = [...contracts.values()];
if (first === undefined) throw new Error('there are no contracts');

/** The target file of any contract. */
export const targetFile = z.discriminatedUnion('contract', [
  first.targetFile,
  ...others.map((one) => one.targetFile),
]);

/** One level of a contract with everything that it requires. */
export interface Profile {
  readonly name: string;
  readonly contract: Contract;
  readonly summary: string;
  readonly needs: readonly string[];
  /** Ids of its requirements of any strength, all of which a run of the profile judges. */
  readonly requirements: readonly string[];
  /** Ids of its stated requirements; a target meets the level when each of them passed. */
  readonly stated: readonly string[];
}

/** The levels of a contract, the smallest first; tests pass a catalogue other than the contract's own. */
export function profilesOfContract(
  contract: Contract,
  catalogue: readonly Requirement[] = requirementsOf(contract),
): readonly Profile[] {
  const { levels, beyondLevels } = contractData(contract);
  return levels.map(({ name, summary }, at) => {
    const needs = levels.slice(0, at + 1).flatMap(({ adds }) => adds);
    const offered = new Set<string>(needs);
    const belongs = (requirement: Requirement): boolean =>
      !Object.hasOwn(beyondLevels, requirement.id) &&
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

/** The levels of each contract. */
export const allProfiles: Readonly<Record<Contract, readonly Profile[]>> = Object.fromEntries(
  contractNames.map((contract) => [contract, profilesOfContract(contract)]),
);

/** The levels of a contract, the smallest first. */
export function profilesOf(contract: Contract): readonly Profile[] {
  return allProfiles[contract] ?? [];
}
