/** All faults of the router contract, in the order of its documentation. */

import type { Fault } from '../../fault.ts';
import type { RouterRules } from '../rules/rules.ts';
import { admissionLeaksFaults } from './admission-leaks.ts';
import { admissionFaults } from './admission.ts';
import { authenticationRolesFaults } from './authentication-roles.ts';
import { authenticationFaults } from './authentication.ts';
import { classificationFaults } from './classification.ts';
import { codeTableFaults } from './code-table.ts';
import { codesFaults } from './codes.ts';
import { contentsFaults, limitsFaults } from './limits.ts';
import { endpointsFaults } from './endpoints.ts';
import { answersFaults } from './answers.ts';
import { oddTrafficFaults } from './odd-traffic.ts';
import { rateLimitRulesFaults } from './rate-limit-rules.ts';
import { retryProviderFaults } from './retry-provider.ts';
import { retryBehaviourFaults } from './retry-behaviour.ts';
import { streamingFaults } from './streaming.ts';
import { tokenLimitRulesFaults } from './token-limit-rules.ts';
import { transparentProxyFaults } from './transparent-proxy.ts';

export const routerFaults: readonly Fault<RouterRules>[] = [
  ...admissionLeaksFaults,
  ...admissionFaults,
  ...authenticationRolesFaults,
  ...authenticationFaults,
  ...classificationFaults,
  ...codeTableFaults,
  ...codesFaults,
  ...endpointsFaults,
  ...answersFaults,
  ...contentsFaults,
  ...oddTrafficFaults,
  ...limitsFaults,
  ...rateLimitRulesFaults,
  ...retryProviderFaults,
  ...retryBehaviourFaults,
  ...streamingFaults,
  ...tokenLimitRulesFaults,
  ...transparentProxyFaults,
];
