/** The concurrency limits of a model, each with the requests that fill it, its error code, and how requests release it. */

import type { RouterRequirementId } from '../../schemas/router/catalogue.ts';
import { type ModelLimit, recovery } from '../../harness/drivers/router/capacity.ts';
import { requestShapes } from '../../harness/drivers/router/client-routes.ts';
import { fillToDeadline } from '../../harness/drivers/router/deadlines.ts';
import { judgeInEach, requireFixture } from '../../harness/drivers/router/fixtures.ts';
import { endAs, hangUpOn, hangUpParked, hangUpUnread } from '../../harness/drivers/router/leave.ts';
import {
  type ParkingLimit,
  refusedInTime,
  servedOnceFree,
} from '../../harness/drivers/router/parking.ts';
import type { RouterContext } from '../../harness/drivers/router/session.ts';
import { type DefineCase, judgeOrLack } from '../../harness/runner/case.ts';

const ID = 'router.admission';

/**
 * Options of cases whose requests hold a processor until their deadline. They start when the target is idle, since such a
 * deadline would free a place in the channel that another case keeps full for five seconds.
 */
export const HOLDS_PROCESSORS = { waitsLong: true, whenIdle: true } as const;

/** The slots of a model's only agent. */
export const slots = {
  what: 'slot',
  name: 'slot',
  fixture: 'models.singleSlot',
  of: (t: RouterContext): ModelLimit => {
    const { id, capacity } = requireFixture(t, 'singleSlot');
    return { model: id, capacity, full: 'no_capacity' };
  },
  beyondReachesNoEngine: `${ID}.slots-full-reaches-no-engine`,
  backAfterSuccess: `${ID}.slot-back-after-success`,
} as const;

/** The `max_inflight` limit of a model. */
export const inflight = {
  what: 'place in flight',
  name: 'inflight',
  fixture: 'models.maxInflight',
  of: (t: RouterContext): ModelLimit => {
    const { id, limit } = requireFixture(t, 'maxInflight');
    return { model: id, capacity: limit, full: 'concurrency_limit_exceeded' };
  },
  beyondReachesNoEngine: `${ID}.inflight-over-reaches-no-engine`,
  backAfterSuccess: `${ID}.inflight-back-after-success`,
} as const;

/** The ways in which a request may end and release what it holds, with the requirement for each limit. */
const endings: readonly (readonly [
  ending: string,
  ids: { readonly slot?: RouterRequirementId; readonly inflight?: RouterRequirementId },
  leave: (t: RouterContext, limit: ModelLimit) => Promise<unknown>,
  when?: typeof HOLDS_PROCESSORS,
])[] = [
  ['an answered request', comingBack('success', 'success'), endAs('success')],
  ['a request that its engine refused', comingBack('error', 'error'), endAs('failure')],
  ['a request that its engine calls invalid', comingBack('error', 'error'), endAs('invalid')],
  ['a stream that its engine refused', comingBack('error'), endAs('failedStream')],
  ['a request whose client hung up', comingBack('hang-up', 'hang-up'), hangUpOn(false)],
  ['a stream whose client hung up', comingBack('stream-hang-up', 'hang-up'), hangUpOn(true)],
  ['a parked request whose client hung up', comingBack(undefined, 'hang-up'), hangUpParked],
  [
    'a long stream whose client left without reading it',
    comingBack('stream-hang-up'),
    hangUpUnread,
  ],
  [
    'a stream whose engine closed early',
    comingBack('stream-failure', 'error'),
    endAs('closedStream'),
  ],
  ['a stream whose engine was torn down', comingBack('stream-failure'), endAs('resetStream')],
  [
    'a request that ran into the deadline',
    comingBack(undefined, 'timeout'),
    fillToDeadline,
    HOLDS_PROCESSORS,
  ],
];

function comingBack(
  slot?: 'success' | 'error' | 'hang-up' | 'stream-hang-up' | 'stream-failure',
  place?: 'success' | 'error' | 'hang-up' | 'timeout',
) {
  return {
    ...(slot && { slot: `${ID}.slot-back-after-${slot}` as const }),
    ...(place && { inflight: `${ID}.inflight-back-after-${place}` as const }),
  };
}

/** The share of a token budget that each request's maximum output takes: one request fits, two do not. */
const OVER_HALF = 0.6;

/** A limit at which requests park, and its requirements. */
interface ParkingRow {
  readonly what: string;
  readonly fixture: string;
  readonly early: RouterRequirementId;
  readonly parked: RouterRequirementId;
  readonly of: (t: RouterContext) => ParkingLimit;
}

/** The token-weighted occupancy budget of a model. */
export const tokenBudget: ParkingRow = {
  what: 'the token budget',
  fixture: 'models.occupancy',
  early: `${ID}.occupancy-not-early`,
  parked: `${ID}.occupancy-parked`,
  of: (t: RouterContext): ParkingLimit => {
    const { id, budgetTokens } = requireFixture(t, 'occupancy');
    const request = { text: 'Hi.', maxTokens: Math.ceil(OVER_HALF * budgetTokens) };
    return { model: id, capacity: 1, request, shapes: requestShapes.slice(0, 2) };
  },
};

/** The limits at which requests park. The contract only implies that tokens of the messages route count. */
export const parkingLimits: readonly ParkingRow[] = [
  {
    what: 'the limit in flight',
    fixture: 'models.maxInflight',
    early: `${ID}.inflight-not-early`,
    parked: `${ID}.inflight-parked`,
    of: (t: RouterContext): ParkingLimit => ({ ...inflight.of(t), shapes: requestShapes }),
  },
  tokenBudget,
];

type Test = DefineCase<RouterContext, RouterRequirementId>;

/** Requests release what they hold of a limit at their end, however they end, and not before. */
export function comesBack(test: Test, limit: typeof slots | typeof inflight): void {
  const { what, name, fixture, of, beyondReachesNoEngine, backAfterSuccess } = limit;
  for (const [ending, { [name]: id }, leave, when] of endings) {
    if (id === undefined) continue;
    const judged = id === backAfterSuccess ? ([id] as const) : ([id, backAfterSuccess] as const);
    test(
      `the ${what} of ${ending} comes back, and only once`,
      {
        judges: [...judged, beyondReachesNoEngine],
        isolation: { fixtures: [fixture] },
        ...when,
      },
      async (t) => {
        await leave(t, of(t));
        const { back, once, onwards } = await recovery(t, of(t));
        t.judge(id, back);
        t.judge(backAfterSuccess, onwards);
        if (once.seen > 0) judgeInEach(t, beyondReachesNoEngine, once);
        else t.notExercised(beyondReachesNoEngine, `every ${what} was not held`);
      },
    );
  }
}

/** A request over a limit is rejected after the park time, or served if there is room before. */
export function parks(test: Test, { what, fixture, early, parked, of }: ParkingRow): void {
  test(
    `a request beyond ${what} is not refused before its park time has passed`,
    { judges: [early], isolation: { fixtures: [fixture] } },
    async (t) => {
      const limit = of(t);
      const nothing = `while ${what} of ${limit.model} was used up, no request was refused, or none so soon that it tells`;
      judgeOrLack(t, early, await refusedInTime(t, limit), nothing);
    },
  );

  test(
    `a request that parks for ${what} is served when there is room`,
    { judges: [parked], isolation: { fixtures: [fixture] } },
    async (t) => t.judge(parked, await servedOnceFree(t, of(t))),
  );
}
