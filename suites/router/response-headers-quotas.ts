/** Response headers: what remains of quotas, how long to wait, and what of an engine's headers survives. */

import { together } from '../../harness/checks/judgement.ts';
import { whenReached } from '../../harness/checks/router/engine-hits.ts';
import { codeOf } from '../../harness/checks/router/envelope.ts';
import { outcomeText } from '../../harness/checks/router/final-codes.ts';
import {
  remainingHeaders,
  remainingRequestsCountDown,
  remainingTokensCountDown,
  tellsNothingOf,
} from '../../harness/checks/router/remaining-quota.ts';
import { carriesNoRetryAfter } from '../../harness/checks/router/retry-after.ts';
import { omits, omitsRemaining } from '../../harness/checks/router/unlimited.ts';
import { complete, respondText } from '../../harness/backend/behaviours.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { headerValue } from '../../harness/exchange/headers.ts';
import { borrowKey } from '../../harness/drivers/router/budget-keys.ts';
import { FEW_TOKENS } from '../../harness/drivers/router/client-routes.ts';
import { requireFixture } from '../../harness/drivers/router/fixture.ts';
import { whileHeld } from '../../harness/drivers/router/holding.ts';
import { provoke, scriptedModel } from '../../harness/drivers/router/provoke.ts';
import { judgeByReplicas, replicasOf } from '../../harness/drivers/router/replicas.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/signals.ts';

const UNKNOWN_MODEL = 'plumbline-nobody-registers-this';

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
