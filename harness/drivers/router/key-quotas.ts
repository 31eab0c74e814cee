/** What the quotas of a key refuse: whatever takes of its empty bucket, and models that they do not declare. */

import { complete } from '../../backend/behaviour.ts';
import { type Judgement, together } from '../../checks/judgement.ts';
import { becameLimited, foundEmpty, isRateLimited } from '../../checks/limits/bucket.ts';
import { remainingOf } from '../../checks/limits/quota.ts';
import { codeOf } from '../../checks/router/envelope.ts';
import { endedWith, isSuccess, outcomeText } from '../../checks/router/outcome.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Experiment, Inconclusive } from '../../runner/case.ts';
import { retry } from '../../runner/retry.ts';
import { ask, bucketOf, emptied } from './buckets.ts';
import { askRoute, FEW_TOKENS, requestShapes, servedRoutes } from './client-routes.ts';
import { requireKey } from './fixtures.ts';
import { hitsOfRefused } from './hold.ts';
import type { Exhausted, OverLimit } from './provoke.ts';
import type { RouterContext } from './session.ts';

/** Where there should be little left in a bucket. */
const FEW_AT_ONCE = 2;

/** How often other keys are asked at most, each until this one was refused right before. */
const ROUNDS = 8;

/** Requests of a key beyond which its own quota is no matter. */
const PLENTY = 50;

/** Keys that no quota of their own can be in the way of. */
async function otherKeys(t: RouterContext, model: string): Promise<readonly string[]> {
  const generous: string[] = [];
  for (const as of ['unlimited', 'second', 'client'] as const) {
    if (t.target.keys[as] === undefined) continue;
    // A case before this one may have left the bucket empty, and another key refused for it.
    const send = async () => t.api.chat(model, { as, maxTokens: FEW_TOKENS, repeat: false });
    const exchange = await retry(t, 'otherKeyFree', send, (one) => !isRateLimited(one));
    if (isSuccess(exchange) && (remainingOf(exchange, 'requests') ?? Infinity) > PLENTY)
      generous.push(as);
  }
  return generous;
}

/** Empties the bucket of the key by requests of one kind: the refusal, and how often an engine was asked for it, if one tells. */
async function emptiedBy(t: RouterContext, { route, stream }: (typeof requestShapes)[number]) {
  const { as } = bucketOf(t);
  const scripts = new Map<Exchange, string>();
  const send = async () => {
    const script = t.target.backend === undefined ? '' : await t.backend.script([complete()]);
    const call = { script, as, stream, maxTokens: FEW_TOKENS, urgent: true };
    const exchange = await t.api.infer(route, await t.anyModel(), call);
    scripts.set(exchange, script);
    return exchange;
  };
  const { empty } = await emptied(t, send, FEW_AT_ONCE);
  const script = isRateLimited(empty.last) ? scripts.get(empty.last) : undefined;
  return { ...empty, hits: script ? await hitsOfRefused(t, script) : undefined };
}

/** Whether each kind of requests found the bucket as the one before it had left it. Of several replicas each may have its own. */
function foundEmptyInTurn(t: RouterContext, empty: readonly Exhausted[]): readonly Judgement[] {
  if (t.limits.replicas !== 1) return [];
  return empty.flatMap((next, at) => {
    const before = empty[at - 1]?.last;
    return before === undefined ? [] : [foundEmpty(before, next, bucketOf(t))];
  });
}

/** Empties the bucket by requests of each kind, and asks other keys right after this one was refused: once for all cases. */
export const bucketExceeded = new Experiment(async (t: RouterContext): Promise<OverLimit> => {
  const model = await t.anyModel();
  const { as } = bucketOf(t);
  const others = await otherKeys(t, model);
  // By a key with room: a case before this one may have emptied the bucket.
  const [free = as] = others;
  const proxied = await t.api.infer('messages', model, { as: free, maxTokens: FEW_TOKENS });
  const empty = [];
  // On the messages route where the model is served there.
  for (const shape of requestShapes.filter(({ route }) => route === 'chat' || isSuccess(proxied))) {
    empty.push(await emptiedBy(t, shape));
  }
  const beside: Exchange[] = [];
  for (let left = ROUNDS; left > 0 && beside.length < others.length; left -= 1) {
    const refused = await ask(t, { repeat: false });
    const call = { maxTokens: FEW_TOKENS, repeat: false, urgent: true };
    const other = others[beside.length] ?? 'client';
    const exchange = await t.api.chat(model, { ...call, as: other });
    if (isRateLimited(refused)) beside.push(exchange);
  }
  // Whether their quotas are of the same bucket is open: the universal checks judge what they say.
  for (const route of ['embeddings', 'rerank'] as const) {
    if (servedRoutes(t).includes(route)) await askRoute(t, route, { as });
  }
  return {
    limited: together(
      ...empty.map(({ last, sent }) => becameLimited(last, sent)),
      ...foundEmptyInTurn(t, empty),
    ),
    refused: empty.map(({ last }) => last).filter(isRateLimited),
    beyond: empty.flatMap(({ last, hits }) =>
      hits === undefined ? [] : [{ exchange: last, hits }],
    ),
    others: others.length === 0 ? undefined : beside,
  };
});

/**
 * Asks in each form for a model that the quotas of a key do not declare. Throws `Inconclusive` where another key is not
 * served by it either.
 */
export async function undeclaredAsked(t: RouterContext): Promise<OverLimit> {
  const { key: as, undeclared: model } = requireKey(t, 'perModel');
  const script = await t.backend.script([complete()]);
  const plain = await t.api.chat(model, { as, script });
  const streamed = await t.api.chat(model, { as, script, stream: true });
  const proxied = await t.api.infer('messages', model, { as, script });
  const hits = await hitsOfRefused(t, script);
  const control = await t.api.chat(model, { script });
  if ((await t.backend.counts(script)).hits === hits) {
    throw new Inconclusive(
      `${model} is not served to another key either (${outcomeText(control)})`,
    );
  }
  // The transparent routes have the same quotas; which refusal comes first there is open.
  const conclusive =
    codeOf(proxied) === 'model_forbidden' ? [plain, streamed, proxied] : [plain, streamed];
  return {
    limited: together(...conclusive.map((one) => endedWith(one, ['rate_limit_exceeded']))),
    refused: [plain, streamed, proxied].filter(isRateLimited),
    beyond: [{ exchange: plain, hits }],
    others: [control],
  };
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
