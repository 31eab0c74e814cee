/** Starts of stopped instances, where a host may be lacking at the moment. */

import { isTelling } from '../../checks/compute/answers.ts';
import { isSuccess } from '../../checks/compute/records.ts';
import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';

/** What a start is sent by. */
interface Starter {
  readonly api: { readonly start: (id: string) => Promise<Exchange> };
  readonly signal: AbortSignal;
}

/** Milliseconds before each further try: capacity comes and goes. */
const PAUSES_MS: readonly number[] = [100, 400, 1_500, 3_000];

/**
 * Starts an instance. A refusal alone does not show that stopped instances cannot be started: it is tried again
 * for a few seconds, and the last answer counts. A 403 does not pass: the account may not.
 */
export async function startPatiently({ api, signal }: Starter, id: string): Promise<Exchange> {
  let answer = await api.start(id);
  for (const wait of PAUSES_MS) {
    if (!mayPass(answer)) break;
    await pause(wait, signal);
    answer = await api.start(id);
  }
  return answer;
}

function mayPass(answer: Exchange): boolean {
  return isTelling(answer) && !isSuccess(answer) && answer.response?.status !== 403;
}
