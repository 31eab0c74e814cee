/** Response headers: ids, traces, challenges, remaining quotas, waiting times, and the engine's own headers. */

import { constantFrom, tuple } from 'fast-check';
import { complete, respondText } from '../../harness/backend/behaviour.ts';
import {
  carriesNoRetryAfter,
  freshRequestIds,
  requestIdOf,
  uuidDespiteClient,
} from '../../harness/checks/router/headers.ts';
import { noRateLimit } from '../../harness/checks/router/classification.ts';
import { whenReached } from '../../harness/checks/router/tries.ts';
import { outcomeText } from '../../harness/checks/router/outcome.ts';
import {
  omits,
  omitsRemaining,
  remainingHeaders,
  remainingRequestsCountDown,
  remainingTokensCountDown,
  showsNothingOf,
} from '../../harness/checks/limits/quota.ts';
import { borrowKey } from '../../harness/drivers/router/overrun.ts';
import {
  adminPaths,
  askRoute,
  type OwnAnswer,
  ownAnswerAt,
  ownAnswerKinds,
  ownAnswers,
  spreadOver,
  routesInTurn,
  FEW_TOKENS,
  servedOnEach,
  UNKNOWN_MODEL,
  unknownModelOn,
} from '../../harness/drivers/router/client-routes.ts';
import {
  answersInARow,
  judgeByReplicas,
  replicasOf,
  requireKey,
} from '../../harness/drivers/router/fixtures.ts';
import {
  bareErrors,
  judgedAnswer,
  provoke,
  scriptedModel,
} from '../../harness/drivers/router/provoke.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { type Exchange, headerValue, headerValues } from '../../harness/exchange/exchange.ts';
import { foreignId, foreignIds, foreignTraces, GOOD_UUID } from '../../harness/generate/ids.ts';

const ID = 'router.response-headers';
const NO_RATE_LIMIT = 'router.backend-classification.status-429-not-rate-limit';

function said(exchange: Exchange, name: string): string {
  return headerValue(exchange.response?.headers ?? [], name) ?? 'none';
}

function remainingIn(exchange: Exchange): string {
  const values = Object.values(remainingHeaders).map((name) => `${name}: ${said(exchange, name)}`);
  const { method, path } = exchange.request;
  return `${method} ${path}, ${outcomeText(exchange)}: ${values.join(', ')}`;
}

export default routerSection('response-headers', (test) => {
  test(
    'every kind of answer carries a request id, every 401 a challenge, and every error is the envelope',
    {
      judges: [
        `${ID}.request-id-on-success`,
        `${ID}.request-id-on-error`,
        `${ID}.request-id-on-unauthorized`,
        `${ID}.request-id-on-not-found`,
        `${ID}.request-id-uuid`,
        `${ID}.request-id-fresh`,
        `${ID}.no-retry-after-elsewhere`,
        `${ID}.challenge-on-client-routes`,
        `${ID}.challenge-on-admin-routes`,
        'router.envelope.object',
        'router.envelope.code',
        'router.envelope.message',
        'router.envelope.source',
        'router.envelope.content-type',
        'router.codes.known-codes',
      ],
    },
    async (t) => {
      // The universal checks judge all of these requirements except that ids are fresh.
      const exchanges = [await t.api.models(), await t.api.models()];
      for (const as of ['client', null]) {
        for (const route of routesInTurn(t, as === null ? 1 : 0)) {
          exchanges.push(
            as === null
              ? await askRoute(t, route, { model: UNKNOWN_MODEL, as })
              : await unknownModelOn(t, route),
          );
        }
        exchanges.push(await t.api.send({ method: 'HEAD', path: '/v1/models', as }));
        for (const method of as === null ? ['DELETE', 'OPTIONS'] : ['PUT', 'PATCH'])
          exchanges.push(await t.api.send({ method, path: '/v1/chat/completions', as }));
      }
      for (const path of Object.values(adminPaths)) {
        exchanges.push(await t.api.get(path, { as: null }));
      }
      exchanges.push(await t.api.chat(UNKNOWN_MODEL, { extra: { model: undefined } }));
      exchanges.push(await t.api.post('/v1/responses', { model: UNKNOWN_MODEL }));
      exchanges.push(await t.api.get('/v1/plumbline-unregistered'));
      const models = await Promise.all(Array.from({ length: 4 }, async () => t.api.models()));
      const fresh = freshRequestIds([...exchanges, ...models]);
      t.judge(`${ID}.request-id-fresh`, fresh);
    },
  );

  test(
    'the request id is a UUID whatever the client sends',
    { judges: [`${ID}.request-id-uuid-despite-client`] },
    async (t) => {
      const send = async ([id, kind]: [string, OwnAnswer], judge: typeof t.judge) => {
        const exchange = await ownAnswers[kind](t, { headers: [['X-Request-ID', id]] });
        judge(`${ID}.request-id-uuid-despite-client`, uuidDespiteClient(exchange));
      };
      const examples = t
        .some(foreignIds, 3, 6)
        .map((id, turn): [string, OwnAnswer] => [id, ownAnswerAt(turn)]);
      const ids = tuple(foreignId, constantFrom(...ownAnswerKinds));
      await t.property('ids of clients', ids, send, { weight: 0.5, examples });
    },
  );

  test(
    'whether ids of the client come back is recorded',
    { judges: [`${ID}.request-id-echo`, `${ID}.session-id-echo`] },
    async (t) => {
      const own = await t.api.models({ headers: [['X-Request-ID', GOOD_UUID]] });
      const same = requestIdOf(own)?.toLowerCase() === GOOD_UUID;
      t.record(`${ID}.request-id-echo`, same ? 'kept' : 'replaced', own);
      const session = await t.api.models({ headers: [['X-Session-ID', GOOD_UUID]] });
      t.record(`${ID}.session-id-echo`, said(session, 'x-session-id'), session);
    },
  );

  test(
    'traces are valid wherever there are any',
    { judges: [`${ID}.traceparent-presence`, `${ID}.traceparent-valid`] },
    async (t) => {
      const untraced = { untraced: true };
      const exchanges = [
        await t.api.models(untraced),
        await t.api.chat(UNKNOWN_MODEL, untraced),
        await t.api.models({ ...untraced, as: null }),
      ];
      for (const [turn, trace] of foreignTraces.entries()) {
        exchanges.push(
          await ownAnswers[ownAnswerAt(turn)](t, { headers: [['traceparent', trace]] }),
        );
      }
      const traced = exchanges.filter(
        (exchange) => headerValues(exchange.response?.headers ?? [], 'traceparent').length > 0,
      );
      if (traced.length === 0) {
        t.notExercised(
          `${ID}.traceparent-valid`,
          'no response carried a traceparent, with or without one in the request',
        );
      }
      for (const exchange of exchanges.slice(0, 4)) {
        const sent = headerValue(exchange.request.headers, 'traceparent') ?? 'none';
        const note = `sent ${sent}: ${said(exchange, 'traceparent')}`;
        t.record(`${ID}.traceparent-presence`, note, exchange);
      }
    },
  );

  test(
    'the remaining requests of a key count down, and it is told of no tokens',
    {
      judges: [
        `${ID}.other-quota-omitted`,
        `${ID}.remaining-requests-counts-down`,
        `${ID}.remaining-requests-integer`,
        `${ID}.remaining-presence`,
      ],
      isolation: { fixtures: ['keys.requestsPerMinute'] },
    },
    async (t) => {
      const { key: as, limit: perMinute } = requireKey(t, 'requestsPerMinute');
      const counting = { perMinute, replicas: replicasOf(t) };
      const call = { as, maxTokens: FEW_TOKENS };
      const streamed = await t.api.chat(await t.anyModel(), { ...call, stream: true });
      const shown = [await t.api.models({ as }), streamed];
      for (const row of await answersInARow(t, [await t.anyModel(), UNKNOWN_MODEL], call)) {
        const judgement = remainingRequestsCountDown(row, counting);
        judgeByReplicas(t, `${ID}.remaining-requests-counts-down`, judgement);
        shown.push(...row.slice(0, 1));
      }
      for (const exchange of shown) {
        t.judge(`${ID}.other-quota-omitted`, omits(exchange, 'tokens'));
        t.record(`${ID}.remaining-presence`, remainingIn(exchange), exchange);
      }
    },
  );

  test(
    'the remaining tokens of a key do not grow',
    { judges: [`${ID}.remaining-tokens-counts-down`, `${ID}.remaining-tokens-integer`] },
    async (t) => {
      await borrowKey(t, async ({ name }) => {
        const usage = { inputTokens: 1, outputTokens: 1 };
        const script = await t.backend.script([complete({ usage })]);
        const call = { as: name, script, maxTokens: 1 };
        const rows = await answersInARow(t, [scriptedModel(t, 'chat'), UNKNOWN_MODEL], call);
        for (const row of rows) {
          const judgement = remainingTokensCountDown(row, replicasOf(t));
          judgeByReplicas(t, `${ID}.remaining-tokens-counts-down`, judgement);
        }
        if (showsNothingOf(rows.flat(), 'tokens')) {
          const unseen = `no answer to a key with a budget had ${remainingHeaders.tokens}`;
          t.notExercised(`${ID}.remaining-tokens-counts-down`, unseen);
          t.notExercised(`${ID}.remaining-tokens-integer`, unseen);
        }
      });
    },
  );

  test(
    'a key without quotas is told of none',
    { judges: [`${ID}.unlimited-omitted`] },
    async (t) => {
      const as = 'unlimited';
      // Only responses of the router itself, since an engine may report quotas of its own.
      const shown = [await t.api.chat(UNKNOWN_MODEL, { as, extra: { model: undefined } })];
      for (const route of routesInTurn(t, 0)) shown.push(await unknownModelOn(t, route, as));
      for (const exchange of shown) t.judge(`${ID}.unlimited-omitted`, omitsRemaining(exchange));
    },
  );

  test(
    'a key without quotas is told of none when it is served, or refused for another limit',
    { judges: [`${ID}.unlimited-omitted`], needs: ['backend', 'models.chat'] },
    async (t) => {
      const as = 'unlimited';
      const streamed = await provoke(t, complete(), { as, stream: true });
      const failed = await provoke(t, respondText(400, ''), { as });
      const { shed = scriptedModel(t, 'chat') } = t.models;
      const limited = await provoke(t, complete(), { as, model: shed, repeat: false });
      for (const { exchange } of [streamed, failed, limited, ...(await servedOnEach.of(t))]) {
        t.judge(`${ID}.unlimited-omitted`, omitsRemaining(exchange));
      }
    },
  );

  test(
    'an error of the engine gains no Retry-After',
    { judges: [`${ID}.no-retry-after-on-backend-errors`] },
    async (t) => {
      const id = `${ID}.no-retry-after-on-backend-errors`;
      for (const { exchange, hits } of (await bareErrors.of(t)).values()) {
        t.judge(id, whenReached(hits, carriesNoRetryAfter(exchange)));
      }
      const typed = JSON.stringify({ error: { type: 'context_length_exceeded', message: '' } });
      const errors = [400, 429, 500, 503].map((status) => respondText(status, ''));
      const shapes = [{}, { stream: true }, { route: 'messages' }] as const;
      for (const [shape, some] of spreadOver(t, shapes, [respondText(400, typed), ...errors])) {
        const options = { ...shape, repeat: false };
        for (const error of shape === shapes[0] ? some.slice(0, 1) : t.some(some)) {
          t.judge(id, await judgedAnswer(t, error, options, carriesNoRetryAfter));
        }
      }
    },
  );

  test(
    'which headers of an engine survive on an error is recorded',
    { judges: [`${ID}.backend-headers`, `${ID}.no-retry-after-of-engines`, NO_RATE_LIMIT] },
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
        const judgement = whenReached(hits, carriesNoRetryAfter(exchange));
        if (status !== 400) t.judge(`${ID}.no-retry-after-of-engines`, judgement);
        if (status === 429) t.judge(NO_RATE_LIMIT, whenReached(hits, noRateLimit(exchange)));
        const survived = headers.filter(([name, value]) => said(exchange, name) === value);
        const names = survived.map(([name]) => name).join(', ');
        const note = `${route} ${status}: ${names === '' ? 'none' : names}`;
        t.record(`${ID}.backend-headers`, note, exchange);
      }
    },
  );
});
