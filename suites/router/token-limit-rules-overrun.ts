/** Token limit rules: output that no longer fits the daily budget, in one piece and as a stream. */

import type { RouterRequirementId } from '../../schemas/router/catalogue.ts';
import { complete, events } from '../../harness/backend/behaviour.ts';
import { type Judgement, together, notObserved } from '../../harness/checks/judgement.ts';
import {
  discarded,
  hasStatus,
  isSuccess,
  outcomeText,
  succeeded,
} from '../../harness/checks/router/outcome.ts';
import { reachedNoEngine, reachedOnce } from '../../harness/checks/router/tries.ts';
import {
  remainingHeaders,
  remainingTokensFell,
  tellsNothingOf,
} from '../../harness/checks/limits/quota.ts';
import { isSameBudgetDay } from '../../harness/checks/router/server-clock.ts';
import { wholeText } from '../../harness/checks/router/stream-delivery.ts';
import {
  isOverBudget,
  keptItsBudget,
  promptStaysDeducted,
  refusedForBudget,
  saysNoTokensRemain,
} from '../../harness/checks/limits/budget.ts';
import { OVERRUN_WORD, streamBeyond } from '../../harness/generate/streams.ts';
import {
  besideKey,
  type Beyond,
  beyondWhatIsLeft,
  FEW_TOKENS,
  isClaimedAlone,
  overrun,
  OVERRUN_TEXT,
  overrunByParts,
  smallRequest,
  spendKey,
} from '../../harness/drivers/router/overrun.ts';
import { requireFixture } from '../../harness/drivers/router/fixtures.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { mayBeCutByDeadline } from '../../harness/drivers/router/deadlines.ts';
import { provoke } from '../../harness/drivers/router/provoke.ts';
import { foundNoRoom, isInternalFailure } from '../../harness/checks/router/envelope.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import type { TokenKey } from '../../harness/drivers/router/token-keys.ts';
import { words } from '../../harness/drivers/router/bodies.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/case.ts';
import { retry, eventually, waits, type Wait } from '../../harness/runner/retry.ts';

/** How soon after a stream its output is accounted for is not said: what is not after a minute never is. */
function accountedWithin(t: RouterContext, wait: 'accounted' | 'accountedByFew'): Wait {
  const soon = waits[wait];
  return t.thorough
    ? { ...soon, pausesMs: [...soon.pausesMs, ...waits.accountedThoroughly.pausesMs] }
    : soon;
}

/** Judges whether output was accounted for afterwards, which has no stated time: only a thorough run waits long enough. */
function judgeAccounted(t: RouterContext, id: RouterRequirementId, judgement: Judgement): void {
  if (judgement.violations.length === 0 || t.thorough) return t.judge(id, judgement);
  t.inconclusive(
    id,
    'the output of a stream was not accounted for within seconds, and how soon it must be is not said: a thorough run waits a minute',
  );
}

/** Spends a key by a stream that writes three times its budget. */
async function overrunningStream(t: RouterContext, key: TokenKey) {
  const stream = streamBeyond(key.limit);
  const answer = events([...stream.events], { done: true });
  const options = { as: key.name, stream: true, spends: true };
  const open = await provoke(t, answer, options);
  // A router that assumes a maximum where none is named may refuse that.
  const { exchange, hits } =
    open.hits > 0 ? open : await provoke(t, answer, { ...options, maxTokens: FEW_TOKENS });
  if (hits === 0) throw new Inconclusive('a small stream of a key with a budget reached no engine');
  return { exchange, bytes: stream.bytes };
}

/** A small request once the stream before it was accounted for, which it may take a moment to be. */
async function afterAccounting(t: RouterContext, key: TokenKey) {
  return retry(t, accountedWithin(t, 'accounted'), async () => smallRequest(t, key), isOverBudget);
}

/** Parts of a budget that a long prompt takes, in words: a router that counts characters refuses the larger one. */
const PROMPT_SHARES = [1 / 3, 1 / 24];

/** What an engine passes over that writes a budget: what it wrote counts, and not what it was to write. */
const SMALL_MAXIMUM = { maxTokens: FEW_TOKENS, maxCompletionTokens: FEW_TOKENS };

/** An overrun by half: more than the budget by any count of its words, and less than twice as much. */
const OVER_BY_HALF = 1.5;

/** Overruns a budget by the answer to the longest of these prompts that the router takes. */
async function overrunByLongPrompt(t: RouterContext, key: TokenKey) {
  let why: unknown;
  for (const share of PROMPT_SHARES) {
    const promptTokens = Math.floor(key.limit * share);
    try {
      const over = await overrun(t, key, {
        text: words(promptTokens),
        promptTokens,
        ...SMALL_MAXIMUM,
      });
      return { promptTokens, over };
    } catch (error) {
      if (!(error instanceof Inconclusive)) throw error;
      why = error;
    }
  }
  throw why;
}

/** Whether less remained by one of two answers, each of which took a large part of a budget, or by a later one, than by the first. */
async function fellByUse(
  t: RouterContext,
  key: TokenKey,
  [first, second]: readonly Exchange[],
): Promise<Judgement> {
  if (first === undefined || second === undefined) return notObserved;
  const soon = remainingTokensFell(first, second);
  if (soon.violations.length === 0) return soon;
  const look = async () => remainingTokensFell(first, await smallRequest(t, key));
  return eventually(t, 'replicaTold', look);
}

/** Whether less remains by a small request than by an answer that took a large part of a budget, and left as much. */
async function fellSince(t: RouterContext, key: TokenKey, taken: Exchange): Promise<Judgement> {
  const look = async () => {
    const small = await smallRequest(t, key);
    // A refusal may tell the truth where no success does.
    return isSuccess(small) ? remainingTokensFell(taken, small) : notObserved;
  };
  return eventually(t, 'replicaTold', look);
}

/** Whether a request beyond what is left was refused before an engine saw it. Who found no room shows nothing. */
function refusedUpFront(beyond: Beyond | undefined): Judgement {
  if (beyond === undefined) return notObserved;
  const { exchange, hits } = beyond;
  if (foundNoRoom(exchange) || isInternalFailure(exchange)) return notObserved;
  return together(refusedForBudget(exchange), reachedNoEngine(exchange, hits));
}

export default routerSection('token-limit-rules', (test) => {
  // First, while no key has spent what it might share with others.
  test(
    'a stream that overruns the budget is delivered whole and accounted for afterwards, for its key alone',
    {
      judges: [
        'router.token-limit-rules.stream-overrun-status',
        'router.token-limit-rules.stream-overrun-delivered',
        'router.token-limit-rules.stream-overrun-accounted',
        'router.token-limit-rules.budget-per-key',
      ],
    },
    async (t) => {
      const key = await spendKey(t);
      await besideKey(t, async (neighbour) => {
        const judgeNeighbour = async (): Promise<void> => {
          if (neighbour === undefined || !isSuccess(neighbour.before)) return;
          const still = await smallRequest(t, key);
          const beside = await smallRequest(t, neighbour.key);
          t.judge(
            'router.token-limit-rules.budget-per-key',
            isOverBudget(still) ? keptItsBudget(beside) : notObserved,
          );
        };
        const { exchange, bytes } = await overrunningStream(t, key).catch(
          // What this key has not spent itself may have been spent by others, on the account of all.
          async (error: unknown) => judgeNeighbour().then(() => Promise.reject(error)),
        );
        t.judge('router.token-limit-rules.stream-overrun-status', hasStatus(exchange, 200));
        t.judge(
          'router.token-limit-rules.stream-overrun-delivered',
          (exchange.ending === 'complete' || exchange.ending === 'cut-short') &&
            !mayBeCutByDeadline(exchange, t.limits.requestTimeoutMs)
            ? wholeText(exchange, bytes, OVERRUN_WORD)
            : notObserved,
        );
        const after = await afterAccounting(t, key);
        judgeAccounted(
          t,
          'router.token-limit-rules.stream-overrun-accounted',
          isSameBudgetDay(exchange.startedAt, Date.now(), exchange)
            ? refusedForBudget(after)
            : notObserved,
        );
        const { exchange: beside } = await provoke(t, complete(), {
          text: 'Hi.',
          maxTokens: FEW_TOKENS,
        });
        const still = await smallRequest(t, key);
        const mayPass = foundNoRoom(beside) || isInternalFailure(beside);
        t.judge(
          'router.token-limit-rules.budget-per-key',
          isOverBudget(still) && !mayPass ? succeeded(beside) : notObserved,
        );
        await judgeNeighbour();
      });
    },
  );

  test(
    'a completion whose output no longer fits the budget is discarded',
    {
      judges: [
        'router.token-limit-rules.overrun',
        'router.token-limit-rules.overrun-discards-output',
        'router.token-limit-rules.overrun-remaining-zero',
        'router.token-limit-rules.overrun-one-hit',
      ],
    },
    async (t) => {
      const key = await spendKey(t);
      const { exchange, hits } = await overrun(t, key, { budgets: OVER_BY_HALF });
      if (isSuccess(exchange) && isClaimedAlone(key.limit)) {
        throw new NotExercised(
          `more than a budget of ${key.limit} tokens is not written out, and a router may count for itself`,
          'keys: { tokensPerDay: [ { key: ${ROUTER_KEY_TPD_1}, limit: 2000 } ] }',
        );
      }
      t.judge('router.token-limit-rules.overrun', refusedForBudget(exchange));
      t.judge(
        'router.token-limit-rules.overrun-discards-output',
        discarded(exchange, OVERRUN_TEXT),
      );
      t.judge('router.token-limit-rules.overrun-remaining-zero', saysNoTokensRemain(exchange));
      t.judge(
        'router.token-limit-rules.overrun-one-hit',
        isSuccess(exchange) ? notObserved : reachedOnce(exchange, hits),
      );
    },
  );

  test(
    'the prompt of an overrun stays deducted',
    { judges: ['router.token-limit-rules.overrun-deduction-remains'] },
    async (t) => {
      const key = await spendKey(t);
      // A refusal up front may tell what remains where an answer does not, and the other way about.
      const tooMuch = async () =>
        t.api.chat(requireFixture(t, 'chat'), { as: key.name, maxTokens: 3 * key.limit });
      const befores = [await smallRequest(t, key), await tooMuch()];
      const { over, promptTokens } = await overrunByLongPrompt(t, key);
      // Claimed alone, more than a budget may be less by a count of the text.
      const counts = isClaimedAlone(key.limit) ? notObserved : refusedForBudget(over.exchange);
      t.judge('router.token-limit-rules.overrun', counts);
      const afters = [await tooMuch(), await smallRequest(t, key)];
      for (const before of befores) {
        for (const after of afters) {
          t.judge(
            'router.token-limit-rules.overrun-deduction-remains',
            promptStaysDeducted({ before, overrun: over.exchange, after, promptTokens }),
          );
        }
      }
      if (tellsNothingOf(befores, 'tokens') || tellsNothingOf(afters, 'tokens')) {
        t.notExercised(
          'router.token-limit-rules.overrun-deduction-remains',
          `no answer ${tellsNothingOf(befores, 'tokens') ? 'before' : 'after'} the overrun had ${remainingHeaders.tokens}`,
        );
      }
    },
  );

  test(
    'completions that fit use up the budget, and what it does to other routes when it is spent',
    {
      judges: [
        'router.token-limit-rules.up-front-what-is-left',
        'router.token-limit-rules.stream-output-accounted',
        'router.token-limit-rules.overrun',
        'router.token-limit-rules.budget-on-other-routes',
        'router.response-headers.remaining-tokens-counts-down',
      ],
    },
    async (t) => {
      const key = await spendKey(t);
      if (isClaimedAlone(key.limit)) {
        const unwritten = `nearly all of a budget of ${key.limit} tokens is not written out, and a router may count for itself`;
        t.notExercised('router.token-limit-rules.up-front-what-is-left', unwritten);
        t.notExercised('router.token-limit-rules.stream-output-accounted', unwritten);
      }
      const whole = await beyondWhatIsLeft(t, key, {
        stream: false,
        asked: 0.8,
        wait: waits.accountedByFew,
      });
      t.judge('router.token-limit-rules.up-front-what-is-left', refusedUpFront(whole));
      const stream = {
        stream: true,
        asked: 0.45,
        wait: accountedWithin(t, 'accountedByFew'),
      };
      // Where a completion is not accounted for, more is left than the stream takes.
      const knows = whole !== undefined && isOverBudget(whole.exchange);
      t.judge(
        'router.response-headers.remaining-tokens-counts-down',
        knows ? await fellSince(t, key, whole.taken) : notObserved,
      );
      const streamed = knows ? await beyondWhatIsLeft(t, key, stream) : undefined;
      judgeAccounted(
        t,
        'router.token-limit-rules.stream-output-accounted',
        refusedUpFront(streamed),
      );
      const taken = [whole, streamed].flatMap((beyond) => beyond?.taken ?? []);
      // By its refusal the router knows of what was used before.
      t.judge(
        'router.response-headers.remaining-tokens-counts-down',
        knows ? await fellByUse(t, key, taken) : notObserved,
      );
      if (tellsNothingOf(taken, 'tokens')) {
        t.notExercised(
          'router.response-headers.remaining-tokens-counts-down',
          `no answer before the overrun had ${remainingHeaders.tokens}`,
        );
      }
      const { last, beyond } = await overrunByParts(t, key);
      const told = isOverBudget(last) || (isSuccess(last) && beyond);
      t.judge('router.token-limit-rules.overrun', told ? refusedForBudget(last) : notObserved);
      // What an overrun was discarded for need not be charged: a stream that was delivered is.
      if (!isOverBudget(await smallRequest(t, key))) {
        await overrunningStream(t, key);
        if (!isOverBudget(await afterAccounting(t, key))) {
          throw new Inconclusive('the key was not refused after a stream that used up its budget');
        }
      }
      for (const route of ['embeddings', 'countTokens'] as const) {
        const { exchange } = await provoke(t, complete(), { route, as: key.name });
        t.record(
          'router.token-limit-rules.budget-on-other-routes',
          `${route} with a spent budget: ${outcomeText(exchange)}`,
          exchange,
        );
      }
    },
  );
});
