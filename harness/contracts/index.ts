/** The contracts that the suite knows, by name. Only this file maps names to modules. */

import { contractData, contractNames } from '../../schemas/contracts.ts';
import type { ContractData } from '../../schemas/registered.ts';
import type { Contract } from '../../schemas/requirement.ts';
import type { ReferenceModule } from './references.ts';
import type { ContractModule } from './contract.ts';
import { computeContract } from './compute.ts';
import { routerContract } from './router.ts';
import type { JudgeOptions } from '../passive/followers.ts';
import type { TrafficJudge } from '../passive/traffic-judge.ts';
import type { RunnableSession } from '../runner/run-case.ts';
import type { PlannedTarget } from '../runner/selection.ts';

/** The descriptor of each contract. */
export const modules: Readonly<Record<Contract, ContractModule>> = {
  compute: computeContract,
  router: routerContract,
};

/** The descriptor and data of a contract by its name. Throws for an unknown name. */
export function contractOf(name: Contract): ContractModule & ContractData {
  const module = modules[name];
  if (module === undefined) throw new Error(`there is no contract ${name}`);
  return { ...contractData(name), ...module };
}

/** Opens a session for the contract of the target. */
export async function openSession(
  planned: PlannedTarget,
  run: Parameters<ContractModule['open']>[1],
): Promise<RunnableSession> {
  return contractOf(planned.target.contract).open(planned, run);
}

/** Makes a judge of traffic for the contract of the target. */
export async function trafficJudgeOf(options: JudgeOptions): Promise<TrafficJudge> {
  const [{ TrafficJudge }, traffic] = await Promise.all([
    import('../passive/traffic-judge.ts'),
    contractOf(options.planned.target.contract).traffic(),
  ]);
  return new TrafficJudge(options, traffic);
}

/** The reference deployment of a contract. Throws if there is none. */
export async function referenceOf(name: Contract): Promise<ReferenceModule> {
  const reference = await contractOf(name).reference?.();
  if (reference === undefined) throw new Error(`${name} has no reference deployment`);
  return reference;
}

/** The contracts with a reference deployment. */
export const referenceNames: readonly Contract[] = contractNames.filter(
  (name) => modules[name]?.reference !== undefined,
);
