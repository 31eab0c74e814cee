/** Plumbline as a library: the suites in a Vitest project, a run as a function, the checks for your own exchanges. */

export { defineConformanceSuite, type SuiteOptions } from './suite.ts';
export { runConformance, type ConformanceOptions } from './run-conformance.ts';
export { NotReady } from '../planned.ts';
export {
  type ExchangeJudgement,
  exchangeOf,
  judgeExchanges,
  type JudgeOptions,
  type SeenExchange,
} from './exchanges.ts';
export { asTargetFile } from '../../target/draft.ts';
export { TargetFileError } from '../../target/problem.ts';
export type { Exchange } from '../../exchange/exchange.ts';
export type { Contract, Requirement, Strength } from '../../../schemas/requirement.ts';
export { type TargetFileInput, requirementsOf } from '../../../schemas/contracts.ts';
export type {
  ConformanceReport,
  Finding,
  RequirementResult,
  Verdict,
} from '../../../schemas/report.ts';
export { version } from '../version.ts';
