/** Limits that some requests escape for what they carry, and successes that the router makes up. */

import {
  answering,
  chained,
  contextIn,
  every,
  faultTable,
  forces,
  gathered,
  on,
  type RequestTest,
  type When,
} from './words.ts';
import { without } from './words-limits.ts';

const withTools: RequestTest = ({ body }) => body?.['tools'] !== undefined;

/** Limits that requests with tools escape, each with the requirements that this breaks. */
const escaped = (limits: readonly (readonly [Parameters<typeof without>[0], string])[]) =>
  gathered(limits, ([limit, aim]) => ({
    [`${aim}: ${limit}-unlimited-with-tools`]: without(limit, withTools),
  }));

const isWhole: When = (reply, { stream }) => reply.status === 200 && !stream;

/** What came of a success is less than its engine announced. */
const isCutShort: When = (reply, { engineHeaders }) =>
  reply.body.length < Number(engineHeaders?.['content-length'] ?? 0);

const madeUp = gathered(
  [
    ['messages', '/v1/messages'],
    ['count-tokens', '/v1/messages/count_tokens'],
    ['embeddings', '/v1/embeddings'],
    ['rerank', '/v1/rerank'],
  ],
  ([slug, path]) => ({
    [`${slug}-success-untouched: lost-${slug}-success-comes-as-an-empty-object`]: chained(
      () => ({ keepsHalfBodies: (context) => context.path === path }),
      answering(every(isWhole, isCutShort, on({ path })), (reply) => ({ ...reply, body: '{}' })),
    ),
  }),
);

export const contentsFaults = [
  ...faultTable('router.rate-limit-rules', {
    ...escaped([
      ['requests', 'exhausted-bucket'],
      ['declaration', 'undeclared-model-reaches-no-engine'],
      ['share', 'serverless-occupancy-current'],
      ['input-rate', 'serverless-input-rate-current'],
      ['output-rate', 'serverless-output-rate-later'],
    ]),
    'exhausted-bucket: long-requests-are-not-counted': without(
      'requests',
      ({ headers }) => Number(headers['content-length']) > 1_500,
    ),
    'exhausted-bucket: requests-with-the-newer-maximum-are-not-counted': without(
      'requests',
      ({ body }) => body?.['max_completion_tokens'] !== undefined,
    ),
    'serverless-output-rate-later: small-maxima-pass-an-exhausted-output-rate': without(
      'output-rate',
      ({ body }) => Number(body?.['max_tokens']) < 4,
    ),
  }),
  ...faultTable('router.admission', {
    ...escaped([
      ['inflight', 'inflight-over-reaches-no-engine'],
      ['occupancy', 'occupancy-over'],
      ['slot', 'slots-full + slots-full-reaches-no-engine'],
    ]),
    'shed-reaches-no-engine: requests-with-tools-are-not-shed': forces('sheds', false, (...args) =>
      withTools(contextIn(args)),
    ),
  }),
  ...faultTable('router.transparent-proxy', madeUp),
];
