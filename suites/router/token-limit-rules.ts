/** Token limit rules: requests over the daily budget, output that exceeds it afterwards, and the reset on the next day. */

import { complete } from '../../harness/backend/behaviour.ts';
import { notObserved } from '../../harness/checks/judgement.ts';
import {
  backNextDay,
  isOverBudget,
  keptItsBudget,
  promptStaysDeducted,
  refusedBeforeStream,
  refusedForBudget,
  saysNoTokensRemain,
  servedOnceReduced,
  tookOfBudget,
} from '../../harness/checks/limits/budget.ts';
import {
  remainingHeaders,
  remainingOf,
  showsNothingOf,
} from '../../harness/checks/limits/quota.ts';
import {
  discarded,
  hasStatus,
  isSuccess,
  outcomeText,
  succeeded,
} from '../../harness/checks/router/outcome.ts';
import { foundNoRoom, isInternalFailure } from '../../harness/checks/router/envelope.ts';
import { wholeText } from '../../harness/checks/router/stream-delivery.ts';
import { reachedNoEngine, reachedOnce } from '../../harness/checks/router/tries.ts';
import { mostWords, words, wordsBeyond } from '../../harness/drivers/router/bodies.ts';
import { mayBeCutByDeadline } from '../../harness/drivers/router/deadlines.ts';
import { requireFixture } from '../../harness/drivers/router/fixtures.ts';
import {
  besideKey,
  borrowKey,
  SMALL_OUTPUT,
  isClaimedAlone,
  LEAST_TOKENS,
  OVERRUN_TEXT,
  overrunByHalf,
  smallRequest,
  spendKey,
} from '../../harness/drivers/router/overrun.ts';
import { provoke } from '../../harness/drivers/router/provoke.ts';
import { onceServed } from '../../harness/drivers/router/ejection.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import {
  afterMidnight,
  askedAround,
  beyondBudget,
  beyondCounters,
  farOver,
  overrunByStream,
  refusedInParts,
  promptUsed,
  toldAroundOverrun,
  usedInParts,
} from '../../harness/drivers/router/spending.ts';
import { SILENT } from '../../harness/drivers/router/serverless.ts';
import { OVERRUN_WORD } from '../../harness/generate/streams.ts';
import { judgeOrLack } from '../../harness/runner/case.ts';

const ID = 'router.token-limit-rules';
const OVERRUN = `${ID}.overrun`;
const UP_FRONT = `${ID}.up-front`;
const STREAM_OVERRUN = `${ID}.stream-overrun`;
const COUNTS_DOWN = 'router.response-headers.remaining-tokens-counts-down';

/** The two request members for the maximum output, with the slugs of their requirements. */
const maxima = [
  ['maxTokens', 'max-tokens'],
  ['maxCompletionTokens', 'max-completion-tokens'],
] as const;

/** The part of a budget that a prompt takes in words, which fits it even if a word counts as two tokens. */
const PROMPT = 0.5;

export default routerSection('token-limit-rules', (test) => {
  test(
    'what does not fit the budget is refused up front, in either field and as a prompt, streamed or not',
    {
      judges: [
        `${ID}.max-tokens-too-large`,
        `${ID}.max-completion-tokens-too-large`,
        `${ID}.stream-up-front`,
        `${UP_FRONT}-remaining-header`,
      ],
    },
    async (t) =>
      borrowKey(t, async (key) => {
        for (const [member, slug] of maxima) {
          const asked = await beyondBudget(t, key, { [member]: farOver(key) });
          t.judge(`${ID}.${slug}-too-large`, refusedForBudget(asked.exchange, asked));
          t.judge(`${ID}.${slug}-too-large`, await beyondCounters(t, key, member));
          const left = remainingOf(asked.exchange, 'tokens');
          const note = left === undefined ? 'no header' : `${left} tokens remain of ${key.limit}`;
          t.record(`${UP_FRONT}-remaining-header`, note, asked.exchange);
        }
        for (const tooMuch of [
          () => ({ maxTokens: farOver(key) }),
          () => ({ maxCompletionTokens: farOver(key) }),
          // Last, since the text may be longer than a request.
          () => ({ text: wordsBeyond(t, key.limit), maxTokens: 1 }),
        ]) {
          const asked = await beyondBudget(t, key, { ...tooMuch(), stream: true });
          t.judge(`${ID}.stream-up-front`, refusedBeforeStream(asked.exchange, asked));
        }
      }),
  );

  test(
    'what does not fit the budget is refused up front on the messages route',
    { judges: [`${ID}.budget-on-messages`] },
    async (t) =>
      borrowKey(t, async ({ name: as, limit }) => {
        const model = requireFixture(t, 'chat');
        const beyond = { as, maxTokens: 3 * limit };
        const first = await t.api.chat(model, beyond);
        const second = await t.api.chat(model, beyond);
        const proxied = await t.api.infer('messages', model, beyond);
        const third = await t.api.chat(model, beyond);
        // The contract does not say which routes use the budget. If this route does, the router must check it up front.
        const took = isSuccess(proxied) && tookOfBudget([first, second, third]);
        judgeOrLack(
          t,
          `${ID}.budget-on-messages`,
          isOverBudget(proxied) || took ? refusedForBudget(proxied) : notObserved,
          'requests of the messages route take nothing of the daily budget, as far as it is told',
        );
      }),
  );

  for (const [member, slug] of maxima) {
    test(
      `a request whose ${slug} is too large passes once it asks for less, and reached no engine before`,
      { judges: [`${UP_FRONT}-reaches-no-engine`, `${ID}.smaller-${slug}`] },
      async (t) =>
        borrowKey(t, async (key) => {
          const around = { tooMuch: { [member]: key.limit + 1 }, fits: { [member]: SMALL_OUTPUT } };
          const { refused, passed, hits } = await askedAround(t, key, around);
          t.judge(`${UP_FRONT}-reaches-no-engine`, reachedNoEngine(refused, hits));
          t.judge(`${ID}.smaller-${slug}`, servedOnceReduced(passed, refused));
        }),
    );
  }

  test(
    'a long prompt is refused up front, and a short one passes afterwards',
    { judges: [`${ID}.prompt-too-large`, `${ID}.smaller-prompt`] },
    async (t) =>
      borrowKey(t, async (key) => {
        const text = wordsBeyond(t, key.limit);
        const fits = { maxTokens: SMALL_OUTPUT };
        const around = { tooMuch: { text, ...fits }, fits };
        const { refused, passed, fitsModel } = await askedAround(t, key, around);
        t.judge(`${ID}.prompt-too-large`, refusedForBudget(refused, { fitsModel }));
        t.judge(`${ID}.smaller-prompt`, servedOnceReduced(passed, refused));
        t.judge(`${ID}.prompt-too-large`, await refusedInParts(t, key, text));
      }),
  );

  test(
    'a prompt and a maximum that fit the budget each, and not together, are refused up front',
    { judges: [`${ID}.sum-too-large`] },
    async (t) =>
      borrowKey(t, async (key) => {
        const script = await t.backend.script([SILENT]);
        const count = Math.min(PROMPT * key.limit, mostWords(t));
        const asked = { script, maxTokens: Math.floor(key.limit - LEAST_TOKENS * count) };
        const both = await beyondBudget(t, key, { ...asked, text: words(t, count) });
        const model = requireFixture(t, 'chat');
        const send = async () => t.api.chat(model, { ...asked, as: key.name });
        const alone = await onceServed(t, model, send);
        const isTold = isSuccess(both.exchange) || isSuccess(alone);
        t.judge(
          `${ID}.sum-too-large`,
          isTold ? refusedForBudget(both.exchange, both) : notObserved,
        );
      }),
  );

  test(
    'a stream that overruns the budget is delivered whole and accounted for afterwards, for its key alone',
    {
      judges: [
        `${STREAM_OVERRUN}-status`,
        `${STREAM_OVERRUN}-delivered`,
        `${STREAM_OVERRUN}-accounted`,
        `${ID}.budget-per-key`,
      ],
    },
    async (t) => {
      const key = await spendKey(t);
      await besideKey(t, async (neighbour) => {
        try {
          const { exchange, bytes, judgement } = await overrunByStream(t, key);
          t.judge(`${STREAM_OVERRUN}-status`, hasStatus(exchange, 200));
          const ended = exchange.ending === 'complete' || exchange.ending === 'cut-short';
          const isWhole = ended && !mayBeCutByDeadline(exchange, t.limits.requestTimeoutMs);
          if (isWhole)
            t.judge(`${STREAM_OVERRUN}-delivered`, wholeText(exchange, bytes, OVERRUN_WORD));
          t.judge(`${STREAM_OVERRUN}-accounted`, judgement);
          const { exchange: other } = await provoke(t, complete(), { maxTokens: SMALL_OUTPUT });
          const mayPass = foundNoRoom(other) || isInternalFailure(other);
          const isSpent = isOverBudget(await smallRequest(t, key));
          const served = isSpent && !mayPass ? succeeded(other) : notObserved;
          t.judge(`${ID}.budget-per-key`, served);
        } finally {
          // If this key has spent its budget, its neighbour must still have its own.
          if (neighbour !== undefined && isSuccess(neighbour.before)) {
            const isSpent = isOverBudget(await smallRequest(t, key));
            const beside = await smallRequest(t, neighbour.key);
            const kept = isSpent ? keptItsBudget(beside) : notObserved;
            t.judge(`${ID}.budget-per-key`, kept);
          }
        }
      });
    },
  );

  test(
    'a completion whose output no longer fits the budget is discarded',
    {
      judges: [
        OVERRUN,
        `${OVERRUN}-discards-output`,
        `${OVERRUN}-remaining-zero`,
        `${OVERRUN}-one-hit`,
      ],
      isolation: { fixtures: ['models.singleSlot'] },
    },
    async (t) => {
      const { exchange, hits } = await overrunByHalf(t, await spendKey(t));
      t.judge(OVERRUN, refusedForBudget(exchange));
      t.judge(`${OVERRUN}-discards-output`, discarded(exchange, OVERRUN_TEXT));
      t.judge(`${OVERRUN}-remaining-zero`, saysNoTokensRemain(exchange));
      if (!isSuccess(exchange)) t.judge(`${OVERRUN}-one-hit`, reachedOnce(exchange, hits));
    },
  );

  test(
    'a prompt stays deducted, of an overrun too',
    {
      judges: [`${OVERRUN}-deduction-remains`, `${UP_FRONT}-what-is-left`],
      isolation: { fixtures: ['models.maxInflight'] },
    },
    async (t) => {
      const key = await spendKey(t);
      t.judge(`${UP_FRONT}-what-is-left`, await promptUsed(t, key));
      const { befores, over, afters, promptTokens } = await toldAroundOverrun(t, key);
      // If the engine only claims the tokens in its usage, a router that counts the text may see fewer than the budget.
      t.judge(OVERRUN, isClaimedAlone(key.limit) ? notObserved : refusedForBudget(over.exchange));
      for (const [before, after] of befores.flatMap((one) =>
        afters.map((two) => [one, two] as const),
      )) {
        const around = { before, overrun: over.exchange, after, promptTokens };
        t.judge(`${OVERRUN}-deduction-remains`, promptStaysDeducted(around));
      }
      for (const [when, answers] of Object.entries({ before: befores, after: afters })) {
        const told = `no answer ${when} the overrun had ${remainingHeaders.tokens}`;
        if (showsNothingOf(answers, 'tokens')) t.notExercised(`${OVERRUN}-deduction-remains`, told);
      }
    },
  );

  test(
    'completions that fit use up the budget, and what it does to other routes when it is spent',
    {
      judges: [
        `${UP_FRONT}-what-is-left`,
        `${ID}.stream-output-accounted`,
        OVERRUN,
        `${ID}.budget-on-other-routes`,
        COUNTS_DOWN,
      ],
    },
    async (t) => {
      const key = await spendKey(t);
      const { whole, streamed, fell, last } = await usedInParts(t, key);
      t.judge(`${UP_FRONT}-what-is-left`, whole);
      t.judge(COUNTS_DOWN, fell);
      t.judge(`${ID}.stream-output-accounted`, streamed);
      t.judge(OVERRUN, last);
      for (const route of ['embeddings', 'countTokens'] as const) {
        const { exchange } = await provoke(t, complete(), { route, as: key.name });
        const note = `${route} with a spent budget: ${outcomeText(exchange)}`;
        t.record(`${ID}.budget-on-other-routes`, note, exchange);
      }
    },
  );

  test(
    'a spent budget is back when the next UTC day begins',
    { judges: [`${ID}.budget-back-next-day`], waitsLong: true },
    async (t) => t.judge(`${ID}.budget-back-next-day`, backNextDay(await afterMidnight(t))),
  );
});
