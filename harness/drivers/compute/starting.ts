/** Starts of stopped instances, where a host may be lacking at the moment. */

import { isTelling } from '../../checks/compute/answers.ts';
import { isSuccess } from '../../checks/compute/records.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { retry } from '../../runner/retry.ts';

/** What a start is sent by. */
interface Starter {
  readonly api: { readonly start: (id: string) => Promise<Exchange> };
  readonly signal: AbortSignal;
}

export interface Started {
  /** The last answer. */
  readonly answer: Exchange;
  /** Whether a try before it failed on the side of the service, which may have started the instance all the same. */
  readonly mayHaveStarted: boolean;
}

/**
 * Starts an instance. A refusal alone does not show that stopped instances cannot be started: it is tried again
 * for a few seconds, and the last answer counts. A 403 does not pass: the account may not.
 */
export async function startPatiently(t: Starter, id: string): Promise<Started> {
  let failed = false;
  const answer = await retry(
    t,
    'hostFree',
    async () => {
      const tried = await t.api.start(id);
      failed ||= tried.retries > 0 || (tried.response?.status ?? 0) >= 500;
      return tried;
    },
    (tried) => !mayPass(tried),
  );
  return { answer, mayHaveStarted: failed };
}

function mayPass(answer: Exchange): boolean {
  return isTelling(answer) && !isSuccess(answer) && answer.response?.status !== 403;
}
