/** Clients that leave the processors of a router, as many as it has. */

import { isSuccess } from '../../checks/router/success.ts';
import { NotExercised } from '../../runner/signals.ts';
import { askedWhenIdle, type Idle } from './capacity.ts';
import { requireFixture } from './fixture.ts';
import { hangUpAnywhere } from './leaving.ts';
import type { RouterContext } from './session.ts';

/** Clients that hang up at most, so that processors are missed. */
const MAX_PROCESSORS = 64;

/** Has as many clients hang up as the router has processors, on requests and then on streams, and asks whether it still serves. */
export async function leaveProcessors(t: RouterContext): Promise<readonly Idle[]> {
  const model = requireFixture(t, 'chat');
  const most = Math.min(t.sharedPlaces.mostHeld, MAX_PROCESSORS);
  if (most < (t.limits.maxConcurrent ?? Infinity) - 1) {
    throw new NotExercised(`to leave more than ${MAX_PROCESSORS} processors takes too many`);
  }
  const asked: Idle[] = [];
  for (const stream of [false, true]) {
    // All but one, as one is always left for others, and then that one, too.
    for (const count of [most, 1].filter((some) => some > 0)) {
      await hangUpAnywhere(t, { count, stream }, async (call) =>
        t.api.chat(model, { ...call, inAnyCase: true }),
      );
    }
    const idle = await askedWhenIdle(t, model);
    asked.push(idle);
    if (!isSuccess(idle.last)) break;
  }
  return asked;
}
