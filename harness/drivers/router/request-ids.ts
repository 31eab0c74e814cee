/** Several requests with one request id. */

import { randomUUID } from 'node:crypto';
import { complete } from '../../backend/behaviour.ts';
import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import { isRateLimited } from '../../checks/limits/bucket.ts';
import { foundNoRoom, isInternalFailure } from '../../checks/router/envelope.ts';
import { answeredWith, isSuccess, succeeded } from '../../checks/router/outcome.ts';
import { reachedEngine } from '../../checks/router/tries.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive } from '../../runner/case.ts';
import type { CallOptions, InferenceRoute } from './api.ts';
import { FEW_TOKENS } from './client-routes.ts';
import { metDeadline } from './deadlines.ts';
import { whileHeld } from './hold.ts';
import { modelFor, provoke } from './provoke.ts';
import { mayBeServedAgain, onceServed } from './ejection.ts';
import type { RouterContext } from './session.ts';
import { retry } from '../../runner/retry.ts';

const withId = (id: string) => [['X-Request-ID', id]] as const;

/** Whether a second request with one id reaches an engine, and a chat gets its own response; not observed without room. */
export async function sentTwice(t: RouterContext, route: InferenceRoute): Promise<Judgement> {
  const model = await modelFor(t, route);
  const id = randomUUID();
  const script = await t.backend.script([complete({ text: 'One.' }), complete({ text: 'Two.' })]);
  // The texts differ, since whether a router caches responses is open.
  const send = async (text: string, repeat = true) =>
    t.api.infer(route, model, {
      script,
      text,
      repeat,
      headers: withId(id),
      stream: route === 'messages',
      maxTokens: FEW_TOKENS,
    });
  if (!isSuccess(await onceServed(t, model, async () => send('One, please.')))) return notObserved;
  const ask = async (used: string) =>
    t.api.infer(route, model, { headers: withId(used), maxTokens: FEW_TOKENS, repeat: false });
  const other = await underUsedId({
    id,
    send: async (repeat) => send('Two, please.', repeat),
    ask,
  });
  const { hits } = await t.backend.counts(script);
  if (mayBeServedAgain(other) || foundNoRoom(other)) return notObserved;
  const reached = reachedEngine(other, hits, 2);
  return route === 'chat' ? together(reached, answeredWith(other, 'Two.')) : reached;
}

/** How often two simultaneous requests are tried when there may be no room for them. */
const ROUNDS = 3;
/** Milliseconds for two requests to be at an engine together: a router may let one wait for the other's response. */
const TOGETHER_MS = 1_500;

/** Whether two chat completions with one id that an engine holds at the same time are both served. */
export async function servedTogether(t: RouterContext, model: string): Promise<Judgement> {
  // Ejected agents must be back before two requests look for them at once.
  await onceServed(t, model, async () => (await provoke(t, complete(), { model })).exchange);
  const { exchanges, hits } = await twoAtOnce(t, model, withId(randomUUID()));
  const [one, other] = exchanges;
  if (one === undefined || other === undefined) throw new Inconclusive('nothing was answered');
  if (mayBeServedAgain(one) || mayBeServedAgain(other)) {
    throw new Inconclusive(`the router left the agents of ${model} out after failures`);
  }
  if ([one, other].some((exchange) => metDeadline(exchange, t.limits.requestTimeoutMs))) {
    throw new Inconclusive('they were held past their deadline');
  }
  return together(reachedEngine(other, hits, 2), succeeded(one), succeeded(other));
}

/**
 * Two requests with these headers that an engine holds at the same time. When one found no room, two without the headers
 * show whether there is any; if so, the last round counts. Throws `Inconclusive` when those find none either.
 */
async function twoAtOnce(
  t: RouterContext,
  model: string,
  headers: NonNullable<CallOptions['headers']>,
) {
  const hold = async (call: Pick<CallOptions, 'headers'>) => {
    const send = async (script: string) =>
      t.api.chat(model, { ...call, script, stream: true, unbounded: true });
    const options = { count: 2, send, patienceMs: TOGETHER_MS };
    return whileHeld(t, options, async ({ script, early, release, answers }) => {
      await release();
      const exchanges = await answers;
      // A request that waited for room is sent once the other is answered.
      const { hits } = await t.backend.counts(script);
      const hadRoom = !early.some((each) => foundNoRoom(each) || isInternalFailure(each));
      return { exchanges, hits, hadRoom };
    });
  };
  for (let round = 1; ; round += 1) {
    const held = await hold({ headers });
    if (held.hadRoom) return held;
    const plain = await retry(
      t,
      'agentsHealthy',
      async () => hold({}),
      ({ hadRoom }) => hadRoom,
    );
    if (!plain.hadRoom) {
      throw new Inconclusive(`${model} has no room for two requests at once`);
    }
    if (round === ROUNDS) return held;
  }
}

/** Which requests of a row have the used id, in an order that a refilling bucket does not produce by chance. */
const BEARS_USED = [false, true, true, false, false, true, false, false, true, true, false];

interface UsedId {
  readonly id: string;
  /** Sends the request under test; if `repeat`, a rate limit is waited out. */
  readonly send: (repeat: boolean) => Promise<Exchange>;
  /** Sends another request of the same key once, with this id. */
  readonly ask: (id: string) => Promise<Exchange>;
}

/**
 * The response to a request with a used id. A rate limit of the key is waited out, as elsewhere. But a rate limit that
 * only requests with the used id meet, while those with new ids are served, is the response.
 */
export async function underUsedId({ id, send, ask }: UsedId): Promise<Exchange> {
  const first = await send(false);
  if (first.response !== undefined && !isRateLimited(first)) return first;
  if (isRateLimited(first) && (await isRefusedAlone(id, ask))) return first;
  return send(true);
}

/** Whether every request with the used id is refused and every other one is served. */
async function isRefusedAlone(id: string, ask: UsedId['ask']): Promise<boolean> {
  for (const isUsed of BEARS_USED) {
    const exchange = await ask(isUsed ? id : randomUUID());
    if (isUsed ? !isRateLimited(exchange) : !isSuccess(exchange)) return false;
  }
  return true;
}
