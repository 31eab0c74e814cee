/** Limits on concurrency: places in flight, token-weighted occupancy, shedding, and the slots of agents. */

import { complete } from '../../harness/backend/behaviours.ts';
import { type Judgement, together, notObserved } from '../../harness/checks/judgement.ts';
import { mostBesideAll } from '../../harness/checks/router/at-once.ts';
import { isChatStream } from '../../harness/checks/router/chat-stream.ts';
import { codeOf } from '../../harness/checks/router/envelope.ts';
import {
  allAtOnce,
  isCrowded,
  notShed,
  someCrowdedOut,
  withinSlots,
} from '../../harness/checks/router/crowding.ts';
import { reachedNoEngine } from '../../harness/checks/router/engine-hits.ts';
import {
  acceptableFinalCodes,
  endedWith,
  outcomeText,
} from '../../harness/checks/router/final-codes.ts';
import { isInternalFailure } from '../../harness/checks/router/passing.ts';
import { isRateLimited } from '../../harness/checks/router/request-bucket.ts';
import { succeeded } from '../../harness/checks/router/success.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { pause } from '../../harness/exchange/budget.ts';
import { again } from '../../harness/drivers/again.ts';
import { inferencePaths } from '../../harness/drivers/router/api.ts';
import { requireFixture } from '../../harness/drivers/router/fixture.ts';
import { firstAnswer } from '../../harness/drivers/router/first-answer.ts';
import { whileHeld } from '../../harness/drivers/router/holding.ts';
import { FEW_TOKENS } from '../../harness/drivers/router/client-routes.ts';
import { fillOccupancy } from '../../harness/drivers/router/occupancy.ts';
import { takesNoMore } from '../../harness/drivers/router/overfill.ts';
import { metDeadline } from '../../harness/drivers/router/met-deadline.ts';
import {
  type ParkingLimit,
  refusedInTime,
  servedOnceFree,
} from '../../harness/drivers/router/parking.ts';
import { parksTooLong } from '../../harness/drivers/router/parks-too-long.ts';
import { provoke } from '../../harness/drivers/router/provoke.ts';
import { cameBack, servesAgain } from '../../harness/drivers/router/recovery.ts';
import { hitsOfRefused } from '../../harness/drivers/router/late-hits.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { until } from '../../harness/drivers/router/until.ts';
import { judgeOrLack } from '../../harness/runner/judge-or-lack.ts';
import { Inconclusive } from '../../harness/runner/signals.ts';

const CODE = 'concurrency_limit_exceeded';
/** How often the places of a model are filled, and how often where they come back late: then some refusals are no fault. */
const ROUNDS = 3;
const ROUNDS_WHEN_LATE = 10;
/** So many requests fill the places in all, at least, where there are few of them: every other may be refused. */
const FILLING = 8;
/**
 * Pauses before the places are filled, the next one once they were not all free: they may come back after an answer. After
 * the last, who is refused is so for another reason.
 */
const QUIET_MS = [0, 100, 1_000];
const LATEST = QUIET_MS.length - 1;
/** Requests of a quarter of a token budget that leave in each way: one more than fit. */
const LEAVINGS = 5;

interface Kind {
  readonly route: 'chat' | 'messages';
  readonly stream: boolean;
  readonly as?: string;
}

/** Kinds of requests that a limit on a model holds for alike. */
const kinds = [
  { route: 'chat', stream: false },
  { route: 'chat', stream: true },
  { route: 'messages', stream: false },
] as const;

/** The part of a token budget that each of two requests takes by the output alone that it asks for: one fits, and two do not. */
const OVER_HALF = 0.6;

/** The limits for which requests park. That tokens are counted on the messages route is implied. */
const parkingLimits = [
  {
    what: 'the limit in flight',
    fixture: 'models.maxInflight',
    early: 'router.admission.inflight-not-early',
    parked: 'router.admission.inflight-parked',
    limitOf: (t: RouterContext): ParkingLimit => {
      const { id, limit } = requireFixture(t, 'maxInflight');
      return { model: id, places: limit, kinds };
    },
  },
  {
    what: 'the token budget',
    fixture: 'models.occupancy',
    early: 'router.admission.occupancy-not-early',
    parked: 'router.admission.occupancy-parked',
    limitOf: (t: RouterContext): ParkingLimit => {
      const { id, budgetTokens } = requireFixture(t, 'occupancy');
      const request = { text: 'Hi.', maxTokens: Math.ceil(OVER_HALF * budgetTokens) };
      return { model: id, places: 1, request, kinds: kinds.slice(0, 2) };
    },
  },
] as const;

/** The same with another key, where there is one: the limit is that of the model, whoever asks. */
function kindsOf(t: RouterContext): readonly Kind[] {
  const others = t.target.keys.second === undefined ? [] : [{ ...kinds[0], as: 'second' }];
  return [...kinds, ...others];
}

/** One more request of a kind, to an engine that answers. What the messages route cannot serve is refused for that. */
async function furtherOf(t: RouterContext, model: string, kind: Kind) {
  let hits = 0;
  const exchange = await firstAnswer(async (call) => {
    const options = { ...kind, ...call, model, unbounded: true };
    const provoked = await provoke(t, complete(), options);
    hits = Math.max(provoked.hits, await hitsOfRefused(t, provoked.script));
    return provoked.exchange;
  });
  // Another key may be refused this model for itself.
  return { exchange, hits, native: kind.route === 'chat' && kind.as === undefined };
}

/** Whether the deadline passed while a request parked. */
function endedWhileParked({ limits }: RouterContext, exchange: Exchange): boolean {
  const { parkTimeoutMs = 0, requestTimeoutMs = Infinity } = limits;
  return parkTimeoutMs >= requestTimeoutMs / 2 && codeOf(exchange) === 'request_timeout';
}

/** Whether a request was refused because every place was taken. One whose deadline is no later than its park time may end there. */
function refusedForPlaces(t: RouterContext, exchange: Exchange): Judgement {
  return endedWhileParked(t, exchange) ? notObserved : endedWith(exchange, [CODE]);
}

/** Throws `Inconclusive` where a rate refuses the key itself: then it says nothing of the model. */
async function requireFreeKey(
  t: RouterContext,
  answers: readonly { readonly exchange: Exchange }[],
): Promise<void> {
  if (!answers.some(({ exchange }) => isRateLimited(exchange))) return;
  const options = { maxTokens: FEW_TOKENS, repeat: false };
  const plain = await t.api.chat(await t.anyModel(), options);
  if (isRateLimited(plain)) throw new Inconclusive('the client key is over its own rate limit');
}

/** What a request over the token budget of a model shows: of the messages route it is implied that it is counted as others are. */
function occupancyRequirement({ request }: Exchange) {
  return request.path === inferencePaths.messages
    ? 'router.admission.occupancy-on-messages'
    : 'router.admission.occupancy-over';
}

/** Sends requests for a model outside the concurrency limit of the run. */
function sender(t: RouterContext, model: string) {
  return async (script: string) => t.api.chat(model, { script, unbounded: true });
}

/** Puts a model over its threshold for as long as `work` takes, where a hook is needed for that. */
async function whileShedding<T>(t: RouterContext, work: () => Promise<T>): Promise<T> {
  if (t.target.hooks?.shed === undefined) return work();
  await t.hook('shed');
  try {
    return await work();
  } finally {
    if (t.target.hooks.unshed !== undefined) await t.hook('unshed');
  }
}

export default routerSection('admission', (test) => {
  test(
    'as many requests as the limit in flight allows are served at once, one more is refused',
    {
      judges: [
        'router.admission.inflight-at',
        'router.admission.inflight-over',
        'router.admission.inflight-over-reaches-no-engine',
        'router.admission.inflight-back-after-success',
      ],
      exclusive: ['models.maxInflight'],
    },
    async (t) => {
      const { id, limit } = requireFixture(t, 'maxInflight');
      const send = sender(t, id);
      const rounds = Math.max(ROUNDS, Math.ceil(FILLING / limit));
      let late = 0;
      let isServed = false;
      for (let round = 1; round < (late === 0 ? rounds : ROUNDS_WHEN_LATE); round += 1) {
        await pause(QUIET_MS[late] ?? 0, t.signal);
        const filled = await whileHeld(t, { count: limit, send }, async ({ early }) =>
          allAtOnce(early, limit),
        );
        isServed ||= filled.violations.length === 0;
        if (filled.violations.length === 0 || late === LATEST) {
          t.judge('router.admission.inflight-at', filled);
        } else late += 1;
        // A place that a success keeps must not be taken for one that the limit lacks.
        const back = await servesAgain(t, {
          model: id,
          places: limit,
          full: 'concurrency_limit_exceeded',
        });
        // A place that was lost before anybody was served was kept by something else.
        t.judge('router.admission.inflight-back-after-success', isServed ? back : notObserved);
        if (back.violations.length > 0) return;
      }
      const fill = async () =>
        whileHeld(t, { count: limit, send }, async ({ early, script, release, answers }) => {
          if (early.some(isCrowded) && late < LATEST) {
            late += 1;
            return false;
          }
          t.judge('router.admission.inflight-at', allAtOnce(early, limit));
          if (early.length > 0) throw new Inconclusive(`the places of ${id} could not be filled`);
          const isFull = async () => (await t.backend.counts(script)).held >= limit;
          const sent = Promise.all(kindsOf(t).map(async (kind) => furtherOf(t, id, kind)));
          const isOverdue = await parksTooLong(t, sent, isFull);
          const further = await sent;
          await requireFreeKey(t, further);
          if (!isOverdue && !(await isFull())) {
            throw new Inconclusive(`the requests that took the places of ${id} ended too soon`);
          }
          for (const { exchange, hits, native } of further) {
            // A stream that the router began while it parked, and no engine saw, cannot tell how it ended.
            const tells = native && !(hits === 0 && isChatStream(exchange));
            if (tells) t.judge('router.admission.inflight-over', refusedForPlaces(t, exchange));
            // Once those that took the places met their deadline, one that still waited may have been let in.
            if (isOverdue) continue;
            t.judge(
              'router.admission.inflight-over-reaches-no-engine',
              reachedNoEngine(exchange, hits),
            );
          }
          await release();
          for (const exchange of await answers) {
            t.judge(
              'router.admission.inflight-at',
              // One that its engine held past the deadline was let go for that.
              metDeadline(exchange, t.limits.requestTimeoutMs) || isInternalFailure(exchange)
                ? notObserved
                : succeeded(exchange),
            );
          }
          return true;
        });
      await pause(QUIET_MS[late] ?? 0, t.signal);
      await again(fill, (isTold) => isTold, QUIET_MS.slice(late + 1), t.signal);
      t.judge(
        'router.admission.inflight-back-after-success',
        await servesAgain(t, { model: id, places: limit, full: 'concurrency_limit_exceeded' }),
      );
    },
  );

  for (const { what, fixture, early, parked, limitOf } of parkingLimits) {
    test(
      `a request beyond ${what} is not refused before its park time has passed`,
      { judges: [early], exclusive: [fixture] },
      async (t) => {
        const limit = limitOf(t);
        const nothing = `no request was refused while ${what} of ${limit.model} was used up`;
        judgeOrLack(t, early, await refusedInTime(t, limit), nothing);
      },
    );

    test(
      `a request that parks for ${what} is served when there is room`,
      { judges: [parked], exclusive: [fixture] },
      async (t) => t.judge(parked, await servedOnceFree(t, limitOf(t))),
    );
  }

  test(
    'a place in flight that was handed on to a parked request is one place still',
    {
      judges: ['router.admission.inflight-over-reaches-no-engine'],
      exclusive: ['models.maxInflight'],
    },
    async (t) => {
      const { id, limit } = requireFixture(t, 'maxInflight');
      await servedOnceFree(t, { model: id, places: limit, kinds: [kinds[0]] });
      t.judge(
        'router.admission.inflight-over-reaches-no-engine',
        await takesNoMore(t, { model: id, places: limit }),
      );
    },
  );

  test(
    'requests far beyond the token budget of a model are refused, small ones are served at once',
    {
      judges: [
        'router.admission.occupancy-over',
        'router.admission.occupancy-under',
        'router.admission.occupancy-back',
        'router.admission.occupancy-on-messages',
      ],
      exclusive: ['models.occupancy'],
      requests: 54,
    },
    async (t) => {
      const { id } = requireFixture(t, 'occupancy');
      const small = async (script: string) =>
        t.api.chat(id, { script, text: 'Hi.', maxTokens: 1, unbounded: true });
      await whileHeld(t, { count: 2, send: small }, async ({ early }) => {
        t.judge('router.admission.occupancy-under', allAtOnce(early, 2));
      });
      const {
        early,
        atEngine,
        beside,
        misnamed,
        again: askAgain,
        leaving,
        streaming,
      } = await fillOccupancy(t);
      await requireFreeKey(
        t,
        early.map((exchange) => ({ exchange })),
      );
      t.judge('router.admission.occupancy-over', someCrowdedOut(early, atEngine, misnamed));
      for (const { exchange, hits } of beside) {
        t.judge(occupancyRequirement(exchange), reachedNoEngine(exchange, hits));
      }
      if (atEngine === 0) return;
      t.judge('router.admission.occupancy-back', await cameBack(t, askAgain));
      const streamed = await streaming();
      t.judge(
        'router.admission.occupancy-over',
        together(
          someCrowdedOut(streamed.early, streamed.atEngine, streamed.misnamed),
          ...streamed.beside.map(({ exchange, hits }) => reachedNoEngine(exchange, hits)),
        ),
      );
      t.judge('router.admission.occupancy-back', await cameBack(t, askAgain));
      for (let left = LEAVINGS; left > 0; left -= 1) await leaving();
      t.judge('router.admission.occupancy-back', await cameBack(t, askAgain));
    },
  );

  test(
    'a model over its shedding threshold refuses',
    { judges: ['router.admission.shed-refused'], exclusive: ['models.shed'] },
    async (t) => {
      const model = requireFixture(t, 'shed');
      for (const stream of [false, true]) {
        const exchange = await whileShedding(t, async () =>
          firstAnswer(async (call) => t.api.chat(model, { ...call, stream })),
        );
        t.judge('router.admission.shed-refused', endedWith(exchange, [CODE]));
      }
    },
  );

  test(
    'a model under its shedding threshold is not shed',
    { judges: ['router.admission.shed-under-threshold'], requests: 2 },
    async (t) => {
      const model = requireFixture(t, 'calm');
      for (const stream of [false, true]) {
        const ask = async () => t.api.chat(model, { stream, maxTokens: FEW_TOKENS });
        // What others ask of its engines may put it over its threshold for a moment.
        const exchange = await until(ask, (one) => !isCrowded(one), { signal: t.signal });
        t.judge('router.admission.shed-under-threshold', notShed(exchange));
      }
    },
  );

  test(
    'a request that is shed reaches no engine',
    { judges: ['router.admission.shed-reaches-no-engine'], exclusive: ['models.shed'] },
    async (t) => {
      const model = requireFixture(t, 'shed');
      for (const route of ['chat', 'messages'] as const) {
        const { exchange, hits } = await whileShedding(t, async () =>
          provoke(t, complete(), { model, route }),
        );
        t.judge('router.admission.shed-reaches-no-engine', reachedNoEngine(exchange, hits));
      }
    },
  );

  test(
    'requests beyond the slots of the only agent are not served, and no engine sees them',
    {
      judges: [
        'router.admission.slots-full',
        'router.admission.slots-full-reaches-no-engine',
        'router.admission.slots-full-final-code',
        'router.admission.slot-back-after-success',
      ],
      exclusive: ['models.singleSlot'],
      requests: 6,
    },
    async (t) => {
      const { id, capacity } = requireFixture(t, 'singleSlot');
      const send = sender(t, id);
      const fill = { count: capacity, send };
      const { further, script, answers } = await whileHeld(t, fill, async (holding) => {
        const { early, script: filling } = holding;
        if (early.length > 0) throw new Inconclusive(`the slots of ${id} could not be filled`);
        // The same script: whoever gets a slot at the last moment is held too, and not served.
        const beyond = kinds.map(async ({ route, stream }) => ({
          exchange: await firstAnswer(async (call) =>
            t.api.infer(route, id, { ...call, script: filling, stream, unbounded: true }),
          ),
          native: route === 'chat',
        }));
        return { ...holding, further: await t.quietly(async () => Promise.all(beyond)) };
      });
      const peak = mostBesideAll(await t.backend.hits(script), await answers);
      for (const { exchange, native } of further) {
        const within = withinSlots(peak, capacity, exchange);
        // A stream that the router began while it waited for a slot cannot tell how it ended.
        const tells = native && !isChatStream(exchange);
        const ended = tells ? endedWith(exchange, acceptableFinalCodes('slots-full')) : notObserved;
        // A request that reached the engine beside them was served, however it ended.
        t.judge('router.admission.slots-full', together(ended, within));
        t.record('router.admission.slots-full-final-code', outcomeText(exchange), exchange);
        t.judge('router.admission.slots-full-reaches-no-engine', within);
      }
      t.judge(
        'router.admission.slot-back-after-success',
        await servesAgain(t, { model: id, places: capacity, full: 'no_capacity' }),
      );
    },
  );
});
