/** Requests for an agent that went away and came back, of which the router may still hold the old connection. */

import { type Judgement, notObserved } from '../../checks/judgement.ts';
import { isSuccess, succeeded } from '../../checks/router/success.ts';
import { complete } from '../../backend/behaviours.ts';
import { pause } from '../../exchange/budget.ts';
import type { InferenceOptions, InferenceRoute } from './api.ts';
import { provoke } from './provoke.ts';
import type { RouterContext } from './session.ts';
import { retry } from '../../runner/retry.ts';

/** How a request for the agent is sent: what a router does for one kind it need not do for another. */
interface Kind extends Pick<InferenceOptions, 'stream'> {
  readonly route: InferenceRoute;
}

/** So many agents in a row that are lost to the first request alone convince. */
const ROUNDS = 3;
/** Milliseconds that an agent gets at least to be back whose first request was in vain, and at most. */
const BACK_MS = { least: 300, most: 4_000 } as const;
/** Times as long as it took to be served last time. */
const LONGER = 4;

/**
 * Whether the first request of a kind is served after the only agent of a model went away and came back. A hook may end
 * before its agent is ready, and how a router hears of that is its own affair: one whose first request fails gets much
 * longer the next time than it was away for, and fails when its agent is lost to the first request each time. Vacuous
 * where requests of the kind are not served to begin with.
 */
export async function servedAfterReturn(
  t: RouterContext,
  model: string,
  kind: Kind,
): Promise<Judgement> {
  const patiently = async () => (await provoke(t, complete(), { ...kind, model })).exchange;
  if (!isSuccess(await patiently())) return notObserved;
  for (let round = 1, backMs = 0; ; round += 1) {
    await t.hook('disconnectAgent');
    await t.hook('reconnectAgent');
    await pause(backMs, t.signal);
    const from = performance.now();
    const first = await t.api.infer(kind.route, model, {
      ...kind,
      script: await t.backend.script([complete()]),
    });
    if (isSuccess(first)) return succeeded(first);
    const later = await retry(t, 'returns', patiently, isSuccess);
    const awayMs = performance.now() - from;
    if (!isSuccess(later) || LONGER * awayMs > BACK_MS.most) return succeeded(later);
    if (round === ROUNDS) return succeeded(first);
    backMs = Math.max(BACK_MS.least, LONGER * awayMs);
  }
}
