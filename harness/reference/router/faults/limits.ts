/** Limits on bodies and inputs that hold too early, too late, or nowhere. */

import { type RequestBody, type RequestContext, RouterFailure } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import { unless, replace, amend, faultTable, answering, refusal, withCode } from './answering.ts';
import { refusingLate } from './late.ts';

const ID = 'router.limits';
const isChat = ({ path }: RequestContext): boolean => path === '/v1/chat/completions';
const isChunked = ({ headers }: RequestContext): boolean => headers['content-length'] === undefined;

/** Lets bodies of some requests in whatever their size. */
function letting(test: (context: RequestContext) => boolean) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    fits: (bytes, limit, context) => test(context) || rules.fits(bytes, limit, context),
  });
}

/** The size limit of a request that asks whether its body fits. */
const limitFor = new WeakMap<RequestContext, number>();

/** A request without the messages before its last one. */
function lastMessageOf(body: RequestBody): RequestBody {
  const messages = body['messages'];
  return Array.isArray(messages) ? { ...body, messages: messages.slice(-1) } : body;
}

export const limitFaults = [
  ...faultTable({
    'router.limits.body-at-limit': {
      'body-at-limit-refused': unless('fits', (bytes, limit) => bytes === limit, false),
    },
    'router.limits.body-over-limit': {
      'body-one-over-limit-let-in': replace('fits', (original, bytes, limit, context) =>
        original(isChat(context) && !isChunked(context) ? bytes - 1 : bytes, limit, context),
      ),
      'body-limit-counts-characters': {
        besides: ['router.limits.body-over-limit-chunked'],
        patch: (rules) => ({
          fits: (_bytes, limit, context) => {
            limitFor.set(context, limit);
            return true;
          },
          parse: (bytes, context) => {
            const characters = Buffer.from(bytes).toString('utf8').length;
            if (rules.fits(characters, limitFor.get(context) ?? 0, context))
              return rules.parse(bytes, context);
            throw new RouterFailure('too_large', 'the body is too large', { status: 413 });
          },
        }),
      },
    },
    'router.limits.body-over-limit-chunked': {
      'chunked-bodies-unlimited': {
        says: 'Looks at the declared length alone, which chunked bodies do not have.',
        besides: ['router.limits.body-over-limit-proxy'],
        patch: letting(isChunked),
      },
    },
    'router.limits.body-over-limit-reaches-no-engine': {
      'oversize-refused-late': {
        says: 'Asks an engine before it refuses a body over the size limit.',
        patch: refusingLate(
          (rules, mark) => ({
            fits: (bytes, limit, context) => {
              if (rules.fits(bytes, limit, context)) return true;
              mark(context);
              return isChat(context);
            },
          }),
          (reply) => refusal(reply, 413, 'too_large'),
        ),
      },
    },
    'router.limits.input-tokens-over': {
      'input-cap-is-ten-times-as-high': replace(
        'withinCaps',
        (original, model, input, images, context) => original(model, input / 10, images, context),
      ),
      'input-cap-ignored-in-streams': replace(
        'withinCaps',
        (original, model, input, images, context) =>
          original(model, context.stream ? 0 : input, images, context),
      ),
      'input-cap-counts-no-parts': unless(
        'estimateInput',
        (body) => JSON.stringify(body).includes('"type":"text"'),
        1,
      ),
      'input-cap-counts-the-last-message': replace('estimateInput', (original, body, context) =>
        original(lastMessageOf(body), context),
      ),
    },
    'router.limits.input-tokens-under': {
      'capped-model-refuses-everything-long': replace(
        'withinCaps',
        (original, model, input, images, context) =>
          original(model, images === 0 ? input * 1_000_000 : input, images, context),
      ),
    },
    'router.limits.images-over': {
      'image-cap-ignored': {
        besides: ['router.limits.input-caps-reach-no-engine'],
        patch: () => ({ countImages: () => 0 }),
      },
      'one-image-over-the-cap-passes': {
        says: 'Lets one image more through than a policy allows.',
        besides: ['router.limits.input-caps-reach-no-engine'],
        patch: replace('countImages', (original, body, context) =>
          Math.max(0, original(body, context) - 1),
        ),
      },
      'images-over-the-cap-are-413': {
        besides: ['router.codes.input_too_long-status'],
        patch: (rules) => {
          const images = new WeakSet<RequestContext>();
          const noted: RouterRules = {
            ...rules,
            countImages: (body, context) => {
              const count = rules.countImages(body, context);
              if (count > 0) images.add(context);
              return count;
            },
          };
          return answering(
            (reply, context) => images.has(context) && withCode('input_too_long')(reply, context),
            (reply) => refusal(reply, 413, 'input_too_long'),
          )(noted);
        },
      },
      'image-cap-counts-the-last-message': replace('countImages', (original, body, context) =>
        original(lastMessageOf(body), context),
      ),
      'linked-images-not-counted': unless(
        'countImages',
        (body) => /"url":"https?:/u.test(JSON.stringify(body)),
        0,
      ),
    },
    'router.limits.images-at': {
      'images-at-the-cap-refused': amend('countImages', (count) => (count === 0 ? 0 : count + 1)),
    },
    'router.limits.input-caps-on-messages': {
      'image-cap-ignored-on-messages': unless(
        'countImages',
        (_body, context) => context.path === '/v1/messages',
        0,
      ),
    },
    'router.limits.input-caps-reach-no-engine': {
      'caps-looked-at-late': {
        says: 'Asks an engine before it refuses an input over a cap.',
        patch: refusingLate(
          (rules, mark) => ({
            withinCaps: (model, input, images, context) => {
              if (!rules.withinCaps(model, input, images, context)) mark(context);
              return true;
            },
          }),
          (reply) => refusal(reply, 400, 'input_too_long'),
        ),
      },
    },
  }),
  ...(['messages', 'messages/count_tokens', 'embeddings', 'rerank'] as const).flatMap((route) =>
    faultTable({
      [`${ID}.body-over-limit-proxy`]: {
        [`${route.replace(/^.*\//u, '').replace('_', '-')}-bodies-unlimited`]: letting(
          ({ path }) => path === `/v1/${route}`,
        ),
      },
    }),
  ),
];
