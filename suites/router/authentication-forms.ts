/** Authentication: valid keys in a form that no client route accepts. */

import { refused } from '../../harness/checks/router/credentials.ts';
import { outcomeText } from '../../harness/checks/router/final-codes.ts';
import { reachedNoEngine } from '../../harness/checks/router/engine-hits.ts';
import { sameRefusal } from '../../harness/checks/router/same-refusal.ts';
import { notObserved } from '../../harness/checks/judgement.ts';
import { complete } from '../../harness/backend/behaviours.ts';
import type { HeaderContent } from '../../harness/exchange/outgoing.ts';
import {
  type Alteration,
  altered,
  alteration,
  tellingAlterations,
} from '../../harness/generate/altered-key.ts';
import {
  type CallOptions,
  inferenceBody,
  inferencePaths,
} from '../../harness/drivers/router/api.ts';
import {
  askRoute,
  clientRoutes,
  familyOfRoute,
  FEW_TOKENS,
  proxyRouteNames,
} from '../../harness/drivers/router/client-routes.ts';
import { requireReached } from '../../harness/drivers/router/control-request.ts';
import {
  basicOf,
  hashOf,
  unknownKey,
  withAuthorization,
  withBearer,
} from '../../harness/drivers/router/credential.ts';
import { hitsOfRefused } from '../../harness/drivers/router/late-hits.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { isLoopback } from '../../harness/target/base-url.ts';
import { type Secret, changed } from '../../harness/target/secret.ts';

/** Wrong forms of the credential, by the requirement that each is for. */
const wrongForms: readonly (readonly [
  slug: 'scheme-alone' | 'scheme-missing' | 'scheme-wrong' | 'token-with-space' | 'key-hash',
  title: string,
  of: (key: Secret) => readonly HeaderContent[],
])[] = [
  ['scheme-alone', 'the bearer scheme alone is refused', () => ['Bearer']],
  ['scheme-missing', 'a key without a scheme is refused', (key) => [key]],
  [
    'scheme-wrong',
    'a key under another scheme is refused',
    (key) => [
      ['Basic ', key],
      ['Basic ', basicOf(key)],
      ['Token ', key],
      ['BearerToken ', key],
      ['NotBearer ', key],
    ],
  ],
  [
    'token-with-space',
    'a token with a space in it is refused',
    (key) => ['Bearer two words', ['Bearer ', key, ' ', key], ['Bearer x ', key]],
  ],
  [
    'key-hash',
    'the hash of a key is refused',
    (key) => [
      ['Bearer ', hashOf(key)],
      ['Bearer ', hashOf(key, 'base64')],
    ],
  ],
];

/** Names of query parameters in which others take keys. */
const PARAMETERS = ['key', 'api_key', 'apikey', 'api-key', 'access_token', 'token'] as const;

const likeness = [
  'router.authentication.refusal-same-status',
  'router.authentication.refusal-same-body',
  'router.authentication.refusal-same-challenge',
] as const;

export default routerSection('authentication', (test) => {
  for (const [slug, title, of] of wrongForms) {
    const id = `router.authentication.${slug}` as const;
    test(
      `${title} on every client route`,
      { judges: [id, ...likeness], aside: true, requests: 28 },
      async (t) => {
        const model = await t.anyModel();
        for (const route of clientRoutes) {
          const missing = await askRoute(t, route, { model, as: null });
          const again = await askRoute(t, route, { model, as: null });
          for (const form of of(t.secret('client'))) {
            const exchange = await askRoute(t, route, { model, ...withAuthorization(form) });
            t.judge(id, refused(exchange));
            const { status, body, challenge } = sameRefusal(missing, exchange, again);
            t.judge('router.authentication.refusal-same-status', status);
            t.judge('router.authentication.refusal-same-body', body);
            t.judge('router.authentication.refusal-same-challenge', challenge);
          }
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
        'router.authentication.missing-on-models',
        'router.authentication.missing-on-chat',
      ],
      aside: true,
      requests: 18,
    },
    async (t) => {
      const model = await t.anyModel();
      const key = t.secret('client');
      const header = ['x-api-key', key] as const;
      const unknown = unknownKey();
      const calls: readonly CallOptions[] = [
        { as: null, headers: [header] },
        { as: null, headers: [...(unknown.headers ?? []), header] },
      ];
      for (const route of clientRoutes) {
        const id =
          familyOfRoute(route) === 'models'
            ? 'router.authentication.x-api-key-on-models'
            : 'router.authentication.x-api-key-on-inference';
        for (const call of calls)
          t.judge(id, refused(await askRoute(t, route, { model, ...call })));
      }
      // Where others keep a key is no bearer credential either.
      const elsewhere = [
        ['api-key', key],
        ['x-goog-api-key', key],
        ['Cookie', ['api_key=', key]],
      ] as const;
      for (const route of ['models', 'chat'] as const) {
        const exchange = await askRoute(t, route, { model, as: null, headers: elsewhere });
        t.judge(`router.authentication.missing-on-${route}`, refused(exchange));
      }
      // Whoever is in between writes addresses down: a key goes into one only where nobody is.
      if (!isLoopback(new URL(t.target.baseUrl))) return;
      const query = Object.fromEntries(PARAMETERS.map((name) => [name, key.reveal()]));
      const listed = await t.api.send({ method: 'GET', path: '/v1/models', query, as: null });
      t.judge('router.authentication.missing-on-models', refused(listed));
      const json = inferenceBody('chat', model, { maxTokens: FEW_TOKENS });
      const path = inferencePaths.chat;
      const asked = await t.api.send({ method: 'POST', path, query, json, as: null });
      t.judge('router.authentication.missing-on-chat', refused(asked));
    },
  );

  test(
    'a key that was changed a little is refused',
    { judges: ['router.authentication.key-altered'], aside: true, requests: 20 },
    async (t) => {
      const key = t.secret('client');
      const refusedBy = async (how: Alteration) => {
        const wrong = changed(key, (text) => altered(text, how));
        return wrong === undefined ? notObserved : refused(await t.api.models(withBearer(wrong)));
      };
      await t.property(
        'altered keys are refused',
        alteration,
        async (how, judge) => judge('router.authentication.key-altered', await refusedBy(how)),
        { weight: 0.75, examples: tellingAlterations },
      );
    },
  );

  test(
    'a request that is refused for its credentials reaches no engine',
    { judges: ['router.authentication.refusal-reaches-no-engine'], requests: 20 },
    async (t) => {
      const calls: readonly CallOptions[] = [
        { as: null },
        unknownKey(),
        { as: null, headers: [['x-api-key', t.secret('client')]] },
      ];
      for (const route of ['chat', ...proxyRouteNames] as const) {
        if (route === 'embeddings' && t.models.embedding === undefined) continue;
        if (route === 'rerank' && t.models.reranker === undefined) continue;
        const script = await t.backend.script([complete()]);
        const exchanges = [];
        for (const call of calls) exchanges.push(await askRoute(t, route, { ...call, script }));
        const hits = await hitsOfRefused(t, script);
        await requireReached(t, route, { script });
        for (const exchange of exchanges) {
          t.judge(
            'router.authentication.refusal-reaches-no-engine',
            reachedNoEngine(exchange, hits),
          );
        }
      }
    },
  );

  test(
    'the case of the bearer scheme is recorded',
    { judges: ['router.authentication.scheme-case'] },
    async (t) => {
      for (const scheme of ['bearer', 'BEARER']) {
        const exchange = await t.api.models(withAuthorization([`${scheme} `, t.secret('client')]));
        t.record(
          'router.authentication.scheme-case',
          `${scheme}: ${outcomeText(exchange)}`,
          exchange,
        );
      }
    },
  );
});
