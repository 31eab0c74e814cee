/** Sessions whose engines fail: how often engines are asked for one request, and whose response the client gets. */

import {
  type Behaviour,
  complete,
  drop,
  type Events,
  respondText,
} from '../../backend/behaviour.ts';
import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import { isSuccess, succeeded } from '../../checks/router/outcome.ts';
import { asksForStream } from '../../checks/router/route.ts';
import { deliveredWhole } from '../../checks/router/stream-delivery.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import {
  goesOnAfter,
  mostTriedAgain,
  providerAskedOnce,
  secondAnswer,
  stoppedAtOnce,
  stoppedAtSecond,
  stopsAfter,
  triesWithin,
  whenReached,
} from '../../checks/router/tries.ts';
import { writtenStream } from '../../generate/streams.ts';
import { Experiment, Inconclusive } from '../../runner/case.ts';
import { retry } from '../../runner/retry.ts';
import { waits } from '../../runner/waits.ts';
import { severalServeNow } from './agents.ts';
import { requireFixture } from './fixtures.ts';
import { provoke, type ProvokeOptions, unlessExplained } from './provoke.ts';
import { failing, inTheEnd, type PatienceOptions, unavailable } from './ejection.ts';
import type { RouterContext } from './session.ts';
import { codeOf } from '../../checks/router/envelope.ts';
import type { RouterCode } from '../../../schemas/router/codes.ts';

/** Milliseconds for which an engine waits, so that requests sent at once are in flight together. */
export const TOGETHER_MS = 50;

/** Text that identifies the response of the engine that is asked last. */
const LAST = 'Answered on the last try.';
// In one piece, so that it is found in a stream as well.
const lastAnswer = complete({ text: [LAST] });

type Asked = Pick<ProvokeOptions, 'route' | 'stream' | 'maxTokens' | 'maxCompletionTokens'>;

interface Failing extends Asked {
  readonly model: string;
  readonly failure: Behaviour;
}

/**
 * Whether the session goes on to another engine after `times` failures (default 1), and the client gets its response.
 * `begun` is for an engine that is lost within its response, whose beginning a router may pass on.
 */
export async function answeredAfter(
  t: RouterContext,
  {
    failure,
    times = 1,
    begun = false,
    ...asked
  }: Failing & { readonly times?: number; readonly begun?: boolean },
  patience?: PatienceOptions,
): Promise<Judgement> {
  const further = [...Array.from({ length: times - 1 }, () => failure), lastAnswer];
  const attempt = async () => {
    const { exchange, hits } = await provoke(t, [failure, ...further], asked);
    // A response that has begun cannot become that of another engine, and a router may begin a stream by itself.
    const mayHaveBegun = asked.stream === true || begun;
    if (mayHaveBegun && hits <= times && isSuccess(exchange)) return notObserved;
    const answered = secondAnswer(exchange, hits, LAST, times + 1);
    const second = together(answered, endedIfStream(exchange));
    return ifItHasItsCode(t, failure, asked, second, stopsAfter);
  };
  return inTheEnd(t, asked.model, attempt, patience);
}

/** A stream that an engine completed came to its end. Any other response is not judged. */
function endedIfStream(exchange: Exchange): Judgement {
  return isSuccess(exchange) && asksForStream(exchange) ? deliveredWhole(exchange) : notObserved;
}

/** First failures in a row: enough to show what a router does after every second one. */
const FAILURES_IN_A_ROW = 8;

/** Whether each first failure is followed by another try; if not, only failures while several agents serve count. */
export async function triedAfterEach(t: RouterContext, model: string): Promise<Judgement> {
  const failures = async (mayFail: () => Promise<boolean>) => {
    const judgements: Judgement[] = [];
    for (let left = FAILURES_IN_A_ROW; left > 0; left -= 1) {
      if (!(await mayFail())) continue;
      const { exchange, hits } = await provoke(t, [unavailable, lastAnswer], { model });
      judgements.push(secondAnswer(exchange, hits, LAST));
    }
    return judgements;
  };
  const all = await failures(async () => Promise.resolve(true));
  const areKept = all.every(({ seen, violations }) => seen > 0 && violations.length === 0);
  return areKept
    ? together(...all)
    : mostTriedAgain(await failures(async () => severalServeNow(t, model)));
}

/** Whether the number of tries of a request whose every try fails is within bounds. */
export async function triedSoOften(
  t: RouterContext,
  { failure, ...asked }: Failing,
  bounds: { readonly least: number; readonly most: number },
  patience?: PatienceOptions,
): Promise<Judgement> {
  const attempt = async () => {
    const { exchange, hits } = await provoke(t, failure, asked);
    return triesWithin(exchange, hits, bounds);
  };
  return inTheEnd(t, asked.model, attempt, patience);
}

/** The judgement of how a session goes on or stops; nothing where the router gives the failure a code for the opposite. */
async function ifItHasItsCode(
  t: RouterContext,
  failure: Behaviour,
  asked: ProvokeOptions,
  judgement: Judgement,
  hasOther = goesOnAfter,
): Promise<Judgement> {
  const { model: _, ...plain } = asked;
  return unlessExplained(judgement, async () =>
    hasOther((await provoke(t, failure, plain)).exchange),
  );
}

/** Whether a failure ends the session although another answer is ready. */
export async function stopsAt(t: RouterContext, failure: Behaviour, asked: ProvokeOptions) {
  const { exchange, hits } = await provoke(t, [failure, lastAnswer], asked);
  return ifItHasItsCode(t, failure, asked, whenReached(hits, stoppedAtOnce(exchange, hits)));
}

/** Whether the engine is asked just once for each of these errors, although another answer is ready. */
export async function asksOnce(t: RouterContext, model: string, errors: readonly Behaviour[]) {
  const judgements = [];
  // Shared by all errors, so that what never shows anything is not awaited for each of them.
  const rest = { ...waits.agentsBack, pausesMs: waits.agentsBack.pausesMs.values() };
  for (const [at, error] of errors.entries()) {
    // Whether a stream was requested does not matter: each kind of error comes in both ways.
    const options = { model, stream: at % 2 === 1 };
    const attempt = async () => {
      const { exchange, hits } = await provoke(t, [error, lastAnswer], options);
      if (hits === 0) throw new Inconclusive(`${model} did not ask the scripted backend`);
      return stoppedAtOnce(exchange, hits);
    };
    const stopped = await retry(t, rest, attempt, ({ seen }) => seen > 0);
    judgements.push(await ifItHasItsCode(t, error, options, stopped));
  }
  return together(...judgements);
}

/** Whether an error also stops the session at the engine that is asked after a failed one. */
export async function stopsAfterFailure(
  t: RouterContext,
  error: Behaviour,
  { code, ...asked }: Asked & { readonly model: string; readonly code: RouterCode },
): Promise<Judgement> {
  return inTheEnd(t, asked.model, async () => {
    const { exchange, hits } = await provoke(t, [unavailable, error, lastAnswer], asked);
    return ifItHasItsCode(t, error, asked, stoppedAtSecond(exchange, hits, code));
  });
}

/** Whether a model is served whose first step cannot serve; inconclusive when a plain model is not served either. */
export async function servedByNextStep(
  t: RouterContext,
  model: string,
  stream: boolean,
): Promise<Judgement> {
  const ask = async () => {
    const { exchange } = await provoke(t, complete(), { model, stream });
    return together(succeeded(exchange), endedIfStream(exchange));
  };
  const others = [t.models.pair ?? t.models.chat].flatMap((one) => one ?? []);
  const served = await inTheEnd(t, model, ask, { others });
  if (served.violations.length === 0) return served;
  const plain = t.models.chat;
  const isPlainServed =
    plain === undefined || isSuccess((await provoke(t, complete(), { model: plain })).exchange);
  if (isPlainServed) return ask();
  throw new Inconclusive('the plain chat model is not served either: agents may be rested');
}

/** The same on the messages route; not observed when that route does not serve the plain chat model either. */
export async function servedByNextStepOnMessages(
  t: RouterContext,
  model: string,
): Promise<Judgement> {
  const ask = async (of: string) =>
    (await provoke(t, complete(), { route: 'messages', model: of })).exchange;
  return inTheEnd(t, model, async () => {
    const served = succeeded(await ask(model));
    if (served.violations.length === 0) return served;
    const plain = t.models.pair ?? t.models.chat;
    return plain !== undefined && isSuccess(await ask(plain)) ? served : notObserved;
  });
}

/** A request to the model with a provider, with every try failing: the last engine that was asked is the provider. */
export const allFailed = new Experiment(async (t: RouterContext) => {
  const model = requireFixture(t, 'provider');
  const { exchange, hits } = await provoke(t, unavailable, { model });
  if (hits === 1 && codeOf(exchange) === 'backend_error') {
    throw new Inconclusive(
      `${model} asked the scripted backend once: its agent or its provider does not point there, or its agent is left out after failures`,
    );
  }
  return { model, exchange, hits };
});

/** The tries of agents that fail before the provider is asked. Throws `Inconclusive` when it never was. */
export async function agentsBeforeProvider(t: RouterContext) {
  const { model, hits } = await allFailed.of(t);
  if (hits < 2) throw new Inconclusive(`the provider of ${model} was not asked`);
  return { model, agents: hits - 1 };
}

/** Failures of a provider: refusals, limits, recognisable errors and lost connections, with bodies of every form. */
const providerFailures: readonly Behaviour[] = [
  failing(400),
  respondText(429, 'slow down'),
  failing(500, { type: 'context_length_exceeded' }),
  respondText(401, '["no"]'),
  failing(400, { code: 'invalid_parameter', source: 'router' }),
  failing(404, { trace: 'x'.repeat(70 * 1_024) }),
  failing(422, { message: 'Larger than the context window.' }),
  respondText(403, ''),
  drop('close'),
  unavailable,
  failing(502),
  failing(504),
];
const providerFailuresOnMessages: readonly Behaviour[] = [
  drop('close'),
  failing(400),
  respondText(500, 'x'.repeat(1_024 * 1_024)),
];

/** The results when the provider fails in each way, with and without a stream, after its agents were unavailable. */
export async function afterProviderFailed(t: RouterContext) {
  const { model, agents } = await agentsBeforeProvider(t);
  const inBothWays = providerFailures.flatMap((failure) =>
    [false, true].map((stream) => [unavailable, failure, { stream }] as const),
  );
  const onMessages = providerFailuresOnMessages.map(
    (failure) => [drop('close'), failure, { route: 'messages', stream: false }] as const,
  );
  const ends = [];
  for (const [first, failure, asked] of [...inBothWays, ...onMessages]) {
    const further = Array.from({ length: agents - 1 }, () => first);
    const options = { ...asked, model, repeat: false };
    const { exchange, hits } = await provoke(t, [first, ...further, failure], options);
    ends.push({ exchange, hits, asked: hits === agents + 1, stream: asked.stream });
  }
  return ends;
}

/** What arrives of a stream of these events that the provider begins and breaks off. */
export async function streamLostByProvider(t: RouterContext, list: Events['events']) {
  const { model, agents } = await agentsBeforeProvider(t);
  const { answer, bytes } = writtenStream(list, { drop: { at: { afterEvents: 2 }, how: 'close' } });
  const [first, ...others] = [...Array.from({ length: agents }, () => unavailable), answer];
  const { exchange, hits } = await provoke(t, [first, ...others], { model, stream: true });
  return { exchange, bytes, asked: hits === agents + 1 };
}

/** Whether the provider is not asked a second time when a request stops at the last of the agents. */
export async function providerNotAskedAgain(t: RouterContext, stream: boolean): Promise<Judgement> {
  const { model, agents } = await agentsBeforeProvider(t);
  const stopping = failing(400, { type: 'invalid_parameter' });
  const [first, ...others] = [...Array.from({ length: agents - 1 }, () => unavailable), stopping];
  const asked = { model, stream, repeat: false } as const;
  const attempt = async () => {
    const { exchange, hits } = await provoke(t, [first, ...others], asked);
    // Such an error stops the session at an agent, or the provider was asked for want of that.
    const isNoStop = async () => (await provoke(t, stopping, asked)).hits !== 1;
    return unlessExplained(providerAskedOnce(exchange, hits, agents + 1), isNoStop);
  };
  return retry(t, 'oneLost', attempt, ({ seen }) => seen > 0);
}
