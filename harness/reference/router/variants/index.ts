/** All conforming variants of the reference router. */

import { policyVariants } from './policy.ts';
import type { RouterVariant } from './variant.ts';
import { wireVariants } from './wire.ts';

export const routerVariants: readonly RouterVariant[] = [...wireVariants, ...policyVariants];
