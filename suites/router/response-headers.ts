/** Response headers: ids, traces, challenges, what remains of quotas, how long to wait, and what of an engine's headers survives. */

import { complete, respondText } from '../../harness/backend/behaviour.ts';
import { together } from '../../harness/checks/judgement.ts';
import {
  carriesNoRetryAfter,
  freshRequestIds,
  requestIdOf,
  uuidDespiteClient,
} from '../../harness/checks/router/headers.ts';
import { whenReached } from '../../harness/checks/router/tries.ts';
import { codeOf } from '../../harness/checks/router/envelope.ts';
import { outcomeText } from '../../harness/checks/router/outcome.ts';
import {
  omits,
  omitsRemaining,
  remainingHeaders,
  remainingRequestsCountDown,
  remainingTokensCountDown,
  tellsNothingOf,
} from '../../harness/checks/limits/quota.ts';
import { borrowKey } from '../../harness/drivers/router/overrun.ts';
import {
  adminPaths,
  askRoute,
  clientRoutes,
  FEW_TOKENS,
  UNKNOWN_MODEL,
} from '../../harness/drivers/router/client-routes.ts';
import {
  judgeByReplicas,
  replicasOf,
  requireFixture,
} from '../../harness/drivers/router/fixtures.ts';
import { whileHeld } from '../../harness/drivers/router/hold.ts';
import { provoke, scriptedModel } from '../../harness/drivers/router/provoke.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { type Exchange, headerValue, headerValues } from '../../harness/exchange/exchange.ts';
import { foreignId, foreignIds } from '../../harness/generate/ids.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/case.ts';

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

/** Answers in a row beyond the replicas: each of those may have a count of its own. */
const ANSWERS = 5;

/** Which of the two headers a response has, for a reader of the report. */
function remainingIn(exchange: Exchange): string {
  const values = Object.values(remainingHeaders).map(
    (name) => `${name}: ${headerValue(exchange.response?.headers ?? [], name) ?? 'none'}`,
  );
  const { method, path } = exchange.request;
  return `${method} ${path}, ${outcomeText(exchange)}: ${values.join(', ')}`;
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

  test(
    'the remaining requests of a key count down',
    {
      judges: [
        'router.response-headers.remaining-requests-counts-down',
        'router.response-headers.remaining-requests-integer',
        'router.response-headers.remaining-presence',
      ],
      exclusive: ['keys.requestsPerMinute'],
    },
    async (t) => {
      const quota = t.target.keys.requestsPerMinute;
      if (quota === undefined) throw new NotExercised('the target file has no such key');
      const call = { as: quota.key, maxTokens: FEW_TOKENS };
      const model = await t.anyModel();
      // Which answers tell is open, and quotas may be kept for each model: two rows, one served and one refused.
      for (const asked of [model, UNKNOWN_MODEL]) {
        const exchanges = [];
        for (let count = 0; count < replicasOf(t) + ANSWERS; count += 1)
          exchanges.push(await t.api.chat(asked, call));
        judgeByReplicas(
          t,
          'router.response-headers.remaining-requests-counts-down',
          remainingRequestsCountDown(exchanges, {
            perMinute: quota.limit,
            replicas: replicasOf(t),
          }),
        );
        const [shown] = exchanges;
        if (shown !== undefined) {
          t.record('router.response-headers.remaining-presence', remainingIn(shown), shown);
        }
      }
      const list = await t.api.models({ as: quota.key });
      t.record('router.response-headers.remaining-presence', remainingIn(list), list);
    },
  );

  test(
    'the remaining tokens of a key do not grow',
    {
      judges: [
        'router.response-headers.remaining-tokens-counts-down',
        'router.response-headers.remaining-tokens-integer',
      ],
    },
    async (t) => {
      await borrowKey(t, async ({ name }) => {
        const script = await t.backend.script([
          complete({ usage: { inputTokens: 1, outputTokens: 1 } }),
        ]);
        const answers: Exchange[] = [];
        for (const asked of [scriptedModel(t, 'chat'), UNKNOWN_MODEL]) {
          const exchanges = [];
          for (let count = 0; count < replicasOf(t) + ANSWERS; count += 1) {
            exchanges.push(await t.api.chat(asked, { as: name, script, maxTokens: 1 }));
          }
          judgeByReplicas(
            t,
            'router.response-headers.remaining-tokens-counts-down',
            remainingTokensCountDown(exchanges, replicasOf(t)),
          );
          answers.push(...exchanges);
        }
        if (tellsNothingOf(answers, 'tokens')) {
          const untold = `no answer to a key with a budget had ${remainingHeaders.tokens}`;
          t.notExercised('router.response-headers.remaining-tokens-counts-down', untold);
          t.notExercised('router.response-headers.remaining-tokens-integer', untold);
        }
      });
    },
  );

  test(
    'a key with a request quota alone is told of no tokens',
    {
      judges: ['router.response-headers.other-quota-omitted'],
      exclusive: ['keys.requestsPerMinute'],
      requests: 3,
    },
    async (t) => {
      const as = t.target.keys.requestsPerMinute?.key ?? null;
      const exchanges = [
        await t.api.chat(await t.anyModel(), { as, maxTokens: FEW_TOKENS }),
        await t.api.chat(UNKNOWN_MODEL, { as }),
        await t.api.models({ as }),
      ];
      t.judge(
        'router.response-headers.other-quota-omitted',
        together(...exchanges.map((exchange) => omits(exchange, 'tokens'))),
      );
    },
  );

  test(
    'a key without quotas is told of none',
    { judges: ['router.response-headers.unlimited-omitted'] },
    async (t) => {
      const as = 'unlimited';
      // Only what the router says by itself: an engine may have quotas of its own.
      const exchanges = [
        await t.api.models({ as }),
        await t.api.model(UNKNOWN_MODEL, { as }),
        await t.api.chat(UNKNOWN_MODEL, { as }),
        await t.api.infer('messages', UNKNOWN_MODEL, { as }),
        await t.api.chat(UNKNOWN_MODEL, { as, extra: { model: undefined } }),
      ];
      t.judge(
        'router.response-headers.unlimited-omitted',
        together(...exchanges.map(omitsRemaining)),
      );
    },
  );

  test(
    'a key without quotas is told of none when it is served',
    {
      judges: ['router.response-headers.unlimited-omitted'],
      needs: ['backend', 'models.chat'],
    },
    async (t) => {
      const { embedding, reranker } = t.models;
      const kinds = [
        {},
        { stream: true },
        { route: 'messages' as const },
        { route: 'countTokens' as const },
        ...(embedding === undefined ? [] : [{ route: 'embeddings' as const }]),
        ...(reranker === undefined ? [] : [{ route: 'rerank' as const }]),
      ];
      for (const kind of kinds) {
        const { exchange } = await provoke(t, complete(), { as: 'unlimited', ...kind });
        t.judge('router.response-headers.unlimited-omitted', omitsRemaining(exchange));
      }
    },
  );

  test(
    'an error of the engine gains no Retry-After',
    { judges: ['router.response-headers.no-retry-after-on-backend-errors'] },
    async (t) => {
      const typed = JSON.stringify({ error: { type: 'context_length_exceeded', message: '' } });
      const kinds = [{}, { stream: true }, { route: 'messages' }] as const;
      for (const kind of kinds) {
        for (const [status, body] of [
          [400, ''],
          [400, typed],
          [429, ''],
          [500, ''],
          [503, ''],
        ] as const) {
          const options = { ...kind, repeat: false };
          const { exchange, hits } = await provoke(t, respondText(status, body), options);
          t.judge(
            'router.response-headers.no-retry-after-on-backend-errors',
            whenReached(hits, () => carriesNoRetryAfter(exchange)),
          );
        }
      }
    },
  );

  test(
    'which headers of an engine survive on an error is recorded',
    {
      judges: [
        'router.response-headers.backend-headers',
        'router.response-headers.no-retry-after-of-engines',
      ],
    },
    async (t) => {
      const headers: [string, string][] = [
        ['X-Engine', 'scripted'],
        ['Retry-After', '2'],
        ['X-Request-ID', 'engine'],
      ];
      for (const [status, route] of [
        [400, 'chat'],
        [503, 'chat'],
        [429, 'chat'],
        [503, 'messages'],
      ] as const) {
        const answer = respondText(status, '', { headers });
        const { exchange, hits } = await provoke(t, answer, { route, repeat: false });
        if (status !== 400) {
          t.judge(
            'router.response-headers.no-retry-after-of-engines',
            whenReached(hits, () => carriesNoRetryAfter(exchange)),
          );
        }
        const survived = headers.filter(
          ([name, value]) => headerValue(exchange.response?.headers ?? [], name) === value,
        );
        const names = survived.map(([name]) => name).join(', ');
        t.record(
          'router.response-headers.backend-headers',
          `${route} ${status}: ${names === '' ? 'none' : names}`,
          exchange,
        );
      }
    },
  );

  test(
    'a full model asks to wait',
    {
      judges: [
        'router.response-headers.retry-after-value',
        'router.response-headers.retry-after-on-concurrency',
      ],
      needs: ['backend'],
      exclusive: ['models.maxInflight'],
    },
    async (t) => {
      const { id, limit } = requireFixture(t, 'maxInflight');
      const refused = await whileHeld(
        t,
        {
          count: limit,
          send: async (script) => t.api.chat(id, { script, unbounded: true }),
        },
        async () => t.api.chat(id, { maxTokens: FEW_TOKENS, unbounded: true }),
      );
      if (codeOf(refused) !== 'concurrency_limit_exceeded') {
        throw new Inconclusive(`a request over the limit gave ${outcomeText(refused)}`);
      }
    },
  );
});
