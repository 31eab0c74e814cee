/**
 * Sends requests to a model whose engine follows a script, counts how often the engine was asked, and tells whether
 * what it answers on a transparent proxy route comes through.
 */

import { type Behaviour, inTwoChunks, respondBytes, respondText } from '../../backend/behaviour.ts';
import { type Judgement, notObserved } from '../../checks/judgement.ts';
import { whenReached } from '../../checks/router/tries.ts';
import { classifiedEnds } from '../../checks/router/classification.ts';
import {
  errorBeforeStream,
  isEmptyStream,
  jsonError,
} from '../../checks/router/stream-delivery.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { GeneratedError } from '../../generate/engine-errors.ts';
import { Experiment, Inconclusive } from '../../runner/case.ts';
import type { CallOptions, InferenceRoute, RoutedOptions } from './api.ts';
import { requireFixture } from './fixtures.ts';
import { beginsStreams } from './hold.ts';
import { answersByItself, mayBeCutByDeadline, metDeadline } from './deadlines.ts';
import { mayReachLater, mustSpareAgents, onceReturned } from './ejection.ts';
import type { RouterContext } from './session.ts';
import { codeOf, isInternalFailure } from '../../checks/router/envelope.ts';
import { remainingOf } from '../../checks/limits/quota.ts';
import { isRateLimited } from '../../checks/limits/bucket.ts';
import { retry, sendAtOnce } from '../../runner/retry.ts';
import type { RouterCode } from '../../../schemas/router/codes.ts';
import { isSuccess, outcomeText } from '../../checks/router/outcome.ts';
import { keptEnvelope, passedUntouched } from '../../checks/router/proxied.ts';
import { isBrokenOff } from '../../checks/whole.ts';
import type { Enveloped } from '../../generate/answers.ts';
import type { ProxyRoute } from '../../../schemas/router/endpoints.ts';

/** One scripted request: what the client saw, and how many requests reached the engine for it. */
export interface Provoked {
  readonly exchange: Exchange;
  readonly hits: number;
  readonly script: string;
}

export interface ProvokeOptions extends Omit<RoutedOptions, 'script'> {
  /** The model (default: that of the target file for the route). */
  readonly model?: string;
  /** True when a stream spends what a second one would lack, so that it is not repeated for being slow. */
  readonly spends?: boolean;
  /** Called with the script before the request leaves. */
  readonly onScript?: (script: string) => void;
}

type Provoker = Pick<RouterContext, 'api' | 'backend' | 'models' | 'limits' | 'session' | 'signal'>;

/** Models whose agents serve, except for a moment after they failed. */
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
 * Sends one request whose engine plays each behaviour once, and the last one from then on. Repeats it while the agents of
 * the model may be ejected, since no engine has seen it then, and when only its deadline ended it. Throws `Inconclusive`
 * when the behaviours make agents fail for which the run has no time left to wait.
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
      `the router leaves agents of ${model} out after each failure, and the time that a run waits for them is used up`,
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
    const isEjected = (one: Provoked) => served && mayReachLater(one);
    return onceReturned(t.session, send, { model, isEjected, signal: t.signal });
  };
  const deadlineMs = t.limits.requestTimeoutMs;
  const tooLate = ({ exchange }: Provoked): boolean =>
    answersByItself(played) &&
    (metDeadline(exchange, deadlineMs) ||
      (spends !== true && mayBeCutByDeadline(exchange, deadlineMs)));
  const provoked = await retry(t, 'twiceMore', attempt, (result) => !tooLate(result));
  if (!isEmptyStream(provoked.exchange) || !(await beginsStreams(t, model))) return provoked;
  // A stream that the router began by itself hides the engine's response, so the request is sent without a stream.
  return provoke(t, behaviours, { ...options, stream: false });
}

/** Whether a router may eject an agent whose engine behaves like this. */
function failsAgents(behaviour: Behaviour): boolean {
  const { kind } = behaviour;
  if (kind === 'drop' || ('drop' in behaviour && behaviour.drop !== undefined)) {
    return true;
  }
  return 'status' in behaviour && (behaviour.status ?? 200) >= 400;
}

/** Judges the response to an engine's answer; not observed when the request reached no engine. */
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

/**
 * What the client gets for an engine's error on the chat route, which comes in two chunks before a stream, a moment apart,
 * and with a length otherwise. A 429 is not repeated: it may be the violation.
 */
export async function afterError(
  t: Provoker,
  { status, body, bytes, label = 'application/json' }: GeneratedError,
  options: ErrorOptions = {},
): Promise<Provoked> {
  const headers: [string, string][] = [['Content-Type', label]];
  const delivery = options.stream === true ? inTwoChunks : ({ framing: 'length' } as const);
  const labelled: Behaviour = respondText(status, body, { headers, ...delivery });
  const answer = bytes === undefined ? labelled : respondBytes(status, bytes);
  return provoke(t, answer, { ...options, repeat: false });
}

/** Whether an error before a stream is JSON, with the code of the tables; one that it has without a stream, too, is judged there. */
export async function afterErrorBeforeStream(t: Provoker, error: GeneratedError) {
  const { exchange, hits } = await afterError(t, error, { stream: true });
  const judged = errorBeforeStream(exchange, classifiedEnds(error));
  if (hits === 0 || judged.violations.length === 0) return whenReached(hits, judged);
  const { exchange: plain } = await afterError(t, error);
  return outcomeText(plain) === outcomeText(exchange) ? jsonError(exchange) : judged;
}

/** What the client gets for errors without a body, by their status; once for all cases. */
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

/**
 * The judgement, but nothing where `isExplained` finds that its violation comes of what it takes for granted, and what
 * another requirement judges.
 */
export async function unlessExplained(
  judgement: Judgement,
  isExplained: () => Promise<boolean>,
): Promise<Judgement> {
  return judgement.violations.length > 0 && (await isExplained()) ? notObserved : judgement;
}

/** The model of the target file for a route, or any that the client key sees. */
export async function modelFor(
  t: Pick<RouterContext, 'models' | 'anyModel'>,
  route: InferenceRoute,
): Promise<string> {
  return t.models[fixtureOf[route]] ?? t.anyModel();
}

/**
 * The first response to a request. Rate limits of general keys are usually waited out, but here that would hide a model's
 * refusal with the wrong code. Still repeated are a response that says that its key is out of requests, and an internal
 * failure of the router, which may pass.
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

/** The result of bringing a key over one of its limits. */
export interface OverLimit {
  /** Whether the key was refused for the limit at all. */
  readonly limited: Judgement;
  readonly refused: readonly Exchange[];
  /** Requests over the limit in each form that was tried; none may reach an engine. */
  readonly beyond: readonly Pick<Provoked, 'exchange' | 'hits'>[];
  /** Responses to other keys meanwhile; undefined without another key. */
  readonly others: readonly Exchange[] | undefined;
}

export interface Exhausted {
  /** The first refusal, or the last response if there was none. */
  readonly last: Exchange;
  /** Responses before it that were no refusal. */
  readonly passed: number;
  /** Responses that were successes: whether others cost quota is open. */
  readonly served: number;
  readonly sent: number;
}

export interface ExhaustOptions {
  readonly code: RouterCode;
  /** Most requests to send. */
  readonly most: number;
  /** Simultaneous requests (default 1). */
  readonly atOnce?: number;
}

/** Sends until a request is refused with the code, a few at a time. */
export async function untilRefused(
  send: () => Promise<Exchange>,
  options: ExhaustOptions,
): Promise<Exhausted> {
  const { code, most, atOnce = 1 } = options;
  let sent = 0;
  let passed = 0;
  let served = 0;
  for (;;) {
    const batch = await sendAtOnce(Math.min(atOnce, most - sent), send);
    sent += batch.length;
    passed += batch.filter((exchange) => codeOf(exchange) !== code).length;
    served += batch.filter(isSuccess).length;
    const refused = batch.find((exchange) => codeOf(exchange) === code);
    const last = refused ?? batch.at(-1);
    if (last === undefined) throw new RangeError('nothing may be sent');
    if (refused !== undefined || sent >= most) return { last, passed, served, sent };
  }
}

/** Whether an engine's success arrives with its status and these bytes. One that breaks off is requested again. */
export async function passes(
  t: RouterContext,
  answer: Behaviour,
  sent: string | Uint8Array,
  { status = 200, ...options }: ProvokeOptions & { readonly status?: number },
): Promise<Judgement> {
  const wanted = { status, body: Buffer.from(sent) };
  const ask = async () =>
    judgedAnswer(t, answer, options, (exchange) => passedUntouched(exchange, wanted));
  const isWhole = ({ violations }: Judgement) =>
    !violations.some(({ exchanges }) => exchanges.some(isBrokenOff));
  return retry(t, 'oneLost', ask, isWhole);
}

/** Options for a request whose engine answers with the envelope, so that no check takes it for the router's own. */
export function forwarding(t: RouterContext, route: ProxyRoute): ProvokeOptions {
  const onScript = (script: string): void => t.mayForwardEnvelope(script);
  // An engine's `model_not_found` says nothing of its model.
  return { route, repeat: false, inAnyCase: true, onScript };
}

/** Whether code and source of an engine's envelope are kept. */
export async function keeps(
  t: RouterContext,
  route: ProxyRoute,
  answer: Behaviour,
  sent: Pick<Enveloped, 'code' | 'source'>,
): Promise<Judgement> {
  // An error before a stream begins is like any other.
  const asked = { ...forwarding(t, route), stream: route === 'messages' };
  return judgedAnswer(t, answer, asked, (exchange) => keptEnvelope(exchange, sent));
}
