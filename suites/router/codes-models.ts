/** Codes: models that are unknown, without agents, out of reach, or used for what they cannot do. */

import { boolean, tuple } from 'fast-check';
import type { RouterRequirementId } from '../../schemas/router/catalogue.ts';
import type { RouterCode } from '../../schemas/router/codes.ts';
import { type Judgement, together, notObserved } from '../../harness/checks/judgement.ts';
import {
  acceptableFinalCodes,
  endedWith,
  outcomeText,
  type Provocation,
} from '../../harness/checks/router/final-codes.ts';
import { codeOf } from '../../harness/checks/router/envelope.ts';
import { isEmptyStream } from '../../harness/checks/router/stream-start.ts';
import { listedModels } from '../../harness/checks/router/model-list.ts';
import { isSuccess } from '../../harness/checks/router/success.ts';
import { modelNotFound } from '../../harness/checks/router/unknown-model.ts';
import { complete } from '../../harness/backend/behaviours.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import {
  oddModelNames,
  unknownModelId,
  unknownModelName,
} from '../../harness/generate/unknown-model.ts';
import {
  askRoute,
  FEW_TOKENS,
  proxyRouteNames,
} from '../../harness/drivers/router/client-routes.ts';
import { metDeadline } from '../../harness/drivers/router/met-deadline.ts';
import { requireFixture } from '../../harness/drivers/router/fixture.ts';
import { provoke } from '../../harness/drivers/router/provoke.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { judgeOrLack } from '../../harness/runner/judge-or-lack.ts';
import { NotExercised } from '../../harness/runner/signals.ts';

/** A target that knows of keys with an allowlist would not name one of them as its plain client key. */
function plainKey(t: RouterContext): boolean {
  return t.target.keys.allowlisted !== undefined;
}

/** Ids that are not `id` and would be by a careless comparison. */
function nearlyTheSame(id: string): readonly string[] {
  const otherCase = id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase();
  return [
    otherCase,
    `${id}:latest`,
    `${id}-plumbline`,
    `${id}/plumbline`,
    `plumbline-${id}`,
    ` ${id}`,
    `${id} `,
  ].filter((near) => near !== id);
}

/**
 * What may keep a request until its deadline: what answers nothing at all, not even that it is gone, and an agent that is
 * waited for.
 */
const keeping: ReadonlySet<Provocation> = new Set([
  'agent-gone',
  'backend-down',
  'no-eligible-agent',
]);

/** After what an agent may register its model no more. */
const unregistering: ReadonlySet<Provocation> = new Set(['agent-gone', 'backend-down']);

/** Whether a request ended as it may, or with one of the other codes. */
function endedOf(
  t: RouterContext,
  provocation: Provocation,
  exchange: Exchange,
  others: readonly RouterCode[] = [],
): Judgement {
  if (keeping.has(provocation) && metDeadline(exchange, t.limits.requestTimeoutMs))
    return notObserved;
  if (unregistering.has(provocation) && codeOf(exchange) === 'model_not_found') return notObserved;
  // A router may begin a stream before it looks for an agent.
  if (isEmptyStream(exchange)) return notObserved;
  return endedWith(exchange, [...acceptableFinalCodes(provocation), ...others]);
}

export default routerSection('codes', (test) => {
  test(
    'a model that no agent registers is not found by a chat completion',
    { judges: ['router.codes.unknown-model-chat'], aside: true, requests: 20 },
    async (t) => {
      const asked = tuple(unknownModelName, boolean());
      await t.property(
        'unknown models on the chat route',
        asked,
        async ([id, stream], judge) => {
          const exchange = await t.api.chat(id, { stream, maxTokens: FEW_TOKENS });
          judge('router.codes.unknown-model-chat', modelNotFound(exchange, plainKey(t)));
        },
        {
          weight: 0.6,
          examples: oddModelNames.map((id, at): [string, boolean] => [id, at % 2 > 0]),
        },
      );
    },
  );

  test(
    'a model that no agent registers is not found by a proxy route',
    { judges: ['router.codes.unknown-model-proxy'], aside: true, requests: 20 },
    async (t) => {
      for (const route of proxyRouteNames) {
        const probe = async (id: string) => askRoute(t, route, { model: id });
        await t.property(
          `unknown models on ${route}`,
          unknownModelName,
          async (id, judge) => {
            const exchange = await probe(id);
            judge('router.codes.unknown-model-proxy', modelNotFound(exchange, plainKey(t)));
          },
          { weight: 0.25 },
        );
      }
    },
  );

  test(
    'a model that no agent registers has no detail',
    { judges: ['router.codes.unknown-model-detail'], aside: true, requests: 20 },
    async (t) => {
      await t.property('details of unknown models', unknownModelId, async (id, judge) => {
        judge(
          'router.codes.unknown-model-detail',
          endedWith(await t.api.model(id), ['model_not_found']),
        );
      });
    },
  );

  test(
    'model ids are compared exactly',
    { judges: ['router.codes.model-id-exact'], requests: 17 },
    async (t) => {
      const listed = listedModels(await t.api.models()) ?? [];
      const [id] = listed;
      if (id === undefined) throw new NotExercised('the client key sees no model');
      const unlisted = nearlyTheSame(id).filter((near) => !listed.includes(near));
      for (const near of unlisted) {
        const exchange = await askRoute(t, 'chat', { model: near });
        t.judge('router.codes.model-id-exact', modelNotFound(exchange, plainKey(t)));
      }
      // What needs escapes in a path may be lost there before it is compared.
      for (const near of unlisted.filter((one) => /^[\w.:-]+$/u.test(one))) {
        const detail = await t.api.model(near);
        t.judge('router.codes.model-id-exact', endedWith(detail, ['model_not_found']));
      }
    },
  );

  /** Fixtures that cannot serve, by what is wrong with them. */
  const unable: readonly (readonly [
    'noAgents' | 'agentGone' | 'deadBackend',
    Provocation,
    RouterRequirementId,
    RouterRequirementId | undefined,
  ])[] = [
    ['noAgents', 'no-eligible-agent', 'router.codes.no-agents-available', undefined],
    ['agentGone', 'agent-gone', 'router.codes.agent-gone', 'router.codes.agent-gone-final-code'],
    [
      'deadBackend',
      'backend-down',
      'router.codes.dead-backend',
      'router.codes.dead-backend-final-code',
    ],
  ];
  for (const [fixture, provocation, id, recorded] of unable) {
    test(
      `a model that cannot serve (${fixture}) fails with a code of its own`,
      { judges: recorded === undefined ? [id] : [id, recorded] },
      async (t) => {
        const model = t.models[fixture];
        if (model === undefined) throw new NotExercised(`models.${fixture} is not given`);
        for (const stream of [false, true]) {
          const exchange = await t.api.chat(model, { stream, maxTokens: FEW_TOKENS });
          t.judge(id, endedOf(t, provocation, exchange));
          if (recorded !== undefined) t.record(recorded, outcomeText(exchange), exchange);
        }
        // What the messages route cannot serve may be refused for that; what it forwards is wrapped.
        const proxied = await t.api.infer('messages', model, { maxTokens: FEW_TOKENS });
        const wrapped = fixture === 'noAgents' ? [] : (['backend_error'] as const);
        const others = [...acceptableFinalCodes('capability-mismatch'), ...wrapped];
        t.judge(id, endedOf(t, provocation, proxied, others));
      },
    );
  }

  test(
    'an embedding model cannot chat',
    { judges: ['router.codes.capability-mismatch'], aside: true },
    async (t) => {
      const model = t.models.embedding;
      if (model === undefined) throw new NotExercised('models.embedding is not given');
      const { exchange } = await provoke(t, complete(), { model });
      // A model that embeds may chat as well: then there is no mismatch.
      const judgement = isSuccess(exchange)
        ? notObserved
        : endedWith(exchange, acceptableFinalCodes('capability-mismatch'));
      judgeOrLack(
        t,
        'router.codes.capability-mismatch',
        judgement,
        `the engine of ${model} chats as well`,
      );
    },
  );

  test(
    'a chat model neither embeds nor ranks',
    { judges: ['router.codes.capability-mismatch'], requests: 2 },
    async (t) => {
      const model = requireFixture(t, 'chat');
      const judgements: Judgement[] = [];
      for (const route of ['embeddings', 'rerank'] as const) {
        const { exchange } = await provoke(t, complete(), { model, route });
        // It may do so all the same; and what its engine refused is wrapped.
        const codes = [...acceptableFinalCodes('capability-mismatch'), 'backend_error'] as const;
        judgements.push(isSuccess(exchange) ? notObserved : endedWith(exchange, codes));
      }
      judgeOrLack(
        t,
        'router.codes.capability-mismatch',
        together(...judgements),
        `the engine of ${model} embeds and ranks as well`,
      );
    },
  );
});
