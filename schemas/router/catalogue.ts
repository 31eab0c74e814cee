/** The whole router catalogue, in the order of the document. */

import type { Requirement } from '../requirement.ts';
import type { Clause } from '../requirement.ts';
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

export const routerCatalogue = {
  ...endpoint.requirements,
  ...authentication.requirements,
  ...envelope.requirements,
  ...codes.requirements,
  ...rateLimit.requirements,
  ...tokenLimit.requirements,
  ...classification.requirements,
  ...transparentProxy.requirements,
  ...retry.requirements,
  ...streaming.requirements,
  ...responseHeader.requirements,
  ...limit.requirements,
  ...admission.requirements,
} as const satisfies Readonly<Record<string, Requirement>>;

export type RouterRequirementId = keyof typeof routerCatalogue;

/** Every clause of the router contract, by anchor: where a reader finds it, and why nothing is judged there. */
export const routerClauses: Readonly<Record<string, Clause>> = {
  ...endpoint.clauses,
  ...authentication.clauses,
  ...envelope.clauses,
  ...codes.clauses,
  ...rateLimit.clauses,
  ...tokenLimit.clauses,
  ...classification.clauses,
  ...transparentProxy.clauses,
  ...retry.clauses,
  ...streaming.clauses,
  ...responseHeader.clauses,
  ...limit.clauses,
  ...admission.clauses,
};
