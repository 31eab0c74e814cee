/** Codes: requests that are refused because of their form. */

import { reachedNoEngine } from '../../harness/checks/router/engine-hits.ts';
import { endedWith, outcomeText } from '../../harness/checks/router/final-codes.ts';
import { refusedOrReadAllTheSame } from '../../harness/checks/router/text-encoding.ts';
import { markerOf } from '../../harness/backend/marker.ts';
import { complete } from '../../harness/backend/behaviours.ts';
import { breakages, truncation } from '../../harness/generate/malformed-json.ts';
import {
  inferenceBody,
  inferencePaths,
  type InferenceRoute,
} from '../../harness/drivers/router/api.ts';
import { FEW_TOKENS, proxyRouteNames } from '../../harness/drivers/router/client-routes.ts';
import { requireReached } from '../../harness/drivers/router/control-request.ts';
import { modelFor, scriptedModel } from '../../harness/drivers/router/provoke.ts';
import { hitsOfRefused } from '../../harness/drivers/router/late-hits.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';

const UNKNOWN_MODEL = 'plumbline-nobody-registers-this';
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
});
