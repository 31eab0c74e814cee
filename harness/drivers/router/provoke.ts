/** Asks a model whose engine follows a script, and tells how often the engine was asked. */

import { type Behaviour, respondBytes, respondText, stall } from '../../backend/behaviour.ts';
import type { Judgement } from '../../checks/judgement.ts';
import { whenReached } from '../../checks/router/tries.ts';
import { isEmptyStream } from '../../checks/router/stream-delivery.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { GeneratedError } from '../../generate/engine-errors.ts';
import { Experiment, Inconclusive } from '../../runner/case.ts';
import type { CallOptions, InferenceRoute, RoutedOptions } from './api.ts';
import { requireFixture } from './fixtures.ts';
import { headsSeen } from './hold.ts';
import { answersByItself, mayBeCutByDeadline, metDeadline } from './deadlines.ts';
import { mayBeServedAgain, mustSpareAgents, onceReturned } from './ejection.ts';
import type { RouterContext } from './session.ts';
import { codeOf, isInternalFailure } from '../../checks/router/envelope.ts';
import { remainingOf } from '../../checks/limits/quota.ts';
import { isRateLimited } from '../../checks/limits/bucket.ts';
import { retry, underWay } from '../../runner/retry.ts';
import type { RouterCode } from '../../../schemas/router/codes.ts';
import { isSuccess } from '../../checks/router/outcome.ts';

/** One scripted request: what the client saw, and how many requests reached the engine for it. */
export interface Provoked {
  readonly exchange: Exchange;
  readonly hits: number;
  readonly script: string;
}

export interface ProvokeOptions extends Omit<RoutedOptions, 'script'> {
  /** The model of the target file for the route unless told. */
  readonly model?: string;
  /** The stream that is asked for spends what a second one would lack: it is not sent anew for having been slow. */
  readonly spends?: boolean;
  /** Called with the script before the request leaves. */
  readonly onScript?: (script: string) => void;
}

type Provoker = Pick<RouterContext, 'api' | 'backend' | 'models' | 'limits' | 'session' | 'signal'>;

/** Models whose agents are there, but for a moment after they failed. */
const SERVED = [
  'chat',
  'embedding',
  'reranker',
  'pair',
  'provider',
  'fallback',
  'bounded',
  'overflow',
] as const;

function idOf(fixture: string | { readonly id: string } | undefined): string | undefined {
  return typeof fixture === 'object' ? fixture.id : fixture;
}

/**
 * Sends one request whose engine behaves as told: each behaviour once, the last one from then on. It is sent again while
 * the agents of the model may be ejected, as no engine has seen it then, and anew when only its deadline ended it. Throws
 * `Inconclusive` where agents would fail again for which the run has waited as long as it may.
 */
export async function provoke(
  t: Provoker,
  behaviours: Behaviour | readonly [Behaviour, ...Behaviour[]],
  options: ProvokeOptions = {},
): Promise<Provoked> {
  const { route = 'chat', model = scriptedModel(t, route), onScript, spends, ...call } = options;
  const played = 'kind' in behaviours ? [behaviours] : behaviours;
  const served = SERVED.some((fixture) => idOf(t.models[fixture]) === model);
  if (served && played.some(failsAgents) && mustSpareAgents(t.session, model)) {
    throw new Inconclusive(
      `the agents of ${model} are left out for a while after each failure, and the time that a run waits for them is used up`,
    );
  }
  const attempt = async () => {
    const script = await t.backend.script(played);
    onScript?.(script);
    const send = async () => {
      const exchange = await t.api.infer(route, model, { ...call, script });
      const { hits } = await t.backend.counts(script);
      return { exchange, hits, script };
    };
    return onceReturned(t.session, send, {
      model,
      isEjected: ({ exchange, hits }) => served && hits === 0 && mayBeServedAgain(exchange),
      signal: t.signal,
    });
  };
  const deadlineMs = t.limits.requestTimeoutMs;
  const tooLate = ({ exchange }: Provoked): boolean =>
    answersByItself(played) &&
    (metDeadline(exchange, deadlineMs) ||
      (spends !== true && mayBeCutByDeadline(exchange, deadlineMs)));
  const provoked = await retry(t, 'twiceMore', attempt, (result) => !tooLate(result));
  if (!isEmptyStream(provoked.exchange) || !(await beginsStreams(t, model))) return provoked;
  // Behind a stream that the router began by itself nothing shows of what its engine answered.
  return provoke(t, behaviours, { ...options, stream: false });
}

/** Whether a stream reaches the client while its engine has yet to answer. */
async function beginsStreams({ api, backend, signal }: Provoker, model: string): Promise<boolean> {
  const script = await backend.script([stall()]);
  let began = false;
  // A slow router that is asked too briefly would be blamed for a stream that began before its engine failed.
  const heads = headsSeen(1, 'streamHeldBack');
  const onHead = (status: number) => {
    began = status < 300;
    return heads.onHead();
  };
  const asking = underWay(api.chat(model, { script, stream: true, maxTokens: 4, onHead }));
  await heads.begun(signal);
  const before = began;
  await backend.release(script);
  await asking;
  return before;
}

/** Whether a router may leave an agent out for an engine that behaves so. */
function failsAgents(behaviour: Behaviour): boolean {
  const { kind } = behaviour;
  if (kind === 'drop' || ('drop' in behaviour && behaviour.drop !== undefined)) {
    return true;
  }
  return 'status' in behaviour && (behaviour.status ?? 200) >= 400;
}

/** The judgement of what is made of an engine's answer: nothing is seen where the request reached no engine. */
export async function judgedAnswer(
  t: Provoker,
  behaviours: Behaviour | readonly [Behaviour, ...Behaviour[]],
  options: ProvokeOptions,
  judgement: (exchange: Exchange) => Judgement,
): Promise<Judgement> {
  const { exchange, hits } = await provoke(t, behaviours, options);
  return whenReached(hits, judgement(exchange));
}

type ErrorOptions = Pick<ProvokeOptions, 'stream' | 'maxTokens' | 'maxCompletionTokens' | 'extra'>;

/** What the client gets of an engine's error on the chat route. A 429 is never waited out: it may be the very mistake. */
export async function afterError(
  t: Provoker,
  { status, body, bytes, label = 'application/json' }: GeneratedError,
  options: ErrorOptions = {},
): Promise<Provoked> {
  const labelled: Behaviour = respondText(status, body, { headers: [['Content-Type', label]] });
  const answer = bytes === undefined ? labelled : respondBytes(status, bytes);
  return provoke(t, answer, { ...options, repeat: false });
}

/** What the client gets of errors that are a status alone, by their status: once for all cases. */
export const bareErrors = new Experiment(async (t: RouterContext) => {
  const ends = new Map<number, Provoked>();
  for (const status of [400, 429, 500, 503]) {
    ends.set(status, await afterError(t, { status, body: '' }));
  }
  return ends;
});

const fixtureOf = {
  chat: 'chat',
  messages: 'chat',
  countTokens: 'chat',
  embeddings: 'embedding',
  rerank: 'reranker',
} as const satisfies Readonly<Record<InferenceRoute, string>>;

/** The model behind the scripted backend for a route. Throws `NotExercised` without one. */
export function scriptedModel(t: Pick<RouterContext, 'models'>, route: InferenceRoute): string {
  return requireFixture(t, fixtureOf[route]);
}

/** The model of the target file for a route, or any that the client key sees. */
export async function modelFor(
  t: Pick<RouterContext, 'models' | 'anyModel'>,
  route: InferenceRoute,
): Promise<string> {
  return t.models[fixtureOf[route]] ?? t.anyModel();
}

/**
 * The first answer to a request. Rate limits of general keys are waited out, being in the way as a rule; where a model
 * refuses for a limit of its own, that would hide a refusal by the wrong code. One that says that its key is out of
 * requests is in the way here, too, and so is a failure inside the router that passes.
 */
export async function firstAnswer(
  send: (call: Pick<CallOptions, 'repeat'>) => Promise<Exchange>,
): Promise<Exchange> {
  const once = { repeat: false };
  const answer = await send(once);
  const first = isInternalFailure(answer) ? await send(once) : answer;
  const outOfRequests = isRateLimited(first) && remainingOf(first, 'requests') === 0;
  return outOfRequests ? send({}) : first;
}

/** What was seen of a key that was brought over one of its limits. */
export interface OverLimit {
  /** Whether the key was refused for it at all. */
  readonly limited: Judgement;
  readonly refused: readonly Exchange[];
  /** Requests over the limit, of which no engine may know, in each form that was tried. */
  readonly beyond: readonly Pick<Provoked, 'exchange' | 'hits'>[];
  /** Answers to other keys meanwhile; undefined where there is none. */
  readonly others: readonly Exchange[] | undefined;
}

export interface Exhausted {
  /** The first refusal, or the last answer when there was none. */
  readonly last: Exchange;
  /** Answers before it that were no refusal. */
  readonly passed: number;
  /** Answers that were successes: whether any other costs quota is open. */
  readonly served: number;
  readonly sent: number;
}

export interface ExhaustOptions {
  readonly code: RouterCode;
  /** Requests after which we give up. */
  readonly most: number;
  /** Requests at once; 1 unless told. */
  readonly atOnce?: number;
}

/** Sends until one is refused with the code, a few at once. */
export async function untilRefused(
  send: () => Promise<Exchange>,
  options: ExhaustOptions,
): Promise<Exhausted> {
  const { code, most, atOnce = 1 } = options;
  let sent = 0;
  let passed = 0;
  let served = 0;
  for (;;) {
    const batch = await Promise.all(
      Array.from({ length: Math.min(atOnce, most - sent) }, async () => send()),
    );
    sent += batch.length;
    passed += batch.filter((exchange) => codeOf(exchange) !== code).length;
    served += batch.filter(isSuccess).length;
    const refused = batch.find((exchange) => codeOf(exchange) === code);
    const last = refused ?? batch.at(-1);
    if (last === undefined) throw new RangeError('nothing may be sent');
    if (refused !== undefined || sent >= most) return { last, passed, served, sent };
  }
}
