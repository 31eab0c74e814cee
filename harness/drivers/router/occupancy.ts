/** Models that are over their token budget or their shedding threshold. */

import { complete } from '../../backend/behaviour.ts';
import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import { allAtOnce, isOverConcurrency, refusedForPlaces } from '../../checks/limits/together.ts';
import { foundNoRoom, isInternalFailure } from '../../checks/router/envelope.ts';
import { isSuccess } from '../../checks/router/outcome.ts';
import { isOverCap } from '../../checks/limits/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { InferenceOptions, RoutedOptions } from './api.ts';
import { cameBack, isRefusedForRoom, isServedByNobody } from './capacity.ts';
import { deadlineOf, mayAwaitAgent, metDeadline } from './deadlines.ts';
import type { ParkingLimit } from './parking.ts';
import { requireFixture } from './fixtures.ts';
import { firstAnswer, provoke, type Provoked, type ProvokeOptions } from './provoke.ts';
import { whileHeld } from './hold.ts';
import { leaveInEachWay } from './leave.ts';
import { overrun, spareKey } from './overrun.ts';
import type { RouterContext } from './session.ts';
import { NotExercised, orInconclusive } from '../../runner/case.ts';
import { mayBeEjected, onceServed } from './ejection.ts';
import { words } from './bodies.ts';
import { FEW_TOKENS, ladenShape, requestShapes } from './client-routes.ts';
import { retry } from '../../runner/retry.ts';
import { requireFreeKey } from './key-quotas.ts';

/** Equal requests to the model with the budget. */
interface Load {
  readonly model: string;
  readonly count: number;
  readonly options: InferenceOptions;
}

/** A request that was sent while the budget was full. */
interface Beside extends Provoked {
  readonly asked: ProvokeOptions;
}

/** Each weighs a quarter of the budget by its input, and as much by the output that it asks for: twice the budget. */
const FEW_QUARTERS = 8;
/** Six times the budget, or the router's concurrency: however requests are weighed, some fit and some do not. */
const QUARTERS = 24;
/** Enough to exceed the budget by the input alone. */
const MIN_QUARTERS = 6;
/** Most requests that leave in each way. If fewer fit at once, that many leaks fill the budget. */
const LEAVINGS = 5;
/** A request that weighs next to nothing. */
const SMALL = { text: 'Hi.', maxTokens: 1, unbounded: true } as const;

/**
 * Fills the token budget of a model with requests that are not streams, since it is open when a stream gives back what it
 * holds. Judges whether small requests are served side by side under the budget, and whether it comes back afterwards and
 * after requests that end in other ways.
 */
export async function fillOccupancy(t: RouterContext) {
  const { id: model, budgetTokens } = requireFixture(t, 'occupancy');
  const small = async (script: string) => t.api.chat(model, { ...SMALL, script });
  const twoAtOnce = async () =>
    whileHeld(t, { count: 2, send: small }, async ({ early }) =>
      Promise.resolve(allAtOnce(early, 2)),
    );
  const under = await retry(t, 'agentsHealthy', twoAtOnce, ({ seen }) => seen > 0);
  const quarter = budgetTokens / 4;
  const loadOf = (quarters: number, part = 1): Load => ({
    model,
    count: Math.max(MIN_QUARTERS, Math.min(quarters, t.sharedPlaces.mostHeld)),
    options: weighing(t, part * quarter),
  });
  let load = loadOf(FEW_QUARTERS);
  // What earlier requests gave back late lets one in that was sent beside a load; in a load of its own it is refused.
  const fill = async () =>
    retry(
      t,
      'placesTaken',
      async () => fillWith(t, load),
      ({ beside }) => beside.every(({ hits }) => hits === 0),
    );
  let whole = await retry(t, 'agentsHealthy', fill, wasTaken);
  if (!whole.early.some(isOverConcurrency) && whole.misnamed === undefined) {
    load = loadOf(QUARTERS);
    whole = await fill();
  }
  if (whole.atEngine === 0 && whole.early.every(isOverConcurrency)) {
    // Each alone was over the budget, by an estimate with many tokens for a word; together, smaller ones still are.
    const { count } = loadOf(QUARTERS);
    load = loadOf(QUARTERS, 2 / count);
    whole = await fill();
  }
  await requireFreeKey(t, whole.early);
  const unseen = { again: undefined, named: notObserved, back: notObserved };
  if (whole.atEngine === 0) return { under, filled: whole, ...unseen };
  const named = await namedAs(t, whole.beside);
  const isBack = async () =>
    cameBack(t, async () => sendOne(t, load, { script: await t.backend.script([complete()]) }));
  const back = [await isBack()];
  for (let left = Math.min(LEAVINGS, whole.atEngine); left > 0; left -= 1) {
    await leaveInEachWay(t, async (leaving) => sendOne(t, load, leaving));
  }
  await overrunHeavily(t, model, budgetTokens);
  back.push(await isBack());
  // What was given back twice would let more in.
  const isTold = whole.early.some(isOverConcurrency);
  const again = isTold ? await fillWith(t, load) : undefined;
  return { under, filled: whole, again, named, back: together(...back) };
}

/** The maximum of an overrun, as a part of the budget: what it keeps leaves no room for a load. */
const HEAVY = 0.9;

/** A completion of a spare key that overruns its daily budget, if the key and the model take one so heavy. */
async function overrunHeavily(t: RouterContext, model: string, budgetTokens: number) {
  const key = await spareKey(t);
  const maxTokens = Math.floor(HEAVY * budgetTokens);
  if (key !== undefined) await overrun(t, key, { model, maxTokens }).catch(orInconclusive);
}

/** Whether requests that were refused beside a full budget, and are served otherwise, got the right code. */
async function namedAs(t: RouterContext, beside: readonly Beside[]): Promise<Judgement> {
  const judgements: Judgement[] = [];
  for (const { exchange, hits, asked } of beside) {
    const native = await isRefusedForRoom(t, exchange, asked);
    judgements.push(refusedForPlaces({ exchange, hits, native }, t.limits));
  }
  return together(...judgements);
}

/** Whether the budget comes back after requests that end at their deadline: an equally heavy one is served. */
export async function budgetAfterDeadline(
  t: RouterContext,
  { model, capacity, request }: ParkingLimit,
): Promise<Judgement> {
  const deadlineMs = deadlineOf(t);
  const send = async (script: string) =>
    t.api.chat(model, { ...request, script, unbounded: true, repeat: false });
  const ended = await whileHeld(t, { count: capacity, send }, async ({ early, answers }) =>
    early.length > 0 ? [] : t.yieldTarget(async () => answers),
  );
  if (!ended.some((exchange) => metDeadline(exchange, deadlineMs))) return notObserved;
  return cameBack(t, async () => send(await t.backend.script([complete()])));
}

/** False when everything was kept out by ejected agents, after failures of another case, and not by the budget. */
function wasTaken({ atEngine, early }: { atEngine: number; early: readonly Exchange[] }): boolean {
  return atEngine > 0 || !early.some(mayBeEjected);
}

/** A text of so many words, and a request for as many output tokens. */
function weighing(t: RouterContext, count: number): InferenceOptions {
  const size = Math.max(1, Math.floor(count));
  return { text: words(t, size), maxTokens: size, unbounded: true };
}

async function sendOne(
  t: RouterContext,
  { model, options }: Load,
  { route = 'chat', ...sent }: RoutedOptions,
): Promise<Exchange> {
  return firstAnswer(async (call) => t.api.infer(route, model, { ...options, ...call, ...sent }));
}

/**
 * Holds as much of a load as fits, `atEngine`, while others are answered `early`. Sends more requests `beside` it when one
 * of those was refused for the budget, or otherwise looks for a refusal with another code.
 */
async function fillWith(t: RouterContext, load: Load) {
  const { model, count, options } = load;
  const fill = {
    count,
    send: async (script: string) => sendOne(t, load, { script }),
    // The first refusal is enough; requests that park longer are released with the others.
    enough: 1,
  };
  const heavier = { ...options, model, text: `${options.text ?? ''}${options.text ?? ''}` };
  const others = t.target.keys.second === undefined ? [] : [{ as: 'second' }];
  const shapes = [{ stream: true }, { route: 'messages' as const }, { laden: true }, ...others];
  const more = shapes.map((shape) => ({ ...heavier, ...shape }));
  return whileHeld(t, fill, async ({ early, script }) => {
    const before = await t.backend.counts(script);
    const isHeld = before.held > 0;
    const isFull = isHeld && early.some(isOverConcurrency);
    const sent = isFull
      ? await Promise.all(
          more.map(async (asked) => ({ ...(await provokeOneMore(t, asked)), asked })),
        )
      : [];
    const misnamed = isHeld && !isFull ? await misnamedBeside(t, early, load) : undefined;
    // A held request whose deadline passed meanwhile made room.
    const after = await t.backend.counts(script);
    const isUnchanged = after.held === before.held && after.hits === before.hits;
    return {
      early,
      atEngine: before.held,
      beside: isUnchanged ? sent : [],
      misnamed: isUnchanged ? misnamed : undefined,
    };
  });
}

/** Sends a request, and again if the router failed inside, which any request may meet. */
async function provokeOneMore(t: RouterContext, asked: ProvokeOptions): Promise<Provoked> {
  const first = await provoke(t, complete(), asked);
  return isInternalFailure(first.exchange) ? provoke(t, complete(), asked) : first;
}

/** How often a large and a small request are sent in turn, since others may take and leave slots meanwhile. */
const TURNS = 3;

/**
 * A refusal with a wrong code instead of the budget's: as too long although the engine holds requests of the same size, or
 * for lack of room while a small request is served, each time.
 */
async function misnamedBeside(
  t: RouterContext,
  early: readonly Exchange[],
  { model, options }: Load,
): Promise<Exchange | undefined> {
  const large = async () => (await provoke(t, complete(), { ...options, model })).exchange;
  if (early.some(isOverCap)) {
    const refused = await large();
    return isOverCap(refused) ? refused : undefined;
  }
  if (!early.some(foundNoRoom)) return undefined;
  let shown: Exchange | undefined;
  for (let turn = 0; turn < TURNS; turn += 1) {
    shown = await large();
    const { exchange: small } = await provoke(t, complete(), { ...SMALL, model });
    if (isOverConcurrency(shown) || !foundNoRoom(shown) || !isSuccess(small)) return undefined;
  }
  return shown;
}

/** Puts a model over its threshold while `work` runs, with the hook if there is one. */
async function whileShedding<T>(t: RouterContext, work: () => Promise<T>): Promise<T> {
  if (t.target.hooks?.shed === undefined) return work();
  await t.hook('shed');
  try {
    return await work();
  } finally {
    if (t.target.hooks.unshed !== undefined) await t.hook('unshed');
  }
}

/** The responses of a model over its threshold to a request with the newer limit of its output, and to a stream. */
export async function shedRequests(t: RouterContext): Promise<readonly Exchange[]> {
  const model = requireFixture(t, 'shed');
  const ask = async (shape: Pick<InferenceOptions, 'stream' | 'maxCompletionTokens'>) =>
    firstAnswer(async (call) => t.api.chat(model, { ...call, ...shape }));
  const answers = await whileShedding(t, async () => [
    await ask({ maxCompletionTokens: FEW_TOKENS }),
    await ask({ stream: true }),
  ]);
  // A router without an agent for the model need not check the pressure on its engines, and may wait for an agent.
  if (answers.every((one) => isServedByNobody(one) || mayAwaitAgent(t, one))) {
    throw new NotExercised(`no agent serves ${model}, so the router sheds no request for it`);
  }
  return answers;
}

/** The same for each kind of request, and for a laden one, with the hits of each. */
export async function shedProvocations(t: RouterContext): Promise<readonly Provoked[]> {
  const model = requireFixture(t, 'shed');
  return whileShedding(t, async () => {
    const answers: Provoked[] = [];
    for (const shape of [...requestShapes, ladenShape])
      answers.push(await provoke(t, complete(), { model, ...shape, maxTokens: FEW_TOKENS }));
    return answers;
  });
}

/** The responses of a model under its threshold, which requests of others may exceed only for a moment. */
export async function calmRequests(t: RouterContext): Promise<readonly Exchange[]> {
  const model = requireFixture(t, 'calm');
  const answers: Exchange[] = [];
  for (const stream of [false, true]) {
    const send = async () => t.api.chat(model, { stream, maxTokens: FEW_TOKENS });
    const ask = async () => onceServed(t, model, send);
    answers.push(await retry(t, 'returns', ask, (one) => !isOverConcurrency(one)));
  }
  return answers;
}
