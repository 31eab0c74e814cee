/** Internal retry behaviour: errors that stop a session, errors that are retried elsewhere, and the final outcome. */

import {
  type Behaviour,
  complete,
  drop,
  envelope,
  respond,
  respondText,
} from '../../harness/backend/behaviour.ts';
import { type Judgement, together, notObserved } from '../../harness/checks/judgement.ts';
import { refusedForBudget } from '../../harness/checks/limits/budget.ts';
import { codeOf } from '../../harness/checks/router/envelope.ts';
import { endedWith, endsOf, isSuccess, outcomeText } from '../../harness/checks/router/outcome.ts';
import { arrivedAtItsPath } from '../../harness/checks/router/proxied.ts';
import { otherAgent, reachedOnce } from '../../harness/checks/router/tries.ts';
import { terminalEnvelopes } from '../../harness/generate/answers.ts';
import { requireDistinctAgents } from '../../harness/drivers/router/agents.ts';
import { FEW_TOKENS, proxyRouteNames } from '../../harness/drivers/router/client-routes.ts';
import { requireFixture, requireTries } from '../../harness/drivers/router/fixtures.ts';
import { overrun, spendKey } from '../../harness/drivers/router/overrun.ts';
import { failing, unavailable, unlessEjected } from '../../harness/drivers/router/ejection.ts';
import {
  provoke,
  type ProvokeOptions,
  unlessExplained,
} from '../../harness/drivers/router/provoke.ts';
import { sentTwice, servedTogether } from '../../harness/drivers/router/request-ids.ts';
import {
  answeredAfter,
  asksOnce,
  stopsAt,
  triedAfterEach,
  triedSoOften,
  TOGETHER_MS,
} from '../../harness/drivers/router/retries.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { Inconclusive, judgeOrLack } from '../../harness/runner/case.ts';
import { eventually, sendAtOnce } from '../../harness/runner/retry.ts';

const ID = 'router.retry-behaviour';
const FORWARDED_PATH = 'router.endpoints.forwarded-path';

const tooMany = failing(429);

const ofType = (status: number, type: string) => failing(status, { type });
const saying = (status: number, message: string) => respond(status, { message });

// A recognised type takes precedence over the status, so a 5xx or 429 with such a type stops the session too.
const tooLong: readonly Behaviour[] = [
  ofType(400, 'context_length_exceeded'),
  saying(422, 'The context window is exceeded.'),
  ofType(500, 'context_length_exceeded'),
  saying(400, 'The context window is exceeded.'),
  ofType(429, 'context_length_exceeded'),
];
const badParameter: readonly Behaviour[] = [
  ofType(400, 'invalid_request_error'),
  respond(400, { type: 'invalid_parameter', message: 'No such value.' }),
  saying(422, 'The temperature is too high.'),
  ofType(503, 'invalid_request_error'),
  saying(400, 'The temperature is too high.'),
  respond(404, { type: 'invalid_parameter', message: 'No such value.' }),
  ofType(429, 'invalid_request_error'),
];

const onMessages = { route: 'messages' } as const;
const asStream = { stream: true } as const;

const cutShort = respondText(200, JSON.stringify({ id: 'cut', text: 'short '.repeat(50) }), {
  framing: 'length',
  drop: { at: { afterBytes: 100 }, how: 'close' },
});

/** First failures after which another engine must serve the request. The last ones are slow if failed agents rest. */
const madeGood: readonly (readonly [
  slug: 'unavailable' | 'backend-error' | 'drop' | 'proxy',
  failure: Behaviour,
  asked: Pick<ProvokeOptions, 'route' | 'stream' | 'maxTokens' | 'maxCompletionTokens'> & {
    readonly begun?: boolean;
  },
])[] = [
  ['unavailable', unavailable, {}],
  ['unavailable', tooMany, { maxTokens: FEW_TOKENS }],
  ['backend-error', failing(500), { maxCompletionTokens: FEW_TOKENS }],
  ['drop', drop('close'), {}],
  ['drop', drop('reset'), {}],
  ['drop', cutShort, { begun: true }],
  ['proxy', drop('close'), onMessages],
  ['unavailable', unavailable, asStream],
  ['backend-error', failing(500), asStream],
  ['drop', drop('close'), asStream],
  ...[401, 403, 404, 408, 409, 413, 418, 501, 502, 504, 529].map(
    (status) => ['backend-error', failing(status), {}] as const,
  ),
];

export default routerSection('retry-behaviour', (test) => {
  for (const [slug, fixture, errors] of [
    ['context-length-stops', 'pair', tooLong],
    ['invalid-parameter-stops', 'pair', badParameter],
    ['terminal-skips-provider', 'provider', [...tooLong, ...badParameter]],
  ] as const) {
    const id = `${ID}.${slug}` as const;
    test(`an error of the request itself ends it: ${slug}`, { judges: [id] }, async (t) => {
      t.judge(id, await asksOnce(t, requireFixture(t, fixture), errors));
    });
  }

  for (const [slug, fixture] of [
    ['proxied-code-stops', 'pair'],
    ['terminal-skips-provider', 'provider'],
  ] as const) {
    const id = `${ID}.${slug}` as const;
    test(
      `a code that stops the session does so on a proxy route, too: ${slug}`,
      { judges: [id] },
      async (t) => {
        const model = requireFixture(t, fixture);
        const judgements: Judgement[] = [];
        for (const [status, code, source] of terminalEnvelopes) {
          const stop = envelope(status, code, source);
          judgements.push(await stopsAt(t, stop, { model, ...onMessages }));
        }
        const why = `no engine was asked for ${model} on the messages route`;
        judgeOrLack(t, id, together(...judgements), why);
      },
    );
  }

  test(
    'a completion that overruns the daily budget is not tried at another agent',
    { judges: [`${ID}.token-limit-stops`, 'router.token-limit-rules.overrun'] },
    async (t) => {
      const model = requireFixture(t, 'pair');
      const { exchange, hits } = await overrun(t, await spendKey(t), { model });
      t.judge('router.token-limit-rules.overrun', refusedForBudget(exchange));
      t.judge(
        `${ID}.token-limit-stops`,
        isSuccess(exchange) ? notObserved : reachedOnce(exchange, hits),
      );
    },
  );

  test(
    'an engine that fails once is followed by another, whose answer counts',
    {
      judges: [
        `${ID}.retry-after-unavailable`,
        `${ID}.retry-after-backend-error`,
        `${ID}.retry-after-drop`,
        `${ID}.retry-on-proxy`,
      ],
      isolation: 'target',
    },
    async (t) => {
      const model = requireFixture(t, 'pair');
      requireTries(t, 2);
      for (const [slug, failure, asked] of madeGood) {
        const id = slug === 'proxy' ? 'retry-on-proxy' : (`retry-after-${slug}` as const);
        const judgement = await answeredAfter(t, { ...asked, model, failure });
        t.judge(`${ID}.${id}`, judgement);
      }
    },
  );

  test(
    'a proxied request is tried again at its path; whether it is after an answered failure is recorded',
    { judges: [FORWARDED_PATH, `${ID}.answered-failure-on-proxy`], isolation: 'target' },
    async (t) => {
      const asked = { ...onMessages, model: requireFixture(t, 'pair') };
      const lost = await provoke(t, [drop('close'), complete()], asked);
      t.judge(FORWARDED_PATH, arrivedAtItsPath(lost.exchange, await t.backend.hits(lost.script)));
      const { exchange, hits } = await provoke(t, [unavailable, complete()], asked);
      const note = `503, then a success: ${outcomeText(exchange)} after ${hits} hits`;
      t.record(`${ID}.answered-failure-on-proxy`, note, exchange);
    },
  );

  test(
    'each of many first failures is followed by another try where another agent serves',
    {
      judges: [`${ID}.retry-after-unavailable`],
      // No other case may make an agent fail meanwhile, since agents may serve several models.
      isolation: 'target',
    },
    async (t) => {
      const model = requireFixture(t, 'pair');
      requireTries(t, 2);
      const seldom = `the agents of ${model} are seldom seen to serve beside each other after one of them failed`;
      judgeOrLack(t, `${ID}.retry-after-unavailable`, await triedAfterEach(t, model), seldom);
    },
  );

  test(
    'the second try goes to the other agent',
    { judges: [`${ID}.retry-other-agent`], isolation: 'target' },
    async (t) => {
      const model = requireFixture(t, 'pair');
      requireTries(t, 2);
      await requireDistinctAgents(t, model);
      const judgements: Judgement[] = [];
      // Two in flight together take the turns of both agents, so that a router that only takes turns meets one again.
      const unavailableLater = { ...unavailable, delayHeadMs: TOGETHER_MS };
      for (const atOnce of [1, 1, 2]) {
        const sent = await sendAtOnce(atOnce, async () =>
          provoke(t, [unavailableLater, complete()], { model }),
        );
        for (const { exchange, script } of sent) {
          const listeners = (await t.backend.hits(script)).map(({ listener }) => listener);
          judgements.push(otherAgent(exchange, listeners));
        }
      }
      t.judge(`${ID}.retry-other-agent`, await unlessEjected(t, model, together(...judgements)));
    },
  );

  test(
    'a request that always fails is tried as often as a step may',
    { judges: [`${ID}.tries-bounded`], isolation: 'target' },
    async (t) => {
      const most = t.limits.maxTries ?? Infinity;
      const bounds = { least: Math.min(2, most), most };
      for (const failure of [unavailable, failing(500)]) {
        const always = { model: requireFixture(t, 'pair'), failure };
        const judgement = await triedSoOften(t, always, bounds);
        t.judge(`${ID}.tries-bounded`, judgement);
      }
    },
  );

  test(
    'a step with more agents than tries asks no more of them than it may try',
    { judges: [`${ID}.more-agents-than-tries`] },
    async (t) => {
      const { id: model, maxTries: most } = requireFixture(t, 'bounded');
      // Only error responses, since a redial after a lost connection costs no try. A proxy route may not retry them.
      for (const [failure, asked, least] of [
        [unavailable, {}, most],
        [failing(500), asStream, most],
        [unavailable, onMessages, 1],
      ] as const) {
        const judgement = await triedSoOften(t, { model, failure, ...asked }, { least, most });
        t.judge(`${ID}.more-agents-than-tries`, judgement);
      }
    },
  );

  test(
    'a session whose every try fails ends as itself or as the end of retries',
    { judges: [`${ID}.final-outcome`, `${ID}.final-code`], isolation: 'target' },
    async (t) => {
      const model = requireFixture(t, 'pair');
      for (const [failure, stream] of [
        [unavailable, false],
        [tooMany, true],
      ] as const) {
        const { exchange, hits } = await provoke(t, failure, { model, stream });
        if (hits === 0) throw new Inconclusive(`${model} did not ask the scripted backend`);
        const ended = endedWith(exchange, endsOf('backend_unavailable'));
        // A code that the plain model gives to the failure, too, is judged where failures get their codes.
        const isItsCode = async () =>
          codeOf((await provoke(t, failure, { stream })).exchange) === codeOf(exchange);
        t.judge(`${ID}.final-outcome`, await unlessExplained(ended, isItsCode));
        const note = `every engine unavailable: ${outcomeText(exchange)}`;
        t.record(`${ID}.final-code`, note, exchange);
      }
    },
  );

  test(
    'a request id is no idempotency key',
    { judges: [`${ID}.request-id-not-idempotency`] },
    async (t) => {
      const model = requireFixture(t, 'chat');
      for (const route of t.some(['chat', ...proxyRouteNames] as const)) {
        const judged = await eventually(t, 'oneLost', async () => sentTwice(t, route));
        if (route === 'chat' && judged.seen === 0) {
          throw new Inconclusive(`${model} was not served twice`);
        }
        t.judge(`${ID}.request-id-not-idempotency`, judged);
      }
    },
  );

  test(
    'simultaneous requests with one request id are requests of their own',
    { judges: [`${ID}.request-id-not-idempotency-concurrent`] },
    async (t) => {
      const model = requireFixture(t, 'chat');
      t.judge(
        `${ID}.request-id-not-idempotency-concurrent`,
        await eventually(t, 'oneLost', async () => servedTogether(t, model)),
      );
    },
  );
});
