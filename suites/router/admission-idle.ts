/** What the router says once everything has ended: with nothing at the engines, nothing of a model can be taken. */

import { complete } from '../../harness/backend/behaviours.ts';
import {
  freeWhenIdle,
  placesFreeWhenIdle,
  reachesWhenIdle,
} from '../../harness/checks/router/crowding.ts';
import { isSuccess } from '../../harness/checks/router/success.ts';
import { requireFixture } from '../../harness/drivers/router/fixture.ts';
import { hangUpAnywhere } from '../../harness/drivers/router/leaving.ts';
import { provoke } from '../../harness/drivers/router/provoke.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { until } from '../../harness/drivers/router/until.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

/** How often the plain model is asked at the end of all. */
const ASKED = 3;
/** Milliseconds in which what is free must show, beyond the deadline up to which a router may keep what it holds. */
const FREE_WITHIN_MS = 5_000;
/** Clients that hang up at most, so that processors are missed. */
const MAX_PROCESSORS = 64;
/** The longest deadline that is waited for. */
const LONGEST_DEADLINE_MS = 60_000;

/** The last answer of a model that is asked until it serves, and how much the engines are at then. */
async function askedWhenIdle(t: RouterContext, model: string) {
  const { requestTimeoutMs = 0 } = t.limits;
  const withinMs = FREE_WITHIN_MS + Math.min(requestTimeoutMs, LONGEST_DEADLINE_MS);
  const send = async () => (await provoke(t, complete(), { model, inAnyCase: true })).exchange;
  const last = await until(send, isSuccess, { withinMs, signal: t.signal });
  const atEngines = await t.backend.totals();
  return { last, inFlight: atEngines.reduce((sum, engine) => sum + engine.inFlight, 0) };
}

export default routerSection('admission', (test) => {
  test(
    'no slot stays taken once everything has ended',
    { judges: ['router.admission.slots-free-when-idle'], alone: true, requests: ASKED + 1 },
    async (t) => {
      const model = requireFixture(t, 'chat');
      for (let asked = 0; asked < ASKED; asked += 1) {
        const { last, inFlight } = await askedWhenIdle(t, model);
        t.judge('router.admission.slots-free-when-idle', freeWhenIdle(last, inFlight));
        if (!isSuccess(last)) break;
      }
      const { singleSlot } = t.models;
      if (singleSlot === undefined) return;
      const { last, inFlight } = await askedWhenIdle(t, singleSlot.id);
      t.judge('router.admission.slots-free-when-idle', freeWhenIdle(last, inFlight));
    },
  );

  test(
    'no place in flight stays taken once everything has ended',
    { judges: ['router.admission.places-free-when-idle'], alone: true, requests: 1 },
    async (t) => {
      const { last, inFlight } = await askedWhenIdle(t, requireFixture(t, 'maxInflight').id);
      t.judge('router.admission.places-free-when-idle', placesFreeWhenIdle(last, inFlight));
    },
  );

  test(
    'a processor is free again when its client hung up',
    {
      judges: ['router.admission.processor-back-after-hang-up'],
      alone: true,
      requests: 80,
    },
    async (t) => {
      const model = requireFixture(t, 'chat');
      const most = Math.min(t.sharedPlaces.mostHeld, MAX_PROCESSORS);
      if (most < (t.limits.maxConcurrent ?? Infinity) - 1) {
        throw new NotExercised(`to leave more than ${MAX_PROCESSORS} processors takes too many`);
      }
      // All but one, as one is always left for others, and then that one, too.
      for (const stream of [false, true]) {
        for (const count of [most, 1]) {
          if (count === 0) continue;
          await hangUpAnywhere(t, { count, stream }, async (call) =>
            t.api.chat(model, { ...call, inAnyCase: true }),
          );
        }
        const { last, inFlight } = await askedWhenIdle(t, model);
        t.judge('router.admission.processor-back-after-hang-up', reachesWhenIdle(last, inFlight));
        t.judge('router.admission.slots-free-when-idle', freeWhenIdle(last, inFlight));
        if (!isSuccess(last)) return;
      }
    },
  );
});
