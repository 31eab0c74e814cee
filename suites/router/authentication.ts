/** Authentication: requests without credentials and with a key that nobody has, on every route. */

import { together } from '../../harness/checks/judgement.ts';
import { letIn, refused, refusedAlike } from '../../harness/checks/router/credentials.ts';
import { envelopeOf } from '../../harness/checks/router/envelope.ts';
import { outcomeText } from '../../harness/checks/router/final-codes.ts';
import { sameRefusal } from '../../harness/checks/router/same-refusal.ts';
import { succeeded } from '../../harness/checks/router/success.ts';
import {
  adminPaths,
  askRoute,
  clientRoutes,
  familyOfRoute,
} from '../../harness/drivers/router/client-routes.ts';
import { unknownKey } from '../../harness/drivers/router/credential.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';

const UNKNOWN_MODEL = 'plumbline-nobody-registers-this';

/** Keys of clients that are good, have no quota to be spared, and may use any model. */
const freeKeys = ['client', 'second', 'unlimited'] as const;
const clientKeys = [...freeKeys, 'allowlisted'] as const;

export default routerSection('authentication', (test) => {
  test(
    'a valid client key opens every client route',
    { judges: ['router.authentication.client-key-accepted'], requests: 22 },
    async (t) => {
      t.judge('router.authentication.client-key-accepted', succeeded(await t.api.models()));
      for (const as of freeKeys) {
        if (t.target.keys[as] === undefined) continue;
        for (const route of clientRoutes) {
          // An unknown model costs nobody anything and is refused for its own sake.
          const exchange = await askRoute(t, route, { model: UNKNOWN_MODEL, as });
          t.judge('router.authentication.client-key-accepted', letIn(exchange));
        }
      }
    },
  );

  test(
    'client routes refuse missing and unknown credentials alike',
    {
      judges: [
        'router.authentication.missing-on-models',
        'router.authentication.missing-on-chat',
        'router.authentication.missing-on-proxy',
        'router.authentication.unknown-on-models',
        'router.authentication.unknown-on-chat',
        'router.authentication.unknown-on-proxy',
        'router.authentication.refusal-same-status',
        'router.authentication.refusal-same-body',
        'router.authentication.refusal-same-challenge',
        'router.authentication.refusal-code',
        'router.authentication.refusal-source',
        'router.authentication.challenge-realm',
        'router.authentication.refusal-message',
      ],
      aside: true,
      requests: 21,
    },
    async (t) => {
      const model = await t.anyModel();
      for (const route of clientRoutes) {
        const family = familyOfRoute(route);
        const missing = await askRoute(t, route, { model, as: null });
        const again = await askRoute(t, route, { model, as: null });
        const unknown = await askRoute(t, route, { model, ...unknownKey() });
        t.judge(`router.authentication.missing-on-${family}`, refused(missing));
        t.judge(`router.authentication.unknown-on-${family}`, refused(unknown));
        const { status, body, challenge } = sameRefusal(missing, unknown, again);
        t.judge('router.authentication.refusal-same-status', status);
        t.judge('router.authentication.refusal-same-body', body);
        t.judge('router.authentication.refusal-same-challenge', challenge);
        const message = envelopeOf(missing)?.message;
        if (message !== undefined) {
          t.record('router.authentication.refusal-message', JSON.stringify(message), missing);
        }
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
        const missing = await t.api.get(path, { as: null });
        const again = await t.api.get(path, { as: null });
        const unknown = await t.api.get(path, unknownKey());
        t.judge('router.authentication.missing-on-admin', refused(missing));
        t.judge('router.authentication.unknown-on-admin', refused(unknown));
        const { status, body, challenge } = sameRefusal(missing, unknown, again);
        t.judge('router.authentication.refusal-same-on-admin', together(status, body, challenge));
      }
    },
  );

  for (const name of ['health', 'routing-table'] as const) {
    const path = adminPaths[name];
    const id = `router.authentication.client-key-on-admin-${name}` as const;
    test(`a client key does not open ${path}`, { judges: [id], aside: true }, async (t) => {
      for (const as of clientKeys) {
        if (t.target.keys[as] === undefined) continue;
        t.judge(id, refused(await t.api.get(path, { as })));
      }
    });
  }

  test(
    'an administrator key opens no client route',
    {
      judges: [
        'router.authentication.admin-key-on-models',
        'router.authentication.admin-key-on-chat',
        'router.authentication.admin-key-on-proxy',
      ],
      aside: true,
    },
    async (t) => {
      const model = await t.anyModel();
      for (const route of clientRoutes) {
        const exchange = await askRoute(t, route, { model, as: 'admin' });
        t.judge(`router.authentication.admin-key-on-${familyOfRoute(route)}`, refused(exchange));
      }
    },
  );

  for (const state of ['expired', 'disabled', 'removed'] as const) {
    const id = `router.authentication.${state}-key` as const;
    test(
      `a key that is ${state} is refused like an unknown one`,
      { judges: [id], aside: true, requests: 21 },
      async (t) => {
        const model = await t.anyModel();
        for (const route of clientRoutes) {
          const unknown = await askRoute(t, route, { model, ...unknownKey() });
          const again = await askRoute(t, route, { model, ...unknownKey() });
          const exchange = await askRoute(t, route, { model, as: state });
          t.judge(id, refusedAlike(exchange, unknown, again));
        }
      },
    );
  }

  test(
    'the unsupported route without credentials is recorded',
    { judges: ['router.authentication.order-unsupported-route'], aside: true },
    async (t) => {
      const body = { model: UNKNOWN_MODEL, input: 'Say hello.' };
      const exchange = await t.api.post('/v1/responses', body, { as: null });
      t.record('router.authentication.order-unsupported-route', outcomeText(exchange), exchange);
    },
  );
});
