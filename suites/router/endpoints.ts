/** Endpoints: the model routes, the administrator routes, and the route that is not served. */

import { hasStatus, succeeded } from '../../harness/checks/router/success.ts';
import { reachedNoEngine } from '../../harness/checks/router/engine-hits.ts';
import { endedWith } from '../../harness/checks/router/final-codes.ts';
import { listedModels } from '../../harness/checks/router/model-list.ts';
import { routeAnswers, sameError } from '../../harness/checks/router/unknown-model.ts';
import { expectThat } from '../../harness/checks/judgement.ts';
import { bodyText } from '../../harness/exchange/body.ts';
import { markerOf } from '../../harness/backend/marker.ts';
import { complete } from '../../harness/backend/behaviours.ts';
import { askRoute, FEW_TOKENS, standsInPath } from '../../harness/drivers/router/client-routes.ts';
import { requireReached } from '../../harness/drivers/router/control-request.ts';
import { requireVisible } from '../../harness/drivers/router/visible-model.ts';
import { hitsOfRefused } from '../../harness/drivers/router/late-hits.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

const UNKNOWN = 'plumbline-nobody-registers-this';

export default routerSection('endpoints', (test) => {
  test(
    'the model list is an array of items with ids',
    { judges: ['router.endpoints.models-list-data', 'router.endpoints.models-list-item-id'] },
    async (t) => {
      const listed = listedModels(await t.api.models());
      if (listed?.length === 0) {
        t.notExercised(
          'router.endpoints.models-list-item-id',
          'the client key sees no model, so that no item was seen',
        );
      }
    },
  );

  test(
    'a hidden model is left out of the list and has no detail',
    {
      judges: [
        'router.endpoints.models-list-hides',
        'router.endpoints.model-detail-hidden',
        'router.endpoints.model-detail-hidden-like-unknown',
      ],
    },
    async (t) => {
      const { hidden } = t.models;
      if (hidden === undefined) throw new NotExercised('no model is hidden from a key');
      await requireVisible(t, hidden.id, hidden.from);
      const as = hidden.from;
      const list = await t.api.models({ as });
      const shown = listedModels(list);
      if (shown !== undefined) {
        t.judge(
          'router.endpoints.models-list-hides',
          expectThat(
            !shown.includes(hidden.id),
            'The list shows a model that is hidden from the caller.',
            { expected: `no ${hidden.id}`, actual: shown },
            list,
          ),
        );
      }
      if (!standsInPath(hidden.id)) {
        const why = 'the id of the hidden model does not stand in every path';
        t.notExercised('router.endpoints.model-detail-hidden', why);
        t.notExercised('router.endpoints.model-detail-hidden-like-unknown', why);
        return;
      }
      const detail = await t.api.model(hidden.id, { as });
      const unknown = await t.api.model(UNKNOWN, { as });
      t.judge('router.endpoints.model-detail-hidden', endedWith(detail, ['model_not_found']));
      t.judge('router.endpoints.model-detail-hidden-like-unknown', sameError(unknown, detail));
    },
  );

  test(
    'a listed model has a detail',
    { judges: ['router.endpoints.model-detail-listed'] },
    async (t) => {
      const plain = (listedModels(await t.api.models()) ?? []).filter((id) => standsInPath(id));
      if (plain.length === 0) {
        throw new NotExercised('the client key sees no model whose id can stand in a path');
      }
      for (const id of plain.slice(0, 3)) {
        const detail = await t.api.model(id);
        const still = listedModels(await t.api.models())?.includes(id) === true;
        if (still) t.judge('router.endpoints.model-detail-listed', succeeded(detail));
      }
    },
  );

  const routes = {
    chat: 'router.endpoints.chat-completions-route',
    messages: 'router.endpoints.messages-route',
    countTokens: 'router.endpoints.count-tokens-route',
    embeddings: 'router.endpoints.embeddings-route',
    rerank: 'router.endpoints.rerank-route',
  } as const;

  test(
    'the inference routes exist',
    {
      judges: [routes.chat, routes.messages, routes.countTokens, routes.embeddings, routes.rerank],
      aside: true,
    },
    async (t) => {
      for (const route of ['chat', 'messages', 'countTokens', 'embeddings', 'rerank'] as const) {
        t.judge(routes[route], routeAnswers(await askRoute(t, route, { model: UNKNOWN })));
      }
    },
  );

  test(
    'an administrator sees fleet health and routing table',
    { judges: ['router.endpoints.admin-health', 'router.endpoints.admin-routing-table'] },
    async (t) => {
      t.judge(
        'router.endpoints.admin-routing-table',
        succeeded(await t.api.get('/admin/routing-table', { as: 'admin' })),
      );
      const health = await t.api.get('/admin/health', { as: 'admin' });
      // Fixtures that cannot be served are part of the fleet whose health it tells.
      if (health.response?.status !== 503) {
        t.judge('router.endpoints.admin-health', succeeded(health));
        return;
      }
      t.notExercised(
        'router.endpoints.admin-health',
        'fleet health answers 503, which may be what it says of this fleet',
      );
    },
  );

  test(
    'the responses route is not found',
    {
      judges: ['router.endpoints.responses-not-found', 'router.endpoints.responses-body'],
      aside: true,
    },
    async (t) => {
      const body = {
        model: await t.anyModel(),
        input: 'Say hello.',
        max_output_tokens: FEW_TOKENS,
      };
      const exchange = await t.api.post('/v1/responses', body);
      t.judge('router.endpoints.responses-not-found', hasStatus(exchange, 404));
      const streamed = await t.api.post('/v1/responses', { ...body, stream: true });
      t.judge('router.endpoints.responses-not-found', hasStatus(streamed, 404));
      // Nobody reads what is sent there, whatever it is.
      for (const text of ['{', '']) {
        const unread = await t.api.postRaw('/v1/responses', text);
        t.judge('router.endpoints.responses-not-found', hasStatus(unread, 404));
      }
      if (exchange.response !== undefined) {
        t.record('router.endpoints.responses-body', bodyText(exchange).slice(0, 200), exchange);
      }
    },
  );

  test(
    'the responses route reaches no engine',
    { judges: ['router.endpoints.responses-reaches-no-engine'] },
    async (t) => {
      const model = await t.anyModel();
      const script = await t.backend.script([complete()]);
      const exchanges = [];
      for (const stream of [false, true]) {
        const text = `Say hello. ${markerOf(script)}`;
        const messages = [{ role: 'user', content: text }];
        const body = { model, stream, input: text, messages };
        exchanges.push(await t.api.post('/v1/responses', body));
      }
      const hits = await hitsOfRefused(t, script);
      await requireReached(t, 'chat', { script });
      for (const exchange of exchanges) {
        t.judge('router.endpoints.responses-reaches-no-engine', reachedNoEngine(exchange, hits));
      }
    },
  );
});
