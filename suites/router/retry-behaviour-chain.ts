/** Internal retry behaviour: steps, provider, full queues, agents that come back, and request ids. */

import { randomUUID } from 'node:crypto';
import { type Behaviour, complete, drop, respond } from '../../harness/backend/behaviour.ts';
import { type Judgement, together, notObserved } from '../../harness/checks/judgement.ts';
import {
  providerAskedOnce,
  reachedEngine,
  secondAnswer,
  triesWithin,
} from '../../harness/checks/router/tries.ts';
import { codeOf, foundNoRoom, isInternalFailure } from '../../harness/checks/router/envelope.ts';
import {
  answeredWith,
  endedWith,
  isSuccess,
  succeeded,
} from '../../harness/checks/router/outcome.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import type { CallOptions, InferenceRoute } from '../../harness/drivers/router/api.ts';
import { FEW_TOKENS, proxyRouteNames } from '../../harness/drivers/router/client-routes.ts';
import { servedAfterReturn } from '../../harness/drivers/router/agents.ts';
import {
  firstAnswer,
  modelFor,
  provoke,
  type ProvokeOptions,
} from '../../harness/drivers/router/provoke.ts';
import { requireFixture } from '../../harness/drivers/router/fixtures.ts';
import { whileHeld } from '../../harness/drivers/router/hold.ts';
import { metDeadline } from '../../harness/drivers/router/deadlines.ts';
import { inTheEnd, mayBeServedAgain, onceServed } from '../../harness/drivers/router/rested.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { underUsedId } from '../../harness/drivers/router/credential.ts';
import { Inconclusive, judgeOrLack, NotExercised } from '../../harness/runner/case.ts';
import { retry, eventually } from '../../harness/runner/retry.ts';

const unavailable = respond(503, { error: { message: 'Scripted overload.' } });

/** What an agent ends a session with. */
const stopping = respond(400, { error: { type: 'invalid_parameter', message: 'No such value.' } });

/** How a provider fails: refusing, limited, with an error that agents know by its type or wording, and without an answer. */
const providerFailures: readonly Behaviour[] = [
  respond(400, { error: { message: 'Scripted failure.' } }),
  respond(429, { error: { message: 'Scripted failure.' } }),
  respond(500, { error: { type: 'context_length_exceeded', message: 'Scripted failure.' } }),
  respond(401, { error: { message: 'Scripted failure.' } }),
  respond(404, { error: { message: 'Scripted failure.' } }),
  respond(422, { error: { message: 'Larger than the context window.' } }),
  respond(403, { error: { message: 'Scripted failure.' } }),
  drop('close'),
];
const PROVIDER = 'Answered by the provider.';
const NEXT = 'Answered by the next step.';

const withId = (id: string) => [['X-Request-ID', id]] as const;

/** A small request under an id, sent once whatever comes of it. */
async function askOnce(
  t: RouterContext,
  model: string,
  id: string,
  route: InferenceRoute = 'chat',
) {
  return t.api.infer(route, model, { headers: withId(id), maxTokens: FEW_TOKENS, repeat: false });
}

/** Whether a second chat completion under an id reaches the engine, and is given its answer. */
async function secondChat(t: RouterContext, model: string): Promise<Judgement> {
  const script = await t.backend.script([complete({ text: 'One.' }), complete({ text: 'Two.' })]);
  const id = randomUUID();
  const headers = withId(id);
  // Not the same text twice: whether an answer is kept for the next who asks is open.
  const first = async () => t.api.chat(model, { script, headers, text: 'One, please.' });
  const one = await onceServed(t, model, first);
  if (!isSuccess(one)) throw new Inconclusive(`${model} is not served to begin with`);
  const send = async (repeat: boolean) => t.api.chat(model, { script, headers, repeat });
  const other = await underUsedId({ id, send, ask: async (used) => askOnce(t, model, used) });
  if (mayBeServedAgain(other)) throw new Inconclusive(`the agents of ${model} were left out`);
  if (foundNoRoom(other)) throw new Inconclusive(`${model} had no room for a second request`);
  const { hits } = await t.backend.counts(script);
  return together(reachedEngine(other, hits, 2), answeredWith(other, 'Two.'));
}

/** Whether two requests under one id on a proxy route both reached an engine; where the first is not served nothing is seen. */
async function sentTwice(t: RouterContext, route: InferenceRoute) {
  const model = await modelFor(t, route);
  const id = randomUUID();
  const script = await t.backend.script([complete()]);
  // Not the same text twice: whether what was embedded is kept for the next who asks is open.
  const send = async (text: string, repeat = true) =>
    t.api.infer(route, model, {
      script,
      text,
      repeat,
      headers: withId(id),
      stream: route === 'messages',
      maxTokens: FEW_TOKENS,
    });
  if (!isSuccess(await onceServed(t, model, async () => send('One.')))) return notObserved;
  const other = await underUsedId({
    id,
    send: async (repeat) => send('Two.', repeat),
    ask: async (used) => askOnce(t, model, used, route),
  });
  const { hits } = await t.backend.counts(script);
  const mayPass = mayBeServedAgain(other) || foundNoRoom(other);
  return mayPass ? notObserved : reachedEngine(other, hits, 2);
}

/** How the provider is asked for what no agent could serve. */
type ProviderCall = Pick<ProvokeOptions, 'route' | 'stream'>;

/** Whether the provider is asked, and its answer counts, once an engine has failed so for each of the tries before. */
async function servedByProvider(
  t: RouterContext,
  options: ProviderCall & {
    readonly model: string;
    readonly failure: Behaviour;
    readonly tries: number;
  },
): Promise<Judgement> {
  const { failure, tries, ...asked } = options;
  const further = Array.from({ length: tries - 1 }, () => failure);
  // In one piece, so that it is found in a stream as well.
  const behaviours = [failure, ...further, complete({ text: [PROVIDER] })] as const;
  const { exchange, hits } = await provoke(t, behaviours, asked);
  // A stream that the router begins by itself can no longer become that of the provider.
  if (asked.stream === true && hits <= tries && isSuccess(exchange)) return notObserved;
  return secondAnswer(exchange, hits, PROVIDER, tries + 1);
}

/** How often two requests at once are tried where there may be no room for them. */
const ROUNDS = 3;
/** Milliseconds that two requests get to be at an engine together: one of them may wait for the answer of the other. */
const TOGETHER_MS = 1_500;

/**
 * Two requests with these headers that an engine holds at the same time. Where one found no room, two without the headers
 * tell whether there is any: then the last round counts. Throws `Inconclusive` when those find none either.
 */
async function twoAtOnce(t: RouterContext, model: string, headers: CallOptions['headers']) {
  const hold = async (sent: CallOptions['headers']) => {
    const send = async (script: string) =>
      t.api.chat(model, {
        script,
        stream: true,
        unbounded: true,
        ...(sent === undefined ? {} : { headers: sent }),
      });
    const options = { count: 2, send, patienceMs: TOGETHER_MS };
    return whileHeld(t, options, async ({ script, early, release, answers }) => {
      await release();
      const exchanges = await answers;
      // One that waited for room is sent once the other is answered.
      const { hits } = await t.backend.counts(script);
      return { exchanges, hits, hadRoom: !early.some(foundNoRoomOrFailed) };
    });
  };
  for (let round = 1; ; round += 1) {
    const held = await hold(headers);
    if (held.hadRoom) return held;
    if (!(await hold(undefined)).hadRoom) {
      throw new Inconclusive(`${model} has no room for two requests at once`);
    }
    if (round === ROUNDS) return held;
  }
}

/**
 * Whether the messages route, too, goes on to the next step. A router whose messages route serves no plain chat model, for
 * which every agent is there, shows nothing of steps.
 */
async function fallsBackOnMessages(t: RouterContext, model: string): Promise<Judgement> {
  const onMessages = { route: 'messages' } as const;
  const { exchange } = await provoke(t, complete(), { ...onMessages, model });
  const served = succeeded(exchange);
  if (served.violations.length === 0) return served;
  const plain = t.models.pair ?? t.models.chat;
  if (plain === undefined) return notObserved;
  const other = await provoke(t, complete(), { ...onMessages, model: plain });
  return isSuccess(other.exchange) ? served : notObserved;
}

/** Whether agents serve at all; a target file without a plain model cannot tell, and then they count as there. */
async function isPlainServed(t: RouterContext): Promise<boolean> {
  if (t.models.chat === undefined) return true;
  return isSuccess((await provoke(t, complete(), { model: t.models.chat })).exchange);
}

function foundNoRoomOrFailed(exchange: Exchange): boolean {
  return foundNoRoom(exchange) || isInternalFailure(exchange);
}

export default routerSection('retry-behaviour', (test) => {
  test(
    'a step that cannot serve is followed by one that can',
    {
      judges: [
        'router.retry-behaviour.fallback-step',
        'router.retry-behaviour.fallback-step-on-proxy',
      ],
    },
    async (t) => {
      const model = requireFixture(t, 'fallback');
      for (const stream of [false, true]) {
        const ask = async () =>
          succeeded((await provoke(t, complete(), { model, stream })).exchange);
        const others = [t.models.pair ?? t.models.chat].flatMap((one) => one ?? []);
        const served = await inTheEnd(t, model, ask, { others });
        if (served.violations.length > 0 && !(await isPlainServed(t))) {
          throw new Inconclusive('the plain chat model is not served either: agents may be rested');
        }
        // Now that agents are seen to serve, there is nothing left to wait for.
        t.judge(
          'router.retry-behaviour.fallback-step',
          served.violations.length > 0 ? await ask() : served,
        );
      }
      judgeOrLack(
        t,
        'router.retry-behaviour.fallback-step-on-proxy',
        await inTheEnd(t, model, async () => fallsBackOnMessages(t, model)),
        `the messages route serves no model of this kind`,
      );
    },
  );

  test(
    'a step whose agents failed is followed by the next',
    { judges: ['router.retry-behaviour.failed-step-advances'] },
    async (t) => {
      const { id: model } = requireFixture(t, 'overflow');
      for (const failure of [unavailable, drop('close')]) {
        const judgement = await inTheEnd(t, model, async () => {
          const { exchange, hits } = await provoke(t, [failure, complete({ text: [NEXT] })], {
            model,
          });
          return secondAnswer(exchange, hits, NEXT);
        });
        t.judge('router.retry-behaviour.failed-step-advances', judgement);
      }
    },
  );

  test(
    'a step whose slots are full is followed by the next',
    { judges: ['router.retry-behaviour.full-step-advances'], exclusive: ['models.overflow'] },
    async (t) => {
      const { id, capacity } = requireFixture(t, 'overflow');
      const send = async (script: string) => t.api.chat(id, { script, unbounded: true });
      await whileHeld(t, { count: capacity, send }, async ({ early }) => {
        if (early.length > 0) throw new Inconclusive(`the slots of ${id} could not be filled`);
        for (const stream of [false, true]) {
          const judgement = await inTheEnd(t, id, async () =>
            succeeded((await provoke(t, complete(), { model: id, stream })).exchange),
          );
          t.judge('router.retry-behaviour.full-step-advances', judgement);
        }
      });
    },
  );

  test(
    'the provider is asked when no agent can serve, and its failure is a backend_error',
    {
      judges: [
        'router.retry-behaviour.provider-fallback',
        'router.retry-behaviour.provider-fallback-on-proxy',
        'router.retry-behaviour.provider-failure',
        'router.retry-behaviour.provider-asked-once',
      ],
    },
    async (t) => {
      const model = requireFixture(t, 'provider');
      const all = await provoke(t, unavailable, { model });
      if (all.hits === 1 && codeOf(all.exchange) === 'backend_error') {
        throw new Inconclusive(
          `${model} asked the scripted backend once: its agent or its provider does not point there, or its agent is left out after failures`,
        );
      }
      t.judge(
        'router.retry-behaviour.provider-fallback',
        triesWithin(all.exchange, all.hits, { least: 2, most: Infinity }),
      );
      t.judge(
        'router.retry-behaviour.provider-failure',
        all.hits < 2 ? notObserved : endedWith(all.exchange, ['backend_error']),
      );
      // As many failures as before, but for the last one asked: that is the provider.
      const agents = Array.from({ length: Math.max(1, all.hits - 1) }, () => unavailable);
      const patience = { tries: all.hits };
      const served = async (failure: Behaviour, asked: ProviderCall = {}) =>
        inTheEnd(
          t,
          model,
          async () => servedByProvider(t, { model, failure, tries: agents.length, ...asked }),
          patience,
        );
      t.judge('router.retry-behaviour.provider-fallback', await served(unavailable));
      if (all.hits < 2) return;
      t.judge('router.retry-behaviour.provider-fallback', await served(drop('close')));
      t.judge(
        'router.retry-behaviour.provider-fallback',
        await served(drop('close'), { stream: true }),
      );
      judgeOrLack(
        t,
        'router.retry-behaviour.provider-fallback-on-proxy',
        await served(drop('close'), { route: 'messages' }),
        `no engine was asked for ${model} on the messages route`,
      );
      const [before, ...others] = [...agents.slice(1), stopping];
      const stopped = async () => {
        const stop = await provoke(t, [before, ...others], { model, repeat: false });
        return providerAskedOnce(stop.exchange, stop.hits, all.hits);
      };
      const isSeen = ({ seen }: Judgement): boolean => seen > 0;
      judgeOrLack(
        t,
        'router.retry-behaviour.provider-asked-once',
        await retry(t, 'oneLost', stopped, isSeen),
        `not as many agents of ${model} were asked as a moment before`,
      );
      // What agents classify comes from the provider as one code, whatever it says.
      const ends = [];
      for (const [at, failure] of providerFailures.entries()) {
        const options = { model, repeat: false, stream: at % 2 === 1 };
        const behaviours = [unavailable, ...agents.slice(1), failure] as const;
        const { exchange, hits } = await provoke(t, behaviours, options);
        const asked = hits === agents.length + 1;
        t.judge(
          'router.retry-behaviour.provider-failure',
          asked ? endedWith(exchange, ['backend_error']) : notObserved,
        );
        ends.push({ exchange, hits, asked });
      }
      for (const [at, { exchange, hits }] of ends.entries()) {
        // A stream between two requests for which the provider was asked: the agents were tried then as ever.
        const beside = at % 2 === 1 && ends[at - 1]?.asked === true && ends[at + 1]?.asked === true;
        const tried = { least: agents.length + 1, most: Infinity };
        const failing = async () => {
          const one = await provoke(t, unavailable, { model, stream: true });
          return triesWithin(one.exchange, one.hits, tried);
        };
        const first = beside ? triesWithin(exchange, hits, tried) : notObserved;
        t.judge(
          'router.retry-behaviour.provider-fallback',
          first.violations.length === 0
            ? first
            : await inTheEnd(t, model, failing, { tries: all.hits }),
        );
      }
      const { exchange, hits } = await provoke(t, drop('close'), { model, route: 'messages' });
      t.judge(
        'router.retry-behaviour.provider-failure',
        hits === agents.length + 1 ? endedWith(exchange, ['backend_error']) : notObserved,
      );
    },
  );

  test(
    'the full queue of one model is not the full queue of the router',
    { judges: ['router.retry-behaviour.full-model-queue'], exclusive: ['models.singleSlot'] },
    async (t) => {
      const { id, capacity } = requireFixture(t, 'singleSlot');
      const send = async (script: string) => t.api.chat(id, { script, unbounded: true });
      await whileHeld(t, { count: capacity, send }, async ({ script, early }) => {
        if (early.length > 0) throw new Inconclusive(`the slots of ${id} could not be filled`);
        const once = async (call: CallOptions) =>
          t.api.chat(id, { ...call, script, unbounded: true });
        const further = await t.quietly(async () => firstAnswer(once));
        // A router that lets requests wait for the slot ends them at the deadline: no queue was full.
        const shows = !isSuccess(further) && codeOf(further) !== 'request_timeout';
        t.judge(
          'router.retry-behaviour.full-model-queue',
          shows && !isInternalFailure(further)
            ? endedWith(further, ['no_capacity', 'no_agents_available'])
            : notObserved,
        );
      });
    },
  );

  test(
    'an agent that went away and came back serves again',
    {
      judges: ['router.retry-behaviour.stale-connection-redialled'],
      needs: ['hooks.disconnectAgent'],
      alone: true,
    },
    async (t) => {
      const model = requireFixture(t, 'chat');
      const judgements: Judgement[] = [];
      for (const kind of [
        { route: 'chat' },
        { route: 'chat', stream: true },
        { route: 'messages' },
      ] as const) {
        judgements.push(await servedAfterReturn(t, model, kind));
        if (together(...judgements).violations.length > 0) break;
      }
      judgeOrLack(
        t,
        'router.retry-behaviour.stale-connection-redialled',
        together(...judgements),
        `${model} is not served to begin with`,
      );
    },
  );

  test(
    'dialling an agent again costs no try',
    {
      judges: ['router.retry-behaviour.redial-is-free'],
      needs: ['hooks.disconnectAgent'],
      alone: true,
    },
    async (t) => {
      const { id: model, maxTries } = requireFixture(t, 'bounded');
      if (maxTries > 1) throw new NotExercised(`a step of ${model} tries ${maxTries} times`);
      judgeOrLack(
        t,
        'router.retry-behaviour.redial-is-free',
        await servedAfterReturn(t, model, { route: 'chat' }),
        `${model} is not served to begin with`,
      );
    },
  );

  test(
    'a request id is no idempotency key',
    { judges: ['router.retry-behaviour.request-id-not-idempotency'], requests: 12 },
    async (t) => {
      const model = requireFixture(t, 'chat');
      const onChat = async () => secondChat(t, model);
      const told = await eventually(t, 'oneLost', onChat);
      t.judge('router.retry-behaviour.request-id-not-idempotency', told);
      for (const route of proxyRouteNames) {
        const onRoute = async () => sentTwice(t, route);
        const judged = await eventually(t, 'oneLost', onRoute);
        t.judge('router.retry-behaviour.request-id-not-idempotency', judged);
      }
    },
  );

  test(
    'simultaneous requests with one request id are requests of their own',
    { judges: ['router.retry-behaviour.request-id-not-idempotency-concurrent'] },
    async (t) => {
      const model = requireFixture(t, 'chat');
      const judged = async (): Promise<Judgement> => {
        // Agents that others made fail are back before two requests look for them at once.
        await onceServed(t, model, async () => (await provoke(t, complete(), { model })).exchange);
        const pair = await twoAtOnce(t, model, withId(randomUUID()));
        const [one, other] = pair.exchanges;
        if (one === undefined || other === undefined)
          throw new Inconclusive('nothing was answered');
        if (mayBeServedAgain(one) || mayBeServedAgain(other)) {
          throw new Inconclusive(`the agents of ${model} were left out`);
        }
        if ([one, other].some((exchange) => metDeadline(exchange, t.limits.requestTimeoutMs))) {
          throw new Inconclusive('they were held past their deadline');
        }
        return together(reachedEngine(other, pair.hits, 2), succeeded(one), succeeded(other));
      };
      t.judge(
        'router.retry-behaviour.request-id-not-idempotency-concurrent',
        await eventually(t, 'oneLost', judged),
      );
    },
  );
});
