/** All conforming variants of the reference router. */

import { deploymentVariants } from './deployments.ts';
import { engineErrorVariants, retoldVariants } from './engines.ts';
import { fixtureVariants, targetFileVariants } from './fixtures.ts';
import { limitVariants } from './limits.ts';
import { policyVariants, wireVariants } from './policy.ts';
import { ruleVariants } from './rules.ts';
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
