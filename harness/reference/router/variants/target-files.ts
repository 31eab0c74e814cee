/** The default deployment with shorter target files: the suite does not exercise what they leave out, and raises no alarm. */

import { describedInPart } from '../../variant.ts';
import type { RouterVariant } from './variant.ts';

export const targetFileVariants: readonly RouterVariant[] = describedInPart({
  'target-of-one-client: Has a target file with a client key, two models and the scripted backend.':
    [
      ...['second', 'unlimited', 'admin', 'expired', 'disabled', 'removed', 'allowlisted'].map(
        (name) => `keys.${name}`,
      ),
      'keys.requestsPerMinute',
      'keys.tokensPerDay',
      'keys.perModel',
      'keys.serverless',
      ...['embedding', 'reranker', 'fallback', 'bounded', 'overflow', 'provider', 'hidden'].map(
        (name) => `models.${name}`,
      ),
      ...['capped', 'maxInflight', 'occupancy', 'singleSlot', 'shed', 'calm', 'deadBackend'].map(
        (name) => `models.${name}`,
      ),
      'limits',
      'consent',
      'hooks',
    ],
  'target-without-engines: Has a target file that names no scripted backend.': ['backend', 'hooks'],
  'target-without-limits: Has a target file that tells no limit.': ['limits', 'keys.second'],
  'target-without-quotas: Has a target file without keys that are limited.': [
    'keys.requestsPerMinute',
    'keys.tokensPerDay',
    'keys.perModel',
    'keys.serverless',
    'models.noAgents',
  ],
  'target-without-other-keys: Has a target file without keys that are refused somewhere.': [
    'keys.admin',
    'keys.expired',
    'keys.disabled',
    'keys.removed',
    'keys.allowlisted',
    'models.hidden',
    'keys.unlimited',
  ],
  'target-without-steps: Has a target file without models that have several agents or steps.': [
    'models.pair',
    'models.fallback',
    'models.bounded',
    'models.overflow',
    'models.provider',
    'limits.maxTries',
  ],
  'target-without-full-models: Has a target file without models that can be filled.': [
    'models.capped',
    'models.maxInflight',
    'models.occupancy',
    'models.singleSlot',
    'models.shed',
    'models.calm',
    'keys.serverless.occupancyShare',
  ],
  'target-without-plain-models: Has a target file without plain models.': [
    'models.chat',
    'models.embedding',
    'models.reranker',
    'keys.requestsPerMinute.tokens',
    'keys.perModel.declared',
  ],
  'target-without-consent: Has a target file that permits nothing costly.': [
    'consent',
    'limits.requestTimeoutMs',
    'limits.queueSize',
    'models.agentGone',
    'models.deadBackend',
  ],
});
