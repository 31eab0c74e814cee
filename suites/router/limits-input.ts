/** Limits: the length of model ids, and the caps of a policy on input tokens and images. */

import { boolean, constantFrom, tuple } from 'fast-check';
import { complete } from '../../harness/backend/behaviour.ts';
import { together } from '../../harness/checks/judgement.ts';
import {
  endedWith,
  judgedByLength,
  notRefusedForLength,
  notTooLarge,
  outcomeText,
} from '../../harness/checks/router/outcome.ts';
import { reachedNoEngine } from '../../harness/checks/router/tries.ts';
import { codeOf } from '../../harness/checks/router/envelope.ts';
import {
  imagesNotTooMany,
  mayBeTokens,
  MAX_TOKENS_PER_IMAGE,
  notTooLong,
} from '../../harness/checks/limits/budget.ts';
import { modelIdLength, unknownIdOf } from '../../harness/generate/ids.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import type { InferenceOptions } from '../../harness/drivers/router/api.ts';
import { FEW_TOKENS, proxyRouteNames } from '../../harness/drivers/router/client-routes.ts';
import { requireFixture } from '../../harness/drivers/router/fixtures.ts';
import { hitsOfRefused } from '../../harness/drivers/router/hold.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { wordsBeyond } from '../../harness/drivers/router/bodies.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/case.ts';
import { MODEL_ID_LENGTH } from '../../schemas/router/limits.ts';

/** Tokens under which the smallest of requests is, by any estimate: a whole body of them has some eighty bytes. */
const MIN_CAP = 100;

/** How many times over the cap a text is that must be refused: far for any estimate, and too near for a cap of ten times as much. */
const TIMES_OVER = 4;

/** A cap that a request must be far over, and that leaves room to be far under. */
function tokenCapOf(t: RouterContext): number {
  const cap = requireFixture(t, 'capped').maxInputTokens ?? 0;
  if (cap >= MIN_CAP) return cap;
  throw new NotExercised(
    `a token cap of ${cap} leaves no room below it: a router may count the whole of a request`,
    `models: { capped: { id: ..., maxInputTokens: ${MIN_CAP} } }`,
  );
}

/** Requests over each cap that a model has. */
function overEachCap(t: RouterContext): readonly InferenceOptions[] {
  const { maxInputTokens, imagesMax } = requireFixture(t, 'capped');
  return [
    ...(maxInputTokens === undefined ? [] : [{ text: wordsBeyond(t, maxInputTokens) }]),
    ...(imagesMax === undefined ? [] : [{ images: imagesMax + 1 }]),
  ];
}

/** The routes on which caps are judged, and by which requirement. */
const cappedRoutes = [
  ['chat', 'router.limits.input-caps-reach-no-engine'],
  ['messages', 'router.limits.input-caps-on-messages'],
] as const;

function imageCapOf(t: RouterContext): number {
  return requireFixture(t, 'capped').imagesMax ?? 0;
}

/** Images in the last message of a conversation, at addresses under which there is nothing. */
function linked(images: number): InferenceOptions {
  const url = 'https://images.invalid/pixel.png';
  const image = { type: 'image_url', image_url: { url } };
  const content = [{ type: 'text', text: 'Hi.' }, ...Array.from({ length: images }, () => image)];
  const messages = [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content },
  ];
  return { extra: { messages } };
}

export default routerSection('limits', (test) => {
  test(
    'model ids of 255 and 256 characters are refused like any unknown id, 257 as invalid',
    {
      judges: ['router.limits.model-id-256', 'router.limits.model-id-257-chat'],
      aside: true,
      requests: 24,
    },
    async (t) => {
      const short = await t.api.chat(unknownIdOf(40));
      for (const length of [MODEL_ID_LENGTH - 1, MODEL_ID_LENGTH]) {
        const exchange = await t.api.chat(unknownIdOf(length));
        t.judge('router.limits.model-id-256', notRefusedForLength(exchange, short));
      }
      const long = await t.api.chat(unknownIdOf(MODEL_ID_LENGTH + 1));
      t.judge('router.limits.model-id-257-chat', endedWith(long, ['request_invalid']));
      await t.property(
        'model ids by length',
        tuple(modelIdLength(MODEL_ID_LENGTH), constantFrom('', 'plumbline/'), boolean()),
        async ([length, owner, stream], judge) => {
          const id = unknownIdOf(length - owner.length);
          const exchange = await t.api.chat(`${owner}${id}`, { stream });
          const slug = length > MODEL_ID_LENGTH ? 'model-id-257-chat' : 'model-id-256';
          judge(`router.limits.${slug}`, judgedByLength(exchange, length, short));
        },
      );
    },
  );

  test(
    'a model id of 257 characters is refused on each proxy route, one of 256 is not',
    {
      judges: ['router.limits.model-id-257-proxy', 'router.limits.model-id-256'],
      aside: true,
      requests: 12,
    },
    async (t) => {
      for (const route of proxyRouteNames) {
        const short = await t.api.infer(route, unknownIdOf(40));
        const longest = await t.api.infer(route, unknownIdOf(MODEL_ID_LENGTH));
        t.judge('router.limits.model-id-256', notRefusedForLength(longest, short));
        const exchange = await t.api.infer(route, unknownIdOf(MODEL_ID_LENGTH + 1));
        t.judge('router.limits.model-id-257-proxy', endedWith(exchange, ['request_invalid']));
      }
    },
  );

  test(
    'model ids with characters outside ASCII',
    { judges: ['router.limits.model-id-not-ascii'], aside: true },
    async (t) => {
      for (const [what, id] of [
        ['129 characters of two UTF-16 units each', '🚀'.repeat(129)],
        ['86 characters of three bytes each', '世'.repeat(86)],
        ['256 characters of three bytes each', '世'.repeat(256)],
        ['257 characters of three bytes each', '世'.repeat(257)],
      ] as const) {
        const exchange = await t.api.chat(id);
        t.record('router.limits.model-id-not-ascii', `${what}: ${outcomeText(exchange)}`, exchange);
      }
    },
  );

  test(
    'an input far over the token cap is too long, one far under it is not',
    { judges: ['router.limits.input-tokens-over', 'router.limits.input-tokens-under'] },
    async (t) => {
      const { id, imagesMax = 0 } = requireFixture(t, 'capped');
      const text = wordsBeyond(t, tokenCapOf(t), { times: TIMES_OVER });
      // A model that sees no images refuses one for that.
      const withImage = imagesMax > 0 ? [{ images: 1 }] : [];
      for (const where of [{}, { stream: true }, { earlier: true }, ...withImage]) {
        const over = await t.api.chat(id, { text, ...where, maxTokens: FEW_TOKENS });
        t.judge(
          'router.limits.input-tokens-over',
          together(endedWith(over, ['input_too_long']), notTooLarge(over)),
        );
      }
      const under = await t.api.chat(id, { text: 'Hi.', maxTokens: FEW_TOKENS });
      t.judge('router.limits.input-tokens-under', notTooLong(under));
    },
  );

  test(
    'one image more than the cap is too long, as many as it allows are not',
    { judges: ['router.limits.images-over', 'router.limits.images-at'] },
    async (t) => {
      const { id, maxInputTokens } = requireFixture(t, 'capped');
      const cap = imageCapOf(t);
      for (const where of [{}, { stream: true }, { earlier: true }]) {
        const over = await t.api.chat(id, { images: cap + 1, ...where, maxTokens: FEW_TOKENS });
        t.judge(
          'router.limits.images-over',
          together(endedWith(over, ['input_too_long']), notTooLarge(over)),
        );
      }
      const overByLinks = await t.api.chat(id, { ...linked(cap + 1), maxTokens: FEW_TOKENS });
      t.judge('router.limits.images-over', endedWith(overByLinks, ['input_too_long']));
      const at = await t.api.chat(id, { images: cap, maxTokens: FEW_TOKENS });
      t.judge('router.limits.images-at', imagesNotTooMany(at, cap, maxInputTokens));
      if (codeOf(at) === 'input_too_long' && mayBeTokens(cap, maxInputTokens)) {
        t.inconclusive(
          'router.limits.images-at',
          `${cap} images may be over the cap of ${maxInputTokens} tokens as well; with a maxInputTokens of ${cap * MAX_TOKENS_PER_IMAGE} they could not be`,
        );
      }
    },
  );

  for (const [route, requirement] of cappedRoutes) {
    test(
      `a request over a cap reaches no engine on the ${route} route`,
      { judges: [requirement] },
      async (t) => {
        const { id } = requireFixture(t, 'capped');
        const script = await t.backend.script([complete()]);
        const refused: Exchange[] = [];
        for (const over of overEachCap(t)) {
          refused.push(await t.api.infer(route, id, { ...over, script, maxTokens: FEW_TOKENS }));
        }
        const hits = await hitsOfRefused(t, script);
        await t.api.infer(route, id, { script, maxTokens: FEW_TOKENS, text: 'Hi.' });
        if ((await t.backend.counts(script)).hits === hits) {
          throw new Inconclusive(`${id} does not ask the scripted backend`);
        }
        for (const exchange of refused) t.judge(requirement, reachedNoEngine(exchange, hits));
      },
    );
  }
});
