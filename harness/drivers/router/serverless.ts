/** The key with a serverless policy: requests of it, and waits until it is under its limits again. */

import { type Behaviour, complete } from '../../backend/behaviour.ts';
import { isRateLimited } from '../../checks/limits/bucket.ts';
import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive, NotExercised } from '../../runner/case.ts';
import type { InferenceOptions, RoutedOptions } from './api.ts';
import { FEW_TOKENS } from './client-routes.ts';
import { type Provoked, provoke } from './provoke.ts';
import type { RouterContext } from './session.ts';
import { limitMs, retry, sendAtOnce } from '../../runner/retry.ts';
import { type Wait, waits } from '../../runner/waits.ts';
import { replicasOf, requireKey } from './fixtures.ts';
import { MAX_UNSEEN_MS } from './pace.ts';

/** The serverless key of the target file. Throws `NotExercised` without one. */
export function serverlessKey(t: Pick<RouterContext, 'target'>) {
  return requireKey(t, 'serverless');
}

/** The rate, which a requirement needs; throws `NotExercised` when the target file does not state it. */
export function rateOf(rate: number | undefined): number {
  if (rate === undefined) throw new NotExercised('the serverless key does not say this rate');
  return rate;
}

/** Sends a request of the key (default: a small one). */
export async function ask(
  t: RouterContext,
  { route = 'chat', ...options }: RoutedOptions = {},
): Promise<Exchange> {
  const { key: as, model } = serverlessKey(t);
  const call = { text: 'Hi.', maxTokens: FEW_TOKENS, urgent: true, ...options, as };
  return t.api.infer(route, model, call);
}

/** Sessions in which the key was given more output than its rate allows. */
const overspent = new WeakSet<object>();

/** Records that the key is given more output than its rate allows. */
export function overspends({ session }: Pick<RouterContext, 'session'>): void {
  overspent.add(session);
}

/** Whether the key may owe output. */
export function hasOverspent({ session }: Pick<RouterContext, 'session'>): boolean {
  return overspent.has(session);
}

/** Output that costs nothing, so that a key that has just paid back a debt has no new one. */
const NOTHING = { text: '', usage: { inputTokens: 1, outputTokens: 0 } };

/** An engine with that output, so that only a check before it can refuse a request. */
export const SILENT = complete(NOTHING);

/** Sends a request of the key to an engine with this behaviour (default: it writes nothing). */
export async function askEngine(
  t: RouterContext,
  options: RoutedOptions = {},
  behaviour: Behaviour = SILENT,
) {
  const script = await t.backend.script([behaviour]);
  const exchange = await ask(t, { ...options, script });
  return { exchange, hits: (await t.backend.counts(script)).hits, script };
}

export async function askSilent(t: RouterContext): Promise<Exchange> {
  return (await askEngine(t)).exchange;
}

/** Small requests that must pass in a row before the output rate is tested. */
const IN_A_ROW = 3;
/** Most small requests that follow, for which there must be room. */
const SENT_THEN = 8;

/** Sends small requests until one passes; returns the last response. */
export async function untilPassing(
  t: RouterContext,
  wait: Wait = waits.keyAwake,
): Promise<Exchange> {
  return retry(
    t,
    wait,
    async () => askSilent(t),
    (one) => !isRateLimited(one),
  );
}

/** Waits until the key is served. Throws `Inconclusive` when it stays over its limits. */
export async function awake(t: RouterContext): Promise<void> {
  if (!isRateLimited(await untilPassing(t))) return;
  throw new Inconclusive('the serverless key was over its limits before anything was sent');
}

/** Waits until small requests pass in a row, so that a refusal for input is not taken for one for output. */
export async function recovered(t: RouterContext): Promise<void> {
  await awake(t);
  for (let sent = 0; sent < IN_A_ROW; sent += 1) {
    if (isRateLimited(await askSilent(t))) return refilled(t);
  }
}

/** Waits until an exhausted input rate has room for several small requests, by the time that it takes between two. */
export async function refilled(t: RouterContext): Promise<void> {
  await untilPassing(t);
  const from = performance.now();
  await untilPassing(t);
  await pause(Math.min(limitMs('keyAwake'), SENT_THEN * (performance.now() - from)), t.signal);
}

/** Refusals after which no replica with its own rate has room, as far as can be told. */
export function everywhere(t: Pick<RouterContext, 'limits'>): number {
  return 2 * replicasOf(t);
}

/** Whether several simultaneous requests are all refused, whichever replica handles them. */
async function refusedEverywhere(
  t: Pick<RouterContext, 'limits'>,
  send: () => Promise<Exchange>,
): Promise<boolean> {
  return (await sendAtOnce(everywhere(t), send)).every(isRateLimited);
}

/** Requests of other kinds, and of another key, while the key was over a limit. */
interface Beside {
  readonly beside: readonly Provoked[];
  readonly others: readonly Exchange[];
}

export const NOTHING_BESIDE: Beside = { beside: [], others: [] };

/** The response to another key, if there is one. */
export async function askOther(
  t: RouterContext,
  options: InferenceOptions = { text: 'Hi.' },
): Promise<readonly Exchange[]> {
  if (t.target.keys.second === undefined) return [];
  const { model } = serverlessKey(t);
  return [await t.api.chat(model, { urgent: true, ...options, as: 'second', repeat: false })];
}

/** Sends requests of other kinds and of another key, if the key is `refused` before and after; again if one was let in. */
export async function besideRefusals(
  t: RouterContext,
  refused: () => Promise<Exchange>,
  options: InferenceOptions,
  ofOther?: InferenceOptions,
): Promise<Beside> {
  const { key: as, model } = serverlessKey(t);
  const shapes = [{ stream: true }, { route: 'messages' }, { laden: true }] as const;
  const attempt = async (): Promise<Beside> => {
    if (!(await refusedEverywhere(t, refused))) return NOTHING_BESIDE;
    const sent = shapes.map(async (shape) =>
      // Output of a request that is let in would bring the key over its rate again.
      provoke(t, SILENT, { urgent: true, ...options, as, model, ...shape }),
    );
    const seen = { beside: await Promise.all(sent), others: await askOther(t, ofOther) };
    // A held request whose deadline passed meanwhile made room.
    return (await refusedEverywhere(t, refused)) ? seen : NOTHING_BESIDE;
  };
  return retry(t, 'twiceMore', attempt, ({ beside }) => beside.every(({ hits }) => hits === 0));
}

/** Looks at the key after output was delivered; keeps its number of requests and the most milliseconds without a look. */
export class Watch {
  sent = 0;
  unseenMs = 0;
  readonly #t: RouterContext;
  #seenAt = performance.now();

  constructor(t: RouterContext) {
    this.#t = t;
  }

  /** Looks at every replica, since each has a rate of its own; returns what one says that refuses, if any does. */
  async observe() {
    const look = async () => askEngine(this.#t, {}, complete());
    const replicas = replicasOf(this.#t);
    const [first, others] = await Promise.all([look(), sendAtOnce(replicas - 1, look)]);
    this.sent += replicas;
    const now = performance.now();
    this.unseenMs = Math.max(this.unseenMs, now - this.#seenAt);
    this.#seenAt = now;
    const { exchange: later, hits } =
      others.find(({ exchange }) => isRateLimited(exchange)) ?? first;
    return { later, hits };
  }

  /** Throws `Inconclusive` when the key went unseen for too long to say that it was never over its rate. */
  requireClose(): void {
    if (this.unseenMs <= MAX_UNSEEN_MS) return;
    throw new Inconclusive('the target is too slow: an exhausted output rate may have refilled');
  }
}
