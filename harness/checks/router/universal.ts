/** Everything that is judged on every exchange with a router, whoever made it. */

import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import type { RouterTarget } from '../../../schemas/router/target.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { UniversalCheck, UniversalJudgement } from '../universal.ts';
import { bearerChallenge } from './challenge.ts';
import { chatStream } from './chat-stream.ts';
import { codeAgreement } from './code-agreement.ts';
import { envelopeForm } from './envelope.ts';
import { knowledgeOf, type RouterKnowledge } from './knowledge.ts';
import { modelListForm } from './model-list.ts';
import { remainingForm } from '../limits/quota.ts';
import { requestIdHeader } from './request-id.ts';
import { retryAfterHeader } from './retry-after.ts';
import { traceContext } from './trace-context.ts';

/** The universal check of the router contract. */
export const universalRouterCheck: UniversalCheck<RouterKnowledge, RouterRequirementId> = judge;

function* judge(
  exchange: Exchange,
  knowledge: RouterKnowledge,
): Generator<UniversalJudgement<RouterRequirementId>> {
  if (exchange.response === undefined) return;
  yield* requestIdHeader(exchange, knowledge);
  yield* envelopeForm(exchange);
  yield* codeAgreement(exchange, knowledge);
  yield* bearerChallenge(exchange, knowledge);
  yield* traceContext(exchange);
  yield* remainingForm(exchange);
  yield* retryAfterHeader(exchange, knowledge);
  yield* modelListForm(exchange);
  yield* chatStream(exchange, knowledge);
}

/**
 * The universal check for one target. `mayBeForwarded` tells the exchanges whose engine may have answered with the
 * router's own envelope, as a scripted backend can.
 */
export function routerUniversal(options: {
  readonly target: Pick<RouterTarget, 'keys' | 'models' | 'limits'>;
  readonly mayBeForwarded?: (exchange: Exchange) => boolean;
}): (exchange: Exchange) => Iterable<UniversalJudgement<RouterRequirementId>> {
  const knowledge = knowledgeOf(options.target, options.mayBeForwarded);
  return (exchange) => universalRouterCheck(exchange, knowledge);
}
