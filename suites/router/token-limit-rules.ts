/** Token limit rules: what does not fit the daily budget up front. */

import { complete } from '../../harness/backend/behaviours.ts';
import { reachedEngine, reachedNoEngine } from '../../harness/checks/router/engine-hits.ts';
import { remainingOf } from '../../harness/checks/router/remaining-quota.ts';
import { isSuccess, succeeded } from '../../harness/checks/router/success.ts';
import {
  fitsAfter,
  isOverBudget,
  refusedBeforeStream,
  refusedForBudget,
} from '../../harness/checks/router/token-budget.ts';
import { together, vacuous } from '../../harness/checks/judgement.ts';
import type { InferenceOptions } from '../../harness/session/router/api.ts';
import { requireFixture } from '../../harness/session/router/fixture.ts';
import { type RouterContext, routerSection } from '../../harness/session/router/session.ts';
import type { TokenKey } from '../../harness/session/router/token-keys.ts';
import { wordsBeyond } from '../../harness/session/router/words.ts';
import { Inconclusive } from '../../harness/suite/signals.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';

const TEXT = 'Say hello.';
/** Output tokens that fit any budget which is not spent. */
const FEW = 8;

/** A maximum far over a budget. */
function farOver({ limit }: TokenKey): number {
  return 100 * limit;
}

/** Sends a prompt with a maximum that cannot fit and then with one that does, to an engine that answers briefly. */
async function reduced(
  t: RouterContext,
  key: TokenKey,
  member: 'maxTokens' | 'maxCompletionTokens',
) {
  const model = requireFixture(t, 'chat');
  const script = await t.backend.script([complete({ text: 'Hello.' })]);
  const common: InferenceOptions = { as: key.name, script, text: TEXT };
  const refused = await t.api.chat(model, { ...common, [member]: farOver(key) });
  const hitsUpFront = (await t.backend.counts(script)).hits;
  const passed = await t.api.chat(model, { ...common, [member]: FEW });
  const { hits } = await t.backend.counts(script);
  return { refused, hitsUpFront, passed, hits };
}

/** Whether a reduced request was served by an engine. */
function served(passed: Exchange, refused: Exchange) {
  return isOverBudget(refused)
    ? together(fitsAfter(passed, refused), isOverBudget(passed) ? vacuous : succeeded(passed))
    : vacuous;
}

export default routerSection('token-limit-rules', (test) => {
  test(
    'what does not fit the budget is refused up front, in either field and as a prompt, streamed or not',
    {
      judges: [
        'router.token-limit-rules.max-tokens-too-large',
        'router.token-limit-rules.max-completion-tokens-too-large',
        'router.token-limit-rules.prompt-too-large',
        'router.token-limit-rules.stream-up-front',
        'router.token-limit-rules.up-front-remaining-header',
      ],
    },
    async (t) =>
      t.tokenKeys.borrow(async (key) => {
        const model = requireFixture(t, 'chat');
        const as = key.name;
        const first = await t.api.chat(model, { as, maxTokens: farOver(key) });
        t.judge('router.token-limit-rules.max-tokens-too-large', refusedForBudget(first));
        const left = remainingOf(first, 'tokens');
        t.record(
          'router.token-limit-rules.up-front-remaining-header',
          left === undefined ? 'no header' : `${left} tokens remain of ${key.limit}`,
          first,
        );
        const other = await t.api.chat(model, { as, maxCompletionTokens: farOver(key) });
        t.judge(
          'router.token-limit-rules.max-completion-tokens-too-large',
          refusedForBudget(other),
        );
        const stream = await t.api.chat(model, { as, maxTokens: farOver(key), stream: true });
        t.judge('router.token-limit-rules.stream-up-front', refusedBeforeStream(stream));
        const text = wordsBeyond(t, key.limit);
        const long = await t.api.chat(model, { as, text, maxTokens: 1 });
        t.judge('router.token-limit-rules.prompt-too-large', refusedForBudget(long));
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
    async (t) =>
      t.tokenKeys.borrow(async (key) => {
        for (const [member, id] of [
          ['maxTokens', 'router.token-limit-rules.smaller-max-tokens'],
          ['maxCompletionTokens', 'router.token-limit-rules.smaller-max-completion-tokens'],
        ] as const) {
          const { refused, hitsUpFront, passed, hits } = await reduced(t, key, member);
          if (hits === 0) throw new Inconclusive('the reduced request reached no engine either');
          t.judge(
            'router.token-limit-rules.up-front-reaches-no-engine',
            reachedNoEngine(refused, hitsUpFront),
          );
          t.judge(id, served(passed, refused));
        }
      }),
  );

  test(
    'a short prompt passes after a long one was refused',
    { judges: ['router.token-limit-rules.smaller-prompt'] },
    async (t) =>
      t.tokenKeys.borrow(async (key) => {
        const model = requireFixture(t, 'chat');
        const script = await t.backend.script([complete({ text: 'Hello.' })]);
        const common = { as: key.name, script, maxTokens: FEW };
        const refused = await t.api.chat(model, { ...common, text: wordsBeyond(t, key.limit) });
        const passed = await t.api.chat(model, { ...common, text: TEXT });
        t.judge('router.token-limit-rules.smaller-prompt', served(passed, refused));
        if (isSuccess(passed)) {
          const { hits } = await t.backend.counts(script);
          t.judge('router.token-limit-rules.smaller-prompt', reachedEngine(passed, hits, 1));
        }
      }),
  );
});
