/** All conforming variants of the compute deployment. */

import { accessVariants, requestVariants } from './requests.ts';
import { answerVariants, pagedListVariants } from './answers.ts';
import { conditionVariants } from './conditions.ts';
import { populationVariants, targetFileVariants } from './populations.ts';
import { recordVariants } from './records.ts';
import { ruleVariants } from './rules.ts';
import type { ComputeVariant } from './variant.ts';

export const computeVariants: readonly ComputeVariant[] = [
  ...accessVariants,
  ...answerVariants,
  ...recordVariants,
  ...requestVariants,
  ...conditionVariants,
  ...populationVariants,
  ...ruleVariants,
  ...pagedListVariants,
  ...targetFileVariants,
];
