/** Response headers: ids, traces and challenges. */

import { uuidDespiteClient } from '../../harness/checks/router/client-request-id.ts';
import { freshRequestIds, requestIdOf } from '../../harness/checks/router/request-id.ts';
import { complete } from '../../harness/backend/behaviours.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { headerValue, headerValues } from '../../harness/exchange/headers.ts';
import { foreignId, foreignIds } from '../../harness/generate/foreign-id.ts';
import { adminPaths, askRoute, clientRoutes } from '../../harness/drivers/router/client-routes.ts';
import { provoke } from '../../harness/drivers/router/provoke.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';

const UNKNOWN_MODEL = 'plumbline-nobody-registers-this';
const OWN_ID = '3f0c8a52-6d1e-4b7a-9c35-2e8f1d904b6c';

/** Trace contexts that a client may send: a proper one, one of a later version, and some that are none. */
const traces = [
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
  'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later',
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  '00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01',
  'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'not a trace',
] as const;

/** What a response says in a header, for a reader of the report. */
function said(exchange: Exchange, name: string): string {
  return headerValue(exchange.response?.headers ?? [], name) ?? 'none';
}

export default routerSection('response-headers', (test) => {
  test(
    'every kind of answer carries a request id',
    {
      judges: [
        'router.response-headers.request-id-on-success',
        'router.response-headers.request-id-on-error',
        'router.response-headers.request-id-on-unauthorized',
        'router.response-headers.request-id-on-not-found',
        'router.response-headers.request-id-uuid',
        'router.response-headers.request-id-fresh',
        'router.response-headers.no-retry-after-elsewhere',
      ],
      requests: 24,
    },
    async (t) => {
      const exchanges = [await t.api.models(), await t.api.models()];
      for (const route of clientRoutes) {
        exchanges.push(await askRoute(t, route, { model: UNKNOWN_MODEL }));
        exchanges.push(await askRoute(t, route, { model: UNKNOWN_MODEL, as: null }));
      }
      for (const path of Object.values(adminPaths)) {
        exchanges.push(await t.api.get(path, { as: null }));
      }
      exchanges.push(await t.api.chat(UNKNOWN_MODEL, { extra: { model: undefined } }));
      exchanges.push(await t.api.post('/v1/responses', { model: UNKNOWN_MODEL }));
      exchanges.push(await t.api.get('/v1/plumbline-unregistered'));
      for (const as of ['client', null] as const) {
        exchanges.push(await t.api.send({ method: 'HEAD', path: '/v1/models', as }));
      }
      const models = await Promise.all(Array.from({ length: 4 }, async () => t.api.models()));
      t.judge(
        'router.response-headers.request-id-fresh',
        freshRequestIds([...exchanges, ...models]),
      );
    },
  );

  test(
    'streams carry a request id',
    {
      judges: ['router.response-headers.request-id-on-stream'],
      needs: ['backend', 'models.chat'],
    },
    async (t) => {
      await provoke(t, complete(), { stream: true });
    },
  );

  test(
    'the request id is a UUID whatever the client sends',
    { judges: ['router.response-headers.request-id-uuid-despite-client'], requests: 24 },
    async (t) => {
      const sent = async (id: string) =>
        uuidDespiteClient(await t.api.models({ headers: [['X-Request-ID', id]] }));
      await t.property(
        'ids of clients',
        foreignId,
        async (id, judge) =>
          judge('router.response-headers.request-id-uuid-despite-client', await sent(id)),
        { weight: 0.5, examples: foreignIds },
      );
    },
  );

  test(
    'whether ids of the client come back is recorded',
    {
      judges: [
        'router.response-headers.request-id-echo',
        'router.response-headers.session-id-echo',
      ],
    },
    async (t) => {
      const own = await t.api.models({ headers: [['X-Request-ID', OWN_ID]] });
      const same = requestIdOf(own)?.toLowerCase() === OWN_ID;
      t.record('router.response-headers.request-id-echo', same ? 'kept' : 'replaced', own);
      const session = await t.api.models({ headers: [['X-Session-ID', OWN_ID]] });
      t.record('router.response-headers.session-id-echo', said(session, 'x-session-id'), session);
    },
  );

  test(
    'traces are valid wherever there are any',
    {
      judges: [
        'router.response-headers.traceparent-presence',
        'router.response-headers.traceparent-valid',
      ],
      requests: 16,
    },
    async (t) => {
      const exchanges = [await t.api.models(), await t.api.chat(UNKNOWN_MODEL)];
      for (const trace of traces) {
        const headers = [['traceparent', trace]] as const;
        exchanges.push(await t.api.models({ headers }), await t.api.models({ headers, as: null }));
      }
      const traced = exchanges.filter(
        (exchange) => headerValues(exchange.response?.headers ?? [], 'traceparent').length > 0,
      );
      if (traced.length === 0) {
        t.notExercised(
          'router.response-headers.traceparent-valid',
          'no response carried a traceparent, with or without one in the request',
        );
      }
      for (const exchange of exchanges.slice(0, 3)) {
        const sent = headerValue(exchange.request.headers, 'traceparent') ?? 'none';
        const note = `sent ${sent}: ${said(exchange, 'traceparent')}`;
        t.record('router.response-headers.traceparent-presence', note, exchange);
      }
    },
  );

  test(
    'every 401 carries a challenge',
    {
      judges: [
        'router.response-headers.challenge-on-client-routes',
        'router.response-headers.challenge-on-admin-routes',
      ],
      aside: true,
      requests: 9,
    },
    async (t) => {
      // The universal check judges each of these.
      for (const route of clientRoutes) {
        await askRoute(t, route, { model: UNKNOWN_MODEL, as: null });
      }
      for (const path of Object.values(adminPaths)) await t.api.get(path, { as: null });
    },
  );
});
