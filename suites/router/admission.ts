/** Limits on time and on the whole router: deadlines, the pending channel, processors. These cases wait, and start first. */

import { notObserved } from '../../harness/checks/judgement.ts';
import {
  endedFarBeyond,
  endedInTime,
  endedLate,
  endedWhileWaiting,
  gaveUpBefore,
  mayHaveWaitedForSlot,
  nobodyAskedAtDeadline,
  notAskedTooLate,
  notBeforeDeadline,
  notLateAlike,
  outlasted,
  timedOut,
  triesCounted,
  waitCounted,
} from '../../harness/checks/router/deadline.ts';
import { codeOf } from '../../harness/checks/router/envelope.ts';
import {
  acceptableFinalCodes,
  endedWith,
  outcomeText,
} from '../../harness/checks/router/final-codes.ts';
import { channelHeld, waitedFiveSeconds } from '../../harness/checks/router/pending-channel.ts';
import type { Behaviour } from '../../harness/backend/behaviour.ts';
import { stall, respond } from '../../harness/backend/behaviours.ts';
import { pause } from '../../harness/exchange/budget.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { untilRight } from '../../harness/drivers/again.ts';
import type { InferenceRoute } from '../../harness/drivers/router/api.ts';
import { requireFixture } from '../../harness/drivers/router/fixture.ts';
import { MAX_REFUSED } from '../../harness/drivers/router/filling.ts';
import { whileHeld } from '../../harness/drivers/router/holding.ts';
import { recovery } from '../../harness/drivers/router/recovery.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import {
  filledTooLateByMs,
  saturation,
  whyNoFullChannel,
} from '../../harness/drivers/router/saturation.ts';
import { judgeOrLack } from '../../harness/runner/judge-or-lack.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/signals.ts';

interface Kind {
  readonly route?: InferenceRoute;
  readonly stream?: boolean;
  /** Another model than the one that is asked about. */
  readonly model?: string;
}

/** Requests for which the deadline holds alike, the plain one first, as far as there are models for them. */
function kindsOf({ models: { embedding, reranker } }: RouterContext): readonly Kind[] {
  return [
    {},
    { stream: true },
    { route: 'messages' },
    { route: 'countTokens' },
    ...(embedding === undefined ? [] : [{ route: 'embeddings' as const, model: embedding }]),
    ...(reranker === undefined ? [] : [{ route: 'rerank' as const, model: reranker }]),
  ];
}

/**
 * True for a request that met the silent engine: neither a stream that the router begins by itself, whose status cannot
 * tell of a deadline any more, nor one that was refused for something else.
 */
function neitherBegunNorRefused(exchange: Exchange, deadlineMs: number): boolean {
  const begun = exchange.response?.status === 200;
  return !begun && (exchange.ending === 'timeout' || exchange.durationMs > deadlineMs / 2);
}

function deadlineOf(t: RouterContext): number {
  const ms = t.limits.requestTimeoutMs;
  if (ms === undefined) throw new NotExercised('needs the end-to-end deadline');
  return ms;
}

/** The part of a deadline after which a first try fails, and milliseconds: long enough to tell, and to rest before others work. */
const FIRST_FAILS = { part: 0.3, leastMs: 1_750, mostMs: 5_000 } as const;

/** An engine that fails after a while, and is silent when it is asked again. */
function failingFirst(deadlineMs: number): readonly Behaviour[] {
  const { part, leastMs, mostMs } = FIRST_FAILS;
  const delayHeadMs = Math.round(Math.min(mostMs, Math.max(leastMs, part * deadlineMs)));
  return [respond(503, { error: { message: 'Scripted overload.' } }, { delayHeadMs }), stall()];
}

/**
 * Sends a request of each kind at once, that engines of these behaviours never answer whole, and waits for their ends while
 * others work.
 */
async function unanswered(
  t: RouterContext,
  model: string,
  asked: readonly Kind[] = [{}],
  behaviours: readonly Behaviour[] = [stall()],
) {
  const send = async (script: string, index: number) => {
    const { route = 'chat', stream = false, model: own = model } = asked[index] ?? {};
    return t.api.infer(route, own, { script, stream, unbounded: true, repeat: false });
  };
  const fill = { count: asked.length, send, behaviours };
  return whileHeld(t, fill, async ({ script, answers }) => {
    const [exchange, ...others] = await t.quietly(async () => answers);
    if (exchange === undefined) throw new Inconclusive('nothing was sent');
    const hits = await t.backend.hits(script);
    if (hits.length === 0) throw new Inconclusive(`${model} did not ask the scripted backend`);
    return { exchange, others, hits };
  });
}

/** Sends a request whose engine fails after a while, and is silent when it is asked again; waits for its end while others work. */
async function failedOnce(t: RouterContext, model: string, deadlineMs: number) {
  const send = async (script: string) =>
    t.api.chat(model, { script, unbounded: true, repeat: false });
  // Others are about to fill all processors: it is waited for until it has its own.
  const fill = {
    count: 1,
    arrivedOnce: 'asked',
    behaviours: failingFirst(deadlineMs),
    send,
  } as const;
  return whileHeld(t, fill, async ({ script, answers }) => {
    const [exchange] = await t.quietly(async () => answers);
    if (exchange === undefined) throw new Inconclusive('nothing was sent');
    return { exchange, hits: await t.backend.hits(script) };
  });
}

/** Pauses before requests after a late one, so that each begins at another moment of whatever the router does in turns. */
const SHIFTS_MS = [370, 930];

/**
 * For requests that keep a processor until their deadline: where it came before a full channel had its five seconds, they
 * would make room in it.
 */
const HOLDS_PROCESSORS = { waits: true, whenQuiet: true } as const;

export default routerSection('admission', (test) => {
  test(
    'a request whose engine is silent ends at the deadline',
    {
      judges: ['router.admission.timeout-at-engine', 'router.admission.timeout-not-early'],
      ...HOLDS_PROCESSORS,
    },
    async (t) => {
      const deadline = deadlineOf(t);
      const model = requireFixture(t, 'chat');
      // All at the same time, as far as the router works on so many at once.
      const asked = kindsOf(t).slice(0, Math.max(1, t.sharedPlaces.mostHeld));
      const { exchange: plain, others, hits } = await unanswered(t, model, asked);
      t.judge('router.admission.timeout-at-engine', notAskedTooLate(hits, deadline, plain));
      const silent = [
        plain,
        ...others.filter((other) => neitherBegunNorRefused(other, deadline)),
      ].filter((one) => !mayHaveWaitedForSlot(one, hits, asked.length));
      if (gaveUpBefore(plain, deadline)) {
        throw new Inconclusive(
          `the agents gave a silent engine up after ${Math.round(plain.durationMs)} ms (${outcomeText(plain)}), before the deadline of ${deadline} ms`,
        );
      }
      for (const exchange of silent) {
        t.judge('router.admission.timeout-at-engine', timedOut(exchange, deadline));
        t.judge('router.admission.timeout-not-early', notBeforeDeadline(exchange, deadline));
      }
      const late = new Set(silent.filter((one) => endedFarBeyond(one, deadline)));
      const askedAnew = [plain, ...others].flatMap((one, at) =>
        late.has(one) ? asked.slice(at, at + 1) : [],
      );
      if (askedAnew.length === 0) {
        if (!silent.includes(plain) || !endedLate(plain, deadline)) return;
        const inTurn = [plain];
        for (const shiftMs of SHIFTS_MS) {
          await t.quietly(async () => pause(shiftMs, t.signal));
          inTurn.push((await unanswered(t, model)).exchange);
        }
        t.judge('router.admission.timeout-at-engine', notLateAlike(inTurn, deadline));
        return;
      }
      // A machine with too much to do may have been the cause: then it has less to do now.
      const anew = await unanswered(t, model, askedAnew);
      for (const exchange of [anew.exchange, ...anew.others]) {
        t.judge('router.admission.timeout-at-engine', endedInTime(exchange, deadline));
      }
    },
  );

  test(
    'a request whose engine is silent after the head of its answer ends at the deadline, too',
    {
      judges: ['router.admission.timeout-at-engine', 'router.admission.timeout-not-early'],
      ...HOLDS_PROCESSORS,
    },
    async (t) => {
      const deadline = deadlineOf(t);
      const model = requireFixture(t, 'chat');
      const ask = async () => (await unanswered(t, model, [{}], [stall('after-head')])).exchange;
      const exchange = await ask();
      // What the router passes on as it comes shows nothing.
      const tells = neitherBegunNorRefused(exchange, deadline);
      const begun = 'the router begins its answer before the engine has written it';
      const late = tells ? timedOut(exchange, deadline) : notObserved;
      judgeOrLack(t, 'router.admission.timeout-at-engine', late, begun);
      const early = notBeforeDeadline(exchange, deadline);
      judgeOrLack(t, 'router.admission.timeout-not-early', early, begun);
      if (tells && endedFarBeyond(exchange, deadline)) {
        t.judge('router.admission.timeout-at-engine', endedInTime(await ask(), deadline));
      }
    },
  );

  test(
    'the time that a request spends on a try that fails counts against its deadline',
    { judges: ['router.admission.timeout-at-engine'], ...HOLDS_PROCESSORS },
    async (t) => {
      const deadline = deadlineOf(t);
      const model = requireFixture(t, 'pair');
      const judged = async () => {
        const { exchange, hits } = await failedOnce(t, model, deadline);
        const [first, second] = hits;
        if (first === undefined || second === undefined) return notObserved;
        return triesCounted(exchange, deadline, second.at - first.at);
      };
      // A machine with too much to do is as late once, and not twice.
      judgeOrLack(
        t,
        'router.admission.timeout-at-engine',
        await untilRight(judged, [0], t.signal),
        'after an engine that failed no other was asked that kept the request until its deadline',
      );
    },
  );

  test(
    'a deadline that passes at the agents leaves the provider alone',
    { judges: ['router.admission.timeout-before-provider'], ...HOLDS_PROCESSORS },
    async (t) => {
      const deadline = deadlineOf(t);
      const { exchange, hits } = await unanswered(t, requireFixture(t, 'provider'));
      t.judge('router.admission.timeout-before-provider', timedOut(exchange, deadline));
      t.judge(
        'router.admission.timeout-before-provider',
        nobodyAskedAtDeadline(hits, deadline, exchange),
      );
    },
  );

  test(
    'a request that waits for a slot ends at the deadline, and the slots of late requests come back',
    {
      judges: [
        'router.admission.timeout-in-queue',
        'router.admission.slot-back-after-timeout',
        'router.admission.slot-back-after-success',
      ],
      exclusive: ['models.singleSlot'],
      ...HOLDS_PROCESSORS,
      requests: 8,
    },
    async (t) => {
      const deadline = deadlineOf(t);
      const { id, capacity } = requireFixture(t, 'singleSlot');
      const send = async (script: string) => t.api.chat(id, { script, unbounded: true });
      await whileHeld(t, { count: capacity, send }, async ({ script, early, answers }) => {
        if (early.length > 0) throw new Inconclusive(`the slots of ${id} could not be filled`);
        const further = send(script);
        const [late] = await t.quietly(async () => Promise.all([further, answers]));
        // It may have waited for a processor, while another case filled the router, and found the slots taken then.
        const waited = outlasted(late, deadline);
        t.judge(
          'router.admission.timeout-in-queue',
          endedWith(late, acceptableFinalCodes(waited ? 'deadline-in-queue' : 'slots-full')),
        );
      });
      const crowd = { model: id, places: capacity, full: 'no_capacity' } as const;
      const { back, onwards } = await recovery(t, crowd);
      t.judge('router.admission.slot-back-after-timeout', back);
      // The first case of all that uses the slots must notice when every success keeps one.
      t.judge('router.admission.slot-back-after-success', onwards);
    },
  );

  test(
    'the places in flight of requests that ran into the deadline come back',
    {
      judges: [
        'router.admission.inflight-back-after-timeout',
        'router.admission.inflight-back-after-success',
      ],
      exclusive: ['models.maxInflight'],
      ...HOLDS_PROCESSORS,
    },
    async (t) => {
      deadlineOf(t);
      const { id, limit } = requireFixture(t, 'maxInflight');
      const send = async (script: string) => t.api.chat(id, { script, unbounded: true });
      await whileHeld(t, { count: limit, send }, async ({ early, answers }) => {
        if (early.length > 0) throw new Inconclusive(`the places of ${id} could not be filled`);
        await t.quietly(async () => answers);
      });
      const crowd = { model: id, places: limit, full: 'concurrency_limit_exceeded' } as const;
      const { back, onwards } = await recovery(t, crowd);
      t.judge('router.admission.inflight-back-after-timeout', back);
      // The first case of all that uses the places must notice when every success keeps one.
      t.judge('router.admission.inflight-back-after-success', onwards);
    },
  );

  test(
    'a pending channel that is full for five seconds refuses, and not before',
    {
      judges: [
        'router.admission.queue-full',
        'router.admission.queue-full-waits',
        'router.admission.queue-size',
        'router.admission.queue-full-final-code',
      ],
      needs: ['models.chat'],
      alone: true,
      waits: true,
      requests: 70,
    },
    async (t) => {
      const deadline = t.limits.requestTimeoutMs;
      const unseen = whyNoFullChannel(t.target);
      if (unseen !== undefined) throw new NotExercised(unseen.reason, unseen.line);
      const filling = await saturation.of(t);
      const { further, refused, filledFrom, before } = filling;
      if (further === undefined) {
        t.judge('router.admission.queue-full-waits', waitedFiveSeconds(refused, filledFrom));
        throw new Inconclusive('the router called its channel full at once');
      }
      if (deadline === undefined && codeOf(further) === 'request_timeout') {
        throw new Inconclusive('the deadline passed first; name it with limits.requestTimeoutMs');
      }
      const tooLateByMs = filledTooLateByMs(filling, deadline);
      if (tooLateByMs > 0) {
        throw new Inconclusive(`it took ${Math.round(tooLateByMs)} ms too long to fill the router`);
      }
      t.judge(
        'router.admission.queue-full',
        endedWith(further, acceptableFinalCodes('pending-channel-full')),
      );
      t.record(
        'router.admission.queue-full-final-code',
        `a full pending channel: ${outcomeText(further)}`,
        further,
      );
      t.judge(
        'router.admission.queue-full-waits',
        waitedFiveSeconds([further, ...refused], filledFrom),
      );
      t.judge(
        'router.admission.queue-size',
        channelHeld([further, ...refused], {
          most: MAX_REFUSED + before,
          size: t.limits.queueSize ?? 0,
        }),
      );
    },
  );

  test(
    'the time that a request waits for a processor counts against its deadline',
    {
      judges: ['router.admission.processors-busy'],
      alone: true,
      waits: true,
      requests: 40,
    },
    async (t) => {
      const deadline = deadlineOf(t);
      const { waited } = await saturation.of(t);
      const watched = await t.quietly(async () => waited);
      if (watched === undefined)
        throw new Inconclusive('the router called its channel full at once');
      const { exchange, waitedMs } = watched;
      if (codeOf(exchange) !== 'request_timeout' && exchange.ending === 'complete') {
        throw new Inconclusive(
          `the request that was to wait for a processor ended as ${outcomeText(exchange)} after ${Math.round(waitedMs)} ms`,
        );
      }
      t.judge('router.admission.processors-busy', waitCounted(exchange, deadline, waitedMs));
    },
  );

  test(
    'a request whose deadline passes while it waits for a processor ends then',
    {
      judges: ['router.admission.timeout-at-processors'],
      alone: true,
      waits: true,
      requests: 40,
    },
    async (t) => {
      const deadline = deadlineOf(t);
      const unseen = whyNoFullChannel(t.target);
      if (unseen !== undefined) throw new NotExercised(unseen.reason, unseen.line);
      const { kept, keepersEnded } = await saturation.of(t);
      const ends = await t.quietly(async () => kept);
      if (ends.length === 0) {
        throw new NotExercised(
          'the processors of this router could not be kept busy for as long as its deadline',
        );
      }
      const judgements = ends.map(({ exchange, waitedMs }) =>
        endedWhileWaiting(exchange, deadline, waitedMs),
      );
      for (const judgement of judgements)
        t.judge('router.admission.timeout-at-processors', judgement);
      if (judgements.every(({ seen }) => seen === 0)) {
        if (keepersEnded) {
          throw new NotExercised(
            'the router ends streams before their engine does, so that none of its processors can be kept busy for longer than its deadline',
          );
        }
        throw new Inconclusive('a processor came free before the deadline of those that waited');
      }
    },
  );
});
