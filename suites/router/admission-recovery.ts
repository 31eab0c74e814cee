/** What a request held comes back, however it left: slots of agents, places in flight, occupancy shares. */

import { together, notObserved } from '../../harness/checks/judgement.ts';
import { withinSlots } from '../../harness/checks/router/crowding.ts';
import { requireFixture } from '../../harness/drivers/router/fixture.ts';
import {
  endStreams,
  fail,
  failAtOnce,
  failStreams,
  hangUp,
  hangUpOnStreams,
  hangUpParked,
  hangUpUnread,
  resetStreams,
  succeed,
} from '../../harness/drivers/router/leaving.ts';
import { begunStreams, overfilled, takesNoMore } from '../../harness/drivers/router/overfill.ts';
import { cameBack, type Crowd, recovery } from '../../harness/drivers/router/recovery.ts';
import { pause } from '../../harness/exchange/budget.ts';
import { fillShare } from '../../harness/drivers/router/serverless-share.ts';
import { shareAfterLeaving } from '../../harness/drivers/router/serverless-share-leaving.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { Inconclusive } from '../../harness/runner/signals.ts';

function slots(t: RouterContext): Crowd {
  const { id, capacity } = requireFixture(t, 'singleSlot');
  return { model: id, places: capacity, full: 'no_capacity' };
}

function inflight(t: RouterContext): Crowd {
  const { id, limit } = requireFixture(t, 'maxInflight');
  return { model: id, places: limit, full: 'concurrency_limit_exceeded' };
}

const waysOfSlots = [
  ['a request that its engine refused', 'router.admission.slot-back-after-error', fail],
  ['a request that its engine calls invalid', 'router.admission.slot-back-after-error', failAtOnce],
  ['a stream that its engine refused', 'router.admission.slot-back-after-error', failStreams],
  ['a request whose client hung up', 'router.admission.slot-back-after-hang-up', hangUp],
  [
    'a stream whose client hung up',
    'router.admission.slot-back-after-stream-hang-up',
    hangUpOnStreams,
  ],
  [
    'a long stream whose client left without reading it',
    'router.admission.slot-back-after-stream-hang-up',
    hangUpUnread,
  ],
  [
    'a stream whose engine closed early',
    'router.admission.slot-back-after-stream-failure',
    endStreams,
  ],
  [
    'a stream whose engine was torn down',
    'router.admission.slot-back-after-stream-failure',
    resetStreams,
  ],
] as const;

const waysOfInflight = [
  ['a request that its engine refused', 'router.admission.inflight-back-after-error', fail],
  [
    'a request that its engine calls invalid',
    'router.admission.inflight-back-after-error',
    failAtOnce,
  ],
  ['a stream whose engine closed early', 'router.admission.inflight-back-after-error', endStreams],
  ['a request whose client hung up', 'router.admission.inflight-back-after-hang-up', hangUp],
  [
    'a stream whose client hung up',
    'router.admission.inflight-back-after-hang-up',
    hangUpOnStreams,
  ],
  [
    'a parked request whose client hung up',
    'router.admission.inflight-back-after-hang-up',
    hangUpParked,
  ],
] as const;

/** How often a share is filled, and milliseconds in which its rate may recover in between. */
const FILLINGS = 4;
const REFILL_MS = 700;

export default routerSection('admission', (test) => {
  test(
    'the slot of an answered request is free again',
    {
      judges: ['router.admission.slot-back-after-success'],
      exclusive: ['models.singleSlot'],
    },
    async (t) => {
      const crowd = slots(t);
      await succeed(t, crowd);
      const { back, onwards } = await recovery(t, crowd);
      t.judge('router.admission.slot-back-after-success', together(back, onwards));
    },
  );

  for (const [what, id, leave] of waysOfSlots) {
    test(
      `the slot of ${what} comes back`,
      {
        judges: [
          id,
          'router.admission.slot-back-after-success',
          'router.admission.slots-full-reaches-no-engine',
        ],
        exclusive: ['models.singleSlot'],
      },
      async (t) => {
        const crowd = slots(t);
        await leave(t, crowd);
        const { back, onwards } = await recovery(t, crowd);
        t.judge(id, back);
        // Whichever case is the first, a slot that every success keeps shows in it.
        t.judge('router.admission.slot-back-after-success', onwards);
        if (together(back, onwards).violations.length > 0) return;
        // What is given back twice is a slot too many.
        const over = await overfilled(t, crowd);
        t.judge(
          'router.admission.slots-full-reaches-no-engine',
          over === undefined ? notObserved : withinSlots(over.peak, crowd.places, over.beyond),
        );
      },
    );
  }

  test(
    'a stream that has begun keeps its slot until it ends',
    {
      judges: ['router.admission.slots-full-reaches-no-engine'],
      exclusive: ['models.singleSlot'],
      requests: 4,
    },
    async (t) => {
      const crowd = slots(t);
      for (const filling of begunStreams) {
        const over = await overfilled(t, crowd, filling);
        t.judge(
          'router.admission.slots-full-reaches-no-engine',
          over === undefined ? notObserved : withinSlots(over.peak, crowd.places, over.beyond),
        );
      }
    },
  );

  test(
    'a stream that has begun is in flight until it ends',
    {
      judges: ['router.admission.inflight-over-reaches-no-engine'],
      exclusive: ['models.maxInflight'],
      requests: 4,
    },
    async (t) => {
      const crowd = inflight(t);
      for (const filling of begunStreams) {
        t.judge(
          'router.admission.inflight-over-reaches-no-engine',
          await takesNoMore(t, crowd, filling),
        );
      }
    },
  );

  test(
    'the place in flight of an answered request is free again',
    {
      judges: ['router.admission.inflight-back-after-success'],
      exclusive: ['models.maxInflight'],
    },
    async (t) => {
      const crowd = inflight(t);
      await succeed(t, crowd);
      const { back, onwards } = await recovery(t, crowd);
      t.judge('router.admission.inflight-back-after-success', together(back, onwards));
    },
  );

  for (const [what, id, leave] of waysOfInflight) {
    test(
      `the place in flight of ${what} comes back`,
      {
        judges: [
          id,
          'router.admission.inflight-back-after-success',
          'router.admission.inflight-over-reaches-no-engine',
        ],
        exclusive: ['models.maxInflight'],
      },
      async (t) => {
        const crowd = inflight(t);
        await leave(t, crowd);
        const { back, onwards } = await recovery(t, crowd);
        t.judge(id, back);
        t.judge('router.admission.inflight-back-after-success', onwards);
        if (together(back, onwards).violations.length > 0) return;
        // What is given back twice is a place too many.
        t.judge('router.admission.inflight-over-reaches-no-engine', await takesNoMore(t, crowd));
      },
    );
  }

  test(
    'the occupancy share of a serverless key comes back',
    { judges: ['router.admission.serverless-share-back'], exclusive: ['keys.serverless'] },
    async (t) => {
      let { judgement, refused, again } = await fillShare(t);
      // What others asked for with this key may have used up its rate: it fills by and by.
      for (let tried = 1; tried < FILLINGS; tried += 1) {
        if (refused !== undefined || judgement.violations.length > 0) break;
        await pause(REFILL_MS, t.signal);
        ({ judgement, refused, again } = await fillShare(t));
      }
      if (judgement.violations.length > 0) {
        // Filling it took most of the rate, which the case that sets out to judge this may lack now.
        t.judge('router.rate-limit-rules.serverless-occupancy', judgement);
        t.judge('router.rate-limit-rules.serverless-occupancy-current', judgement);
      }
      if (refused === undefined) throw new Inconclusive('the share could not be filled');
      t.judge('router.admission.serverless-share-back', await cameBack(t, again));
      t.judge('router.admission.serverless-share-back', await shareAfterLeaving(t));
    },
  );
});
