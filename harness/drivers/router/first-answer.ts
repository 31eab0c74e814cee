/** Taking an answer as it is where the general keys are asked for what a model refuses. */

import { isInternalFailure } from '../../checks/router/passing.ts';
import { remainingOf } from '../../checks/router/remaining-quota.ts';
import { isRateLimited } from '../../checks/router/request-bucket.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { CallOptions } from './api.ts';

/**
 * The first answer to a request. Rate limits of general keys are waited out, being in the way as a rule; where a model
 * refuses for a limit of its own, that would hide a refusal by the wrong code. One that says that its key is out of
 * requests is in the way here, too, and so is a failure inside the router that passes.
 */
export async function firstAnswer(
  send: (call: Pick<CallOptions, 'repeat'>) => Promise<Exchange>,
): Promise<Exchange> {
  const once = { repeat: false };
  const answer = await send(once);
  const first = isInternalFailure(answer) ? await send(once) : answer;
  const outOfRequests = isRateLimited(first) && remainingOf(first, 'requests') === 0;
  return outOfRequests ? send({}) : first;
}
