/** Limits on time and on the whole router: the end-to-end deadline, the pending channel, the processors. */

import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { notObserved, together } from '../../../harness/checks/judgement.ts';
import {
  endedAfterHead,
  endedAtDeadline,
  endedInError,
  endedForSlot,
  gaveUpBefore,
  nobodyAskedAtDeadline,
  noneBeforeDeadline,
  notBeforeDeadline,
  timeCounted,
  timedOut,
} from '../../../harness/checks/limits/deadline.ts';
import type { Exchange } from '../../../harness/exchange/exchange.ts';
import { recovery } from '../../../harness/drivers/router/capacity.ts';
import {
  deadlineOf,
  fillToDeadline,
  keptAfterHead,
  keptInError,
  keptInStream,
  keptToDeadline,
  metDeadline,
  silentAfterFailures,
  unanswered,
} from '../../../harness/drivers/router/deadlines.ts';
import { agentsBeforeProvider } from '../../../harness/drivers/router/retries.ts';
import { MAX_REFUSED } from '../../../harness/drivers/router/filling.ts';
import { requireFixture } from '../../../harness/drivers/router/fixtures.ts';
import {
  beyondChannel,
  endedAtProcessors,
  fullChannel,
  waitedForProcessor,
} from '../../../harness/drivers/router/saturation.ts';
import { HOLDS_PROCESSORS, slots } from '../capacities.ts';
import { foundNoRoom } from '../../../harness/checks/router/envelope.ts';
import type { RouterContext } from '../../../harness/drivers/router/session.ts';
import { type DefineCase, judgeOrLack, NotExercised } from '../../../harness/runner/case.ts';
import { eventually } from '../../../harness/runner/retry.ts';
import {
  acceptableFinalCodes,
  endedWith,
  outcomeText,
} from '../../../harness/checks/router/outcome.ts';
import { noForgedEnd } from '../../../harness/checks/router/stream-delivery.ts';
import {
  channelHeld,
  channelRefuses,
  letInOnceRoom,
  refusedInTime,
  waitedFiveSeconds,
  wasRefused,
} from '../../../harness/checks/limits/pending-channel.ts';

const ID = 'router.admission';
const AT_ENGINE = `${ID}.timeout-at-engine`;
const NOT_EARLY = `${ID}.timeout-not-early`;

const DRAINED =
  'no request beyond the size of the channel was refused; the router may hand pending requests on to waiting workers';

/** A refusal of the router for want of room: agents may give silent engines up, and a key or a model has limits of its own. */
const isRefusal = (exchange: Exchange): boolean =>
  (exchange.response?.status ?? 0) >= 500 &&
  !metDeadline(exchange) &&
  !gaveUpBefore(exchange, Infinity);

/** What is silent after a number of failed engines, the fixtures to isolate meanwhile, and the model with that number. */
const failingFirst: readonly (readonly [
  silent: string,
  fixtures: readonly string[],
  failing: (t: RouterContext) => Promise<{ readonly model: string; readonly times: number }>,
])[] = [
  [
    'another agent',
    [],
    async (t) => Promise.resolve({ model: requireFixture(t, 'pair'), times: 1 }),
  ],
  [
    'the next step',
    ['models.overflow'],
    async (t) => Promise.resolve({ model: requireFixture(t, 'overflow').id, times: 1 }),
  ],
  [
    'the provider',
    ['models.provider'],
    async (t) => {
      const { model, agents } = await agentsBeforeProvider(t);
      return { model, times: agents };
    },
  ],
];

/** Where a deadline passes, and what a full router does until then. These cases wait long, so they start first. */
export function deadlines(test: DefineCase<RouterContext, RouterRequirementId>): void {
  test(
    'a request whose engine is silent ends at the deadline',
    { judges: [AT_ENGINE, NOT_EARLY], ...HOLDS_PROCESSORS },
    async (t) => {
      const deadline = deadlineOf(t);
      const kept = await keptToDeadline(t);
      t.judge(AT_ENGINE, endedAtDeadline(kept, deadline));
      t.judge(NOT_EARLY, noneBeforeDeadline(kept, deadline));
    },
  );

  test(
    'a request whose engine is silent after the head of its answer ends at the deadline, too',
    { judges: [AT_ENGINE, NOT_EARLY], ...HOLDS_PROCESSORS },
    async (t) => {
      const deadline = deadlineOf(t);
      const kept = await keptAfterHead(t);
      const begun = 'the router begins its answer before the engine has written it';
      judgeOrLack(t, AT_ENGINE, endedAfterHead(kept, deadline), begun);
      const early = kept.first.map((one) => notBeforeDeadline(one, deadline));
      judgeOrLack(t, NOT_EARLY, together(...early), begun);
    },
  );

  test(
    'a request whose engine never ends an error ends at the deadline, too',
    { judges: [AT_ENGINE], ...HOLDS_PROCESSORS },
    async (t) => {
      const ended = endedInError(await keptInError(t), deadlineOf(t));
      judgeOrLack(t, AT_ENGINE, ended, 'the router does not wait for the end of the error');
    },
  );

  test(
    'a stream whose deadline passes gets no end marker',
    {
      judges: ['router.streaming.no-forged-end'],
      needs: ['limits.requestTimeoutMs'],
      ...HOLDS_PROCESSORS,
    },
    async (t) => {
      const stream = await keptInStream(t);
      const judgement = noForgedEnd(stream, new Uint8Array());
      // A stream that the suite's own timeout ended does not show how the deadline ends it.
      const isOpen = stream.ending === 'timeout' && judgement.violations.length === 0;
      judgeOrLack(
        t,
        'router.streaming.no-forged-end',
        isOpen ? notObserved : judgement,
        'no deadline ends a stream that has begun',
      );
    },
  );

  for (const [silent, fixtures, failing] of failingFirst) {
    test(
      `the time that a request spends on tries that fail counts against its deadline: ${silent} is silent`,
      { judges: [AT_ENGINE], isolation: { fixtures }, ...HOLDS_PROCESSORS },
      async (t) => {
        const { model, times } = await failing(t);
        // A busy machine may be late once, but not twice.
        const counted = await eventually(t, 'onceMore', async () => {
          const { exchange, failedMs: ms } = await silentAfterFailures(t, model, times);
          if (ms === undefined) return notObserved;
          const time = { ms, of: 'was at engines that failed' };
          const judgement = timeCounted(exchange, deadlineOf(t), time);
          // A silent provider has failed as well, which is a backend_error. Agents that gave up may leave no room.
          if (silent === 'the provider' || foundNoRoom(exchange)) return judgement;
          return together(judgement, timedOut(exchange, deadlineOf(t)));
        });
        const nobody = `after engines that failed, ${silent} was not asked, or did not keep the request until its deadline`;
        judgeOrLack(t, AT_ENGINE, counted, nobody);
      },
    );
  }

  test(
    'a deadline that passes at the agents leaves the provider alone',
    { judges: [`${ID}.timeout-before-provider`], ...HOLDS_PROCESSORS },
    async (t) => {
      const deadline = deadlineOf(t);
      const { exchange, hits } = await unanswered(t, requireFixture(t, 'provider'));
      t.judge(
        `${ID}.timeout-before-provider`,
        together(timedOut(exchange, deadline), nobodyAskedAtDeadline(hits, deadline, exchange)),
      );
    },
  );

  test(
    'a request that waits for a slot ends at the deadline',
    {
      judges: [`${ID}.timeout-in-queue`, `${ID}.slot-back-after-timeout`, slots.backAfterSuccess],
      isolation: { fixtures: [slots.fixture] },
      ...HOLDS_PROCESSORS,
    },
    async (t) => {
      const limit = slots.of(t);
      const { late, wasGivenUp } = await fillToDeadline(t, limit);
      const ended = endedForSlot(late, deadlineOf(t));
      t.judge(`${ID}.timeout-in-queue`, wasGivenUp ? notObserved : ended);
      const { back, onwards } = await recovery(t, limit);
      t.judge(`${ID}.slot-back-after-timeout`, back);
      t.judge(slots.backAfterSuccess, onwards);
    },
  );

  test(
    'a pending channel that is full for five seconds refuses, and not before',
    {
      judges: [
        `${ID}.queue-full`,
        `${ID}.queue-full-waits`,
        `${ID}.queue-size`,
        `${ID}.queue-bounded`,
        `${ID}.queue-full-final-code`,
      ],
      needs: ['models.chat'],
      isolation: 'target',
      waitsLong: true,
    },
    async (t) => {
      const full = await fullChannel(t);
      const { refused, filledFrom, before, roomAt } = full;
      t.judge(`${ID}.queue-full-waits`, waitedFiveSeconds(refused, filledFrom));
      const further = beyondChannel(t, full);
      const all = [further, ...refused];
      t.judge(`${ID}.queue-bounded`, channelRefuses(all));
      if (!all.some(wasRefused)) throw new NotExercised(DRAINED);
      t.judge(
        `${ID}.queue-full`,
        together(
          // Those that fill the channel are streams, and this one is not.
          ...[further, ...refused.filter(isRefusal)].map((one) =>
            endedWith(one, acceptableFinalCodes('pending-channel-full')),
          ),
          refusedInTime(further, full.other),
        ),
      );
      const note = `a full pending channel: ${outcomeText(further)}`;
      t.record(`${ID}.queue-full-final-code`, note, further);
      t.judge(`${ID}.queue-full-waits`, waitedFiveSeconds([further], filledFrom));
      const next = await t.yieldTarget(async () => full.next);
      if (next !== undefined) t.judge(`${ID}.queue-full-waits`, letInOnceRoom(next, roomAt));
      const size = t.limits.queueSize ?? 0;
      t.judge(`${ID}.queue-size`, channelHeld(all, { most: MAX_REFUSED + before, size }));
    },
  );

  test(
    'the time that a request waits for a processor counts against its deadline',
    { judges: [`${ID}.processors-busy`], isolation: 'target', waitsLong: true },
    async (t) => {
      const { exchange, waitedMs } = await waitedForProcessor(t);
      const time = { ms: waitedMs, of: 'waited for a processor' };
      t.judge(`${ID}.processors-busy`, timeCounted(exchange, deadlineOf(t), time));
    },
  );

  test(
    'a request whose deadline passes while it waits for a processor ends then',
    // Without `waitsLong`: it comes last, when no request of another case is held any more.
    { judges: [`${ID}.timeout-at-processors`], isolation: 'target' },
    async (t) => {
      const ended = await endedAtProcessors(t, deadlineOf(t));
      t.judge(`${ID}.timeout-at-processors`, ended);
    },
  );
}
