/** A model that is filled, and what becomes of more requests than it takes. */

import { complete } from '../../backend/behaviours.ts';
import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import { mostBesideAll } from '../../checks/router/at-once.ts';
import { allAtOnce, type BeyondPlaces, isCrowded } from '../../checks/router/crowding.ts';
import { isInternalFailure } from '../../checks/router/passing.ts';
import { isRateLimited } from '../../checks/router/request-bucket.ts';
import { succeeded } from '../../checks/router/success.ts';
import { pause } from '../../exchange/budget.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Inconclusive } from '../../runner/signals.ts';
import type { InferenceRoute } from './api.ts';
import { type Crowd, servesAgain } from './capacity.ts';
import { FEW_TOKENS } from './client-routes.ts';
import { firstAnswer } from './first-answer.ts';
import { type Holding, whileHeld } from './holding.ts';
import { hitsOfRefused } from './late-hits.ts';
import { metDeadline } from './met-deadline.ts';
import { parksTooLong } from './parks-too-long.ts';
import { provoke } from './provoke.ts';
import type { RouterContext } from './session.ts';
import { retry, waits } from '../../runner/retry.ts';

export interface RequestKind {
  readonly route: InferenceRoute;
  readonly stream: boolean;
  readonly as?: string;
}

/** Kinds of requests that a limit on a model holds for alike, the plain one first. */
export const requestKinds = [
  { route: 'chat', stream: false },
  { route: 'chat', stream: true },
  { route: 'messages', stream: false },
] as const satisfies readonly RequestKind[];

/** The same with another key, where there is one: the limit is that of the model, whoever asks. */
function kindsAndKeys(t: RouterContext): readonly RequestKind[] {
  const others = t.target.keys.second === undefined ? [] : [{ ...requestKinds[0], as: 'second' }];
  return [...requestKinds, ...others];
}

/** How often the places of a model are filled, and how often where they come back late: then some refusals are no fault. */
const ROUNDS = 3;
const ROUNDS_WHEN_LATE = 10;
/** So many requests fill the places in all, at least, where there are few of them: every other may be refused. */
const FILLING = 8;
/**
 * Pauses before the places are filled, the next one once they were not all free: they may come back after an answer. After
 * the last, who is refused is so for another reason.
 */
const QUIET_MS = [0, ...waits.placesTaken.pausesMs];
const LATEST = QUIET_MS.length - 1;

/** What was seen of a model that was filled several times. */
export interface FilledModel {
  /** Whether as many requests as it has places were served side by side, each time. */
  readonly at: Judgement;
  /** Whether it served again after those that it had served. */
  readonly back: Judgement;
  /** Requests that were sent while it was full; empty where places were lost before. */
  readonly beyond: readonly BeyondPlaces[];
  /** True where they were still parked long after their park time. */
  readonly isOverdue: boolean;
}

/** Sends as many requests as a model has places, some times over, and then more of each kind while it is full. */
export async function fillModel(t: RouterContext, crowd: Crowd): Promise<FilledModel> {
  const { model, places } = crowd;
  const send = async (script: string) => t.api.chat(model, { script, unbounded: true });
  const at: Judgement[] = [];
  const back: Judgement[] = [];
  const seen = () => ({ at: together(...at), back: together(...back) });
  let late = 0;
  const rounds = Math.max(ROUNDS, Math.ceil(FILLING / places));
  for (let round = 1; round < (late === 0 ? rounds : ROUNDS_WHEN_LATE); round += 1) {
    await pause(QUIET_MS[late] ?? 0, t.signal);
    const fill = { count: places, send };
    const filled = await whileHeld(t, fill, async ({ early }) => allAtOnce(early, places));
    if (filled.violations.length === 0 || late === LATEST) at.push(filled);
    else late += 1;
    // A place that a success keeps must not be taken for one that the limit lacks.
    const serves = await servesAgain(t, crowd);
    // A place that was lost before anybody was served was kept by something else.
    if (at.some(({ violations }) => violations.length === 0)) back.push(serves);
    if (serves.violations.length > 0) return { ...seen(), beyond: [], isOverdue: false };
  }
  await pause(QUIET_MS[late] ?? 0, t.signal);
  const fill = async () =>
    whileHeld(t, { count: places, send }, async (holding) => {
      if (holding.early.some(isCrowded) && late < LATEST) {
        late += 1;
        return undefined;
      }
      return askBeyond(t, crowd, holding, at);
    });
  const left = { ...waits.placesTaken, pausesMs: QUIET_MS.slice(late + 1) };
  const filled = await retry(t, left, fill, (told) => told !== undefined);
  back.push(await servesAgain(t, crowd));
  return { ...seen(), beyond: filled?.beyond ?? [], isOverdue: filled?.isOverdue ?? false };
}

/** Sends one more of each kind while a model is full, and lets those go that fill it: they are served. */
async function askBeyond(
  t: RouterContext,
  { model, places }: Crowd,
  { early, script, release, answers }: Holding,
  at: Judgement[],
): Promise<Pick<FilledModel, 'beyond' | 'isOverdue'>> {
  at.push(allAtOnce(early, places));
  if (early.length > 0) throw new Inconclusive(`the places of ${model} could not be filled`);
  const isFull = async () => (await t.backend.counts(script)).held >= places;
  const sent = Promise.all(kindsAndKeys(t).map(async (kind) => oneBeyond(t, model, kind)));
  const isOverdue = await parksTooLong(t, sent, isFull);
  const beyond = await sent;
  await requireFreeKey(
    t,
    beyond.map(({ exchange }) => exchange),
  );
  if (!isOverdue && !(await isFull())) {
    throw new Inconclusive(`the requests that took the places of ${model} ended too soon`);
  }
  await release();
  for (const exchange of await answers) {
    // One that its engine held past the deadline was let go for that.
    const mayFail = metDeadline(exchange, t.limits.requestTimeoutMs) || isInternalFailure(exchange);
    at.push(mayFail ? notObserved : succeeded(exchange));
  }
  return { beyond, isOverdue };
}

/** One more request of a kind, to an engine that answers. What the messages route cannot serve is refused for that. */
async function oneBeyond(
  t: RouterContext,
  model: string,
  kind: RequestKind,
): Promise<BeyondPlaces> {
  let hits = 0;
  const exchange = await firstAnswer(async (call) => {
    const options = { ...kind, ...call, model, unbounded: true };
    const provoked = await provoke(t, complete(), options);
    hits = Math.max(provoked.hits, await hitsOfRefused(t, provoked.script));
    return provoked.exchange;
  });
  return { exchange, hits, native: kind.route === 'chat' && kind.as === undefined };
}

/** Throws `Inconclusive` where a rate refuses the key itself: then it says nothing of the model. */
export async function requireFreeKey(
  t: RouterContext,
  answers: readonly Exchange[],
): Promise<void> {
  if (!answers.some(isRateLimited)) return;
  const options = { maxTokens: FEW_TOKENS, repeat: false };
  const plain = await t.api.chat(await t.anyModel(), options);
  if (isRateLimited(plain)) throw new Inconclusive('the client key is over its own rate limit');
}

/** What was seen of requests beyond the slots of an agent, which may wait for one. */
export interface BeyondSlots {
  readonly beyond: readonly Pick<BeyondPlaces, 'exchange' | 'native'>[];
  /** The most requests that its engine saw at once while those that fill the slots were there. */
  readonly peak: number;
}

/** Fills the slots of an agent, and sends one more of each kind, for which its engine waits as well. */
export async function fillSlots(t: RouterContext, { model, places }: Crowd): Promise<BeyondSlots> {
  const send = async (script: string) => t.api.chat(model, { script, unbounded: true });
  const { beyond, answers, script } = await whileHeld(
    t,
    { count: places, send },
    async (holding) => {
      if (holding.early.length > 0) {
        throw new Inconclusive(`the slots of ${model} could not be filled`);
      }
      // The same script: whoever gets a slot at the last moment is held too, and not served.
      const sent = requestKinds.map(async ({ route, stream }) => ({
        exchange: await firstAnswer(async (call) =>
          t.api.infer(route, model, { ...call, script: holding.script, stream, unbounded: true }),
        ),
        native: route === 'chat',
      }));
      return { ...holding, beyond: await t.quietly(async () => Promise.all(sent)) };
    },
  );
  return { beyond, peak: mostBesideAll(await t.backend.hits(script), await answers) };
}
