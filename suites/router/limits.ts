/** Limits: the size of request bodies, the length of model ids, and a policy's caps on input tokens and images. */

import { boolean, constantFrom, tuple } from 'fast-check';
import { codeOf } from '../../harness/checks/router/envelope.ts';
import {
  cameIn,
  endedWith,
  judgedByLength,
  notRefusedForLength,
  notTooLarge,
  outcomeText,
  refusedAsTooLarge,
} from '../../harness/checks/router/outcome.ts';
import { idsBeyond, modelIdLength, unknownIdOf } from '../../harness/generate/ids.ts';
import type { InferenceOptions } from '../../harness/drivers/router/api.ts';
import {
  FEW_TOKENS,
  proxyRouteNames,
  reachNoEngine,
  unknownModelOn,
} from '../../harness/drivers/router/client-routes.ts';
import { requireFixture } from '../../harness/drivers/router/fixtures.ts';
import { type RouterContext, routerSection } from '../../harness/drivers/router/session.ts';
import { NotExercised } from '../../harness/runner/case.ts';
import {
  conversation,
  linkedImages,
  post,
  wordsBeyond,
} from '../../harness/drivers/router/bodies.ts';
import { MODEL_ID_LENGTH } from '../../schemas/router/limits.ts';
import {
  imagesNotTooMany,
  MAX_TOKENS_PER_IMAGE,
  mayBeTokens,
  notTooLong,
  tooLong,
} from '../../harness/checks/limits/budget.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';

/** The default limit in bytes; a router that accepts more has no limit. */
const DEFAULT_LIMIT = 10_485_760;
/** The smallest limit that leaves room for a request, and the largest body that the suite sends, in bytes. */
const MIN_BYTES = 1_024;
const MAX_BYTES = 64 * 1024 * 1024;

/** The limit on request bodies. Throws `NotExercised` if the suite cannot reach it. */
function limitOf(t: RouterContext): number {
  const limit = t.limits.maxRequestBytes ?? 0;
  if (limit === 0) throw new NotExercised('the router has no limit on bodies');
  if (limit < MIN_BYTES || limit > MAX_BYTES) {
    throw new NotExercised(
      `a limit of ${limit} bytes is not between ${MIN_BYTES} and ${MAX_BYTES}`,
      'limits: { maxRequestBytes: 10485760 }',
    );
  }
  return limit;
}

const AT_LIMIT = 'router.limits.body-at-limit';
const OVER_LIMIT = 'router.limits.body-over-limit';
/** Bodies of one byte over the limit. The `wide` ones have fewer characters than the limit has bytes. */
const oversized = [
  ['chat', {}, OVER_LIMIT],
  ['chat', { wide: true }, OVER_LIMIT],
  ['chat', { chunked: true }, `${OVER_LIMIT}-chunked`],
  ['chat', { chunked: true, wide: true }, `${OVER_LIMIT}-chunked`],
  ...[{}, { chunked: true }].flatMap((sized) =>
    proxyRouteNames.map((route) => [route, sized, `${OVER_LIMIT}-proxy`] as const),
  ),
] as const;

const exactlyAtLimit = [
  ['chat', {}],
  ['chat', { chunked: true }],
  ...proxyRouteNames.map((route, at) => [route, at % 2 === 1 ? { chunked: true } : {}] as const),
] as const;

/** A token cap that the smallest request certainly stays under: its whole body has about eighty bytes. */
const MIN_CAP = 100;
/** A rejected text is this many times over the cap: enough for any estimate, but under a cap that is ten times too high. */
const TIMES_OVER = 4;

/** The cap on input tokens. Throws `NotExercised` if it leaves no room for a request below it. */
function tokenCapOf(t: RouterContext): number {
  const cap = requireFixture(t, 'capped').maxInputTokens ?? 0;
  if (cap >= MIN_CAP) return cap;
  throw new NotExercised(
    `a token cap of ${cap} is too low: a router may count the whole request, which would exceed it`,
    `models: { capped: { id: ..., maxInputTokens: ${MIN_CAP} } }`,
  );
}

function overEachCap(t: RouterContext): readonly InferenceOptions[] {
  const { maxInputTokens, imagesMax } = requireFixture(t, 'capped');
  return [
    ...(maxInputTokens === undefined ? [] : [{ text: wordsBeyond(t, maxInputTokens) }]),
    ...(imagesMax === undefined ? [] : [{ images: imagesMax + 1 }]),
  ];
}

/** Conversations over a token cap as a whole: in the first no single message is, in the second no message of the user. */
function overAsAWhole(t: RouterContext): readonly InferenceOptions[] {
  const half = wordsBeyond(t, tokenCapOf(t), { times: 1 / 2 });
  const twice = wordsBeyond(t, tokenCapOf(t), { times: TIMES_OVER / 2 });
  const turn = [['user', half] as const, ['assistant', half] as const];
  return [
    conversation(...Array.from({ length: TIMES_OVER }, () => turn).flat(), ['user', 'Go on.']),
    conversation(['system', twice], ['user', 'Hi.'], ['assistant', twice], ['user', 'Go on.']),
  ];
}

export default routerSection('limits', (test) => {
  test(
    'a body of exactly the limit comes in, one byte more does not',
    {
      judges: [AT_LIMIT, OVER_LIMIT, `${OVER_LIMIT}-chunked`, `${OVER_LIMIT}-proxy`],
    },
    async (t) => {
      const limit = limitOf(t);
      for (const [route, sized, id] of oversized) {
        const exchange = await post(t, limit + 1, route, sized);
        t.judge(id, refusedAsTooLarge(exchange));
      }
      for (const [route, sized] of exactlyAtLimit) {
        t.judge(AT_LIMIT, cameIn(await post(t, limit, route, sized)));
      }
    },
  );

  test(
    'a body over the limit reaches no engine',
    { judges: ['router.limits.body-over-limit-reaches-no-engine'] },
    async (t) => {
      const model = requireFixture(t, 'chat');
      for (const transfer of [{}, { chunked: true }]) {
        const judgement = await reachNoEngine(t, { route: 'chat' }, async (script) => [
          await post(t, limitOf(t) + 1, 'chat', { ...transfer, model, script }),
        ]);
        t.judge('router.limits.body-over-limit-reaches-no-engine', judgement);
      }
    },
  );

  test(
    'without a limit a body over the default limit comes in',
    { judges: ['router.limits.body-limit-disabled'] },
    async (t) => {
      if (t.limits.maxRequestBytes !== 0) {
        throw new NotExercised(
          'the router has a limit on bodies; the case is for a router without one',
        );
      }
      t.judge(
        'router.limits.body-limit-disabled',
        notTooLarge(await post(t, DEFAULT_LIMIT + 1, 'chat')),
      );
    },
  );

  test(
    'an oversize body without credentials',
    { judges: ['router.limits.oversize-order'] },
    async (t) => {
      const exchange = await post(t, limitOf(t) + 1, 'chat', { as: null });
      t.record('router.limits.oversize-order', outcomeText(exchange), exchange);
    },
  );
  test(
    'model ids of 255 and 256 characters are refused like any unknown id, 257 as invalid',
    {
      judges: ['router.limits.model-id-256', 'router.limits.model-id-257-chat'],
    },
    async (t) => {
      const short = await unknownModelOn(t, 'chat');
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
        { weight: 0.8, examples: idsBeyond(MODEL_ID_LENGTH, t.limits.maxRequestBytes) },
      );
    },
  );

  test(
    'a model id of 257 characters is refused on each proxy route, one of 256 is not',
    {
      judges: ['router.limits.model-id-257-proxy', 'router.limits.model-id-256'],
    },
    async (t) => {
      for (const route of proxyRouteNames) {
        const short = await unknownModelOn(t, route);
        const longest = await t.api.infer(route, unknownIdOf(MODEL_ID_LENGTH));
        t.judge('router.limits.model-id-256', notRefusedForLength(longest, short));
        const exchange = await t.api.infer(route, unknownIdOf(MODEL_ID_LENGTH + 1));
        t.judge('router.limits.model-id-257-proxy', endedWith(exchange, ['request_invalid']));
      }
    },
  );

  test(
    'model ids with characters outside ASCII',
    { judges: ['router.limits.model-id-not-ascii'] },
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
      // A model without image support would reject the image itself.
      const withImage = imagesMax > 0 ? [{ images: 1 }] : [];
      const texts = [{}, { stream: true }, ...withImage].map((one) => ({ text, ...one }));
      for (const asked of [...texts, ...overAsAWhole(t)]) {
        const over = await t.api.chat(id, { ...asked, maxTokens: FEW_TOKENS });
        t.judge('router.limits.input-tokens-over', tooLong(over, t.limits));
      }
      // However much is asked for, it is no input.
      for (const maxTokens of [FEW_TOKENS, TIMES_OVER * tokenCapOf(t)]) {
        const under = await t.api.chat(id, { text: 'Hi.', maxTokens });
        t.judge('router.limits.input-tokens-under', notTooLong(under));
      }
    },
  );

  test(
    'one image more than the cap is too long, as many as it allows are not',
    { judges: ['router.limits.images-over', 'router.limits.images-at'] },
    async (t) => {
      const { id, maxInputTokens, imagesMax: cap = 0 } = requireFixture(t, 'capped');
      for (const where of [{}, { stream: true }]) {
        const over = await t.api.chat(id, { images: cap + 1, ...where, maxTokens: FEW_TOKENS });
        t.judge('router.limits.images-over', tooLong(over, t.limits));
      }
      for (const messages of [linkedImages(cap + 1), linkedImages(1, cap)]) {
        const over = await t.api.chat(id, { ...messages, maxTokens: FEW_TOKENS });
        t.judge('router.limits.images-over', endedWith(over, ['input_too_long']));
      }
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

  for (const [route, requirement] of [
    ['chat', 'router.limits.input-caps-reach-no-engine'],
    ['messages', 'router.limits.input-caps-on-messages'],
  ] as const) {
    test(
      `a request over a cap reaches no engine on the ${route} route`,
      { judges: [requirement] },
      async (t) => {
        const { id } = requireFixture(t, 'capped');
        const judgement = await reachNoEngine(t, { route, model: id }, async (script) => {
          const refused: Exchange[] = [];
          for (const over of overEachCap(t)) {
            for (const stream of [false, true]) {
              const asked = { ...over, script, stream, maxTokens: FEW_TOKENS };
              refused.push(await t.api.infer(route, id, asked));
            }
          }
          return refused;
        });
        t.judge(requirement, judgement);
      },
    );
  }
});
