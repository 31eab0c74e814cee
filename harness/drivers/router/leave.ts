/** The ways in which requests leave a model; each must give back what the requests held. */

import { setMaxListeners } from 'node:events';
import {
  type Behaviour,
  complete,
  drop,
  type Ending,
  events,
  stall,
} from '../../backend/behaviour.ts';
import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive } from '../../runner/case.ts';
import { chatEvents } from '../../generate/streams.ts';
import type { InferenceOptions, InferenceRoute, RoutedOptions } from './api.ts';
import { failing } from './ejection.ts';
import { headsSeen, whileHeld } from './hold.ts';
import type { ModelLimit } from './capacity.ts';
import { spreadOver } from './client-routes.ts';
import type { RouterContext } from './session.ts';
import { parkTimeFor } from './parking.ts';
import { limitMs, retry, underWay, sendAtOnce } from '../../runner/retry.ts';

const invalid = failing(400, { type: 'invalid_parameter' });

/** Statuses that a router may handle separately: a leak after one of them may show after no other. */
const furtherFailures = [422, 429, 503, 404, 401, 502, 418].map((status) => failing(status));

/** The engine is lost before it has answered. */
const losses = [drop('close'), drop('reset')];

/** The engine is lost in the middle of its answer. */
const cutAnswer = complete({ drop: { at: { afterBytes: 20 }, how: 'close' } });

/** A stream whose engine is lost inside an event. */
const brokenStream = (how: Ending): Behaviour =>
  complete({ drop: { at: { insideEvent: 2 }, how } });

/** As many requests as there are places, and what their engine does. */
interface Round {
  readonly behaviour: Behaviour;
  /** The route (default chat). */
  readonly route?: InferenceRoute;
  readonly stream?: boolean;
}

/** A success before every second further failure, since routers eject agents after several failures in a row. */
const ANSWERED: Round = { behaviour: complete() };

/** Rounds of requests that their engine ends. The first must hold every place; a further one need not be served. */
const engineEnds = {
  success: [
    { behaviour: complete(), stream: true },
    { behaviour: complete(), route: 'messages' },
    { behaviour: complete(), route: 'messages', stream: true },
  ],
  failure: [
    { behaviour: failing(500) },
    { behaviour: failing(500), route: 'messages' },
    { behaviour: drop('close'), route: 'messages' },
    ...losses.map((behaviour) => ({ behaviour })),
    { behaviour: cutAnswer },
  ],
  invalid: [{ behaviour: invalid }, { behaviour: invalid, route: 'messages' }],
  failedStream: [
    { behaviour: failing(500), stream: true },
    ...losses.map((behaviour) => ({ behaviour, stream: true })),
  ],
  closedStream: [
    { behaviour: brokenStream('close'), stream: true },
    { behaviour: brokenStream('close'), route: 'messages', stream: true },
  ],
  resetStream: [{ behaviour: brokenStream('reset'), stream: true }],
} as const satisfies Readonly<Record<string, readonly [Round, ...Round[]]>>;

/** Sends the rounds of an end, up to a success that is not served. */
export function endAs(end: keyof typeof engineEnds) {
  return async (t: RouterContext, limit: ModelLimit): Promise<void> => {
    const [first, ...further]: readonly [Round, ...Round[]] = engineEnds[end];
    await whenFree(t, limit, async () => (await hitsOf(t, limit, first)) >= limit.capacity);
    const failures = end === 'failure' ? [...further, ...furtherFor(t, limit)] : further;
    const rounds = failures.flatMap((round, at) => (at % 2 === 1 ? [ANSWERED, round] : [round]));
    for (const round of rounds) {
      const isServed = await inFewTries(t, async () => (await hitsOf(t, limit, round)) > 0);
      if (round === ANSWERED && !isServed) return;
    }
  };
}

/** Failures with other statuses; each of the two limits on places gets a share. */
function furtherFor(t: RouterContext, { full }: ModelLimit): readonly Round[] {
  const limits = ['concurrency_limit_exceeded', 'no_capacity'] as const;
  const [, own = []] =
    spreadOver(t, limits, furtherFailures).find(([limit]) => limit === full) ?? [];
  return t.some(own).map((behaviour) => ({ behaviour }));
}

/** Repeats an attempt until all places were free for it. Throws `Inconclusive` when they never are. */
async function whenFree(
  t: RouterContext,
  { model }: ModelLimit,
  attempt: () => Promise<boolean>,
): Promise<void> {
  if (await retry(t, 'placesFree', attempt, Boolean)) return;
  throw new Inconclusive(`some places of ${model} were taken from the start`);
}

/** Whether an attempt succeeds within a few tries; it need not. */
async function inFewTries(t: RouterContext, attempt: () => Promise<boolean>): Promise<boolean> {
  return retry(t, 'mayBeServed', attempt, Boolean);
}

async function hitsOf(
  t: RouterContext,
  { model, capacity }: ModelLimit,
  { behaviour, route = 'chat', ...options }: Round,
): Promise<number> {
  const script = await t.backend.script([behaviour]);
  const call = { ...options, script, unbounded: true };
  await sendAtOnce(capacity, async () => t.api.infer(route, model, call));
  return (await t.backend.counts(script)).hits;
}

/** Clients that hang up while the engine is silent; with streams, after they have begun and before. */
export function hangUpOn(stream: boolean) {
  return async (t: RouterContext, limit: ModelLimit): Promise<void> => {
    const { model, capacity } = limit;
    const leave = async (route: InferenceRoute, begun: boolean) => {
      const send = async (call: InferenceOptions) =>
        t.api.infer(route, model, { stream, ...call, unbounded: true });
      return hangUpWhileHeld(t, capacity, send, { stream: begun });
    };
    await whenFree(t, limit, async () => leave('chat', stream));
    // The other routes may not serve the model; then nothing is held there.
    for (const route of stream ? (['chat'] as const) : (['messages', 'countTokens'] as const)) {
      await inFewTries(t, async () => leave(route, false));
    }
  };
}

/** Milliseconds in which a request certainly parks or waits, and a router notices that its client is gone. */
const WAITS_WITHIN_MS = 250;

/** As many clients as places hang up while they are parked: a leak of one place alone would leave others free. */
export async function hangUpParked(t: RouterContext, limit: ModelLimit): Promise<void> {
  const { model, capacity } = limit;
  const parkMs = parkTimeFor(t, 'leave');
  const awhile = Math.min(parkMs / 4, WAITS_WITHIN_MS);
  await whenFree(t, limit, async () =>
    whileHeld(t, { count: capacity, model }, async ({ script, early }) => {
      if (early.length > 0) return false;
      const send = async (signal: AbortSignal) =>
        t.api.chat(model, { script, unbounded: true, signal });
      await hangUpUnserved(t, capacity, send, awhile);
      return true;
    }),
  );
}

/** Clients that hang up `awhile` after they have sent requests that no engine is asked for yet: they park, or wait in a queue. */
async function hangUpUnserved(
  t: RouterContext,
  count: number,
  send: (signal: AbortSignal) => Promise<Exchange>,
  awhile: number,
): Promise<void> {
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  const waiting = Array.from({ length: count }, async () => underWay(send(end.signal)));
  await t.allSent();
  await pause(awhile, t.signal);
  end.abort();
  await Promise.all(waiting);
  // What they wait for must not come free before the router has noticed.
  await pause(awhile, t.signal);
}

/**
 * Sends requests that hang up once held, streams after their first event; before that, `waiting` others hang up that came
 * later. Returns whether no held one was answered.
 */
export async function hangUpWhileHeld(
  t: RouterContext,
  count: number,
  send: (call: InferenceOptions) => Promise<Exchange>,
  { stream = false, patienceMs = Infinity, waiting = 0 } = {},
): Promise<boolean> {
  const end = new AbortController();
  // Every request listens to the signal.
  setMaxListeners(0, end.signal);
  const { onHead, begun } = headsSeen(count);
  const call = { ...(stream ? { stream, onHead } : {}), signal: end.signal };
  const fill = {
    count,
    patienceMs,
    behaviours: [stall(stream ? { afterEvents: 1 } : 'before-head')],
    send: async (script: string) => send({ script, ...call }),
  };
  return whileHeld(t, fill, async ({ script, early, answers }) => {
    const { held } = await t.backend.counts(script);
    if (stream && held > 0) await begun(t.signal);
    if (waiting > 0) {
      const later = async (signal: AbortSignal) => send({ script, signal });
      await hangUpUnserved(t, waiting, later, WAITS_WITHIN_MS);
    }
    end.abort();
    await answers;
    await noticed(t, script, held);
    return early.length === 0;
  });
}

/** Ways of leaving when requests count against a rate, too. Successes come before agents fail three times in a row. */
const inEachWay: readonly (readonly [Behaviour, Pick<RoutedOptions, 'route' | 'stream'>])[] = [
  [invalid, {}],
  [failing(429), {}],
  [failing(503), {}],
  [complete(), { stream: true }],
  [failing(500), {}],
  [brokenStream('close'), { stream: true }],
  [complete(), { route: 'messages' }],
  [failing(500), { route: 'messages' }],
];

/** Sends requests that end in every way other than an ordinary response. */
export async function leaveInEachWay(
  t: RouterContext,
  send: (call: RoutedOptions) => Promise<Exchange>,
): Promise<void> {
  for (const [behaviour, options] of inEachWay) {
    await send({ script: await t.backend.script([behaviour]), ...options });
  }
  await hangUpWhileHeld(t, 1, send);
  await hangUpWhileHeld(t, 1, send, { stream: true });
  await hangUpWhileHeld(t, 1, async (call) => send({ ...call, route: 'messages' }));
}

/** Waits until the router has let go of the engine: an engine that answers sooner ends the request in an orderly way. */
async function noticed(t: RouterContext, script: string, capacity: number): Promise<void> {
  const options = { timeoutMs: limitMs('hangUpNoticed'), signal: t.signal };
  await t.backend.waitFor(script, { ended: capacity }, options).catch(() => undefined);
}

/** A stream of some megabytes: more than fits between a router and a client that does not read. */
const longStream = events(
  chatEvents(Array.from({ length: 64 }, (_, index) => `${index} ${'unread-'.repeat(9_000)}`)),
);

/** Clients that hang up on a long stream before they have read any of it, while the router still writes. */
export async function hangUpUnread(t: RouterContext, limit: ModelLimit): Promise<void> {
  const { model, capacity } = limit;
  await whenFree(t, limit, async () => {
    const script = await t.backend.script([longStream]);
    const onHead = () => 'hang-up' as const;
    const options = { script, stream: true, unbounded: true, onHead };
    await sendAtOnce(capacity, async () => t.api.chat(model, options));
    await noticed(t, script, capacity);
    return (await t.backend.counts(script)).hits >= capacity;
  });
}
