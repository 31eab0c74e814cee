/** Token limit rules: what does not fit the daily budget up front. */

import { complete } from '../../harness/backend/behaviour.ts';
import { reachedNoEngine } from '../../harness/checks/router/tries.ts';
import { remainingOf } from '../../harness/checks/limits/quota.ts';
import { isSuccess, outcomeText, succeeded } from '../../harness/checks/router/outcome.ts';
import {
  fitsAfter,
  isOverBudget,
  isBeyondModel,
  refusedBeforeStream,
  refusedForBudget,
  tookOfBudget,
} from '../../harness/checks/limits/budget.ts';
import { notObserved } from '../../harness/checks/judgement.ts';
import { borrowKey } from '../../harness/drivers/router/overrun.ts';
import type { InferenceOptions } from '../../harness/drivers/router/api.ts';
import { requireFixture } from '../../harness/drivers/router/fixtures.ts';
import { foundNoRoom, isInternalFailure } from '../../harness/checks/router/envelope.ts';
import { onceServed } from '../../harness/drivers/router/rested.ts';
import { hitsOfRefused } from '../../harness/drivers/router/hold.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import type { TokenKey } from '../../harness/drivers/router/token-keys.ts';
import { words, wordsBeyond } from '../../harness/drivers/router/bodies.ts';
import { Inconclusive, judgeOrLack } from '../../harness/runner/case.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';

const TEXT = 'Say hello.';
/** Output tokens that fit any budget which is not spent. */
const FEW = 8;
/** An answer that costs no output, so that nothing but the check up front can refuse. */
const NOTHING = { text: '', usage: { inputTokens: 1, outputTokens: 0 } };

/** A maximum over a budget, and no larger than models of today write. */
function farOver({ limit }: TokenKey): number {
  return 3 * limit;
}

/** Parts of a budget that fit it each, and not together: whether a word counts as a sixth of a token or as one and a half. */
const PARTS = { prompt: 0.6, maximum: 0.9 } as const;

/** Asks twice: first for what cannot fit and then for what does, of an engine that answers with nothing. */
async function reduced(
  t: RouterContext,
  key: TokenKey,
  tooMuch: InferenceOptions,
  fits: InferenceOptions,
) {
  const model = requireFixture(t, 'chat');
  const script = await t.backend.script([complete(NOTHING)]);
  const common: InferenceOptions = { as: key.name, script, text: TEXT };
  // A key that was spent before this run refuses everything, which is not what this is about. A stream that writes
  // nothing costs next to nothing too.
  const small = async (options: InferenceOptions) =>
    onceServed(t, model, async () => t.api.chat(model, { ...common, ...options }));
  const first = await small({ maxTokens: FEW, stream: true });
  const other = await small({ maxCompletionTokens: FEW });
  const { hits: control } = await t.backend.counts(script);
  if (control === 0 || !(isSuccess(first) || isSuccess(other))) {
    throw new Inconclusive(
      `the key ${key.name} is not served to begin with (${outcomeText(first)}): is it spent?`,
    );
  }
  const refused = await t.api.chat(model, { ...common, ...tooMuch });
  const hits = await hitsOfRefused(t, script, control);
  const passed = await small(fits);
  return { refused, passed, hits: hits - control };
}

/** Asks for what is far over the budget of a key. What is refused for the model is asked for without a budget as well. */
async function beyondBudget(t: RouterContext, key: TokenKey, options: InferenceOptions) {
  const model = requireFixture(t, 'chat');
  const exchange = await t.api.chat(model, { ...options, as: key.name });
  return { exchange, fitsModel: isBeyondModel(exchange) && (await modelTakes(t, options)) };
}

/** Whether the model takes a request from a key without a budget. */
async function modelTakes(t: RouterContext, options: InferenceOptions): Promise<boolean> {
  const script = await t.backend.script([complete(NOTHING)]);
  return isSuccess(await t.api.chat(requireFixture(t, 'chat'), { ...options, script }));
}

/** Whether a reduced request was served after a refusal. */
function served({ passed, refused }: { readonly passed: Exchange; readonly refused: Exchange }) {
  if (!isOverBudget(refused) || foundNoRoom(passed) || isInternalFailure(passed))
    return notObserved;
  return isOverBudget(passed) ? fitsAfter(passed, refused) : succeeded(passed);
}

export default routerSection('token-limit-rules', (test) => {
  test(
    'what does not fit the budget is refused up front, in either field and as a prompt, streamed or not',
    {
      judges: [
        'router.token-limit-rules.max-tokens-too-large',
        'router.token-limit-rules.max-completion-tokens-too-large',
        'router.token-limit-rules.stream-up-front',
        'router.token-limit-rules.up-front-remaining-header',
        'router.token-limit-rules.budget-on-messages',
      ],
    },
    async (t) =>
      borrowKey(t, async (key) => {
        const model = requireFixture(t, 'chat');
        const as = key.name;
        const { exchange: first, ...onFirst } = await beyondBudget(t, key, {
          maxTokens: farOver(key),
        });
        t.judge('router.token-limit-rules.max-tokens-too-large', refusedForBudget(first, onFirst));
        const left = remainingOf(first, 'tokens');
        t.record(
          'router.token-limit-rules.up-front-remaining-header',
          left === undefined ? 'no header' : `${left} tokens remain of ${key.limit}`,
          first,
        );
        const { exchange: other, ...onOther } = await beyondBudget(t, key, {
          maxCompletionTokens: farOver(key),
        });
        t.judge(
          'router.token-limit-rules.max-completion-tokens-too-large',
          refusedForBudget(other, onOther),
        );
        const beyond = { as, maxTokens: farOver(key) };
        const second = await t.api.chat(model, beyond);
        const proxied = await t.api.infer('messages', model, beyond);
        const third = await t.api.chat(model, beyond);
        // Which routes a budget is for is open, but not whether one that a request takes of is checked before it.
        const isMeant =
          isOverBudget(proxied) || (isSuccess(proxied) && tookOfBudget([other, second, third]));
        judgeOrLack(
          t,
          'router.token-limit-rules.budget-on-messages',
          isMeant ? refusedForBudget(proxied) : notObserved,
          'requests of the messages route take nothing of the daily budget, as far as it is told',
        );
        const text = wordsBeyond(t, key.limit);
        for (const tooMuch of [
          { maxTokens: farOver(key) },
          { maxCompletionTokens: farOver(key) },
          { text, maxTokens: 1 },
        ]) {
          const { exchange: stream, ...on } = await beyondBudget(t, key, {
            ...tooMuch,
            stream: true,
          });
          t.judge('router.token-limit-rules.stream-up-front', refusedBeforeStream(stream, on));
        }
      }),
  );

  test(
    'a refused request passes once it asks for less, and reached no engine before',
    {
      judges: [
        'router.token-limit-rules.up-front-reaches-no-engine',
        'router.token-limit-rules.smaller-max-tokens',
        'router.token-limit-rules.smaller-max-completion-tokens',
      ],
    },
    async (t) => {
      for (const [member, id] of [
        ['maxTokens', 'router.token-limit-rules.smaller-max-tokens'],
        ['maxCompletionTokens', 'router.token-limit-rules.smaller-max-completion-tokens'],
      ] as const) {
        const asked = await borrowKey(t, async (key) =>
          reduced(t, key, { [member]: farOver(key) }, { [member]: FEW }),
        );
        t.judge(
          'router.token-limit-rules.up-front-reaches-no-engine',
          reachedNoEngine(asked.refused, asked.hits),
        );
        t.judge(id, served(asked));
      }
    },
  );

  test(
    'a long prompt is refused up front, and a short one passes afterwards',
    {
      judges: [
        'router.token-limit-rules.prompt-too-large',
        'router.token-limit-rules.smaller-prompt',
      ],
    },
    async (t) =>
      borrowKey(t, async (key) => {
        const long = { text: wordsBeyond(t, key.limit), maxTokens: FEW };
        const asked = await reduced(t, key, long, { maxTokens: FEW });
        const fitsModel = isBeyondModel(asked.refused) && (await modelTakes(t, long));
        t.judge(
          'router.token-limit-rules.prompt-too-large',
          refusedForBudget(asked.refused, { fitsModel }),
        );
        t.judge('router.token-limit-rules.smaller-prompt', served(asked));
      }),
  );

  test(
    'a prompt and a maximum that fit the budget each, and not together, are refused up front',
    { judges: ['router.token-limit-rules.sum-too-large'] },
    async (t) =>
      borrowKey(t, async (key) => {
        const model = requireFixture(t, 'chat');
        const script = await t.backend.script([complete(NOTHING)]);
        const common = { as: key.name, script };
        const maxTokens = Math.floor(PARTS.maximum * key.limit);
        const text = words(PARTS.prompt * key.limit);
        const both = await beyondBudget(t, key, { ...common, text, maxTokens });
        const alone = await t.api.chat(model, { ...common, text: TEXT, maxTokens });
        t.judge(
          'router.token-limit-rules.sum-too-large',
          isSuccess(both.exchange) || isSuccess(alone)
            ? refusedForBudget(both.exchange, both)
            : notObserved,
        );
      }),
  );
});
