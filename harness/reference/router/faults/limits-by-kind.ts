/** Limits that do not hold for one kind of request: for streams, or on a proxy route. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { Ending, Holding, RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import type { Limited } from '../rules/admission.ts';
import type { RouterRules } from '../rules/rules.ts';

const ID = 'router.admission';
const RATE = 'router.rate-limit-rules';

type Where = (context: RequestContext) => boolean;

const kinds: readonly (readonly [slug: string, name: string, where: Where])[] = [
  ['streams', 'streams', ({ stream, path }) => stream && path === '/v1/chat/completions'],
  ['messages', 'requests of the messages route', ({ path }) => path === '/v1/messages'],
];

/** Leaves a limit out for some requests. */
function without(limit: Limited, where: Where): Fault<RouterRules>['patch'] {
  return (rules) => ({
    ...rules,
    limited: (by, context) => !(by === limit && where(context)) && rules.limited(by, context),
  });
}

/** Quotas of a key, and what a request over them shows. */
const quotas = [
  ['requests', 'Takes no request of a bucket', [`${RATE}.exhausted-bucket`]],
  ['share', 'Looks at no occupancy share', [`${RATE}.serverless-occupancy-current`]],
  ['output-rate', 'Looks at no output rate', [`${RATE}.serverless-output-rate-later`]],
  ['input-rate', 'Looks at no input rate', [`${RATE}.serverless-input-rate-current`]],
] as const;

/** Forgets to give a thing back to some requests. */
function keeping(leaked: Holding, ended: Ending, where: Where): Fault<RouterRules>['patch'] {
  return (rules) => ({
    ...rules,
    release: (holding, ending, free, context) => {
      if (holding !== leaked || ending !== ended || !where(context))
        rules.release(holding, ending, free, context);
    },
  });
}

const byKind = kinds.flatMap(([slug, name, where]): readonly Fault<RouterRules>[] => [
  {
    name: `inflight-unlimited-for-${slug}`,
    summary: `Limits ${name} in flight nowhere.`,
    breaks: [
      `${ID}.inflight-over-reaches-no-engine`,
      ...(slug === 'streams' ? [`${ID}.inflight-over`] : []),
    ],
    patch: without('inflight', where),
  },
  {
    name: `occupancy-unlimited-for-${slug}`,
    summary: `Lets ${name} occupy a model beyond its budget.`,
    breaks: [slug === 'messages' ? `${ID}.occupancy-on-messages` : `${ID}.occupancy-over`],
    patch: without('occupancy', where),
  },
  {
    name: `slots-unlimited-for-${slug}`,
    summary: `Sends an agent ${name} beyond its slots.`,
    breaks: [`${ID}.slots-full`, `${ID}.slots-full-reaches-no-engine`],
    patch: without('slot', where),
  },
  {
    name: `slot-leaks-after-success-of-${slug}`,
    summary: `Forgets the slot of ${name} that were answered.`,
    breaks: [`${ID}.slot-back-after-success`],
    patch: keeping(
      'slot',
      'success',
      (context) => where(context) && context.model === 'scripted-slot',
    ),
  },
  {
    name: `inflight-leaks-after-success-of-${slug}`,
    summary: `Forgets the place in flight of ${name} that were answered.`,
    breaks: [`${ID}.inflight-back-after-success`],
    patch: keeping('inflight', 'success', where),
  },
  {
    name: `deadline-is-backend-error-for-${slug}`,
    summary: `Says backend_error when the deadline passes at an engine for ${name}.`,
    breaks: [`${ID}.timeout-at-engine`],
    patch: (rules) => ({
      ...rules,
      timeout: (stage, context) =>
        stage === 'agent' && where(context)
          ? new RouterFailure('backend_error', 'too late', { source: 'router', status: 502 })
          : rules.timeout(stage, context),
    }),
  },
]);

const ofKeys = kinds.flatMap(([slug, name, where]) =>
  quotas.map(([limit, what, breaks]): Fault<RouterRules> => ({
    name: `${limit}-unlimited-for-${slug}`,
    summary: `${what} for ${name}.`,
    // That limits which count tokens hold for the messages route is implied.
    breaks:
      slug === 'messages' && limit !== 'requests' ? [`${RATE}.serverless-on-messages`] : breaks,
    patch: without(limit, where),
  })),
);

const undeclared = declareFaults<RouterRules>([
  {
    name: 'undeclared-model-unlimited-for-streams',
    summary: 'Takes a model that the quotas of a key do not list for unlimited in streams.',
    breaks: [`${RATE}.undeclared-model-reaches-no-engine`, `${RATE}.undeclared-model`],
    patch: without('declaration', ({ stream }) => stream),
  },
]);

const withoutOutput = (['embeddings', 'rerank', 'messages/count_tokens'] as const).flatMap(
  (route): readonly Fault<RouterRules>[] => {
    const where: Where = ({ path }) => path === `/v1/${route}`;
    return [
      {
        name: `no-deadline-for-${route.replace('messages/count_tokens', 'count-tokens')}`,
        summary: `Lets requests of the ${route} route take as long as their engine does.`,
        breaks: [`${ID}.timeout-at-engine`],
        patch: (rules) => ({
          ...rules,
          deadlineMs: (limits, context) =>
            rules.deadlineMs(limits, context) * (where(context) ? 100 : 1),
        }),
      },
    ];
  },
);

/** Limits of a model that hold for one key alone. */
const perKey = (
  [
    ['inflight', [`${ID}.inflight-over-reaches-no-engine`]],
    ['occupancy', [`${ID}.occupancy-over`]],
  ] as const
).map(([limit, breaks]): Fault<RouterRules> => ({
  name: `${limit}-unlimited-for-other-keys`,
  summary: `Sets the ${limit} limit of a model against requests of the first key alone.`,
  breaks,
  patch: without(limit, ({ key }) => key?.name === 'second'),
}));

const onMessages = declareFaults<RouterRules>([
  {
    name: 'slot-leaks-after-failed-messages',
    summary: 'Forgets the slot of a request of the messages route that its engine refused.',
    breaks: [`${ID}.slot-back-after-error`],
    patch: keeping(
      'slot',
      'failed',
      ({ path, model }) => path === '/v1/messages' && model === 'scripted-slot',
    ),
  },
  {
    name: 'slot-leaks-on-hang-up-of-messages',
    summary: 'Forgets the slot of a request of the messages route whose client hung up.',
    breaks: [`${ID}.slot-back-after-hang-up`],
    patch: keeping(
      'slot',
      'hang-up',
      ({ path, model }) => path === '/v1/messages' && model === 'scripted-slot',
    ),
  },
  {
    name: 'sheds-nothing-on-messages',
    summary: 'Sheds no request of the messages route, whatever the pressure.',
    breaks: [`${ID}.shed-reaches-no-engine`],
    patch: (rules) => ({
      ...rules,
      sheds: (model, pressure, context) =>
        context.path !== '/v1/messages' && rules.sheds(model, pressure, context),
    }),
  },
]);

export const limitKindFaults: readonly Fault<RouterRules>[] = [
  ...byKind,
  ...ofKeys,
  ...undeclared,
  ...withoutOutput,
  ...perKey,
  ...onMessages,
];
