/** Limits that do not hold for one kind of request: for streams, or on a proxy route. */

import { type Ending, type Holding, type RequestContext, RouterFailure } from '../model.ts';
import type { Limited } from '../rules/limits.ts';
import { type Patch, faultTable, unless, replace } from './answering.ts';

const ID = 'router.admission';
const RATE = 'router.rate-limit-rules';

type Where = (context: RequestContext) => boolean;

const kinds: readonly (readonly [slug: string, name: string, where: Where])[] = [
  ['streams', 'streams', ({ stream, path }) => stream && path === '/v1/chat/completions'],
  ['messages', 'requests of the messages route', ({ path }) => path === '/v1/messages'],
];

/** Leaves a limit out for some requests. */
function without(limit: Limited, where: Where): Patch {
  return unless('limited', (by, context) => by === limit && where(context), false);
}

/** Quotas of a key, and what a request over them shows. */
const quotas = [
  ['requests', `${RATE}.exhausted-bucket`],
  ['share', `${RATE}.serverless-occupancy-current`],
  ['output-rate', `${RATE}.serverless-output-rate-later`],
  ['input-rate', `${RATE}.serverless-input-rate-current`],
] as const;

/** Forgets to give a thing back to some requests. */
function keeping(leaked: Holding, ended: Ending, where: Where): Patch {
  return replace('release', (original, holding, ending, free, context) => {
    if (holding !== leaked || ending !== ended || !where(context))
      original(holding, ending, free, context);
  });
}

const byKind = kinds.flatMap(([slug, name, where]) =>
  faultTable({
    [`${ID}.inflight-over-reaches-no-engine`]: {
      [`inflight-unlimited-for-${slug}`]: {
        says: `Limits ${name} in flight nowhere.`,
        besides: slug === 'streams' ? [`${ID}.inflight-over`] : [],
        patch: without('inflight', where),
      },
    },
    [`${ID}.occupancy-${slug === 'messages' ? 'on-messages' : 'over'}`]: {
      [`occupancy-unlimited-for-${slug}`]: {
        says: `Lets ${name} occupy a model beyond its budget.`,
        patch: without('occupancy', where),
      },
    },
    [`${ID}.slots-full`]: {
      [`slots-unlimited-for-${slug}`]: {
        besides: [`${ID}.slots-full-reaches-no-engine`],
        patch: without('slot', where),
      },
    },
    [`${ID}.slot-back-after-success`]: {
      [`slot-leaks-after-success-of-${slug}`]: keeping(
        'slot',
        'success',
        (context) => where(context) && context.model === 'scripted-slot',
      ),
    },
    [`${ID}.inflight-back-after-success`]: {
      [`inflight-leaks-after-success-of-${slug}`]: {
        says: `Forgets the place in flight of ${name} that were answered.`,
        patch: keeping('inflight', 'success', where),
      },
    },
    [`${ID}.timeout-at-engine`]: {
      [`deadline-is-backend-error-for-${slug}`]: unless(
        'timeout',
        (stage, context) => stage === 'agent' && where(context),
        () => new RouterFailure('backend_error', 'too late', { source: 'router', status: 502 }),
      ),
    },
  }),
);

const ofKeys = kinds.flatMap(([slug, _name, where]) =>
  quotas.flatMap(([limit, aim]) =>
    faultTable({
      // That limits which count tokens hold for the messages route is implied.
      [slug === 'messages' && limit !== 'requests' ? `${RATE}.serverless-on-messages` : aim]: {
        [`${limit}-unlimited-for-${slug}`]: without(limit, where),
      },
    }),
  ),
);

const undeclared = faultTable({
  'router.rate-limit-rules.undeclared-model-reaches-no-engine': {
    'undeclared-model-unlimited-for-streams': {
      besides: ['router.rate-limit-rules.undeclared-model'],
      patch: without('declaration', ({ stream }) => stream),
    },
  },
});

const withoutOutput = (['embeddings', 'rerank', 'messages/count_tokens'] as const).flatMap(
  (route) => {
    const where: Where = ({ path }) => path === `/v1/${route}`;
    return faultTable({
      [`${ID}.timeout-at-engine`]: {
        [`no-deadline-for-${route.replace('messages/count_tokens', 'count-tokens')}`]: {
          says: `Lets requests of the ${route} route take as long as their engine does.`,
          patch: replace(
            'deadlineMs',
            (original, limits, context) => original(limits, context) * (where(context) ? 100 : 1),
          ),
        },
      },
    });
  },
);

/** Limits of a model that hold for one key alone. */
const perKey = (
  [
    ['inflight', `${ID}.inflight-over-reaches-no-engine`],
    ['occupancy', `${ID}.occupancy-over`],
  ] as const
).flatMap(([limit, aim]) =>
  faultTable({
    [aim]: {
      [`${limit}-unlimited-for-other-keys`]: without(limit, ({ key }) => key?.name === 'second'),
    },
  }),
);

const onMessages = faultTable({
  'router.admission.slot-back-after-error': {
    'slot-leaks-after-failed-messages': keeping(
      'slot',
      'failed',
      ({ path, model }) => path === '/v1/messages' && model === 'scripted-slot',
    ),
  },
  'router.admission.slot-back-after-hang-up': {
    'slot-leaks-on-hang-up-of-messages': keeping(
      'slot',
      'hang-up',
      ({ path, model }) => path === '/v1/messages' && model === 'scripted-slot',
    ),
  },
  'router.admission.shed-reaches-no-engine': {
    'sheds-nothing-on-messages': unless(
      'sheds',
      (_model, _pressure, context) => context.path === '/v1/messages',
      false,
    ),
  },
});

export const limitKindFaults = [
  ...byKind,
  ...ofKeys,
  ...undeclared,
  ...withoutOutput,
  ...perKey,
  ...onMessages,
];
