/** All deliberate violations of the router contract. */

import type { Fault } from '../../fault.ts';
import type { RouterRules } from '../rules/rules.ts';
import { admissionFaults } from './admission.ts';
import { authenticationFaults } from './authentication.ts';
import { classificationFaults } from './classification.ts';
import { codeTableFaults } from './code-table.ts';
import { endpointFaults } from './endpoints.ts';
import { envelopeFaults } from './envelope.ts';
import { exampleFaults } from './example-faults.ts';
import { headerFaults } from './headers.ts';
import { leakFaults } from './leaks.ts';
import { limitFaults } from './limits.ts';
import { proxyFaults } from './proxy.ts';
import { rateLimitFaults } from './rate-limits.ts';
import { refusalFaults } from './refusals.ts';
import { requestFaults } from './requests.ts';
import { retryFaults } from './retries.ts';
import { serverlessFaults } from './serverless.ts';
import { streamFaults } from './streams.ts';
import { tokenLimitFaults } from './token-limits.ts';

/** In the order of the contract's document. */
export const routerFaults: readonly Fault<RouterRules>[] = [
  ...exampleFaults,
  ...endpointFaults,
  ...authenticationFaults,
  ...refusalFaults,
  ...envelopeFaults,
  ...codeTableFaults,
  ...requestFaults,
  ...rateLimitFaults,
  ...serverlessFaults,
  ...tokenLimitFaults,
  ...classificationFaults,
  ...proxyFaults,
  ...retryFaults,
  ...streamFaults,
  ...headerFaults,
  ...limitFaults,
  ...admissionFaults,
  ...leakFaults,
];
