/** Variants in how limits are counted, and in the release of resources. */

import { type ModelEntry, type RequestBody, type RequestContext, RouterFailure } from '../model.ts';
import {
  amend,
  before,
  chained,
  choosing,
  deciding,
  forces,
  refusing,
  type RouterVariant,
  starting,
  withModel,
} from './variant.ts';

/** The largest output that the models of a deployment accept. */
const LARGEST_OUTPUT = 16_384;

/** Milliseconds for which an agent of a small model rests after a failure, longer than a run waits for it. */
const LONG_REST_MS = 60_000;

/** A model without a cap on images. */
function withoutImages(model: ModelEntry): ModelEntry {
  const { imagesMax: _, ...others } = model;
  return others;
}

const isMessages = (_body: RequestBody, { path }: RequestContext): boolean =>
  path === '/v1/messages';

export const limitVariants: readonly RouterVariant[] = [
  ...choosing({
    'six-replicas: Is six replicas, and its target file does not say so.': {
      replicas: 6,
      declaresReplicas: false,
    },
    'six-replicas-told: Is six replicas, as its target file says, each of which counts the places of a model.':
      { replicas: 6, placesInEach: true },
  }),
  ...deciding(
    {
      'channel-drains-into-workers: Hands what its channel holds on to workers that wait for a processor, so that it is never full.':
        () => ({ channelSize: () => Infinity }),
    },
    { warns: ['router.admission.queue-bounded'] },
  ),
  ...choosing({
    'refusals-cost: Takes refused requests of the bucket, too, into debt.': { refusalsCost: true },
    'books-after-12s: Charges what a response wrote twelve seconds after it.': {
      chargesAfterMs: 12_000,
    },
  }),
  ...deciding({
    'context-window-1k: Has engines that take a thousand tokens, prompt and output together.':
      before('avoids', (_failed, _agent, { body }) => {
        const asked = [body?.['max_tokens'], body?.['max_completion_tokens']];
        const output = asked.filter((value) => typeof value === 'number');
        const input = JSON.stringify(body?.['messages'] ?? '').length / 4;
        if (input + Math.max(0, ...output) <= 1_000) return;
        throw new RouterFailure('context_length_exceeded', 'beyond the context window', {
          source: 'backend',
        });
      }),
  }),
  ...deciding(
    {
      'output-validated-first: Refuses a maximum that no model of it writes before it looks at any budget.':
        amend('requestedOutput', (output) => {
          if (output === undefined || output <= LARGEST_OUTPUT) return output;
          throw new RouterFailure('invalid_parameter', 'no model writes as much', {
            source: 'router',
          });
        }),
    },
    { warns: ['router.codes.invalid_parameter-source'] },
  ),
  ...starting({
    'slots-freed-at-the-deadline: Frees the slot of a request at its deadline while the engine goes on, and lets a request that waits have it.':
      () => ({
        choices: { deadlineAbortsEngines: false },
        configure: withModel('scripted-slot', (model) => ({ ...model, capacityQueue: 8 })),
      }),
    'capped-model-sees-no-images: Has a capped model whose engine cannot see images, which it says first.':
      () => ({
        configure: withModel('scripted-capped', withoutImages),
        patch: before('withinCaps', (model, _input, images) => {
          if (model.id === 'scripted-capped' && images > 0)
            throw new RouterFailure('request_invalid', 'the engine cannot see images');
        }),
      }),
  }),
  ...deciding(
    {
      'counts-messages-flat: Counts a request of the messages route as one token, whatever is in it.':
        chained(
          forces('estimateInput', 1, isMessages),
          forces('requestedOutput', 1, isMessages),
          forces('countImages', 0, isMessages),
        ),
    },
    {
      warns: [
        'router.admission.occupancy-on-messages',
        'router.limits.input-caps-on-messages',
        'router.rate-limit-rules.serverless-on-messages',
        'router.token-limit-rules.budget-on-messages',
      ],
    },
  ),
  ...starting(
    {
      'places-come-back-late: Gives back what a request held 700 ms after its answer.': () => ({
        choices: { givesBackAfterMs: 700 },
      }),
      'places-come-back-as-a-park-ends: Gives back what a request held 500 ms after its answer, when a request that parked meanwhile was just refused.':
        () => ({ choices: { givesBackAfterMs: 500 } }),
    },
    { solo: true },
  ),
  ...deciding(
    {
      'small-models-rest-a-minute: Leaves the agent of a small model out for a minute after a failure.':
        forces('restMs', LONG_REST_MS, (agent) => agent === 'slot'),
    },
    { solo: true },
  ),
  ...starting({
    'share-behind-occupancy: Lets requests of a serverless key park for the token budget of their model before it looks at their share.':
      () => ({
        limits: { parkTimeoutMs: 4_000 },
        choices: { refusalOrder: refusing([], ['serverless']) },
        configure: withModel('scripted-serverless', (model) => ({
          ...model,
          occupancyTokens: 4_000,
        })),
      }),
  }),
];
