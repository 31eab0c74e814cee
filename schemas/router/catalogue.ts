/** The whole router catalogue, in the order of the document. */

import { admission } from './admission.ts';
import { authentication } from './authentication.ts';
import { classification } from './backend-classification.ts';
import { codes } from './codes.ts';
import { endpoint } from './endpoints.ts';
import { envelope } from './envelope.ts';
import { limit } from './limits.ts';
import { rateLimit } from './rate-limit-rules.ts';
import { responseHeader } from './response-headers.ts';
import { retry } from './retry-behaviour.ts';
import { streaming } from './streaming.ts';
import { tokenLimit } from './token-limit-rules.ts';
import { transparentProxy } from './transparent-proxy.ts';
import { merged } from '../requirement.ts';

const all = merged([
  endpoint,
  authentication,
  envelope,
  codes,
  rateLimit,
  tokenLimit,
  classification,
  transparentProxy,
  retry,
  streaming,
  responseHeader,
  limit,
  admission,
]);

export const routerCatalogue = all.requirements;

/** Id of a requirement of the router contract. */
export type RouterRequirementId = keyof typeof routerCatalogue;

/** Every clause of the router contract, by anchor: where a reader finds it, and why nothing is judged there. */
export const routerClauses = all.clauses;
