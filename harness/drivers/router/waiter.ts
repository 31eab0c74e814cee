/** A request that waits in a full router, for an engine of its own that stays silent. */

import { stall } from '../../backend/behaviours.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { requireFixture } from './fixture.ts';
import type { RouterContext } from './session.ts';
import { underWay } from '../../runner/retry.ts';

/** How a request ended that waited for a processor. */
export interface Waited {
  readonly exchange: Exchange;
  /** Milliseconds until its engine was asked, or until its end. */
  readonly waitedMs: number;
}

export interface Waiter {
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  /** Whether its engine was asked by now: then it has its processor. */
  readonly isServed: () => Promise<boolean>;
  /** Lets it go, wherever it is. */
  readonly letGo: () => Promise<void>;
  readonly end: Promise<Waited>;
}

/** Sends one. Who needs its end no more when a session ends need not wait for it. */
export async function sendWaiter(t: RouterContext): Promise<Waiter> {
  const script = await t.backend.script([stall()]);
  const sentAt = Date.now();
  const asked = t.api.chat(requireFixture(t, 'chat'), { script, unbounded: true });
  const end = async (): Promise<Waited> => {
    const exchange = await asked;
    const [hit] = await t.backend.hits(script);
    await t.backend.release(script);
    const until = hit?.at ?? exchange.startedAt + exchange.durationMs;
    return { exchange, waitedMs: until - exchange.startedAt };
  };
  return {
    sentAt,
    isServed: async () => (await t.backend.counts(script)).hits > 0,
    letGo: async () => t.backend.release(script),
    end: underWay(end()),
  };
}
