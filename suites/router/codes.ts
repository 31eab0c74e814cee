/** Codes: malformed requests, and models that are unknown, cannot serve, or lack a requested capability. */

import { boolean, tuple } from 'fast-check';
import {
  nearlyTheSame,
  oddModelNames,
  unknownModelId,
  unknownModelName,
} from '../../harness/generate/ids.ts';
import { markerOf } from '../../harness/backend/engine/request.ts';
import { type Judgement, notObserved } from '../../harness/checks/judgement.ts';
import {
  endedWith,
  isSuccess,
  modelNotFound,
  outcomeText,
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
  spreadOver,
  FEW_TOKENS,
  proxyRouteNames,
  servedProxyRoutes,
  reachNoEngine,
  UNKNOWN_MODEL,
} from '../../harness/drivers/router/client-routes.ts';
import { modelFor, scriptedModel } from '../../harness/drivers/router/provoke.ts';
import {
  type RouterContext,
  routerSection,
  type SlugIn,
} from '../../harness/drivers/router/session.ts';
import { type Breakage, breakages, truncation, WORD_AFTER } from '../../harness/generate/bodies.ts';
import { NotExercised } from '../../harness/runner/case.ts';
import { unableToServe } from './laws/unable.ts';

const ID = 'router.codes';

const INVALID = ['request_invalid'] as const;

/** A complete request body as text, for a model that the route serves. */
async function wellFormed(t: RouterContext, route: InferenceRoute): Promise<string> {
  const model = await modelFor(t, route);
  return JSON.stringify(inferenceBody(route, model, { maxTokens: FEW_TOKENS }));
}

const wrongModels: readonly unknown[] = [1, 0, null, true, [], ['a'], { id: 'a' }];
const notUtf8 = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]];
const noObjects = ['[]', '"text"', '1', 'null', 'true', '[{"model":"a"}]'];

/** Fields with a wrong type, or with half of a character, that an agent may parse, but a router need not. */
const unreadable = {
  messages: 5,
  stop: {},
  tools: 'x',
  user: '\uD800',
  model: `${UNKNOWN_MODEL}\uD800`,
};

/** Nesting that troubles recursive parsers, in only a few kilobytes. */
const DEPTH = 2_000;

/** True if the client key surely has no allowlist: a target file with an `allowlisted` key would name it there. */
const plainKey = (t: RouterContext) => t.target.keys.allowlisted !== undefined;

const families = [
  ['chat', ['chat']],
  ['proxy', proxyRouteNames],
] as const;

/** Number of examples that a quick run tries on each route of a family. */
const FEW_EXAMPLES = { chat: 3, proxy: 1 } as const;

const withModel = (route: InferenceRoute, model: unknown, more: object = {}): string =>
  JSON.stringify(inferenceBody(route, UNKNOWN_MODEL, { extra: { ...more, model } }));

const invalid: readonly (readonly [
  slug: SlugIn<'codes'>,
  routes: readonly InferenceRoute[],
  bodies: (route: InferenceRoute, index: number) => readonly string[],
])[] = [
  ['empty-body-chat', ['chat'], () => ['']],
  ['empty-body-proxy', proxyRouteNames, () => ['']],
  [
    'missing-model-chat',
    ['chat'],
    (route) => [{}, { stream: true }].map((more) => withModel(route, undefined, more)),
  ],
  ['missing-model-proxy', proxyRouteNames, (route) => [withModel(route, undefined)]],
  ['body-not-object', ['chat'], () => noObjects],
  ['model-not-text', ['chat'], (route) => wrongModels.map((model) => withModel(route, model))],
  [
    'model-not-text',
    proxyRouteNames,
    (route, index) =>
      wrongModels.slice(2 * index, 2 * index + 1).map((model) => withModel(route, model)),
  ],
];

/** Whether the one model that a key may use stands in for a missing one. Another refusal may come first for such a key. */
async function chosenForKey(t: RouterContext): Promise<Judgement> {
  const as = 'allowlisted';
  if (t.target.keys[as] === undefined) return notObserved;
  const exchange = await t.api.postRaw(inferencePaths.chat, withModel('chat', undefined), { as });
  return isSuccess(exchange) ? endedWith(exchange, INVALID) : notObserved;
}

export default routerSection('codes', (test) => {
  for (const [family, routes] of families) {
    const malformed = `${ID}.malformed-json-${family}` as const;
    test(`what is no JSON is invalid on ${family} routes`, { judges: [malformed] }, async (t) => {
      for (const [route, examples] of t.some(spreadOver(t, routes, breakages, [WORD_AFTER]))) {
        const json = await wellFormed(t, route);
        const probe = async ({ of }: Breakage, judge: typeof t.judge) => {
          const exchange = await t.api.postRaw(inferencePaths[route], of(json));
          judge(malformed, endedWith(exchange, INVALID));
        };
        const tried = t.some(examples, FEW_EXAMPLES[family]);
        const options = { weight: 0.4 / routes.length, examples: tried };
        await t.property(`broken JSON on ${route}`, truncation, probe, options);
      }
    });
  }

  for (const [slug, routes, bodies] of invalid) {
    const id = `${ID}.${slug}` as const;
    const title = `a request is invalid on ${routes.join(', ')}: ${slug}`;
    test(title, { judges: [id] }, async (t) => {
      for (const [index, route] of routes.entries()) {
        for (const body of bodies(route, index)) {
          const exchange = await t.api.postRaw(inferencePaths[route], body);
          t.judge(id, endedWith(exchange, INVALID));
        }
      }
      if (slug === 'missing-model-chat') t.judge(id, await chosenForKey(t));
    });
  }

  test(
    'a body that is not UTF-8 is invalid, or read all the same',
    { judges: [`${ID}.invalid-utf-8`] },
    async (t) => {
      const json = await wellFormed(t, 'chat');
      const [before = '', after = ''] = json.split('hello');
      for (const bytes of t.some(notUtf8, 1)) {
        const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
        const exchange = await t.api.postRaw(inferencePaths.chat, body);
        t.judge(`${ID}.invalid-utf-8`, refusedOrReadAllTheSame(exchange));
      }
    },
  );

  test(
    'an invalid request reaches no engine',
    { judges: [`${ID}.request-invalid-reaches-no-engine`] },
    async (t) => {
      const model = scriptedModel(t, 'chat');
      const judgement = await reachNoEngine(t, { route: 'chat' }, async (script) => {
        const json = JSON.stringify(inferenceBody('chat', model, { script }));
        return [
          await t.api.postRaw(inferencePaths.chat, json.slice(0, -1)),
          await t.api.postRaw(inferencePaths.chat, json.slice(1)),
          await t.api.chat(model, { script, extra: { model: undefined } }),
          await t.api.post(inferencePaths.chat, markerOf(script)),
        ];
      });
      t.judge(`${ID}.request-invalid-reaches-no-engine`, judgement);
    },
  );

  test(
    'odd bodies of which nothing is said are recorded',
    {
      judges: [
        `${ID}.duplicate-members`,
        `${ID}.deep-nesting`,
        `${ID}.model-empty`,
        `${ID}.unreadable-fields`,
      ],
    },
    async (t) => {
      const json = await wellFormed(t, 'chat');
      const unknown = `{"model":${JSON.stringify(UNKNOWN_MODEL)},`;
      const twice = await t.api.postRaw(inferencePaths.chat, `${unknown}${json.slice(1)}`);
      const note = `unknown, then known: ${outcomeText(twice)}`;
      t.record(`${ID}.duplicate-members`, note, twice);
      const lists = `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`;
      const nested = await t.api.postRaw(inferencePaths.chat, `${unknown}"messages":${lists}}`);
      t.record(`${ID}.deep-nesting`, `${DEPTH} lists: ${outcomeText(nested)}`, nested);
      for (const [name, value] of Object.entries(unreadable)) {
        const extra = { [name]: value };
        const exchange = await t.api.chat(UNKNOWN_MODEL, { extra, maxTokens: FEW_TOKENS });
        t.record(`${ID}.unreadable-fields`, `${name}: ${outcomeText(exchange)}`, exchange);
      }
      const empty = await t.api.chat('');
      t.record(`${ID}.model-empty`, outcomeText(empty), empty);
    },
  );

  for (const [family, routes] of families) {
    const id = `${ID}.unknown-model-${family}` as const;
    test(
      `a model that no agent registers is not found on ${family} routes`,
      { judges: [id] },
      async (t) => {
        // Half of the requests ask for a stream.
        const odd = oddModelNames.map((name, at): [string, boolean] => [name, at % 8 > 3]);
        for (const [route, examples] of spreadOver(t, routes, odd)) {
          const probe = async ([model, streamed]: [string, boolean], judge: typeof t.judge) => {
            const stream = route === 'chat' || route === 'messages' ? { stream: streamed } : {};
            const exchange = await askRoute(t, route, { model, ...stream });
            judge(id, modelNotFound(exchange, plainKey(t)));
          };
          const tried = t.some(examples, FEW_EXAMPLES[family]);
          const options = { weight: 0.8 / routes.length, examples: tried };
          const names = tuple(unknownModelName, boolean());
          await t.property(`unknown models on ${route}`, names, probe, options);
        }
      },
    );
  }

  test(
    'a model that no agent registers has no detail',
    { judges: [`${ID}.unknown-model-detail`] },
    async (t) => {
      const probe = async (id: string, judge: typeof t.judge) =>
        judge(`${ID}.unknown-model-detail`, endedWith(await t.api.model(id), ['model_not_found']));
      await t.property('details of unknown models', unknownModelId, probe, { weight: 0.8 });
    },
  );

  test('model ids are compared exactly', { judges: [`${ID}.model-id-exact`] }, async (t) => {
    const listed = listedModels(await t.api.models()) ?? [];
    const [id] = listed;
    if (id === undefined) throw new NotExercised('the client key sees no model');
    const unlisted = nearlyTheSame(id).filter((near) => !listed.includes(near));
    for (const near of t.some(unlisted, 2)) {
      const exchange = await askRoute(t, 'chat', { model: near });
      t.judge(`${ID}.model-id-exact`, modelNotFound(exchange, plainKey(t)));
    }
    for (const route of servedProxyRoutes(t)) {
      const near = nearlyTheSame(await modelFor(t, route)).filter((one) => !listed.includes(one));
      // The id in another case, and with a space before or after it.
      for (const model of t.some([...near.slice(0, 1), ...near.slice(-2)], 1)) {
        const exchange = await askRoute(t, route, { model });
        t.judge(`${ID}.model-id-exact`, modelNotFound(exchange, plainKey(t)));
      }
    }
    // A path may lose characters that need escapes, so only plain ids are tried there.
    const plain = unlisted.filter((one) => /^[\w.:-]+$/u.test(one));
    for (const near of t.some(plain, 2, 3)) {
      const detail = await t.api.model(near);
      t.judge(`${ID}.model-id-exact`, endedWith(detail, ['model_not_found']));
    }
  });

  unableToServe(test);
});
