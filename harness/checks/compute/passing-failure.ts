/** Failures of the service that pass, and those that do not (compute#errors/500). */

import type { Exchange } from '../../exchange/exchange.ts';
import { type Judgement, together } from '../judgement.ts';
import { isTelling, noServerError } from './answers.ts';

/** A call may meet a failure that passes, and a second one by chance; a third is no chance, unless of very many. */
const FAILURES_BY_CHANCE = 2;
const SHARE_BY_CHANCE = 0.01;

/** Answers to many calls, less the failures that chance explains: no more than a few of them. */
export function withoutChance(answers: readonly Exchange[]): readonly Exchange[] {
  const others = answers.filter((answer) => !isFailure(answer));
  const byChance = Math.max(FAILURES_BY_CHANCE, answers.length * SHARE_BY_CHANCE);
  return answers.length - others.length <= byChance ? others : answers;
}

/** Judges many answers to ordinary reads of one operation: no more of them failed than may by chance. */
export function failsByChanceAlone(answers: readonly Exchange[]): Judgement {
  return together(
    ...withoutChance(answers).map((answer) => {
      const { method, path, query } = answer.request;
      return noServerError(answer, `${method} ${path}${query === '' ? '' : `?${query}`}`);
    }),
  );
}

function isFailure(answer: Exchange): boolean {
  return isTelling(answer) && (answer.response?.status ?? 0) >= 500;
}
