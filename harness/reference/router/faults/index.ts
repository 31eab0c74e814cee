/** All deliberate violations of the router contract. */

import type { Fault } from '../../fault.ts';
import type { RouterRules } from '../rules/rules.ts';
import { admissionFaults } from './admission.ts';
import { answerFaults } from './answers.ts';
import { authenticationFaults } from './authentication.ts';
import { roleFaults } from './roles.ts';
import { classificationFaults } from './classification.ts';
import { readingFaults } from './classification-reading.ts';
import { messageFaults } from './classification-messages.ts';
import { engineStatusFaults } from './by-engine-status.ts';
import { codeTableFaults } from './code-table.ts';
import { endpointFaults } from './endpoints.ts';
import { envelopeFaults } from './envelope.ts';
import { exampleFaults } from './example-faults.ts';
import { givenBackTwiceFaults } from './given-back-twice.ts';
import { forwardingFaults } from './forwarding.ts';
import { headerFaults } from './headers.ts';
import { limitKindFaults } from './limits-by-kind.ts';
import { limitLawFaults } from './limit-law.ts';
import { leakFaults } from './leaks.ts';
import { limitFaults } from './limits.ts';
import { proxyFaults } from './proxy.ts';
import { proxyRouteFaults } from './proxy-routes.ts';
import { providerFaults } from './provider.ts';
import { askedStreamFaults } from './asked-streams.ts';
import { rateLimitFaults } from './rate-limits.ts';
import { refusalFaults } from './refusals.ts';
import { requestFaults } from './requests.ts';
import { requestKindFaults } from './requests-by-kind.ts';
import { modelFaults } from './models.ts';
import { retryFaults } from './retries.ts';
import { idempotencyFaults } from './idempotency.ts';
import { letGoEarlyFaults } from './let-go-early.ts';
import { serverlessFaults } from './serverless.ts';
import { streamEndFaults } from './stream-ends.ts';
import { streamFaults } from './streams.ts';
import { requestIdFaults } from './request-ids.ts';
import { tokenLimitFaults } from './token-limits.ts';
import { tokenOverrunFaults } from './token-overruns.ts';

/** In the order of the contract's document. */
export const routerFaults: readonly Fault<RouterRules>[] = [
  ...exampleFaults,
  ...endpointFaults,
  ...answerFaults,
  ...authenticationFaults,
  ...roleFaults,
  ...refusalFaults,
  ...envelopeFaults,
  ...codeTableFaults,
  ...requestFaults,
  ...modelFaults,
  ...requestKindFaults,
  ...rateLimitFaults,
  ...serverlessFaults,
  ...tokenLimitFaults,
  ...tokenOverrunFaults,
  ...classificationFaults,
  ...readingFaults,
  ...messageFaults,
  ...proxyFaults,
  ...proxyRouteFaults,
  ...retryFaults,
  ...providerFaults,
  ...askedStreamFaults,
  ...idempotencyFaults,
  ...streamFaults,
  ...streamEndFaults,
  ...requestIdFaults,
  ...headerFaults,
  ...limitFaults,
  ...admissionFaults,
  ...leakFaults,
  ...givenBackTwiceFaults,
  ...letGoEarlyFaults,
  ...limitKindFaults,
  ...limitLawFaults,
  ...engineStatusFaults,
  ...forwardingFaults,
];
