/** Models that are found and should not be, or refused as something else. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, errorIn, refusal } from './answering.ts';
import type { Patch } from './answering.ts';
import { as, internal, retelling } from './retelling.ts';

const isChat = ({ path }: RequestContext): boolean => path === '/v1/chat/completions';
const isProxy = ({ route }: RequestContext): boolean => route?.family === 'proxy';
const TOO_LONG = /longer than/u;

/** Ends sessions that nobody served, and no slot was full, with another code. */
function ending(
  test: (failures: number, last: string | undefined) => boolean,
  code: string,
): Patch {
  return (rules) => ({
    ...rules,
    finalFailure: (journey, context) =>
      !journey.full && test(journey.failures.length, journey.failures.at(-1)?.code)
        ? new RouterFailure(code, 'nobody served', { source: 'backend' })
        : rules.finalFailure(journey, context),
  });
}

export const modelFaults = declareFaults<RouterRules>([
  {
    name: 'capability-mismatch-is-500',
    summary: 'Fails when an engine cannot do what a route asks.',
    breaks: ['router.codes.capability-mismatch'],
    patch: (rules) => ({
      ...rules,
      capable: (model, route, context) => {
        if (rules.capable(model, route, context)) return true;
        throw internal('no engine for that');
      },
    }),
  },
  {
    name: 'chat-model-is-unknown-to-embeddings',
    summary: 'Says model_not_found of a model that does not embed.',
    breaks: ['router.codes.capability-mismatch'],
    patch: answering(
      (reply, { path, model }) =>
        path === '/v1/embeddings' &&
        model === 'scripted-chat' &&
        errorIn(reply)['code'] === 'request_invalid',
      (reply) => refusal(reply, 404, 'model_not_found'),
    ),
  },
  {
    name: 'unknown-model-is-invalid',
    summary: 'Says request_invalid of an unknown model on the chat route.',
    breaks: ['router.codes.unknown-model-chat', 'router.limits.model-id-256'],
    patch: answering(
      (reply, context) => isChat(context) && errorIn(reply)['code'] === 'model_not_found',
      (reply) => refusal(reply, 400, 'request_invalid'),
    ),
  },
  {
    name: 'unknown-model-has-no-agents-on-rerank',
    summary: 'Says no_agents_available of an unknown model on the rerank route.',
    breaks: ['router.codes.unknown-model-proxy'],
    patch: answering(
      (reply, { path }) => path === '/v1/rerank' && errorIn(reply)['code'] === 'model_not_found',
      (reply) => refusal(reply, 503, 'no_agents_available'),
    ),
  },
  {
    name: 'unknown-model-with-slash-fails',
    summary: 'Fails on an unknown model with a slash in its name, on proxy routes.',
    breaks: ['router.codes.unknown-model-proxy'],
    patch: (rules) => ({
      ...rules,
      findModel: (models, id, context) => {
        if (isProxy(context) && id.includes('/')) throw internal('no such file');
        return rules.findModel(models, id, context);
      },
    }),
  },
  {
    name: 'unknown-model-beyond-ascii-fails',
    summary: 'Fails on an unknown model whose name is not ASCII.',
    breaks: ['router.codes.unknown-model-chat', 'router.codes.unknown-model-proxy'],
    patch: (rules) => ({
      ...rules,
      findModel: (models, id, context) => {
        if (/[^\x20-\x7e]/u.test(id) && id.length < 200) throw internal('no such name');
        return rules.findModel(models, id, context);
      },
    }),
  },
  {
    name: 'unknown-model-detail-is-invalid',
    summary: 'Says request_invalid where the detail of an unknown model is asked for.',
    breaks: ['router.codes.unknown-model-detail'],
    patch: answering(
      (reply, { route, path }) =>
        route?.family === 'model' &&
        errorIn(reply)['code'] === 'model_not_found' &&
        !path.endsWith('/scripted-hidden') &&
        !path.endsWith('/plumbline-nobody-registers-this'),
      (reply) => refusal(reply, 400, 'request_invalid'),
    ),
  },
  {
    name: 'model-detail-compared-without-case',
    summary: 'Finds the detail of a model by its id in any case.',
    breaks: ['router.codes.model-id-exact'],
    patch: (rules) => ({
      ...rules,
      findModel: (models, id, context) =>
        rules.findModel(models, id, context) ??
        (context.route?.family === 'model'
          ? models.find((model) => model.id.toLowerCase() === id.toLowerCase())
          : undefined),
    }),
  },
  ...(
    [
      ['without-case', (id: string, asked: string) => id.toLowerCase() === asked.toLowerCase()],
      ['by-its-beginning', (id: string, asked: string) => asked.startsWith(id)],
      ['by-its-end', (id: string, asked: string) => asked.endsWith(id)],
      ['without-blanks-before', (id: string, asked: string) => id === asked.trimStart()],
      ['without-blanks-behind', (id: string, asked: string) => id === asked.trimEnd()],
    ] as const
  ).map(([how, same]): Fault<RouterRules> => ({
    name: `model-id-compared-${how}`,
    summary: `Compares the id of a model ${how.replaceAll('-', ' ')}.`,
    breaks: ['router.codes.model-id-exact'],
    patch: (rules) => ({
      ...rules,
      findModel: (models, id, context) =>
        rules.findModel(models, id, context) ??
        (isChat(context) ? models.find((model) => same(model.id, id)) : undefined),
    }),
  })),
  {
    name: 'model-id-257-let-through-on-chat',
    summary: 'Says model_not_found of an id of 257 characters on the chat route.',
    breaks: ['router.limits.model-id-257-chat'],
    patch: retelling(
      'requireModel',
      (text, context) => TOO_LONG.test(text) && isChat(context),
      as('model_not_found'),
    ),
  },
  {
    name: 'model-id-257-let-through-on-count-tokens',
    summary: 'Says model_not_found of an id of 257 characters where tokens are counted.',
    breaks: ['router.limits.model-id-257-proxy'],
    patch: retelling(
      'requireModel',
      (text, { path }) => TOO_LONG.test(text) && path === '/v1/messages/count_tokens',
      as('model_not_found'),
    ),
  },
  {
    name: 'model-id-ends-at-255-on-rerank',
    summary: 'Refuses an id of 256 characters for its length on the rerank route.',
    breaks: ['router.limits.model-id-256'],
    patch: (rules) => ({
      ...rules,
      requireModel: (body, context) => {
        const model = rules.requireModel(body, context);
        if (model.length < 256 || context.path !== '/v1/rerank') return model;
        throw new RouterFailure('request_invalid', 'the id is too long');
      },
    }),
  },
  {
    name: 'model-id-ends-at-255',
    summary: 'Refuses an id of 256 characters for its length.',
    breaks: ['router.limits.model-id-256'],
    patch: (rules) => ({
      ...rules,
      requireModel: (body, context) => {
        const model = rules.requireModel(body, context);
        if (model.length < 256) return model;
        throw new RouterFailure('request_invalid', 'the id is too long');
      },
    }),
  },
  {
    name: 'no-agents-called-backend-error',
    summary: 'Says backend_error of a model without eligible agents.',
    breaks: ['router.codes.no-agents-available'],
    patch: ending((failures) => failures === 0, 'backend_error'),
  },
  {
    name: 'lost-agent-called-backend-unavailable',
    summary: 'Blames the engine for an agent that cannot be reached.',
    breaks: ['router.codes.agent-gone'],
    patch: ending((_failures, last) => last === 'agent_disconnected', 'backend_error'),
  },
  {
    name: 'dead-engine-called-agent-disconnected',
    summary: 'Says agent_disconnected of an engine that cannot be reached.',
    breaks: ['router.codes.dead-backend'],
    patch: (rules) => ({
      ...rules,
      lostCode: (refused) => (refused ? 'agent_disconnected' : rules.lostCode(refused)),
    }),
  },
]);
