/** Authentication: which credentials open which routes, and how the others are refused. */

import { notObserved, together } from '../../harness/checks/judgement.ts';
import {
  forbidden,
  letIn,
  mayUse,
  opensNothing,
  permitted,
  refused,
  refusedForItsRole,
} from '../../harness/checks/router/credentials.ts';
import { reachedNoEngine } from '../../harness/checks/router/tries.ts';
import { outcomeText, succeeded } from '../../harness/checks/router/outcome.ts';
import { complete } from '../../harness/backend/behaviour.ts';
import {
  type Alteration,
  alteration,
  altered,
  tellingAlterations,
} from '../../harness/generate/ids.ts';
import type { CallOptions } from '../../harness/drivers/router/api.ts';
import {
  adminPaths,
  askRoute,
  type ClientFamily,
  clientRoutes,
  familyOfRoute,
  FEW_TOKENS,
  proxyRouteNames,
  requireReached,
  servedRoutes,
  UNKNOWN_MODEL,
} from '../../harness/drivers/router/client-routes.ts';
import {
  basicOf,
  comparedRefusal,
  hashOf,
  keysElsewhere,
  unknownKey,
  withAuthorization,
  withBearer,
} from '../../harness/drivers/router/credential.ts';
import { requireDenied, requireKey } from '../../harness/drivers/router/fixtures.ts';
import { hitsOfRefused } from '../../harness/drivers/router/hold.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { changed, type Secret } from '../../harness/target/keys.ts';

const likeness = [
  'router.authentication.refusal-same-status',
  'router.authentication.refusal-same-body',
  'router.authentication.refusal-same-challenge',
] as const;

type Slug =
  | 'scheme-alone'
  | 'scheme-missing'
  | 'scheme-wrong'
  | 'token-with-space'
  | 'key-hash'
  | `unknown-on-${ClientFamily}`;

const bearer = (key: Secret) => ['Bearer ', key] as const;

/** Credentials that are invalid, by the requirement that each is for. */
const invalid: readonly (readonly [
  title: string,
  slugs: readonly Slug[],
  calls: (key: Secret) => readonly CallOptions[],
])[] = [
  [
    'a key that nobody has',
    ['unknown-on-models', 'unknown-on-chat', 'unknown-on-proxy'],
    () => [unknownKey()],
  ],
  ['the bearer scheme alone', ['scheme-alone'], () => [withAuthorization('Bearer')]],
  ['a key without a scheme', ['scheme-missing'], (key) => [withAuthorization(key)]],
  [
    'a key under another scheme',
    ['scheme-wrong'],
    (key) =>
      [
        ['Basic ', key],
        ['Basic ', basicOf(key)],
        ['Token ', key],
        ['BearerToken ', key],
        ['NotBearer ', key],
      ].map((form) => withAuthorization(form)),
  ],
  [
    'a token with a space in it',
    ['token-with-space'],
    (key) =>
      ['Bearer two words', [...bearer(key), ' ', key], ['Bearer x ', key]].map((form) =>
        withAuthorization(form),
      ),
  ],
  [
    'the hash of a key',
    ['key-hash'],
    (key) => [hashOf(key), hashOf(key, 'base64')].map((hash) => withBearer(hash)),
  ],
];

/** Keys of clients that are good, have no quota to be spared, and may use any model. */
const freeKeys = ['client', 'second', 'unlimited'] as const;
const clientKeys = [...freeKeys, 'allowlisted'] as const;

export default routerSection('authentication', (test) => {
  test(
    'a valid client key opens every client route',
    { judges: ['router.authentication.client-key-accepted'], requests: 22 },
    async (t) => {
      t.judge('router.authentication.client-key-accepted', succeeded(await t.api.models()));
      for (const as of freeKeys.filter((key) => t.target.keys[key] !== undefined)) {
        for (const route of clientRoutes) {
          // An unknown model costs nobody anything and is refused for its own sake.
          const exchange = await askRoute(t, route, { model: UNKNOWN_MODEL, as });
          t.judge('router.authentication.client-key-accepted', letIn(exchange));
        }
      }
    },
  );

  test(
    'client routes refuse a request without credentials',
    {
      judges: [
        'router.authentication.missing-on-models',
        'router.authentication.missing-on-chat',
        'router.authentication.missing-on-proxy',
        'router.authentication.refusal-code',
        'router.authentication.refusal-source',
        'router.authentication.refusal-message',
        'router.authentication.challenge-realm',
      ],
      aside: true,
      requests: 11,
    },
    async (t) => {
      const model = await t.anyModel();
      for (const route of clientRoutes) {
        const exchange = await askRoute(t, route, { model, as: null });
        t.judge(`router.authentication.missing-on-${familyOfRoute(route)}`, refused(exchange));
      }
      // Where others keep a key is no bearer credential.
      for (const call of keysElsewhere(t)) {
        const [models, chat] = [await t.api.send(call.models), await t.api.send(call.chat)];
        t.judge('router.authentication.missing-on-models', refused(models));
        t.judge('router.authentication.missing-on-chat', refused(chat));
      }
    },
  );

  for (const [title, slugs, calls] of invalid) {
    const ids = slugs.map((slug) => `router.authentication.${slug}` as const);
    test(
      `${title} is refused on every client route, and like a missing key`,
      { judges: [...likeness, ...ids], aside: true, requests: 28 },
      async (t) => {
        const model = await t.anyModel();
        for (const route of clientRoutes) {
          const control = async () => askRoute(t, route, { model, as: null });
          const missing = [await control(), await control()] as const;
          const id = ids.find((one) => one.endsWith(`-on-${familyOfRoute(route)}`)) ?? ids[0];
          for (const call of calls(t.secret('client'))) {
            const probe = async () => askRoute(t, route, { model, ...call });
            const compared = await comparedRefusal(missing, { control, probe });
            if (id !== undefined) t.judge(id, refused(compared.exchange));
            t.judge('router.authentication.refusal-same-status', compared.status);
            t.judge('router.authentication.refusal-same-body', compared.body);
            t.judge('router.authentication.refusal-same-challenge', compared.challenge);
          }
        }
      },
    );
  }

  for (const state of ['expired', 'disabled', 'removed'] as const) {
    const id = `router.authentication.${state}-key` as const;
    test(
      `a key that is ${state} is refused like an unknown one`,
      { judges: [id], aside: true, requests: 21 },
      async (t) => {
        const model = await t.anyModel();
        for (const route of clientRoutes) {
          const control = async () => askRoute(t, route, { model, ...unknownKey() });
          const probe = async () => askRoute(t, route, { model, as: state });
          const unknown = [await control(), await control()] as const;
          const { exchange, status, body, challenge } = await comparedRefusal(unknown, {
            control,
            probe,
          });
          t.judge(id, together(refused(exchange), status, body, challenge));
        }
      },
    );
  }

  test(
    'a key in x-api-key opens no client route',
    {
      judges: [
        'router.authentication.x-api-key-on-models',
        'router.authentication.x-api-key-on-inference',
      ],
      aside: true,
      requests: 14,
    },
    async (t) => {
      const model = await t.anyModel();
      const header = ['x-api-key', t.secret('client')] as const;
      const unknown = unknownKey();
      for (const route of clientRoutes) {
        const kind = familyOfRoute(route) === 'models' ? 'models' : 'inference';
        for (const headers of [[header], [...(unknown.headers ?? []), header]]) {
          const exchange = await askRoute(t, route, { model, as: null, headers });
          t.judge(`router.authentication.x-api-key-on-${kind}`, refused(exchange));
        }
      }
    },
  );

  test(
    'a key that was changed a little is refused',
    { judges: ['router.authentication.key-altered'], aside: true, requests: 20 },
    async (t) => {
      const id = 'router.authentication.key-altered';
      const refusal = async (how: Alteration) => {
        const wrong = changed(t.secret('client'), (text) => altered(text, how));
        return wrong === undefined ? notObserved : refused(await t.api.models(withBearer(wrong)));
      };
      await t.property(
        'altered keys are refused',
        alteration,
        async (how, judge) => judge(id, await refusal(how)),
        { weight: 0.75, examples: tellingAlterations },
      );
    },
  );

  test(
    'a request that is refused for its credentials reaches no engine',
    { judges: ['router.authentication.refusal-reaches-no-engine'], requests: 20 },
    async (t) => {
      const inXApiKey = { as: null, headers: [['x-api-key', t.secret('client')]] } as const;
      for (const route of servedRoutes(t)) {
        const script = await t.backend.script([complete()]);
        const exchanges = [];
        for (const call of [{ as: null }, unknownKey(), inXApiKey]) {
          exchanges.push(await askRoute(t, route, { ...call, script }));
        }
        const hits = await hitsOfRefused(t, script);
        await requireReached(t, route, { script });
        t.judge(
          'router.authentication.refusal-reaches-no-engine',
          together(...exchanges.map((exchange) => reachedNoEngine(exchange, hits))),
        );
      }
    },
  );

  test(
    'administrator routes refuse missing and unknown credentials alike',
    {
      judges: [
        'router.authentication.missing-on-admin',
        'router.authentication.unknown-on-admin',
        'router.authentication.refusal-same-on-admin',
      ],
      aside: true,
    },
    async (t) => {
      for (const path of Object.values(adminPaths)) {
        const control = async () => t.api.get(path, { as: null });
        const probe = async () => t.api.get(path, unknownKey());
        const missing = [await control(), await control()] as const;
        const { exchange, ...alike } = await comparedRefusal(missing, { control, probe });
        t.judge('router.authentication.missing-on-admin', refused(missing[0]));
        t.judge('router.authentication.unknown-on-admin', refused(exchange));
        t.judge(
          'router.authentication.refusal-same-on-admin',
          together(alike.status, alike.body, alike.challenge),
        );
      }
    },
  );

  for (const name of ['health', 'routing-table'] as const) {
    const path = adminPaths[name];
    const id = `router.authentication.client-key-on-admin-${name}` as const;
    test(
      `a client key does not open ${path}`,
      { judges: [id, 'router.authentication.client-key-on-admin-status'], aside: true },
      async (t) => {
        for (const as of clientKeys.filter((key) => t.target.keys[key] !== undefined)) {
          const exchange = await t.api.get(path, { as });
          t.judge(id, opensNothing(exchange));
          t.judge('router.authentication.client-key-on-admin-status', refusedForItsRole(exchange));
        }
      },
    );
  }

  test(
    'an administrator key opens no client route',
    {
      judges: [
        'router.authentication.admin-key-on-models',
        'router.authentication.admin-key-on-chat',
        'router.authentication.admin-key-on-proxy',
        'router.authentication.admin-key-on-client-status',
      ],
      aside: true,
    },
    async (t) => {
      const model = await t.anyModel();
      for (const route of clientRoutes) {
        const exchange = await askRoute(t, route, { model, as: 'admin' });
        const id = `router.authentication.admin-key-on-${familyOfRoute(route)}` as const;
        t.judge(id, opensNothing(exchange));
        t.judge('router.authentication.admin-key-on-client-status', refusedForItsRole(exchange));
      }
    },
  );

  test(
    'a model outside the allowlist of a key is forbidden on every inference route',
    {
      judges: [
        'router.authentication.allowlist-denies-chat',
        'router.authentication.allowlist-denies-proxy',
        'router.authentication.allowlist-denied-detail',
      ],
    },
    async (t) => {
      const { denies: model } = await requireDenied(t);
      const as = 'allowlisted';
      for (const stream of [false, true]) {
        const exchange = await t.api.chat(model, { as, stream, maxTokens: FEW_TOKENS });
        t.judge('router.authentication.allowlist-denies-chat', forbidden(exchange));
      }
      for (const route of proxyRouteNames) {
        const exchange = await askRoute(t, route, { model, as });
        t.judge('router.authentication.allowlist-denies-proxy', forbidden(exchange));
      }
      const detail = await t.api.model(model, { as });
      t.record('router.authentication.allowlist-denied-detail', outcomeText(detail), detail);
    },
  );

  test(
    'what the allowlist refuses reaches no engine',
    { judges: ['router.authentication.allowlist-denied-reaches-no-engine'] },
    async (t) => {
      const { denies: model } = await requireDenied(t);
      const script = await t.backend.script([complete()]);
      const exchange = await askRoute(t, 'chat', { model, as: 'allowlisted', script });
      const hits = await hitsOfRefused(t, script);
      await requireReached(t, 'chat', { model, script });
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
      const { allows: model } = requireKey(t, 'allowlisted');
      const as = 'allowlisted';
      for (const stream of [false, true]) {
        const exchange = await t.api.chat(model, { as, stream, maxTokens: FEW_TOKENS });
        t.judge('router.authentication.allowlist-allows', mayUse(exchange));
      }
      // Whether a proxy route finds the model is another matter than whether the key may use it.
      for (const route of ['messages', 'countTokens'] as const) {
        const exchange = await askRoute(t, route, { model, as });
        t.judge('router.authentication.allowlist-allows', permitted(exchange));
      }
    },
  );

  test(
    'what is open about credentials is recorded',
    {
      judges: [
        'router.authentication.scheme-case',
        'router.authentication.order-unsupported-route',
      ],
      aside: true,
    },
    async (t) => {
      for (const scheme of ['bearer', 'BEARER']) {
        const exchange = await t.api.models(withAuthorization([`${scheme} `, t.secret('client')]));
        const outcome = `${scheme}: ${outcomeText(exchange)}`;
        t.record('router.authentication.scheme-case', outcome, exchange);
      }
      const body = { model: UNKNOWN_MODEL, input: 'Say hello.' };
      const responses = await t.api.post('/v1/responses', body, { as: null });
      t.record('router.authentication.order-unsupported-route', outcomeText(responses), responses);
    },
  );
});
