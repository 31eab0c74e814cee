/** Endpoints: the known routes, their responses, the fields of a chat completion, and the unsupported route. */

import {
  capabilityFields,
  completion,
  LAST_WORDS,
  longCompletion,
  oddSuccesses,
  plainFields,
  sentByEngine,
} from '../../harness/generate/answers.ts';
import { carried } from '../../harness/drivers/router/bodies.ts';
import { complete, respond, respondText } from '../../harness/backend/behaviour.ts';
import { markerOf } from '../../harness/backend/engine/request.ts';
import { expectThat, notObserved } from '../../harness/checks/judgement.ts';
import {
  answeredWith,
  endedWith,
  hasStatus,
  isSuccess,
  outcomeText,
  routeAnswers,
  sameError,
  succeeded,
} from '../../harness/checks/router/outcome.ts';
import { sameChoices } from '../../harness/checks/router/event-stream.ts';
import { whenReached } from '../../harness/checks/router/tries.ts';
import { arrivedAtItsPath, lostAnswerNotWhole } from '../../harness/checks/router/proxied.ts';
import { listedModels } from '../../harness/checks/router/universal.ts';
import {
  adminPaths,
  escapedOnce,
  FEW_TOKENS,
  reachNoEngine,
  servedOnEach,
  standsInPath,
  UNKNOWN_MODEL,
  unknownModelOn,
} from '../../harness/drivers/router/client-routes.ts';
import { judgedAnswer, provoke, scriptedModel } from '../../harness/drivers/router/provoke.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { requireVisible } from '../../harness/drivers/router/fixtures.ts';
import { bodyText } from '../../harness/exchange/body.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { judgeOrLack, NotExercised } from '../../harness/runner/case.ts';

const ID = 'router.endpoints';

/** Bytes of a response after which the engine is lost, in the middle of its JSON. */
const LOST_AFTER = 26;

/** Rounds of `AT_ONCE` parallel requests, so that some are answered at the same moment. */
const ROUNDS = 4;
const AT_ONCE = 4;

const endsWithLastWords = (exchange: Exchange) => answeredWith(exchange, LAST_WORDS);

export default routerSection('endpoints', (test) => {
  test(
    'the model list is an array of items with ids',
    { judges: [`${ID}.models-list-data`, `${ID}.models-list-item-id`] },
    async (t) => {
      const listed = listedModels(await t.api.models());
      if (listed?.length === 0) {
        t.notExercised(
          `${ID}.models-list-item-id`,
          'the client key sees no model, so that no item was seen',
        );
      }
    },
  );

  test(
    'a hidden model is left out of the list and has no detail',
    {
      judges: [
        `${ID}.models-list-hides`,
        `${ID}.model-detail-hidden`,
        `${ID}.model-detail-hidden-like-unknown`,
      ],
    },
    async (t) => {
      const { hidden } = t.models;
      if (hidden === undefined) throw new NotExercised('no model is hidden from a key');
      const seer = await requireVisible(t, hidden.id, hidden.from);
      const as = hidden.from;
      const list = await t.api.models({ as });
      const shown = listedModels(list);
      if (shown !== undefined) {
        const message = 'The list shows a model that is hidden from the caller.';
        const told = { expected: `no ${hidden.id}`, actual: shown };
        const hides = expectThat(!shown.includes(hidden.id), message, told, list);
        t.judge(`${ID}.models-list-hides`, hides);
      }
      if (!standsInPath(hidden.id)) {
        const why = 'the id of the hidden model does not stand in every path';
        t.notExercised(`${ID}.model-detail-hidden`, why);
        t.notExercised(`${ID}.model-detail-hidden-like-unknown`, why);
        return;
      }
      // What somebody else has been shown is no business of this caller.
      await t.api.model(hidden.id, { as: seer });
      const detail = await t.api.model(hidden.id, { as });
      const unknown = await t.api.model(UNKNOWN_MODEL, { as });
      t.judge(`${ID}.model-detail-hidden`, endedWith(detail, ['model_not_found']));
      // A router that does not read the escape knows no such model; one that does must hide it all the same.
      const escaped = await t.api.get(`/v1/models/${escapedOnce(hidden.id)}`, { as });
      if (isSuccess(escaped))
        t.judge(`${ID}.model-detail-hidden`, endedWith(escaped, ['model_not_found']));
      t.judge(`${ID}.model-detail-hidden-like-unknown`, sameError(unknown, detail));
    },
  );

  const detail = [`${ID}.model-detail-route`, `${ID}.model-detail-listed`] as const;
  test('a listed model has a detail', { judges: detail }, async (t) => {
    const plain = (listedModels(await t.api.models()) ?? []).filter((id) => standsInPath(id));
    if (plain.length === 0) throw new NotExercised('the client key sees no model for a path');
    const tried = [...plain.filter((id) => id === t.models.chat), ...plain.slice(0, 3)];
    const details = new Map<string, Exchange>();
    for (const id of new Set(tried)) details.set(id, await t.api.model(id));
    const shown = (listedModels(await t.api.models()) ?? []).flatMap((id) => details.get(id) ?? []);
    for (const each of shown) t.judge(`${ID}.model-detail-listed`, succeeded(each));
    const one = shown.find(isSuccess) ?? shown.find(({ response }) => response?.status === 404);
    if (one !== undefined) t.judge(`${ID}.model-detail-route`, succeeded(one));
  });

  for (const [route, slug] of [
    ['chat', 'chat-completions'],
    ['messages', 'messages'],
    ['countTokens', 'count-tokens'],
    ['embeddings', 'embeddings'],
    ['rerank', 'rerank'],
  ] as const) {
    const id = `${ID}.${slug}-route` as const;
    test(`the route ${slug} exists`, { judges: [id] }, async (t) => {
      t.judge(id, routeAnswers(await unknownModelOn(t, route)));
    });
  }

  test(
    'an administrator sees fleet health and routing table',
    { judges: [`${ID}.admin-health`, `${ID}.admin-routing-table`] },
    async (t) => {
      const table = await t.api.get(adminPaths['routing-table'], { as: 'admin' });
      t.judge(`${ID}.admin-routing-table`, succeeded(table));
      const health = await t.api.get(adminPaths.health, { as: 'admin' });
      // The fleet includes fixtures that cannot serve, so it may be unhealthy.
      judgeOrLack(
        t,
        `${ID}.admin-health`,
        health.response?.status === 503 ? notObserved : succeeded(health),
        'fleet health answers 503, which may be what it says of this fleet',
      );
    },
  );

  test(
    'the responses route is not found, whatever is sent there',
    { judges: [`${ID}.responses-not-found`, `${ID}.responses-body`] },
    async (t) => {
      const plain = {
        model: await t.anyModel(),
        input: 'Say hello.',
        max_output_tokens: FEW_TOKENS,
      };
      const streamed = { ...plain, stream: true };
      for (const body of [JSON.stringify(plain), JSON.stringify(streamed), '{', '']) {
        const exchange = await t.api.postRaw('/v1/responses', body);
        t.judge(`${ID}.responses-not-found`, hasStatus(exchange, 404));
        t.record(`${ID}.responses-body`, bodyText(exchange).slice(0, 200), exchange);
      }
    },
  );

  test(
    'the responses route reaches no engine',
    { judges: [`${ID}.responses-reaches-no-engine`] },
    async (t) => {
      const model = await t.anyModel();
      const judgement = await reachNoEngine(t, { route: 'chat' }, async (script) => {
        const input = `Say hello. ${markerOf(script)}`;
        const body = { model, input, messages: [{ role: 'user', content: input }] };
        const plain = await t.api.post('/v1/responses', body);
        return [plain, await t.api.post('/v1/responses', { ...body, stream: true })];
      });
      t.judge(`${ID}.responses-reaches-no-engine`, judgement);
    },
  );

  for (const [title, completionOf, check] of [
    ['a chat completion is answered with what the engine wrote', completion, succeeded],
    ['a long chat completion is answered whole', longCompletion, endsWithLastWords],
  ] as const) {
    test(
      title,
      { judges: [`${ID}.chat-completions-answer`, `${ID}.chat-completions-body`] },
      async (t) => {
        const sent = completionOf(scriptedModel(t, 'chat'));
        const { exchange, hits } = await provoke(t, sentByEngine(200, sent));
        t.judge(`${ID}.chat-completions-answer`, whenReached(hits, check(exchange)));
        t.judge(`${ID}.chat-completions-body`, sameChoices(exchange, sent));
      },
    );
  }

  test(
    'a chat completion with another success status is one, and what is no completion is recorded',
    { judges: [`${ID}.chat-completions-answer`, `${ID}.chat-completions-odd-success`] },
    async (t) => {
      const sent = completion(scriptedModel(t, 'chat'));
      for (const status of [201, 202, 203]) {
        const { exchange, hits } = await provoke(t, respond(status, sent));
        t.judge(`${ID}.chat-completions-answer`, whenReached(hits, succeeded(exchange)));
      }
      for (const [status, body] of oddSuccesses) {
        const { exchange } = await provoke(t, respondText(status, body));
        const note = `${status} with ${body === '' ? 'nothing' : body}: ${outcomeText(exchange)}`;
        t.record(`${ID}.chat-completions-odd-success`, note, exchange);
      }
    },
  );

  test(
    'the beginning of an answer whose engine is lost is no whole answer',
    { judges: [`${ID}.lost-answer-not-whole`] },
    async (t) => {
      const text = JSON.stringify(completion(scriptedModel(t, 'chat')));
      for (const route of ['chat', 'messages'] as const) {
        for (const framing of ['length', 'chunked'] as const) {
          const drop = { at: { afterBytes: LOST_AFTER }, how: 'close' } as const;
          const lost = respondText(200, text, { framing, drop });
          const judgement = await judgedAnswer(t, lost, { route }, (exchange) =>
            lostAnswerNotWhole(exchange, text),
          );
          t.judge(`${ID}.lost-answer-not-whole`, judgement);
        }
      }
    },
  );

  test(
    'each of several chat completions at once gets the answer to its own request',
    { judges: [`${ID}.chat-completions-answer`] },
    async (t) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const texts = Array.from({ length: AT_ONCE }, (_, index) => `Answer ${round}-${index}.`);
        const answers = await Promise.all(
          texts.map(async (text) => ({ text, ...(await provoke(t, complete({ text }))) })),
        );
        for (const { text, exchange, hits } of answers) {
          t.judge(
            `${ID}.chat-completions-answer`,
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
    const id = `${ID}.${slug}` as const;
    test(
      `a chat completion may carry ${name}, which reaches the engine`,
      { judges: [id, `${ID}.forwarded-fields`] },
      async (t) => {
        for (const stream of [false, true]) {
          const { accepted: judgement, forwarded } = await carried(t, { [name]: 16, stream });
          t.judge(id, judgement);
          t.judge(`${ID}.forwarded-fields`, forwarded);
        }
      },
    );
  }

  test(
    'a chat completion may carry the other named fields, which reach the engine',
    { judges: [`${ID}.parameters-accepted`, `${ID}.forwarded-fields`] },
    async (t) => {
      for (const fields of t.some([...plainFields, ...capabilityFields], 4)) {
        const one = await carried(t, fields, capabilityFields.includes(fields));
        t.judge(`${ID}.parameters-accepted`, one.accepted);
        t.judge(`${ID}.forwarded-fields`, one.forwarded);
      }
    },
  );

  test(
    'a request of each inference route reaches the engine at its path',
    { judges: [`${ID}.forwarded-path`] },
    async (t) => {
      for (const { exchange, script } of await servedOnEach.of(t)) {
        const judgement = arrivedAtItsPath(exchange, await t.backend.hits(script));
        t.judge(`${ID}.forwarded-path`, judgement);
      }
    },
  );
});
