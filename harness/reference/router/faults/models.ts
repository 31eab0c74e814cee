/** Models that are found and should not be, or refused as something else. */

import { type RequestContext, RouterFailure } from '../model.ts';
import {
  amend,
  answering,
  errorIn,
  fails,
  faultTable,
  type Patch,
  refusal,
  replace,
  unless,
} from './answering.ts';
import { as, internal, retelling } from './retelling.ts';

const isChat = ({ path }: RequestContext): boolean => path === '/v1/chat/completions';
const isProxy = ({ route }: RequestContext): boolean => route?.family === 'proxy';
const TOO_LONG = /longer than/u;

/** Ends sessions that nobody served, and no slot was full, with another code. */
function ending(
  test: (failures: number, last: string | undefined) => boolean,
  code: string,
): Patch {
  return unless(
    'finalFailure',
    (journey) => !journey.full && test(journey.failures.length, journey.failures.at(-1)?.code),
    () => new RouterFailure(code, 'nobody served', { source: 'backend' }),
  );
}

export const modelFaults = [
  ...faultTable({
    'router.codes.capability-mismatch': {
      'capability-mismatch-is-500': {
        says: 'Fails when an engine cannot do what a route asks.',
        patch: replace('capable', (original, model, route, context) => {
          if (original(model, route, context)) return true;
          throw internal('no engine for that');
        }),
      },
      'chat-model-is-unknown-to-embeddings': answering(
        (reply, { path, model }) =>
          path === '/v1/embeddings' &&
          model === 'scripted-chat' &&
          errorIn(reply)['code'] === 'request_invalid',
        (reply) => refusal(reply, 404, 'model_not_found'),
      ),
    },
    'router.codes.unknown-model-chat': {
      'unknown-model-is-invalid': {
        besides: ['router.limits.model-id-256'],
        patch: answering(
          (reply, context) => isChat(context) && errorIn(reply)['code'] === 'model_not_found',
          (reply) => refusal(reply, 400, 'request_invalid'),
        ),
      },
      'unknown-model-beyond-ascii-fails': {
        besides: ['router.codes.unknown-model-proxy'],
        patch: fails(
          'findModel',
          (_models, id) => /[^\x20-\x7e]/u.test(id) && id.length < 200,
          () => internal('no such name'),
        ),
      },
    },
    'router.codes.unknown-model-proxy': {
      'unknown-model-has-no-agents-on-rerank': answering(
        (reply, { path }) => path === '/v1/rerank' && errorIn(reply)['code'] === 'model_not_found',
        (reply) => refusal(reply, 503, 'no_agents_available'),
      ),
      'unknown-model-with-slash-fails': fails(
        'findModel',
        (_models, id, context) => isProxy(context) && id.includes('/'),
        () => internal('no such file'),
      ),
    },
    'router.codes.unknown-model-detail': {
      'unknown-model-detail-is-invalid': answering(
        (reply, { route, path }) =>
          route?.family === 'model' &&
          errorIn(reply)['code'] === 'model_not_found' &&
          !path.endsWith('/scripted-hidden') &&
          !path.endsWith('/plumbline-nobody-registers-this'),
        (reply) => refusal(reply, 400, 'request_invalid'),
      ),
    },
    'router.codes.model-id-exact': {
      'model-detail-compared-without-case': replace(
        'findModel',
        (original, models, id, context) =>
          original(models, id, context) ??
          (context.route?.family === 'model'
            ? models.find((model) => model.id.toLowerCase() === id.toLowerCase())
            : undefined),
      ),
    },
    'router.limits.model-id-257-proxy': {
      'model-id-257-let-through-on-count-tokens': retelling(
        'requireModel',
        (text, { path }) => TOO_LONG.test(text) && path === '/v1/messages/count_tokens',
        as('model_not_found'),
      ),
    },
    'router.limits.model-id-256': {
      'model-id-ends-at-255-on-rerank': amend('requireModel', (model, _body, context) => {
        if (model.length < 256 || context.path !== '/v1/rerank') return model;
        throw new RouterFailure('request_invalid', 'the id is too long');
      }),
      'model-id-ends-at-255': amend('requireModel', (model) => {
        if (model.length < 256) return model;
        throw new RouterFailure('request_invalid', 'the id is too long');
      }),
    },
    'router.codes.no-agents-available': {
      'no-agents-called-backend-error': ending((failures) => failures === 0, 'backend_error'),
    },
    'router.codes.agent-gone': {
      'lost-agent-called-backend-unavailable': ending(
        (_failures, last) => last === 'agent_disconnected',
        'backend_error',
      ),
    },
    'router.codes.dead-backend': {
      'dead-engine-called-agent-disconnected': unless(
        'lostCode',
        (refused) => refused,
        'agent_disconnected',
      ),
    },
  }),
  ...(
    [
      ['without-case', (id: string, asked: string) => id.toLowerCase() === asked.toLowerCase()],
      ['by-its-beginning', (id: string, asked: string) => asked.startsWith(id)],
      ['by-its-end', (id: string, asked: string) => asked.endsWith(id)],
      ['without-blanks-before', (id: string, asked: string) => id === asked.trimStart()],
      ['without-blanks-behind', (id: string, asked: string) => id === asked.trimEnd()],
    ] as const
  ).flatMap(([how, same]) =>
    faultTable({
      'router.codes.model-id-exact': {
        [`model-id-compared-${how}`]: replace(
          'findModel',
          (original, models, id, context) =>
            original(models, id, context) ??
            (isChat(context) ? models.find((model) => same(model.id, id)) : undefined),
        ),
      },
    }),
  ),
];
