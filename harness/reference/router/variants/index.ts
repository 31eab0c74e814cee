/** All conforming variants of the reference router. */

import { deploymentVariants } from './deployments.ts';
import { engineErrorVariants } from './engine-errors.ts';
import { fixtureVariants } from './fixtures.ts';
import { limitVariants } from './limits.ts';
import { policyVariants } from './policy.ts';
import { retoldVariants } from './retold.ts';
import { ruleVariants } from './rules.ts';
import type { RouterVariant } from './variant.ts';
import { wireVariants } from './wire.ts';

export const routerVariants: readonly RouterVariant[] = [
  ...wireVariants,
  ...policyVariants,
  ...ruleVariants,
  ...retoldVariants,
  ...deploymentVariants,
  ...engineErrorVariants,
  ...fixtureVariants,
  ...limitVariants,
];
