/** All conforming variants of the compute deployment. */

import { accessVariants } from './access.ts';
import { answerVariants } from './answers.ts';
import { conditionVariants } from './conditions.ts';
import { pagedListVariants } from './paged-lists.ts';
import { populationVariants } from './populations.ts';
import { recordVariants } from './records.ts';
import { requestVariants } from './requests.ts';
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
];
