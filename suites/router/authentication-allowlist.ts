/** Authentication: keys with a model allowlist. */

import { forbidden, letIn, mayUse } from '../../harness/checks/router/credentials.ts';
import { reachedNoEngine } from '../../harness/checks/router/engine-hits.ts';
import { complete } from '../../harness/backend/behaviours.ts';
import {
  askRoute,
  FEW_TOKENS,
  proxyRouteNames,
} from '../../harness/drivers/router/client-routes.ts';
import { requireReached } from '../../harness/drivers/router/control-request.ts';
import { hitsOfRefused } from '../../harness/drivers/router/late-hits.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { requireVisible } from '../../harness/drivers/router/visible-model.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

const as = 'allowlisted';

/** The models that the fixture names; the denied one exists, so that nothing else can be the reason to refuse it. */
async function fixture(t: RouterContext) {
  const { allowlisted } = t.target.keys;
  if (allowlisted === undefined) throw new NotExercised('the target file has no allowlisted key');
  await requireVisible(t, allowlisted.denies, as);
  return allowlisted;
}

export default routerSection('authentication', (test) => {
  test(
    'a chat completion with a model outside the allowlist is forbidden',
    { judges: ['router.authentication.allowlist-denies-chat'] },
    async (t) => {
      const { denies } = await fixture(t);
      for (const stream of [false, true]) {
        const exchange = await t.api.chat(denies, { as, stream, maxTokens: 4 });
        t.judge('router.authentication.allowlist-denies-chat', forbidden(exchange));
      }
    },
  );

  test(
    'a proxied request for a model outside the allowlist is forbidden',
    { judges: ['router.authentication.allowlist-denies-proxy'] },
    async (t) => {
      const { denies } = await fixture(t);
      for (const route of proxyRouteNames) {
        const exchange = await askRoute(t, route, { model: denies, as });
        t.judge('router.authentication.allowlist-denies-proxy', forbidden(exchange));
      }
    },
  );

  test(
    'what the allowlist refuses reaches no engine',
    { judges: ['router.authentication.allowlist-denied-reaches-no-engine'] },
    async (t) => {
      const { denies } = await fixture(t);
      const script = await t.backend.script([complete()]);
      const exchange = await askRoute(t, 'chat', { model: denies, as, script });
      const hits = await hitsOfRefused(t, script);
      await requireReached(t, 'chat', { model: denies, script });
      t.judge(
        'router.authentication.allowlist-denied-reaches-no-engine',
        reachedNoEngine(exchange, hits),
      );
    },
  );

  test(
    'a key may use a model of its allowlist',
    { judges: ['router.authentication.allowlist-allows'], requests: 4 },
    async (t) => {
      const { allowlisted } = t.target.keys;
      if (allowlisted === undefined)
        throw new NotExercised('the target file has no allowlisted key');
      const model = allowlisted.allows;
      for (const stream of [false, true]) {
        const exchange = await t.api.chat(model, { as, stream, maxTokens: FEW_TOKENS });
        t.judge('router.authentication.allowlist-allows', mayUse(exchange));
      }
      // Whether a proxy route finds the model is another matter than whether the key may use it.
      for (const route of ['messages', 'countTokens'] as const) {
        const exchange = await askRoute(t, route, { model, as });
        t.judge('router.authentication.allowlist-allows', letIn(exchange));
      }
    },
  );
});
