/** What the quotas of a key refuse: requests of every kind when its bucket is empty, and models that they do not declare. */

import { complete } from '../../backend/behaviour.ts';
import { type Judgement, notObserved, together } from '../../checks/judgement.ts';
import { becameLimited, foundEmpty, isRateLimited } from '../../checks/limits/bucket.ts';
import { remainingOf } from '../../checks/limits/quota.ts';
import { codeOf, isInternalFailure } from '../../checks/router/envelope.ts';
import { endedWith, isSuccess, outcomeText } from '../../checks/router/outcome.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Experiment, Inconclusive } from '../../runner/case.ts';
import { retry } from '../../runner/retry.ts';
import { ask, bucketOf, emptied } from './buckets.ts';
import { askRoute, FEW_TOKENS, requestShapes, servedRoutes } from './client-routes.ts';
import { onceServed } from './ejection.ts';
import { requireKey } from './fixtures.ts';
import { hitsOfRefused } from './hold.ts';
import { type Exhausted, type OverLimit, untilRefused } from './provoke.ts';
import type { RouterContext } from './session.ts';

const CODE = 'rate_limit_exceeded';

/** Simultaneous requests when little should be left in a bucket. */
const FEW_AT_ONCE = 2;

/** Most tries to use another key right after this one was refused. */
const ROUNDS = 8;

/** Remaining requests above which the quota of another key does not matter. */
const PLENTY = 50;

/** Other keys whose own quota cannot interfere. */
async function otherKeys(t: RouterContext, model: string): Promise<readonly string[]> {
  const generous: string[] = [];
  for (const as of ['unlimited', 'second', 'client'] as const) {
    if (t.target.keys[as] === undefined) continue;
    // An earlier case may have left the bucket empty, and a router may refuse another key for that.
    const send = async () => t.api.chat(model, { as, maxTokens: FEW_TOKENS, repeat: false });
    const served = async () => onceServed(t, model, send);
    const exchange = await retry(t, 'otherKeyFree', served, (one) => !isRateLimited(one));
    if (isSuccess(exchange) && (remainingOf(exchange, 'requests') ?? Infinity) > PLENTY)
      generous.push(as);
  }
  return generous;
}

/** Empties the bucket with requests of one kind. Returns the refusal, and its engine hits if they are known. */
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

/** Whether each kind of request found the bucket as the one before left it. Each replica may have its own bucket. */
function foundEmptyInTurn(t: RouterContext, empty: readonly Exhausted[]): readonly Judgement[] {
  if (t.limits.replicas !== 1) return [];
  return empty.flatMap((next, at) => {
    const before = empty[at - 1]?.last;
    return before === undefined ? [] : [foundEmpty(before, next, bucketOf(t))];
  });
}

/** Most laden requests that are sent to an empty bucket, a few at a time: more than refill meanwhile. */
const LADEN = 12;

/**
 * Whether requests that carry much more than others find the bucket as those left it. Only successes count, since the model
 * may not take all that they carry.
 */
async function ladenFoundEmpty(t: RouterContext, before: Exchange | undefined): Promise<Judgement> {
  if (t.limits.replicas !== 1 || before === undefined) return notObserved;
  const send = async () => ask(t, { laden: true });
  const found = await untilRefused(send, { code: CODE, most: LADEN, atOnce: FEW_AT_ONCE });
  return foundEmpty(before, found, bucketOf(t));
}

/** Empties the bucket with each kind of request, then uses other keys right after refusals; once for all cases. */
export const bucketExceeded = new Experiment(async (t: RouterContext): Promise<OverLimit> => {
  const model = await t.anyModel();
  const { as } = bucketOf(t);
  const others = await otherKeys(t, model);
  // Sent with a key that has room, since an earlier case may have emptied the bucket.
  const [free = as] = others;
  const proxied = await t.api.infer('messages', model, { as: free, maxTokens: FEW_TOKENS });
  const empty = [];
  // Includes the messages route if the model is served there.
  for (const shape of requestShapes.filter(({ route }) => route === 'chat' || isSuccess(proxied))) {
    empty.push(await emptiedBy(t, shape));
  }
  // Whether these routes use the same bucket is open: the universal checks judge what they report.
  const unsure = (['embeddings', 'rerank'] as const).filter((one) => servedRoutes(t).includes(one));
  for (const route of unsure) {
    // What has filled in meanwhile is taken first.
    await untilRefused(async () => ask(t, { repeat: false }), {
      code: 'rate_limit_exceeded',
      most: FEW_AT_ONCE,
    });
    await askRoute(t, route, { as });
  }
  const found = await ladenFoundEmpty(t, empty.at(-1)?.last);
  const beside: Exchange[] = [];
  for (let left = ROUNDS; left > 0 && beside.length < others.length; left -= 1) {
    const refused = await ask(t, { repeat: false });
    const call = { maxTokens: FEW_TOKENS, repeat: false, urgent: true };
    const other = others[beside.length] ?? 'client';
    const exchange = await t.api.chat(model, { ...call, as: other });
    if (isRateLimited(refused)) beside.push(exchange);
  }
  return {
    limited: together(
      ...empty.map(({ last, sent }) => becameLimited(last, sent)),
      ...foundEmptyInTurn(t, empty),
      found,
    ),
    refused: empty.map(({ last }) => last).filter(isRateLimited),
    beyond: empty.flatMap(({ last, hits }) =>
      hits === undefined ? [] : [{ exchange: last, hits }],
    ),
    others: others.length === 0 ? undefined : beside,
  };
});

/** Requests a model that the key's quotas do not declare. Throws `Inconclusive` when another key is not served either. */
export async function undeclaredAsked(t: RouterContext): Promise<OverLimit> {
  const { key: as, undeclared: model } = requireKey(t, 'perModel');
  const script = await t.backend.script([complete()]);
  // A request with a script is not repeated by itself, and a failure inside the router may pass.
  const asked = async (route: 'chat' | 'messages', stream: boolean) => {
    const send = async () => t.api.infer(route, model, { as, script, stream });
    return retry(t, 'onceMore', send, (one) => !isInternalFailure(one));
  };
  const plain = await asked('chat', false);
  const streamed = await asked('chat', true);
  const proxied = await asked('messages', false);
  const streamedToo = await asked('messages', true);
  await t.api.chat(model, { as, script, laden: true, maxTokens: FEW_TOKENS });
  const hits = await hitsOfRefused(t, script);
  const control = await t.api.chat(model, { script });
  if ((await t.backend.counts(script)).hits === hits) {
    throw new Inconclusive(
      `${model} is not served to another key either (${outcomeText(control)})`,
    );
  }
  // The transparent routes have the same quotas, but which refusal comes first there is open, unless nothing else refuses.
  const isServed = isSuccess(await t.api.infer('messages', model, { script, stream: true }));
  const conclusive = [proxied, streamedToo].filter(
    (one) => isServed || codeOf(one) === 'model_forbidden',
  );
  return {
    limited: together(...[plain, streamed, ...conclusive].map((one) => endedWith(one, [CODE]))),
    refused: [plain, streamed, proxied, streamedToo].filter(isRateLimited),
    beyond: [{ exchange: plain, hits }],
    others: [control],
  };
}

/** Throws `Inconclusive` when the key itself is over its rate, since then it says nothing about the model. */
export async function requireFreeKey(
  t: RouterContext,
  answers: readonly Exchange[],
): Promise<void> {
  if (!answers.some(isRateLimited)) return;
  const options = { maxTokens: FEW_TOKENS, repeat: false };
  const plain = await t.api.chat(await t.anyModel(), options);
  if (isRateLimited(plain)) throw new Inconclusive('the client key is over its own rate limit');
}
