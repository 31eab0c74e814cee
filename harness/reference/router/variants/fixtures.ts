/**
 * Variants in the keys, models and agents of a target file, and the default deployment with shorter target files: the
 * suite does not exercise what they leave out, and raises no alarm.
 */

import { type Deployment, type KeyEntry, type ModelEntry, RouterFailure } from '../model.ts';
import {
  amend,
  chained,
  forces,
  refusing,
  replace,
  type RouterVariant,
  starting,
  withModel,
} from './variant.ts';
import { describedInPart } from '../../variant.ts';

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

const NAMED: ReadonlySet<string> = new Set(['scripted-chat', 'scripted-hidden']);
const withOwner = (id: string): string => (NAMED.has(id) ? `plumbline/${id}` : id);

/** Checks whether the key declares a quota for the model before it checks the permission. */
const declarationFirst = refusing(['declaration']);

/** Request members that need more than plain text generation. */
const CAPABILITIES = ['tools', 'reasoning_effort', 'response_format'];

const quota = { requestsPerMinutePerReplica: 0, tokensPerDay: 0 };
const everyModel = ({ models }: Deployment) =>
  Object.fromEntries(models.map(({ id }) => [id, quota]));

/** The default deployment with some keys changed, by name. */
function withKeys(
  usual: Deployment,
  changed: Readonly<Record<string, Partial<KeyEntry>>>,
): Deployment {
  return { ...usual, keys: usual.keys.map((entry) => ({ ...entry, ...changed[entry.name] })) };
}

const isUnreachable = ({ id }: ModelEntry): boolean =>
  id === 'scripted-gone' || id === 'scripted-dead';

export const fixtureVariants: readonly RouterVariant[] = [
  ...starting({
    'allowlists-everywhere: Has an allowlist of all models on a client key, and quotas per model on the key with an allowlist.':
      () => ({
        choices: { refusalOrder: declarationFirst },
        configure: (usual) =>
          withKeys(usual, {
            second: { allows: usual.models.map(({ id }) => id) },
            allowlisted: { perModel: { 'scripted-chat': quota } },
          }),
      }),
    'shedding-model-without-agents: Has no eligible agent for the model that is over its shedding threshold.':
      () => ({
        configure: withModel('scripted-shed', (usual) => {
          const { shedIfPressure: _, ...others } = usual;
          return { ...others, steps: [{ agents: ['draining'], maxTries: 1 }] };
        }),
      }),
  }),
  ...starting(
    {
      // No case that asks for an unregistered model can observe anything here.
      'client-key-declares-its-models: Has a client key with quotas for each model, and so says of any other that none is declared.':
        () => ({
          choices: { refusalOrder: declarationFirst },
          configure: (usual) => withKeys(usual, { client: { perModel: everyModel(usual) } }),
        }),
    },
    { solo: true },
  ),
  ...starting({
    'model-ids-with-a-slash: Has models whose ids have a slash, behind a server that reads an encoded one as a part of the path.':
      () => ({
        configure: (usual) => ({
          ...usual,
          keys: usual.keys.map((entry) => ({
            ...entry,
            ...(entry.allows && { allows: entry.allows.map(withOwner) }),
            ...(entry.perModel && {
              perModel: Object.fromEntries(
                Object.entries(entry.perModel).map(([id, of]) => [withOwner(id), of]),
              ),
            }),
          })),
          models: usual.models.map((model) => ({ ...model, id: withOwner(model.id) })),
        }),
        patch: forces('routeAt', undefined, (path) => /%2f/iu.test(path)),
      }),
    'plain-engine-without-capabilities: Has engines that take neither tools nor reasoning effort nor formats, and says so; models whose agent or engine is lost are registered no more.':
      () => ({
        patch: chained(
          amend('parse', (body, _bytes, { path }) => {
            if (path === '/v1/chat/completions' && CAPABILITIES.some((name) => name in body))
              throw new RouterFailure('request_invalid', 'the engine has no such capability');
            return body;
          }),
          replace('findModel', (findModel, models, ...more) =>
            findModel(
              models.filter((model) => !isUnreachable(model)),
              ...more,
            ),
          ),
          forces('sees', false, (_key, model) => isUnreachable(model)),
        ),
      }),
  }),
];
