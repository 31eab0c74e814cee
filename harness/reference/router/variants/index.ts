/** All conforming variants of the reference router. */

import { deploymentVariants, fixtureVariants, targetFileVariants } from './deployments.ts';
import { limitVariants } from './limits.ts';
import { policyVariants, wireVariants } from './policy.ts';
import { engineErrorVariants, retoldVariants, ruleVariants } from './rules.ts';
import type { RouterVariant } from './variant.ts';

export const routerVariants: readonly RouterVariant[] = [
  ...wireVariants,
  ...policyVariants,
  ...ruleVariants,
  ...retoldVariants,
  ...deploymentVariants,
  ...engineErrorVariants,
  ...fixtureVariants,
  ...limitVariants,
  ...targetFileVariants,
];
