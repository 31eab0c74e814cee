/**
 * Every decision of the router as a small named function. A fault replaces one of them and leaves the
 * rest alone; a variant makes other choices.
 */

import type { RouterChoices } from '../choices.ts';
import { admissionRules } from './admission.ts';
import { answerRules } from './answer.ts';
import { backendRules } from './backend.ts';
import { identityRules } from './identity.ts';
import { quotaRules } from './quota.ts';
import { requestRules } from './request.ts';
import { retryRules } from './retry.ts';

export type RouterRules = ReturnType<typeof identityRules> &
  ReturnType<typeof requestRules> &
  ReturnType<typeof quotaRules> &
  ReturnType<typeof admissionRules> &
  ReturnType<typeof backendRules> &
  ReturnType<typeof retryRules> &
  ReturnType<typeof answerRules>;

/** The decisions of a deployment that keeps the contract. */
export function conformingRules(choices: RouterChoices): RouterRules {
  return {
    ...identityRules(choices),
    ...requestRules(choices),
    ...quotaRules(choices),
    ...admissionRules(choices),
    ...backendRules(choices),
    ...retryRules(choices),
    ...answerRules(choices),
  };
}
