/** Requests to models over and under their shedding threshold. */

import { complete } from '../../backend/behaviours.ts';
import { isCrowded } from '../../checks/router/crowding.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { FEW_TOKENS } from './client-routes.ts';
import { firstAnswer } from './first-answer.ts';
import { requireFixture } from './fixture.ts';
import { provoke, type Provoked } from './provoke.ts';
import type { RouterContext } from './session.ts';
import { retry } from '../../runner/retry.ts';

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
