/** Endpoints: the known routes, what each answers, what a chat completion may carry, and the route that is not served. */

import {
  capabilityFields,
  completion,
  LAST_WORDS,
  longCompletion,
  plainFields,
} from '../../harness/generate/answers.ts';
import { carried } from '../../harness/drivers/router/bodies.ts';
import { complete, respond, respondText } from '../../harness/backend/behaviour.ts';
import { markerOf } from '../../harness/backend/body.ts';
import { expectThat, notObserved } from '../../harness/checks/judgement.ts';
import {
  answeredWith,
  endedWith,
  hasStatus,
  isSuccess,
  routeAnswers,
  sameError,
  succeeded,
} from '../../harness/checks/router/outcome.ts';
import { sameChoices } from '../../harness/checks/router/event-stream.ts';
import { reachedNoEngine, whenReached } from '../../harness/checks/router/tries.ts';
import { arrivedAtItsPath, lostAnswerNotWhole } from '../../harness/checks/router/proxied.ts';
import { listedModels } from '../../harness/checks/router/universal.ts';
import {
  askRoute,
  FEW_TOKENS,
  requireReached,
  servedRoutes,
  standsInPath,
  UNKNOWN_MODEL,
} from '../../harness/drivers/router/client-routes.ts';
import { provoke, scriptedModel } from '../../harness/drivers/router/provoke.ts';
import { hitsOfRefused } from '../../harness/drivers/router/hold.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { requireVisible } from '../../harness/drivers/router/fixtures.ts';
import { bodyText } from '../../harness/exchange/body.ts';
import { NotExercised } from '../../harness/runner/case.ts';

/** Bytes of an answer after which its engine is lost: a body that has begun, and is no JSON yet. */
const LOST_AFTER = 26;

/** How often so many requests are sent at once, so that some are answered at the same moment. */
const ROUNDS = 4;
const AT_ONCE = 4;

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
      const unknown = await t.api.model(UNKNOWN_MODEL, { as });
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
        t.judge(routes[route], routeAnswers(await askRoute(t, route, { model: UNKNOWN_MODEL })));
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

  test(
    'a chat completion that the engine answers is a success with what the engine wrote',
    {
      judges: [
        'router.endpoints.chat-completions-answer',
        'router.endpoints.chat-completions-body',
      ],
    },
    async (t) => {
      const sent = completion(scriptedModel(t, 'chat'));
      const { exchange, hits } = await provoke(t, respond(200, sent));
      t.judge(
        'router.endpoints.chat-completions-answer',
        whenReached(hits, () => succeeded(exchange)),
      );
      t.judge('router.endpoints.chat-completions-body', sameChoices(exchange, sent));
    },
  );

  test(
    'a long chat completion is answered whole',
    {
      judges: [
        'router.endpoints.chat-completions-answer',
        'router.endpoints.chat-completions-body',
      ],
    },
    async (t) => {
      const sent = longCompletion(scriptedModel(t, 'chat'));
      const { exchange, hits } = await provoke(t, respond(200, sent));
      t.judge(
        'router.endpoints.chat-completions-answer',
        whenReached(hits, () => answeredWith(exchange, LAST_WORDS)),
      );
      t.judge('router.endpoints.chat-completions-body', sameChoices(exchange, sent));
    },
  );

  test(
    'the beginning of an answer whose engine is lost is no whole answer',
    { judges: ['router.endpoints.lost-answer-not-whole'] },
    async (t) => {
      const text = JSON.stringify(completion(scriptedModel(t, 'chat')));
      for (const route of ['chat', 'messages'] as const) {
        for (const framing of ['length', 'chunked'] as const) {
          const drop = { at: { afterBytes: LOST_AFTER }, how: 'close' } as const;
          const lost = respondText(200, text, { framing, drop });
          const { exchange, hits } = await provoke(t, lost, { route });
          t.judge(
            'router.endpoints.lost-answer-not-whole',
            whenReached(hits, () => lostAnswerNotWhole(exchange, text)),
          );
        }
      }
    },
  );

  test(
    'each of several chat completions at once gets the answer to its own request',
    { judges: ['router.endpoints.chat-completions-answer'], requests: ROUNDS * AT_ONCE },
    async (t) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const texts = Array.from({ length: AT_ONCE }, (_, index) => `Answer ${round}-${index}.`);
        const answers = await Promise.all(
          texts.map(async (text) => ({ text, ...(await provoke(t, complete({ text }))) })),
        );
        for (const { text, exchange, hits } of answers) {
          t.judge(
            'router.endpoints.chat-completions-answer',
            hits === 0 || !isSuccess(exchange) ? notObserved : answeredWith(exchange, text),
          );
        }
      }
    },
  );

  for (const [name, slug] of [
    ['max_tokens', 'max-tokens-accepted'],
    ['max_completion_tokens', 'max-completion-tokens-accepted'],
  ] as const) {
    const id = `router.endpoints.${slug}` as const;
    test(
      `a chat completion may carry ${name}, which reaches the engine`,
      { judges: [id, 'router.endpoints.forwarded-fields'] },
      async (t) => {
        const { accepted: judgement, forwarded } = await carried(t, { [name]: 16 });
        t.judge(id, judgement);
        t.judge('router.endpoints.forwarded-fields', forwarded);
      },
    );
  }

  test(
    'a chat completion may carry the other named fields, which reach the engine',
    {
      judges: ['router.endpoints.parameters-accepted', 'router.endpoints.forwarded-fields'],
      requests: 27,
    },
    async (t) => {
      for (const fields of [...plainFields, ...capabilityFields]) {
        const one = await carried(t, fields, capabilityFields.includes(fields));
        t.judge('router.endpoints.parameters-accepted', one.accepted);
        t.judge('router.endpoints.forwarded-fields', one.forwarded);
      }
    },
  );

  test(
    'a request of each inference route reaches the engine at its path',
    { judges: ['router.endpoints.forwarded-path'], requests: 5 },
    async (t) => {
      for (const route of servedRoutes(t)) {
        const { exchange, script } = await provoke(t, complete(), { route });
        const judgement = arrivedAtItsPath(exchange, await t.backend.hits(script));
        t.judge('router.endpoints.forwarded-path', judgement);
      }
    },
  );
});
