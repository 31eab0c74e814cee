/** The model allowlist of a key: which requests it permits, and which reach no engine (router#authentication, rule 4). */

import {
  forbidden,
  mayUse,
  permitted,
  servedNone,
} from '../../../harness/checks/router/credentials.ts';
import { outcomeText } from '../../../harness/checks/router/outcome.ts';
import {
  askRoute,
  FEW_TOKENS,
  proxyRouteNames,
  reachNoEngine,
  requestShapes,
} from '../../../harness/drivers/router/client-routes.ts';
import { alsoDenied, requireDenied, requireKey } from '../../../harness/drivers/router/fixtures.ts';
import type { RouterContext } from '../../../harness/drivers/router/session.ts';
import type { DefineCase } from '../../../harness/runner/case.ts';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';

const ID = 'router.authentication';

export function allowlisted(test: DefineCase<RouterContext, RouterRequirementId>): void {
  test(
    'a model outside the allowlist of a key is forbidden on every inference route',
    {
      judges: [
        `${ID}.allowlist-denies-chat`,
        `${ID}.allowlist-denies-proxy`,
        `${ID}.allowlist-denied-detail`,
      ],
    },
    async (t) => {
      const [{ denies: model }, as] = [await requireDenied(t), 'allowlisted'] as const;
      for (const stream of [false, true]) {
        const exchange = await t.api.chat(model, { as, stream, maxTokens: FEW_TOKENS });
        t.judge(`${ID}.allowlist-denies-chat`, forbidden(exchange));
      }
      for (const route of proxyRouteNames) {
        for (const stream of route === 'messages' ? [false, true] : [false]) {
          const exchange = await askRoute(t, route, { model, as, stream });
          t.judge(`${ID}.allowlist-denies-proxy`, forbidden(exchange));
        }
      }
      for (const [route, fit] of await alsoDenied(t)) {
        const exchange = await askRoute(t, route, { model: fit, as });
        t.judge(`${ID}.allowlist-denies-proxy`, servedNone(exchange));
      }
      const detail = await t.api.model(model, { as });
      t.record(`${ID}.allowlist-denied-detail`, outcomeText(detail), detail);
    },
  );

  test(
    'what the allowlist refuses reaches no engine',
    { judges: [`${ID}.allowlist-denied-reaches-no-engine`] },
    async (t) => {
      const { denies: model } = await requireDenied(t);
      const judgement = await reachNoEngine(t, { route: 'chat', model }, async (script) =>
        Promise.all(
          requestShapes.map(async ({ route, stream }) =>
            askRoute(t, route, { model, as: 'allowlisted', script, stream }),
          ),
        ),
      );
      t.judge(`${ID}.allowlist-denied-reaches-no-engine`, judgement);
    },
  );

  test(
    'a key may use a model of its allowlist',
    { judges: [`${ID}.allowlist-allows`] },
    async (t) => {
      const [{ allows: model }, as] = [requireKey(t, 'allowlisted'), 'allowlisted'] as const;
      for (const stream of [false, true]) {
        const exchange = await t.api.chat(model, { as, stream, maxTokens: FEW_TOKENS });
        t.judge(`${ID}.allowlist-allows`, mayUse(exchange));
      }
      // A proxy route may not serve the model, which does not concern the allowlist.
      for (const route of ['messages', 'countTokens'] as const) {
        const exchange = await askRoute(t, route, { model, as });
        t.judge(`${ID}.allowlist-allows`, permitted(exchange));
      }
    },
  );
}
