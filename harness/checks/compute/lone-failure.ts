/** Failures among many answers: the contract has one for any call, and tells clients to try again (compute#errors/500). */

import type { Exchange } from '../../exchange/exchange.ts';
import { isTelling } from './answers.ts';

/** True for a failure of the service itself. */
export function isFailure(exchange: Exchange): boolean {
  return isTelling(exchange) && (exchange.response?.status ?? 0) >= 500;
}

/** The answers without a failure that is the only one: one alone says nothing of the service. */
export function withoutLoneFailure(answers: readonly Exchange[]): readonly Exchange[] {
  const isLone = answers.filter(isFailure).length === 1;
  return isLone ? answers.filter((answer) => !isFailure(answer)) : answers;
}
