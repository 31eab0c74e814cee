/** Filling the occupancy share of a serverless key with requests that the engine holds. */

import { type Judgement, held, vacuous, violated } from '../../checks/judgement.ts';
import { isRateLimited } from '../../checks/router/request-bucket.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { whileHeld } from './holding.ts';
import { ask, awake, rateOf, serverlessKey } from './serverless.ts';
import type { RouterContext } from './session.ts';
import { words } from './words.ts';

export interface ShareFilled {
  /** Whether any of the requests was refused as it must be. */
  readonly judgement: Judgement;
  /** One that was refused; undefined when none was. */
  readonly refused: Exchange | undefined;
  /** Requests that reached the engine though they were refused. */
  readonly overreach: number;
  /** Sends one like them, which alone is within the share. */
  readonly again: (script?: string) => Promise<Exchange>;
}

/** Each weighs a quarter of the share by its input alone, and as much by the output that it asks for. */
const QUARTERS = 16;

/**
 * Sends four times the share at once. Whatever a router weighs, some are within the share and some are not: the latter
 * must be refused at once. Where the input rate could refuse them as well, that none is refused shows nothing.
 */
export async function fillShare(t: RouterContext): Promise<ShareFilled> {
  await awake(t);
  const { share, inputPerMinute = Infinity } = serverlessKey(t);
  const size = Math.max(1, Math.floor(rateOf(share) / 4));
  const options = { text: words(size), maxTokens: size, unbounded: true };
  const send = async (script: string) => ask(t, { ...options, script });
  return whileHeld(t, { count: QUARTERS, send }, async ({ script, early }) => {
    const { hits } = await t.backend.counts(script);
    const refused = early.find((exchange) => isRateLimited(exchange));
    return {
      judgement: judged(early, refused, inputPerMinute >= QUARTERS * size),
      refused,
      overreach: Math.max(0, hits - (QUARTERS - early.length)),
      again: async (other) =>
        ask(t, { ...options, ...(other === undefined ? {} : { script: other }) }),
    };
  });
}

function judged(
  early: readonly Exchange[],
  refused: Exchange | undefined,
  sure: boolean,
): Judgement {
  if (refused !== undefined) return early.length < QUARTERS ? held() : vacuous;
  // What was refused for another reason shows nothing of the share.
  if (early.length > 0 || !sure) return vacuous;
  return violated('Requests of four times the occupancy share were all admitted at once.', {
    expected: 'rate_limit_exceeded for some of them',
    actual: 'none was refused',
  });
}
