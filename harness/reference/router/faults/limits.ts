/** Limits on bodies and inputs that hold too early, too late, or nowhere. */

import { declareFaults } from '../../fault.ts';
import type { RequestBody, RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, refusal, withCode } from './answering.ts';
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

export const limitFaults = declareFaults<RouterRules>([
  {
    name: 'body-at-limit-refused',
    summary: 'Refuses a body of exactly the size limit.',
    breaks: [`${ID}.body-at-limit`],
    patch: (rules) => ({
      ...rules,
      fits: (bytes, limit, context) => bytes !== limit && rules.fits(bytes, limit, context),
    }),
  },
  {
    name: 'body-one-over-limit-let-in',
    summary: 'Lets a body in that is one byte over the limit.',
    breaks: [`${ID}.body-over-limit`],
    patch: (rules) => ({
      ...rules,
      fits: (bytes, limit, context) =>
        rules.fits(isChat(context) && !isChunked(context) ? bytes - 1 : bytes, limit, context),
    }),
  },
  {
    name: 'body-limit-counts-characters',
    summary: 'Compares the size limit with the characters of a body and not with its bytes.',
    breaks: [`${ID}.body-over-limit`, `${ID}.body-over-limit-chunked`],
    patch: (rules) => ({
      ...rules,
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
  {
    name: 'chunked-bodies-unlimited',
    summary: 'Looks at the declared length alone, which chunked bodies do not have.',
    breaks: [`${ID}.body-over-limit-chunked`, `${ID}.body-over-limit-proxy`],
    patch: letting(isChunked),
  },
  ...(['messages', 'messages/count_tokens', 'embeddings', 'rerank'] as const).map((route) => ({
    name: `${route.replace(/^.*\//u, '').replace('_', '-')}-bodies-unlimited`,
    summary: `Does not limit bodies on the ${route} route.`,
    breaks: [`${ID}.body-over-limit-proxy`],
    patch: letting(({ path }) => path === `/v1/${route}`),
  })),
  {
    name: 'oversize-refused-late',
    summary: 'Asks an engine before it refuses a body over the size limit.',
    breaks: [`${ID}.body-over-limit-reaches-no-engine`],
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
  {
    name: 'input-cap-ignored',
    summary: 'Does not look at the token cap of a policy.',
    breaks: [`${ID}.input-tokens-over`, `${ID}.input-caps-reach-no-engine`],
    patch: (rules) => ({
      ...rules,
      withinCaps: (model, _input, images, context) => rules.withinCaps(model, 0, images, context),
    }),
  },
  {
    name: 'input-cap-is-ten-times-as-high',
    summary: 'Lets ten times as many tokens through as the cap of a policy says.',
    breaks: [`${ID}.input-tokens-over`],
    patch: (rules) => ({
      ...rules,
      withinCaps: (model, input, images, context) =>
        rules.withinCaps(model, input / 10, images, context),
    }),
  },
  {
    name: 'input-cap-ignored-in-streams',
    summary: 'Does not look at the token cap of a policy when a stream is asked for.',
    breaks: [`${ID}.input-tokens-over`],
    patch: (rules) => ({
      ...rules,
      withinCaps: (model, input, images, context) =>
        rules.withinCaps(model, context.stream ? 0 : input, images, context),
    }),
  },
  {
    name: 'capped-model-refuses-everything-long',
    summary: 'Takes every input for too long where a token cap is set.',
    breaks: [`${ID}.input-tokens-under`],
    patch: (rules) => ({
      ...rules,
      withinCaps: (model, input, images, context) =>
        rules.withinCaps(model, images === 0 ? input * 1_000_000 : input, images, context),
    }),
  },
  {
    name: 'image-cap-ignored',
    summary: 'Does not count images.',
    breaks: [`${ID}.images-over`, `${ID}.input-caps-reach-no-engine`],
    patch: (rules) => ({ ...rules, countImages: () => 0 }),
  },
  {
    name: 'one-image-over-the-cap-passes',
    summary: 'Lets one image more through than a policy allows.',
    breaks: [`${ID}.images-over`, `${ID}.input-caps-reach-no-engine`],
    patch: (rules) => ({
      ...rules,
      countImages: (body, context) => Math.max(0, rules.countImages(body, context) - 1),
    }),
  },
  {
    name: 'images-over-the-cap-are-413',
    summary: 'Gives input_too_long for images the status of an oversize body.',
    breaks: [`${ID}.images-over`, 'router.codes.input_too_long-status'],
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
  {
    name: 'images-at-the-cap-refused',
    summary: 'Refuses as many images as a policy allows.',
    breaks: [`${ID}.images-at`],
    patch: (rules) => ({
      ...rules,
      countImages: (body, context) => {
        const count = rules.countImages(body, context);
        return count === 0 ? 0 : count + 1;
      },
    }),
  },
  {
    name: 'input-cap-counts-no-parts',
    summary: 'Counts no text of a message that comes in parts.',
    breaks: [`${ID}.input-tokens-over`],
    patch: (rules) => ({
      ...rules,
      estimateInput: (body, context) =>
        JSON.stringify(body).includes('"type":"text"') ? 1 : rules.estimateInput(body, context),
    }),
  },
  {
    name: 'input-cap-counts-the-last-message',
    summary: 'Sets the last message of a conversation alone against the token cap of a policy.',
    breaks: [`${ID}.input-tokens-over`],
    patch: (rules) => ({
      ...rules,
      estimateInput: (body, context) => rules.estimateInput(lastMessageOf(body), context),
    }),
  },
  {
    name: 'image-cap-counts-the-last-message',
    summary: 'Counts the images of the last message of a conversation alone.',
    breaks: [`${ID}.images-over`],
    patch: (rules) => ({
      ...rules,
      countImages: (body, context) => rules.countImages(lastMessageOf(body), context),
    }),
  },
  {
    name: 'linked-images-not-counted',
    summary: 'Counts the images that a request brings along, and not those at addresses.',
    breaks: [`${ID}.images-over`],
    patch: (rules) => ({
      ...rules,
      countImages: (body, context) =>
        /"url":"https?:/u.test(JSON.stringify(body)) ? 0 : rules.countImages(body, context),
    }),
  },
  {
    name: 'image-cap-ignored-on-messages',
    summary: 'Counts no images on the messages route.',
    breaks: [`${ID}.input-caps-on-messages`],
    patch: (rules) => ({
      ...rules,
      countImages: (body, context) =>
        context.path === '/v1/messages' ? 0 : rules.countImages(body, context),
    }),
  },
  {
    name: 'caps-looked-at-late',
    summary: 'Asks an engine before it refuses an input over a cap.',
    breaks: [`${ID}.input-caps-reach-no-engine`],
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
]);
