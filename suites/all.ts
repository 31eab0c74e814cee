/** Every section of every contract, in alphabetical order. */

import type { Section } from '../harness/runner/case.ts';
import computeAuthentication from './compute/authentication.ts';
import computeErrors from './compute/errors.ts';
import computeGetInstance from './compute/get-instance.ts';
import computeInstanceRecord from './compute/instance-record.ts';
import computeListInstances from './compute/list-instances.ts';
import computeMedia from './compute/media.ts';
import computePagination from './compute/pagination.ts';
import computePresets from './compute/presets.ts';
import computeRateLimiting from './compute/rate-limiting.ts';
import computeRegions from './compute/regions.ts';
import computeScoping from './compute/scoping.ts';
import computeStartInstance from './compute/start-instance.ts';
import computeStates from './compute/states.ts';
import computeStopInstance from './compute/stop-instance.ts';
import computeTerminateInstance from './compute/terminate-instance.ts';
import computeVariants from './compute/variants.ts';
import routerAdmission from './router/admission.ts';
import routerAuthentication from './router/authentication.ts';
import routerBackendClassification from './router/backend-classification.ts';
import routerCodes from './router/codes.ts';
import routerEndpoints from './router/endpoints.ts';
import routerEnvelope from './router/envelope.ts';
import routerLimits from './router/limits.ts';
import routerRateLimitRules from './router/rate-limit-rules.ts';
import routerResponseHeaders from './router/response-headers.ts';
import routerRetryBehaviourChain from './router/retry-behaviour-chain.ts';
import routerRetryBehaviour from './router/retry-behaviour.ts';
import routerStreaming from './router/streaming.ts';
import routerTokenLimitRules from './router/token-limit-rules.ts';
import routerTransparentProxy from './router/transparent-proxy.ts';
import measured from './costs.json' with { type: 'json' };

const written: readonly Section<never>[] = [
  computeAuthentication,
  computeErrors,
  computeGetInstance,
  computeInstanceRecord,
  computeListInstances,
  computeMedia,
  computePagination,
  computePresets,
  computeRateLimiting,
  computeRegions,
  computeScoping,
  computeStartInstance,
  computeStates,
  computeStopInstance,
  computeTerminateInstance,
  computeVariants,
  routerAdmission,
  routerAuthentication,
  routerBackendClassification,
  routerCodes,
  routerEndpoints,
  routerEnvelope,
  routerLimits,
  routerRateLimitRules,
  routerResponseHeaders,
  routerRetryBehaviourChain,
  routerRetryBehaviour,
  routerStreaming,
  routerTokenLimitRules,
  routerTransparentProxy,
];

/** Numbers of requests in a quick, a standard and a thorough run, by section and title. */
type Costs = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
const costs: Readonly<Record<string, Costs>> = measured;

/** The sections; each case has its approximate number of requests, as measured by `npm run stability -- --write`. */
export const sections: readonly Section<never>[] = written.map((section) => ({
  ...section,
  cases: section.cases.map((one) => {
    const [quick, standard, ...more] = costs[section.contract]?.[section.name]?.[one.title] ?? [];
    if (quick === undefined || standard === undefined) return one;
    return { ...one, requests: [quick, standard, more[0]] as const };
  }),
}));
