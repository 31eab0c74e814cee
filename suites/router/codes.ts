/** Codes: requests that are refused for their form, and models that are unknown, cannot serve, or cannot do what is asked. */

import { boolean, tuple } from 'fast-check';
import { endedOf } from '../../harness/drivers/router/deadlines.ts';
import {
  nearlyTheSame,
  oddModelNames,
  unknownModelId,
  unknownModelName,
} from '../../harness/generate/ids.ts';
import { complete } from '../../harness/backend/behaviour.ts';
import { markerOf } from '../../harness/backend/body.ts';
import { type Judgement, notObserved, together } from '../../harness/checks/judgement.ts';
import { reachedNoEngine } from '../../harness/checks/router/tries.ts';
import {
  acceptableFinalCodes,
  endedWith,
  isSuccess,
  modelNotFound,
  outcomeText,
  type Provocation,
  refusedOrReadAllTheSame,
} from '../../harness/checks/router/outcome.ts';
import { listedModels } from '../../harness/checks/router/universal.ts';
import {
  inferenceBody,
  inferencePaths,
  type InferenceRoute,
} from '../../harness/drivers/router/api.ts';
import {
  askRoute,
  FEW_TOKENS,
  proxyRouteNames,
  requireReached,
  UNKNOWN_MODEL,
} from '../../harness/drivers/router/client-routes.ts';
import { modelFor, provoke, scriptedModel } from '../../harness/drivers/router/provoke.ts';
import { requireFixture } from '../../harness/drivers/router/fixtures.ts';
import { hitsOfRefused } from '../../harness/drivers/router/hold.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { breakages, truncation } from '../../harness/generate/bodies.ts';
import { judgeOrLack, NotExercised } from '../../harness/runner/case.ts';
import type { RouterRequirementId } from '../../schemas/router/catalogue.ts';

const INVALID = ['request_invalid'] as const;

/** A whole request in text, for a model that the route serves. */
async function wellFormed(t: RouterContext, route: InferenceRoute): Promise<string> {
  const model = await modelFor(t, route);
  return JSON.stringify(inferenceBody(route, model, { maxTokens: FEW_TOKENS }));
}

const wrongModels: readonly unknown[] = [1, 0, null, true, [], ['a'], {}, { id: 'a' }];
const noObjects = ['[]', '"text"', '1', 'null', 'true', '[{"model":"a"}]'];

/** Fields of a wrong type that an agent may read, and a router need not. */
const unreadable = [
  ['messages', 5],
  ['stop', {}],
  ['tools', 'x'],
] as const;

/** Deep enough for parsers that recurse to notice, and no more than a few kilobytes. */
const DEPTH = 2_000;

/** A target that knows of keys with an allowlist would not name one of them as its plain client key. */
function plainKey(t: RouterContext): boolean {
  return t.target.keys.allowlisted !== undefined;
}

export default routerSection('codes', (test) => {
  for (const [family, routes] of [
    ['chat', ['chat']],
    ['proxy', proxyRouteNames],
  ] as const) {
    const malformed = `router.codes.malformed-json-${family}` as const;
    test(
      `what is no JSON is invalid on ${family} routes`,
      { judges: [malformed], aside: true, requests: 20 * routes.length },
      async (t) => {
        for (const route of routes) {
          const json = await wellFormed(t, route);
          const send = async (body: string) =>
            endedWith(await t.api.postRaw(inferencePaths[route], body), INVALID);
          for (const { of } of breakages) t.judge(malformed, await send(of(json)));
          await t.property(
            `cut JSON on ${route}`,
            truncation,
            async ({ of }, judge) => judge(malformed, await send(of(json))),
            { weight: 0.5 / routes.length },
          );
        }
      },
    );

    const empty = `router.codes.empty-body-${family}` as const;
    const missing = `router.codes.missing-model-${family}` as const;
    test(
      `an empty body and one without model are invalid on ${family} routes`,
      { judges: [empty, missing], aside: true },
      async (t) => {
        for (const route of routes) {
          const nothing = await t.api.postRaw(inferencePaths[route], '');
          t.judge(empty, endedWith(nothing, INVALID));
          const without = await t.api.infer(route, UNKNOWN_MODEL, { extra: { model: undefined } });
          t.judge(missing, endedWith(without, INVALID));
        }
      },
    );
  }

  test(
    'a model that is no text is invalid',
    { judges: ['router.codes.model-not-text'], aside: true, requests: 12 },
    async (t) => {
      for (const [at, route] of proxyRouteNames.entries()) {
        const extra = { model: wrongModels[2 * at] };
        const exchange = await t.api.infer(route, UNKNOWN_MODEL, { extra });
        t.judge('router.codes.model-not-text', endedWith(exchange, INVALID));
      }
      for (const model of wrongModels) {
        const exchange = await t.api.chat(UNKNOWN_MODEL, { extra: { model } });
        t.judge('router.codes.model-not-text', endedWith(exchange, INVALID));
      }
    },
  );

  test(
    'JSON that is no object is invalid',
    { judges: ['router.codes.body-not-object'], aside: true, requests: 6 },
    async (t) => {
      for (const body of noObjects) {
        const exchange = await t.api.postRaw(inferencePaths.chat, body);
        t.judge('router.codes.body-not-object', endedWith(exchange, INVALID));
      }
    },
  );

  test(
    'a body that is not UTF-8 is invalid, or read all the same',
    { judges: ['router.codes.invalid-utf-8'], aside: true },
    async (t) => {
      const json = await wellFormed(t, 'chat');
      const [before = '', after = ''] = json.split('hello');
      for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
        const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
        const exchange = await t.api.postRaw(inferencePaths.chat, body);
        t.judge('router.codes.invalid-utf-8', refusedOrReadAllTheSame(exchange));
      }
    },
  );

  test(
    'an invalid request reaches no engine',
    { judges: ['router.codes.request-invalid-reaches-no-engine'] },
    async (t) => {
      const script = await t.backend.script([complete()]);
      const model = scriptedModel(t, 'chat');
      const json = JSON.stringify(inferenceBody('chat', model, { script }));
      const exchanges = [
        await t.api.postRaw(inferencePaths.chat, json.slice(0, -1)),
        await t.api.postRaw(inferencePaths.chat, json.slice(1)),
        await t.api.chat(model, { script, extra: { model: undefined } }),
        await t.api.postRaw(inferencePaths.chat, JSON.stringify(markerOf(script))),
      ];
      const hits = await hitsOfRefused(t, script);
      await requireReached(t, 'chat', { script });
      for (const exchange of exchanges) {
        t.judge('router.codes.request-invalid-reaches-no-engine', reachedNoEngine(exchange, hits));
      }
    },
  );

  test(
    'odd bodies of which nothing is said are recorded',
    {
      judges: [
        'router.codes.duplicate-members',
        'router.codes.deep-nesting',
        'router.codes.model-empty',
        'router.codes.unreadable-fields',
      ],
    },
    async (t) => {
      const json = await wellFormed(t, 'chat');
      const twice = await t.api.postRaw(
        inferencePaths.chat,
        `{"model":${JSON.stringify(UNKNOWN_MODEL)},${json.slice(1)}`,
      );
      t.record(
        'router.codes.duplicate-members',
        `unknown, then known: ${outcomeText(twice)}`,
        twice,
      );
      const deep = `{"model":${JSON.stringify(UNKNOWN_MODEL)},"messages":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`;
      const nested = await t.api.postRaw(inferencePaths.chat, deep);
      t.record('router.codes.deep-nesting', `${DEPTH} lists: ${outcomeText(nested)}`, nested);
      for (const [name, value] of unreadable) {
        const extra = { [name]: value };
        const exchange = await t.api.chat(UNKNOWN_MODEL, { extra, maxTokens: FEW_TOKENS });
        t.record('router.codes.unreadable-fields', `${name}: ${outcomeText(exchange)}`, exchange);
      }
      const empty = await t.api.chat('');
      t.record('router.codes.model-empty', outcomeText(empty), empty);
    },
  );

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
      for (const [at, route] of proxyRouteNames.entries()) {
        const probe = async (id: string) => askRoute(t, route, { model: id });
        // The routes share the odd names among them.
        const odd = oddModelNames.filter((_, name) => name % proxyRouteNames.length === at);
        await t.property(
          `unknown models on ${route}`,
          tuple(unknownModelName),
          async ([id], judge) => {
            const exchange = await probe(id);
            judge('router.codes.unknown-model-proxy', modelNotFound(exchange, plainKey(t)));
          },
          { weight: 0.25, examples: odd.map((id): [string] => [id]) },
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
