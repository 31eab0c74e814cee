/** Models that are over their token budget or their shedding threshold. */

import { complete, stall } from '../../backend/behaviour.ts';
import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import { allAtOnce, isCrowded } from '../../checks/limits/together.ts';
import { foundNoRoom } from '../../checks/router/envelope.ts';
import { isSuccess } from '../../checks/router/outcome.ts';
import { isOverCap } from '../../checks/limits/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { InferenceOptions } from './api.ts';
import { cameBack, requireFreeKey } from './capacity.ts';
import { requireFixture } from './fixtures.ts';
import { firstAnswer, provoke, type Provoked } from './provoke.ts';
import { type Holding, whileHeld } from './hold.ts';
import { leaveInEachWay } from './leave.ts';
import type { RouterContext } from './session.ts';
import { words } from './bodies.ts';
import { FEW_TOKENS } from './client-routes.ts';
import { retry } from '../../runner/retry.ts';

/** A budget that requests at the engine fill. */
export interface Beside {
  /** Requests that were answered while others were held. */
  readonly early: readonly Exchange[];
  /** Requests that the engine held meanwhile. */
  readonly atEngine: number;
  /** Others that weigh no less, sent once one was refused for the budget: none of them fits either. */
  readonly beside: readonly Provoked[];
  /**
   * One that is refused for want of another kind of room, although small ones are served beside it each time, or as too
   * long, although the engine holds others of its very size.
   */
  readonly misnamed: Exchange | undefined;
}

interface OccupancyFilled extends Beside {
  /** Sends one like them, to an engine that answers. */
  readonly again: () => Promise<Exchange>;
  /** Holds streams that have begun, more than fit. */
  readonly streaming: () => Promise<Beside>;
  /** Sends one like them in each way in which requests end otherwise: called invalid, as a stream, with a client that hangs up. */
  readonly leaving: () => Promise<void>;
}

/** Each weighs a quarter of the budget by its input alone, and as much by the output that it asks for. */
const QUARTERS = 24;
/** Enough to be over the budget by the input alone. */
const MIN_QUARTERS = 6;

/** Requests of a quarter of a token budget that leave in each way: one more than fit. */
const LEAVINGS = 5;

/** What was seen of a budget that was filled by requests in one piece, and then by streams. */
export interface OccupancySeen {
  /** Whether small requests are served side by side. */
  readonly under: Judgement;
  readonly filled: readonly Beside[];
  /** Whether it was free again after each filling, and after requests that ended in other ways. */
  readonly back: Judgement;
}

/** Fills the token budget of a model in every way, and sees it come back after each. */
export async function fillOccupancy(t: RouterContext): Promise<OccupancySeen> {
  const { id } = requireFixture(t, 'occupancy');
  const small = async (script: string) =>
    t.api.chat(id, { script, text: 'Hi.', maxTokens: 1, unbounded: true });
  const under = await whileHeld(t, { count: 2, send: small }, async ({ early }) =>
    allAtOnce(early, 2),
  );
  const whole = await fillWhole(t);
  await requireFreeKey(t, whole.early);
  if (whole.atEngine === 0) return { under, filled: [whole], back: notObserved };
  const back = [await cameBack(t, whole.again)];
  const streamed = await whole.streaming();
  back.push(await cameBack(t, whole.again));
  for (let left = LEAVINGS; left > 0; left -= 1) await whole.leaving();
  back.push(await cameBack(t, whole.again));
  return { under, filled: [whole, streamed], back: together(...back) };
}

/** Sends six times the budget at once, or as much as the router works on: whatever it weighs, some fit and some do not. */
async function fillWhole(t: RouterContext): Promise<OccupancyFilled> {
  const { id, budgetTokens } = requireFixture(t, 'occupancy');
  const count = Math.max(MIN_QUARTERS, Math.min(QUARTERS, t.sharedPlaces.mostHeld));
  const size = Math.max(1, Math.floor(budgetTokens / 4));
  const filled = await fillWith(t, { id, size, count });
  // Where all ended otherwise, as at their deadline, nothing is known of what they weigh.
  if (filled.atEngine > 0 || !filled.early.every(isCrowded)) return filled;
  // Each alone was over the budget, by an estimate that counts a word as many tokens: all together still are.
  return fillWith(t, { id, size: Math.max(1, Math.floor((2 * size) / count)), count });
}

async function fillWith(
  t: RouterContext,
  { id, size, count }: { readonly id: string; readonly size: number; readonly count: number },
): Promise<OccupancyFilled> {
  const options = { text: words(size), maxTokens: size, unbounded: true };
  const send = async (script: string) =>
    firstAnswer(async (call) => t.api.chat(id, { ...options, ...call, script }));
  // The first refusal tells; who is parked longer is let go with the others.
  const fill = { count, send, enough: 1 };
  const filled = await whileHeld(t, fill, async ({ early, script }) => {
    const heavier = { ...options, model: id, text: words(2 * size) };
    const kinds = [
      { stream: true },
      { route: 'messages' as const },
      ...(t.target.keys.second === undefined ? [] : [{ as: 'second' }]),
    ];
    return besideHeld(t, { early, script, id, options }, async () =>
      Promise.all(kinds.map(async (kind) => provoke(t, complete(), { ...heavier, ...kind }))),
    );
  });
  return {
    ...filled,
    again: async () => send(await t.backend.script([complete()])),
    streaming: async () => {
      const stream = async (script: string) => t.api.chat(id, { ...options, script, stream: true });
      const begun = { count, send: stream, behaviours: [stall({ afterEvents: 1 })] };
      return whileHeld(t, { ...begun, enough: 1 }, async ({ early, script }) =>
        besideHeld(t, { early, script, id, options }, async () => [
          await provoke(t, complete(), { ...options, model: id }),
        ]),
      );
    },
    leaving: async () =>
      leaveInEachWay(t, async (leaving) =>
        firstAnswer(async (call) => t.api.chat(id, { ...options, ...call, ...leaving })),
      ),
  };
}

/** Requests at the engine, and what was sent to get them there. */
interface HeldOf extends Pick<Holding, 'early' | 'script'> {
  readonly id: string;
  readonly options: InferenceOptions;
}

/** What is held, and what more is sent beside it where one of those was refused for the budget. */
async function besideHeld(
  t: RouterContext,
  { early, script, id, options }: HeldOf,
  sendMore: () => Promise<readonly Provoked[]>,
): Promise<Beside> {
  const before = await t.backend.counts(script);
  const isHeld = before.held > 0;
  const full = isHeld && early.some(isCrowded);
  const sent = full ? await sendMore() : [];
  const misnamed = isHeld && !full ? await misnamedBeside(t, early, id, options) : undefined;
  // Whoever left meanwhile, its deadline having passed, made room.
  const after = await t.backend.counts(script);
  const unchanged = after.held === before.held && after.hits === before.hits;
  return {
    early,
    atEngine: before.held,
    beside: unchanged ? sent : [],
    misnamed: unchanged ? misnamed : undefined,
  };
}

/** A refusal by another code than that of the budget, which the same request in another turn shows to be wrong. */
async function misnamedBeside(
  t: RouterContext,
  early: readonly Exchange[],
  model: string,
  options: InferenceOptions,
): Promise<Exchange | undefined> {
  if (early.some(isOverCap)) return refusedAsTooLong(t, model, options);
  return early.some(foundNoRoom) ? refusedForSize(t, model, options) : undefined;
}

/** One that is refused as too long each time, beside others of its very size that the engine holds. */
async function refusedAsTooLong(
  t: RouterContext,
  model: string,
  options: InferenceOptions,
): Promise<Exchange | undefined> {
  const { exchange } = await provoke(t, complete(), { ...options, model });
  return isOverCap(exchange) ? exchange : undefined;
}

/** How often a large request and a small one are sent in turn: others may take and leave slots meanwhile. */
const TURNS = 3;

/** A request that is refused for want of room while a small one is served, each time; undefined where that is not so. */
async function refusedForSize(
  t: RouterContext,
  model: string,
  options: InferenceOptions,
): Promise<Exchange | undefined> {
  let shown: Exchange | undefined;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const { exchange: large } = await provoke(t, complete(), { ...options, model });
    const little = { model, text: 'Hi.', maxTokens: 1, unbounded: true };
    const { exchange: small } = await provoke(t, complete(), little);
    if (isCrowded(large) || !foundNoRoom(large) || !isSuccess(small)) return undefined;
    shown ??= large;
  }
  return shown;
}

/** Puts a model over its threshold for as long as `work` takes, where a hook is needed for that. */
async function whileShedding<T>(t: RouterContext, work: () => Promise<T>): Promise<T> {
  if (t.target.hooks?.shed === undefined) return work();
  await t.hook('shed');
  try {
    return await work();
  } finally {
    if (t.target.hooks.unshed !== undefined) await t.hook('unshed');
  }
}

/** The answers of a model over its threshold to a request and to a stream. */
export async function shedRequests(t: RouterContext): Promise<readonly Exchange[]> {
  const model = requireFixture(t, 'shed');
  const answers: Exchange[] = [];
  for (const stream of [false, true]) {
    const ask = async () => firstAnswer(async (call) => t.api.chat(model, { ...call, stream }));
    answers.push(await whileShedding(t, ask));
  }
  return answers;
}

/** The same of either route of chats, with the hits of each. */
export async function shedProvocations(t: RouterContext): Promise<readonly Provoked[]> {
  const model = requireFixture(t, 'shed');
  const provoked: Provoked[] = [];
  for (const route of ['chat', 'messages'] as const) {
    provoked.push(await whileShedding(t, async () => provoke(t, complete(), { model, route })));
  }
  return provoked;
}

/** The answers of a model under its threshold, what others ask of its engines having put it over it for a moment at most. */
export async function calmRequests(t: RouterContext): Promise<readonly Exchange[]> {
  const model = requireFixture(t, 'calm');
  const answers: Exchange[] = [];
  for (const stream of [false, true]) {
    const ask = async () => t.api.chat(model, { stream, maxTokens: FEW_TOKENS });
    answers.push(await retry(t, 'returns', ask, (one) => !isCrowded(one)));
  }
  return answers;
}
