/** The whole router catalogue, in the order of the document. */

import type { Requirement } from '../requirement.ts';
import { admissionRequirements } from './admission.ts';
import { authenticationRequirements } from './authentication.ts';
import { classificationRequirements } from './backend-classification.ts';
import { codeAgreementRequirements } from './code-agreement.ts';
import { endpointRequirements } from './endpoints.ts';
import { envelopeRequirements } from './envelope.ts';
import { limitRequirements } from './limits.ts';
import { provocationRequirements } from './provocations.ts';
import { rateLimitRequirements } from './rate-limit-rules.ts';
import { responseHeaderRequirements } from './response-headers.ts';
import { retryRequirements } from './retry-behaviour.ts';
import { streamingRequirements } from './streaming.ts';
import { tokenLimitRequirements } from './token-limit-rules.ts';
import { transparentProxyRequirements } from './transparent-proxy.ts';

export const routerCatalogue = {
  ...endpointRequirements,
  ...authenticationRequirements,
  ...envelopeRequirements,
  ...codeAgreementRequirements,
  ...provocationRequirements,
  ...rateLimitRequirements,
  ...tokenLimitRequirements,
  ...classificationRequirements,
  ...transparentProxyRequirements,
  ...retryRequirements,
  ...streamingRequirements,
  ...responseHeaderRequirements,
  ...limitRequirements,
  ...admissionRequirements,
} as const satisfies Readonly<Record<string, Requirement>>;

export type RouterRequirementId = keyof typeof routerCatalogue;
