/** Internal retry behaviour: what stops a session at once, what is tried again, and how it ends. */

import {
  type Behaviour,
  complete,
  drop,
  envelope,
  respond,
} from '../../harness/backend/behaviour.ts';
import { type Judgement, together, notObserved } from '../../harness/checks/judgement.ts';
import {
  mostTriedAgain,
  otherAgent,
  reachedOnce,
  secondAnswer,
  stoppedAtOnce,
  triesWithin,
} from '../../harness/checks/router/tries.ts';
import { endedWith, endsOf, isSuccess, outcomeText } from '../../harness/checks/router/outcome.ts';
import { FEW_TOKENS } from '../../harness/drivers/router/client-routes.ts';
import { overrun, spendKey } from '../../harness/drivers/router/overrun.ts';
import { inTheEnd } from '../../harness/drivers/router/rested.ts';
import { provoke, type ProvokeOptions } from '../../harness/drivers/router/provoke.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { agentsTellApart, severalServeNow } from '../../harness/drivers/router/agents.ts';
import { requireFixture, requireTries } from '../../harness/drivers/router/fixtures.ts';
import { Inconclusive, judgeOrLack } from '../../harness/runner/case.ts';
import { retry, waits } from '../../harness/runner/retry.ts';

const unavailable = respond(503, { error: { message: 'Scripted overload.' } });
const tooMany = respond(429, { error: { message: 'Scripted rate limit.' } });
const failed = respond(500, { error: { message: 'Scripted failure.' } });
// Whatever has no code that stops the session is tried elsewhere, and not what an engine calls its own failure alone.
const furtherFailures = [401, 404, 418, 502, 504].map((status) =>
  respond(status, { error: { message: 'Scripted failure.' } }),
);

// A type decides whatever the status is, so that a failure of the server stops a session too when it names one.
const tooLong: readonly Behaviour[] = [
  respond(400, { error: { type: 'context_length_exceeded', message: 'Too much.' } }),
  respond(422, { message: 'The context window is exceeded.' }),
  respond(500, { error: { type: 'context_length_exceeded', message: 'Too much.' } }),
  respond(400, { message: 'The context window is exceeded.' }),
  respond(429, { error: { type: 'context_length_exceeded', message: 'Too much.' } }),
];
const badParameter: readonly Behaviour[] = [
  respond(400, { error: { type: 'invalid_request_error', message: 'No such value.' } }),
  respond(400, { type: 'invalid_parameter', message: 'No such value.' }),
  respond(422, { message: 'The temperature is too high.' }),
  respond(503, { error: { type: 'invalid_request_error', message: 'No such value.' } }),
  respond(400, { message: 'The temperature is too high.' }),
  respond(404, { type: 'invalid_parameter', message: 'No such value.' }),
  respond(429, { error: { type: 'invalid_request_error', message: 'No such value.' } }),
];

/** First failures in a row: what a router does after every second one shows. */
const FAILURES_IN_A_ROW = 8;

/** Text by which the answer of a second try is known. */
const SECOND = 'Answered on the second try.';

/**
 * For cases that make both agents of the pair fail: a router may rest them for a moment, and then a request of another
 * such case finds one of them at most, again and again.
 */
const PAIR = ['models.pair'] as const;

/** Whether a failure ends the session, another answer being ready; undefined where no agent was asked. */
async function stopsAt(
  t: RouterContext,
  failure: Behaviour,
  asked: ProvokeOptions,
): Promise<Judgement | undefined> {
  const { exchange, hits } = await provoke(t, [failure, complete({ text: SECOND })], asked);
  return hits === 0 ? undefined : stoppedAtOnce(exchange, hits);
}

/** Whether the engine was asked just once for an error that stops the session, another answer being ready. */
async function asksOnce(t: RouterContext, model: string, errors: readonly Behaviour[]) {
  const judgements = [];
  // Shared by all errors: what shows nothing each time is not waited for each time.
  const rest = { ...waits.agentsBack, pausesMs: waits.agentsBack.pausesMs.values() };
  for (const [at, error] of errors.entries()) {
    // Whether a stream was asked for is no matter: each kind of error comes in both ways.
    const options = { model, stream: at % 2 === 1 };
    const attempt = async () => {
      const stops = await stopsAt(t, error, options);
      if (stops === undefined) throw new Inconclusive(`${model} did not ask the scripted backend`);
      return stops;
    };
    judgements.push(await retry(t, rest, attempt, ({ seen }) => seen > 0));
  }
  return together(...judgements);
}

/** Whether a first failure is followed by a second try, whose answer the client gets. */
async function triesAgain(
  t: RouterContext,
  failure: Behaviour,
  asked: Pick<ProvokeOptions, 'route' | 'stream' | 'maxTokens' | 'maxCompletionTokens'> = {},
) {
  const model = requireFixture(t, 'pair');
  requireTries(t, 2);
  return inTheEnd(t, model, async () => {
    // In one piece, so that it is found in a stream as well.
    const behaviours = [failure, complete({ text: [SECOND] })] as const;
    const { exchange, hits } = await provoke(t, behaviours, { ...asked, model });
    // A stream that the router begins by itself can no longer become that of another agent.
    if (asked.stream === true && hits === 1 && isSuccess(exchange)) return notObserved;
    return secondAnswer(exchange, hits, SECOND);
  });
}

/** Envelopes with each code that stops a session. */
const stops: readonly Behaviour[] = [
  envelope(400, 'request_invalid', 'router'),
  envelope(400, 'context_length_exceeded', 'backend'),
  envelope(400, 'invalid_parameter', 'backend'),
  envelope(429, 'token_limit_exceeded', 'router'),
];

export default routerSection('retry-behaviour', (test) => {
  test(
    'an error that the request itself causes is not tried at another agent',
    {
      judges: [
        'router.retry-behaviour.context-length-stops',
        'router.retry-behaviour.invalid-parameter-stops',
      ],
    },
    async (t) => {
      const pair = requireFixture(t, 'pair');
      t.judge('router.retry-behaviour.context-length-stops', await asksOnce(t, pair, tooLong));
      t.judge(
        'router.retry-behaviour.invalid-parameter-stops',
        await asksOnce(t, pair, badParameter),
      );
    },
  );

  test(
    'a code that stops the session does so on a proxy route, too',
    { judges: ['router.retry-behaviour.proxied-code-stops'], requests: stops.length },
    async (t) => {
      const pair = requireFixture(t, 'pair');
      const judgements: Judgement[] = [];
      for (const stop of stops) {
        judgements.push(
          (await stopsAt(t, stop, { model: pair, route: 'messages' })) ?? notObserved,
        );
      }
      judgeOrLack(
        t,
        'router.retry-behaviour.proxied-code-stops',
        together(...judgements),
        `no engine was asked for ${pair} on the messages route`,
      );
    },
  );

  test(
    'a completion that overruns the daily budget is not tried at another agent',
    { judges: ['router.retry-behaviour.token-limit-stops'] },
    async (t) => {
      const pair = requireFixture(t, 'pair');
      const { exchange, hits } = await overrun(t, await spendKey(t), { model: pair });
      t.judge(
        'router.retry-behaviour.token-limit-stops',
        isSuccess(exchange) ? notObserved : reachedOnce(exchange, hits),
      );
    },
  );

  test(
    'an error that the request itself causes is not tried at the provider',
    { judges: ['router.retry-behaviour.terminal-skips-provider'] },
    async (t) => {
      const model = requireFixture(t, 'provider');
      t.judge(
        'router.retry-behaviour.terminal-skips-provider',
        await asksOnce(t, model, [...tooLong, ...badParameter]),
      );
    },
  );

  test(
    'an engine that fails once is followed by another, whose answer counts',
    {
      judges: [
        'router.retry-behaviour.retry-after-unavailable',
        'router.retry-behaviour.retry-after-backend-error',
        'router.retry-behaviour.retry-after-drop',
        'router.retry-behaviour.retry-on-proxy',
        'router.retry-behaviour.answered-failure-on-proxy',
      ],
      exclusive: PAIR,
      requests: 17,
    },
    async (t) => {
      // Whatever output is asked for is no matter.
      const few = { maxTokens: FEW_TOKENS };
      for (const [failure, asked] of [
        [unavailable, {}],
        [tooMany, few],
      ] as const) {
        const judgement = await triesAgain(t, failure, asked);
        t.judge('router.retry-behaviour.retry-after-unavailable', judgement);
      }
      t.judge(
        'router.retry-behaviour.retry-after-backend-error',
        await triesAgain(t, failed, { maxCompletionTokens: FEW_TOKENS }),
      );
      for (const how of ['close', 'reset'] as const) {
        t.judge('router.retry-behaviour.retry-after-drop', await triesAgain(t, drop(how)));
      }
      const onProxy = { route: 'messages' } as const;
      t.judge('router.retry-behaviour.retry-on-proxy', await triesAgain(t, drop('close'), onProxy));
      const answered = await provoke(t, [unavailable, complete()], {
        ...onProxy,
        model: requireFixture(t, 'pair'),
      });
      t.record(
        'router.retry-behaviour.answered-failure-on-proxy',
        `503, then a success: ${outcomeText(answered.exchange)} after ${answered.hits} hits`,
        answered.exchange,
      );
      const asStream = { stream: true } as const;
      for (const [failure, slug] of [
        [unavailable, 'retry-after-unavailable'],
        [failed, 'retry-after-backend-error'],
        [drop('close'), 'retry-after-drop'],
      ] as const) {
        t.judge(`router.retry-behaviour.${slug}`, await triesAgain(t, failure, asStream));
      }
      // Last, since each costs a while where agents rest that failed.
      for (const failure of furtherFailures) {
        t.judge('router.retry-behaviour.retry-after-backend-error', await triesAgain(t, failure));
      }
    },
  );

  test(
    'each of many first failures is followed by another try where another agent serves',
    {
      judges: ['router.retry-behaviour.retry-after-unavailable'],
      // Nobody else makes an agent fail meanwhile, which may serve other models as well.
      alone: true,
      requests: 6 * FAILURES_IN_A_ROW,
    },
    async (t) => {
      const model = requireFixture(t, 'pair');
      requireTries(t, 2);
      const judgements: Judgement[] = [];
      for (let left = FAILURES_IN_A_ROW; left > 0; left -= 1) {
        if (!(await severalServeNow(t, model))) continue;
        const behaviours = [unavailable, complete({ text: [SECOND] })] as const;
        const { exchange, hits } = await provoke(t, behaviours, { model });
        judgements.push(secondAnswer(exchange, hits, SECOND));
      }
      judgeOrLack(
        t,
        'router.retry-behaviour.retry-after-unavailable',
        mostTriedAgain(judgements),
        `the agents of ${model} are seldom seen to serve beside each other after one of them failed`,
      );
    },
  );

  test(
    'the second try goes to the other agent',
    { judges: ['router.retry-behaviour.retry-other-agent'], exclusive: PAIR, requests: 12 },
    async (t) => {
      const model = requireFixture(t, 'pair');
      requireTries(t, 2);
      await agentsTellApart(t, model);
      for (let round = 0; round < 4; round += 1) {
        const { exchange, script } = await provoke(t, [unavailable, complete()], { model });
        const hits = await t.backend.hits(script);
        t.judge(
          'router.retry-behaviour.retry-other-agent',
          otherAgent(
            exchange,
            hits.map(({ listener }) => listener),
          ),
        );
      }
    },
  );

  test(
    'a request that always fails is tried as often as a step may',
    { judges: ['router.retry-behaviour.tries-bounded'], exclusive: PAIR },
    async (t) => {
      const model = requireFixture(t, 'pair');
      for (const failure of [unavailable, failed]) {
        const most = t.limits.maxTries ?? Infinity;
        const bounds = { least: Math.min(2, most), most };
        const judgement = await inTheEnd(t, model, async () => {
          const { exchange, hits } = await provoke(t, failure, { model });
          return triesWithin(exchange, hits, bounds);
        });
        t.judge('router.retry-behaviour.tries-bounded', judgement);
      }
    },
  );

  test(
    'a step with more agents than tries asks no more of them than it may try',
    { judges: ['router.retry-behaviour.more-agents-than-tries'] },
    async (t) => {
      const { id: model, maxTries } = requireFixture(t, 'bounded');
      for (const failure of [unavailable, drop('close')]) {
        const judgement = await inTheEnd(t, model, async () => {
          const { exchange, hits } = await provoke(t, failure, { model });
          return triesWithin(exchange, hits, { least: maxTries, most: maxTries });
        });
        t.judge('router.retry-behaviour.more-agents-than-tries', judgement);
      }
    },
  );

  test(
    'a session whose every try fails ends as itself or as the end of retries',
    {
      judges: ['router.retry-behaviour.final-outcome', 'router.retry-behaviour.final-code'],
      exclusive: PAIR,
    },
    async (t) => {
      const model = requireFixture(t, 'pair');
      for (const [failure, stream] of [
        [unavailable, false],
        [tooMany, true],
      ] as const) {
        const { exchange, hits } = await provoke(t, failure, { model, stream });
        if (hits === 0) throw new Inconclusive(`${model} did not ask the scripted backend`);
        t.judge(
          'router.retry-behaviour.final-outcome',
          endedWith(exchange, endsOf('backend_unavailable')),
        );
        t.record(
          'router.retry-behaviour.final-code',
          `every engine unavailable: ${outcomeText(exchange)}`,
          exchange,
        );
      }
    },
  );
});
