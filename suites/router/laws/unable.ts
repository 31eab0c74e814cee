/** Models that cannot serve, and the error codes for that (router#codes). */

import { type Judgement, notObserved, together } from '../../../harness/checks/judgement.ts';
import {
  acceptableFinalCodes,
  endedWith,
  isSuccess,
  outcomeText,
} from '../../../harness/checks/router/outcome.ts';
import type { RoutedOptions } from '../../../harness/drivers/router/api.ts';
import { FEW_TOKENS } from '../../../harness/drivers/router/client-routes.ts';
import { endedOf } from '../../../harness/drivers/router/deadlines.ts';
import { requireFixture } from '../../../harness/drivers/router/fixtures.ts';
import type { RouterContext } from '../../../harness/drivers/router/session.ts';
import { type DefineCase, judgeOrLack } from '../../../harness/runner/case.ts';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';

const ID = 'router.codes';

/** Fixtures that cannot serve, each with the reason and its requirements. */
const unable: readonly (readonly [
  'noAgents' | 'agentGone' | 'deadBackend',
  'no-eligible-agent' | 'agent-gone' | 'backend-down',
  RouterRequirementId,
  recorded?: RouterRequirementId,
])[] = [
  ['noAgents', 'no-eligible-agent', `${ID}.no-agents-available`],
  ['agentGone', 'agent-gone', `${ID}.agent-gone`, `${ID}.agent-gone-final-code`],
  ['deadBackend', 'backend-down', `${ID}.dead-backend`, `${ID}.dead-backend-final-code`],
];

export function unableToServe(test: DefineCase<RouterContext, RouterRequirementId>): void {
  for (const [fixture, provocation, id, recorded] of unable) {
    test(
      `a model that cannot serve (${fixture}) fails with a code of its own`,
      { judges: recorded === undefined ? [id] : [id, recorded] },
      async (t) => {
        const model = requireFixture(t, fixture);
        for (const stream of [false, true]) {
          const exchange = await t.api.chat(model, { stream, maxTokens: FEW_TOKENS });
          t.judge(id, endedOf(t, provocation, exchange));
          if (recorded !== undefined) t.record(recorded, outcomeText(exchange), exchange);
        }
        // The router may reject a model that the messages route cannot serve, or wrap the forwarded error.
        const proxied = await t.api.infer('messages', model, { maxTokens: FEW_TOKENS });
        const wrapped = fixture === 'noAgents' ? [] : (['backend_error'] as const);
        const others = [...acceptableFinalCodes('capability-mismatch'), ...wrapped];
        t.judge(id, endedOf(t, provocation, proxied, others));
      },
    );
  }

  for (const [title, fixture, shapes] of [
    ['an embedding model cannot chat', 'embedding', [{ route: 'chat' }, { stream: true }]],
    [
      'a chat model neither embeds nor ranks',
      'chat',
      [{ route: 'embeddings' }, { route: 'rerank' }],
    ],
  ] as const) {
    test(title, { judges: [`${ID}.capability-mismatch`] }, async (t) => {
      const model = requireFixture(t, fixture);
      // The router wraps an error that the engine of a proxy route returns.
      const wrapped = fixture === 'chat' ? (['backend_error'] as const) : [];
      const codes = [...acceptableFinalCodes('capability-mismatch'), ...wrapped];
      const judgements: Judgement[] = [];
      for (const { route = 'chat', ...shape } of t.some<RoutedOptions>(shapes)) {
        // Sent once: "no agent is eligible" may be the answer to a mismatch, and no sign that agents are left out.
        const exchange = await t.api.infer(route, model, { ...shape, maxTokens: FEW_TOKENS });
        // A success means that the model has the capability, so there is no mismatch.
        judgements.push(isSuccess(exchange) ? notObserved : endedWith(exchange, codes));
      }
      const why = `the engine of ${model} serves such requests as well`;
      judgeOrLack(t, `${ID}.capability-mismatch`, together(...judgements), why);
    });
  }
}
