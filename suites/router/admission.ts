/** Limits on time and concurrency, and the release of what a request held. capacities.ts declares the limits. */

import { notObserved, together } from '../../harness/checks/judgement.ts';
import {
  freeWhenIdle,
  notOverdue,
  notShed,
  placesFreeWhenIdle,
  reachesWhenIdle,
  refusedForPlaces,
  refusedForSlots,
  someRefused,
  withinPlaces,
} from '../../harness/checks/limits/together.ts';
import { reachedNoEngine } from '../../harness/checks/router/tries.ts';
import { endedWith, isSuccess, outcomeText } from '../../harness/checks/router/outcome.ts';
import { isOnMessages } from '../../harness/drivers/router/api.ts';
import {
  fillModel,
  fillSlots,
  servesAgain,
  takesNoMore,
} from '../../harness/drivers/router/capacity.ts';
import { requestShapes } from '../../harness/drivers/router/client-routes.ts';
import { judgeInEach, requireFixture } from '../../harness/drivers/router/fixtures.ts';
import {
  calmRequests,
  budgetAfterDeadline,
  fillOccupancy,
  shedProvocations,
  shedRequests,
} from '../../harness/drivers/router/occupancy.ts';
import { servedOnceFree } from '../../harness/drivers/router/parking.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import {
  comesBack,
  HOLDS_PROCESSORS,
  inflight,
  parkingLimits,
  parks,
  slots,
  tokenBudget,
} from './capacities.ts';
import { deadlines } from './laws/deadlines.ts';
import { askedWhenIdle, leaveProcessors } from '../../harness/drivers/router/saturation.ts';

const ID = 'router.admission';
const FULL = 'concurrency_limit_exceeded';

export default routerSection('admission', (test) => {
  deadlines(test);

  test(
    'as many requests as the limit in flight allows are served at once, one more is refused',
    {
      judges: [
        `${ID}.inflight-at`,
        `${ID}.inflight-over`,
        inflight.beyondReachesNoEngine,
        inflight.backAfterSuccess,
        'router.response-headers.retry-after-on-concurrency',
        'router.response-headers.retry-after-value',
      ],
      isolation: { fixtures: [inflight.fixture] },
    },
    async (t) => {
      const { at, back, beyond, isOverdue, other } = await fillModel(t, inflight.of(t));
      const due = { code: FULL, dueMs: t.limits.parkTimeoutMs ?? 0 } as const;
      t.judge(`${ID}.inflight-at`, at);
      t.judge(inflight.backAfterSuccess, back);
      for (const one of beyond) {
        judgeInEach(t, `${ID}.inflight-over`, refusedForPlaces(one, t.limits));
        judgeInEach(t, `${ID}.inflight-over`, notOverdue(one.exchange, other, due));
        judgeInEach(
          t,
          inflight.beyondReachesNoEngine,
          // After the deadline of the requests that hold the places, the router may admit a waiting request.
          isOverdue ? notObserved : reachedNoEngine(one.exchange, one.hits),
        );
      }
    },
  );

  test(
    'requests beyond the slots of the only agent are not served, and no engine sees them',
    {
      judges: [
        `${ID}.slots-full`,
        slots.beyondReachesNoEngine,
        `${ID}.slots-full-final-code`,
        slots.backAfterSuccess,
      ],
      isolation: { fixtures: [slots.fixture] },
    },
    async (t) => {
      const limit = slots.of(t);
      const { beyond, peak } = await fillSlots(t, limit);
      for (const { exchange, native } of beyond) {
        const within = withinPlaces(peak, limit, exchange);
        // A request that reached the engine while the slots were held was served, however it ended.
        const ended = native ? refusedForSlots(exchange) : notObserved;
        t.judge(`${ID}.slots-full`, together(ended, within));
        t.record(`${ID}.slots-full-final-code`, outcomeText(exchange), exchange);
        t.judge(slots.beyondReachesNoEngine, within);
      }
      t.judge(slots.backAfterSuccess, await servesAgain(t, limit));
    },
  );

  for (const limit of parkingLimits) parks(test, limit);

  test(
    'a place in flight that was handed on to a parked request is one place still',
    { judges: [inflight.beyondReachesNoEngine], isolation: { fixtures: [inflight.fixture] } },
    async (t) => {
      await servedOnceFree(t, { ...inflight.of(t), shapes: requestShapes });
      judgeInEach(t, inflight.beyondReachesNoEngine, await takesNoMore(t, inflight.of(t)));
    },
  );

  for (const limit of [slots, inflight]) comesBack(test, limit);

  test(
    'requests far beyond the token budget of a model are refused, small ones are served at once',
    {
      judges: [
        `${ID}.occupancy-over`,
        `${ID}.occupancy-under`,
        `${ID}.occupancy-back`,
        `${ID}.occupancy-on-messages`,
      ],
      isolation: { fixtures: ['models.occupancy'] },
    },
    async (t) => {
      const { under, filled, again, named, back } = await fillOccupancy(t);
      t.judge(`${ID}.occupancy-under`, under);
      const { early, atEngine, misnamed, beside } = filled;
      judgeInEach(t, `${ID}.occupancy-over`, someRefused(early, atEngine, misnamed));
      if (again) judgeInEach(t, `${ID}.occupancy-over`, someRefused(again.early, again.atEngine));
      judgeInEach(t, `${ID}.occupancy-over`, named);
      for (const { exchange, hits } of beside) {
        const id = isOnMessages(exchange) ? 'occupancy-on-messages' : 'occupancy-over';
        judgeInEach(t, `${ID}.${id}`, reachedNoEngine(exchange, hits));
      }
      t.judge(`${ID}.occupancy-back`, back);
    },
  );

  test(
    'the token budget of a request that ran into the deadline comes back',
    {
      judges: [`${ID}.occupancy-back`],
      needs: ['limits.requestTimeoutMs'],
      isolation: { fixtures: [tokenBudget.fixture] },
      ...HOLDS_PROCESSORS,
    },
    async (t) => t.judge(`${ID}.occupancy-back`, await budgetAfterDeadline(t, tokenBudget.of(t))),
  );

  test(
    'a model over its shedding threshold refuses',
    { judges: [`${ID}.shed-refused`], isolation: { fixtures: ['models.shed'] } },
    async (t) => {
      for (const exchange of await shedRequests(t)) {
        t.judge(`${ID}.shed-refused`, endedWith(exchange, [FULL]));
      }
    },
  );

  test(
    'a request that is shed reaches no engine',
    { judges: [`${ID}.shed-reaches-no-engine`], isolation: { fixtures: ['models.shed'] } },
    async (t) => {
      for (const { exchange, hits } of await shedProvocations(t)) {
        t.judge(`${ID}.shed-reaches-no-engine`, reachedNoEngine(exchange, hits));
      }
    },
  );

  test(
    'a model under its shedding threshold is not shed',
    { judges: [`${ID}.shed-under-threshold`] },
    async (t) => {
      for (const exchange of await calmRequests(t)) {
        t.judge(`${ID}.shed-under-threshold`, notShed(exchange));
      }
    },
  );

  test(
    'no slot stays taken once everything has ended',
    { judges: [`${ID}.slots-free-when-idle`], isolation: 'target' },
    async (t) => {
      const others = t.models.singleSlot === undefined ? [] : [t.models.singleSlot.id];
      const chat = requireFixture(t, 'chat');
      // Several requests, since only one of several slots may be lost.
      for (const model of [chat, chat, chat, ...others]) {
        const { last, inFlight } = await askedWhenIdle(t, model);
        t.judge(`${ID}.slots-free-when-idle`, freeWhenIdle(last, inFlight));
        if (!isSuccess(last)) break;
      }
    },
  );

  test(
    'no place in flight stays taken once everything has ended',
    { judges: [`${ID}.places-free-when-idle`], isolation: 'target' },
    async (t) => {
      const { last, inFlight } = await askedWhenIdle(t, inflight.of(t).model);
      t.judge(`${ID}.places-free-when-idle`, placesFreeWhenIdle(last, inFlight));
    },
  );

  test(
    'a processor is free again when its client hung up',
    { judges: [`${ID}.processor-back-after-hang-up`], isolation: 'target' },
    async (t) => {
      for (const { last, inFlight } of await leaveProcessors(t)) {
        t.judge(`${ID}.processor-back-after-hang-up`, reachesWhenIdle(last, inFlight));
        t.judge(`${ID}.slots-free-when-idle`, freeWhenIdle(last, inFlight));
      }
    },
  );
});
