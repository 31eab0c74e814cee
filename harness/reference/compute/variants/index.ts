/** All conforming variants of the compute deployment. */

import { answerVariants } from './answers.ts';
import { conditionVariants } from './conditions.ts';
import { requestVariants } from './requests.ts';
import type { ComputeVariant } from './variant.ts';

export const computeVariants: readonly ComputeVariant[] = [
  ...answerVariants,
  ...requestVariants,
  ...conditionVariants,
];
