/** Authentication: the credentials that each route accepts, and how it rejects others. */

import { type Judgement, together } from '../../harness/checks/judgement.ts';
import {
  letIn,
  opensNothing,
  refused,
  refusedForItsRole,
} from '../../harness/checks/router/credentials.ts';
import { outcomeText, succeeded } from '../../harness/checks/router/outcome.ts';
import { alteration, altered, exampleAlterations } from '../../harness/generate/ids.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import {
  adminPaths,
  type AskOptions,
  askRoute,
  type ClientRoute,
  routesInTurn,
  familyOfRoute,
  reachNoEngine,
  servedRoutes,
  UNKNOWN_MODEL,
  unknownModelOn,
} from '../../harness/drivers/router/client-routes.ts';
import {
  comparedRefusal,
  hashOf,
  invalidCredentials,
  keysElsewhere,
  refusals,
  unknownKey,
  withAuthorization,
  withBearer,
} from '../../harness/drivers/router/credential.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { changed } from '../../harness/target/keys.ts';
import { allowlisted } from './laws/allowlist.ts';
import type { RouterRequirementId } from '../../schemas/router/catalogue.ts';

const ID = 'router.authentication';
/** Parts of a rejection that could reveal why a credential was rejected. */
const aspects = ['status', 'body', 'challenge'] as const;

type Ids = readonly [RouterRequirementId, ...RouterRequirementId[]];

/** Valid client keys without quotas to save, for any model. */
const freeKeys = ['client', 'second', 'unlimited'] as const;
const clientKeys = [...freeKeys, 'allowlisted'] as const;
const given = ({ target }: RouterContext, names: readonly (typeof clientKeys)[number][]) =>
  names.filter((name) => target.keys[name] !== undefined);

/** Credentials to try on every client route, the requirements of all routes or of each family, and the check. */
const rows: readonly (readonly [
  title: string,
  probes: (t: RouterContext) => readonly AskOptions[],
  ids: Ids,
  law: (exchange: Exchange) => Judgement,
  status?: RouterRequirementId,
])[] = [
  [
    'a valid client key opens every client route',
    // A request for an unknown model costs nothing and fails only because of the model.
    (t) => given(t, freeKeys).map((as) => ({ as, model: UNKNOWN_MODEL })),
    [`${ID}.client-key-accepted`],
    letIn,
  ],
  [
    'a key in x-api-key opens no client route',
    (t) => {
      const header = ['x-api-key', t.secret('client')] as const;
      const unknown = unknownKey().headers ?? [];
      // The headers that clients of the messages route send.
      const alone = [header, ['anthropic-version', '2023-06-01']] as const;
      return [alone, [...unknown, header]].map((headers) => ({ as: null, headers }));
    },
    [`${ID}.x-api-key-on-inference`, `${ID}.x-api-key-on-models`],
    refused,
  ],
  [
    'an administrator key opens no client route',
    () => [{ as: 'admin' }, { as: 'admin', stream: true }],
    [`${ID}.admin-key-on-models`, `${ID}.admin-key-on-chat`, `${ID}.admin-key-on-proxy`],
    opensNothing,
    `${ID}.admin-key-on-client-status`,
  ],
];

const withoutKey: Ids = [
  `${ID}.missing-on-models`,
  `${ID}.missing-on-chat`,
  `${ID}.missing-on-proxy`,
];

/** Requirements that the universal check judges on every rejection. */
const ofEach = [
  `${ID}.refusal-code`,
  `${ID}.refusal-source`,
  `${ID}.refusal-message`,
  `${ID}.challenge-realm`,
] as const;

/** The requirement of a route: that of its family if there is one, otherwise the first. */
function about(ids: Ids, route: ClientRoute): RouterRequirementId {
  return ids.find((id) => id.endsWith(`-on-${familyOfRoute(route)}`)) ?? ids[0];
}

export default routerSection('authentication', (test) => {
  for (const [title, probes, ids, law, status] of rows) {
    const judges: Ids = status === undefined ? ids : [...ids, status];
    test(title, { judges }, async (t) => {
      for (const [turn, probe] of probes(t).entries()) {
        // Whether one key opens a route says nothing about another key.
        for (const route of routesInTurn(t, law === letIn ? 0 : turn)) {
          // Uses a model that the route serves, since a router may reject an invalid request before it checks the key.
          const exchange =
            probe.model === UNKNOWN_MODEL
              ? await unknownModelOn(t, route, probe.as ?? undefined)
              : await askRoute(t, route, probe);
          t.judge(about(ids, route), law(exchange));
          if (status !== undefined) t.judge(status, refusedForItsRole(exchange));
        }
      }
    });
  }

  test(
    'a listing is open to a key in its place alone',
    {
      judges: [`${ID}.client-key-accepted`, `${ID}.missing-on-models`, `${ID}.missing-on-chat`],
    },
    async (t) => {
      t.judge(`${ID}.client-key-accepted`, succeeded(await t.api.models()));
      const { perModel } = t.target.keys;
      if (perModel !== undefined)
        t.judge(`${ID}.client-key-accepted`, letIn(await t.api.models({ as: perModel.key })));
      // A key in other places, where other services expect it, is no bearer credential.
      for (const { models, chat } of keysElsewhere(t)) {
        t.judge(`${ID}.missing-on-models`, refused(await t.api.send(models)));
        t.judge(`${ID}.missing-on-chat`, refused(await t.api.send(chat)));
      }
    },
  );

  for (const [turn, [title, ids, values]] of invalidCredentials.entries()) {
    const alike = aspects.map((aspect) => `${ID}.refusal-same-${aspect}` as const);
    // Requests without credentials are judged only in the first of these cases, which tries every route.
    const known = turn === 0 ? withoutKey : undefined;
    const judges: Ids = [...ids, ...alike, ...(known === undefined ? [] : [...known, ...ofEach])];
    test(`${title} is refused like a missing key`, { judges }, async (t) => {
      const probes = values(t.secret('client')).map((value) => withAuthorization(value));
      const answers = refusals(t, 'missing', t.some(probes, 2), turn);
      for await (const { route, others, exchange, ...same } of answers) {
        if (known !== undefined)
          for (const one of others) t.judge(about(known, route), refused(one));
        t.judge(about(ids, route), refused(exchange));
        for (const aspect of aspects) t.judge(`${ID}.refusal-same-${aspect}`, same[aspect]);
      }
    });
  }

  for (const state of ['expired', 'disabled', 'removed'] as const) {
    const id = `${ID}.${state}-key` as const;
    test(`a key that is ${state} is refused like an unknown one`, { judges: [id] }, async (t) => {
      const answers = refusals(t, 'unknown', [{ as: state }], 0);
      for await (const { exchange, status, body, challenge } of answers) {
        t.judge(id, together(refused(exchange), status, body, challenge));
      }
      for (const route of ['chat', 'messages'] as const)
        t.judge(id, refused(await askRoute(t, route, { as: state, stream: true })));
      for (const path of Object.values(adminPaths))
        t.judge(id, opensNothing(await t.api.get(path, { as: state })));
    });
  }

  test(
    'a key that was changed a little is refused',
    { judges: [`${ID}.key-altered`] },
    async (t) => {
      let turn = 0;
      await t.property(
        'altered keys are refused',
        alteration,
        async (how, judge) => {
          const wrong = changed(t.secret('client'), (text) => altered(text, how));
          turn += 1;
          if (wrong === undefined) return;
          for (const route of routesInTurn(t, turn))
            judge(`${ID}.key-altered`, refused(await askRoute(t, route, withBearer(wrong))));
        },
        { weight: 0.4, examples: exampleAlterations },
      );
    },
  );

  test(
    'a request that is refused for its credentials reaches no engine',
    { judges: [`${ID}.refusal-reaches-no-engine`] },
    async (t) => {
      const headers = [['x-api-key', t.secret('client')]] as const;
      for (const route of t.some(servedRoutes(t), 3)) {
        const judgement = await reachNoEngine(t, { route }, async (script) => [
          await askRoute(t, route, { as: null, script }),
          await askRoute(t, route, { ...unknownKey(), script }),
          await askRoute(t, route, { as: null, headers, script }),
        ]);
        t.judge(`${ID}.refusal-reaches-no-engine`, judgement);
      }
    },
  );

  test(
    'administrator routes refuse missing and unknown credentials alike',
    {
      judges: [`${ID}.missing-on-admin`, `${ID}.unknown-on-admin`, `${ID}.refusal-same-on-admin`],
    },
    async (t) => {
      for (const path of Object.values(adminPaths)) {
        const control = async () => t.api.get(path, { as: null });
        const probe = async () => t.api.get(path, unknownKey());
        const missing = [await control(), await control()] as const;
        const { exchange, ...alike } = await comparedRefusal(missing, { control, probe });
        t.judge(`${ID}.missing-on-admin`, refused(missing[0]));
        t.judge(`${ID}.unknown-on-admin`, refused(exchange));
        t.judge(`${ID}.refusal-same-on-admin`, together(...Object.values(alike)));
        if (t.target.keys.admin === undefined) continue;
        const hash = withBearer(hashOf(t.secret('admin')));
        t.judge(`${ID}.unknown-on-admin`, refused(await t.api.get(path, hash)));
      }
    },
  );

  for (const name of ['health', 'routing-table'] as const) {
    const id = `${ID}.client-key-on-admin-${name}` as const;
    const judges = [id, `${ID}.client-key-on-admin-status`] as const;
    test(`a client key does not open ${adminPaths[name]}`, { judges }, async (t) => {
      for (const as of given(t, clientKeys)) {
        const exchange = await t.api.get(adminPaths[name], { as });
        t.judge(id, opensNothing(exchange));
        t.judge(`${ID}.client-key-on-admin-status`, refusedForItsRole(exchange));
      }
    });
  }

  allowlisted(test);

  test(
    'what is open about credentials is recorded',
    { judges: [`${ID}.scheme-case`, `${ID}.order-unsupported-route`] },
    async (t) => {
      for (const scheme of ['bearer ', 'BEARER ']) {
        const exchange = await t.api.models(withAuthorization([scheme, t.secret('client')]));
        t.record(`${ID}.scheme-case`, scheme + outcomeText(exchange), exchange);
      }
      const body = { model: UNKNOWN_MODEL, input: 'Say hello.' };
      const responses = await t.api.post('/v1/responses', body, { as: null });
      t.record(`${ID}.order-unsupported-route`, outcomeText(responses), responses);
    },
  );
});
