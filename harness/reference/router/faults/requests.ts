/** Requests of the wrong form that are taken for good ones, or refused as something else. */

import { isUtf8 } from 'node:buffer';
import { type Fault, declareFaults } from '../../fault.ts';
import type { RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, errorIn, refusal } from './answering.ts';
import type { Patch } from './answering.ts';

const CHAT = '/v1/chat/completions';
const isChat = ({ path }: RequestContext): boolean => path === CHAT;
const isProxy = ({ route }: RequestContext): boolean => route?.family === 'proxy';

type Requirement = 'parse' | 'requireModel';

/** Tells a refusal of the form in another way, where `test` holds for its message. */
function retelling(
  rule: Requirement,
  test: (message: string, context: RequestContext) => boolean,
  to: (message: string) => RouterFailure,
): Patch {
  const retold = (error: unknown, context: RequestContext): unknown =>
    error instanceof Error && test(error.message, context) ? to(error.message) : error;
  return (rules) => ({
    ...rules,
    parse: (bytes, context) => {
      try {
        return rules.parse(bytes, context);
      } catch (error) {
        throw rule === 'parse' ? retold(error, context) : error;
      }
    },
    requireModel: (body, context) => {
      try {
        return rules.requireModel(body, context);
      } catch (error) {
        throw rule === 'requireModel' ? retold(error, context) : error;
      }
    },
  });
}

const as = (code: string) => (message: string) => new RouterFailure(code, message);
const internal = (message: string) =>
  new RouterFailure('backend_error', message, { source: 'router', status: 500 });

/** Reads bodies that are broken in one way. */
function mending(
  test: (context: RequestContext) => boolean,
  mend: (text: string) => string,
): Patch {
  return (rules) => ({
    ...rules,
    parse: (bytes, context) => {
      try {
        return rules.parse(bytes, context);
      } catch (error) {
        if (!test(context)) throw error;
        const mended = mend(Buffer.from(bytes).toString('utf8'));
        return rules.parse(Buffer.from(mended), context);
      }
    },
  });
}

/** Lets requests without a model through to an engine, and refuses them then. */
function refusesLate(rules: RouterRules): RouterRules {
  const late = new WeakSet<RequestContext>();
  return {
    ...rules,
    requireModel: (body, context) => {
      if (!isChat(context) || body['model'] !== undefined) return rules.requireModel(body, context);
      late.add(context);
      return 'scripted-chat';
    },
    answer: (reply, context) => {
      const plain = rules.answer(reply, context);
      return late.has(context) ? refusal(plain, 400, 'request_invalid') : plain;
    },
  };
}

const malformed = /not valid JSON/u;
const empty = /is empty/u;
const required = /is required/u;
const TOO_LONG = /longer than/u;

export const requestFaults: readonly Fault<RouterRules>[] = declareFaults<RouterRules>([
  {
    name: 'malformed-json-is-500',
    summary: 'Fails on a chat completion that is no JSON.',
    breaks: ['router.codes.malformed-json-chat', 'router.codes.invalid-utf-8'],
    patch: retelling('parse', (text, context) => malformed.test(text) && isChat(context), internal),
  },
  {
    name: 'unclosed-json-is-closed',
    summary: 'Closes the last brace of a chat completion that lacks it.',
    breaks: ['router.codes.malformed-json-chat', 'router.codes.request-invalid-reaches-no-engine'],
    patch: mending(isChat, (text) => `${text}}`),
  },
  {
    name: 'text-after-json-is-dropped',
    summary: 'Reads a body to the end of its JSON and drops what follows, on the messages route.',
    breaks: ['router.codes.malformed-json-proxy'],
    patch: mending(
      ({ path }) => path === '/v1/messages',
      (text) => text.slice(0, text.lastIndexOf('}') + 1),
    ),
  },
  {
    name: 'malformed-json-is-the-backends-fault-on-rerank',
    summary: 'Says invalid_parameter of a body that is no JSON, on the rerank route.',
    breaks: ['router.codes.malformed-json-proxy'],
    patch: retelling(
      'parse',
      (text, { path }) => malformed.test(text) && path === '/v1/rerank',
      as('invalid_parameter'),
    ),
  },
  {
    name: 'empty-body-is-500-on-chat',
    summary: 'Fails on a chat completion without a body.',
    breaks: ['router.codes.empty-body-chat'],
    patch: retelling('parse', (text, context) => empty.test(text) && isChat(context), internal),
  },
  {
    name: 'empty-body-is-an-empty-request-on-count-tokens',
    summary: 'Takes an empty body for a request for an unknown model where tokens are counted.',
    breaks: ['router.codes.empty-body-proxy'],
    patch: retelling(
      'parse',
      (text, { path }) => empty.test(text) && path === '/v1/messages/count_tokens',
      as('model_not_found'),
    ),
  },
  {
    name: 'missing-model-has-a-default',
    summary: 'Chooses a model for a chat completion that names none.',
    breaks: ['router.codes.missing-model-chat', 'router.codes.request-invalid-reaches-no-engine'],
    patch: (rules) => ({
      ...rules,
      requireModel: (body, context) =>
        isChat(context) && body['model'] === undefined
          ? 'scripted-chat'
          : rules.requireModel(body, context),
    }),
  },
  {
    name: 'missing-model-is-unknown-on-embeddings',
    summary: 'Says model_not_found of a missing model on the embeddings route.',
    breaks: ['router.codes.missing-model-proxy'],
    patch: retelling(
      'requireModel',
      (text, { path }) => required.test(text) && path === '/v1/embeddings',
      as('model_not_found'),
    ),
  },
  {
    name: 'missing-model-refused-late',
    summary: 'Asks an engine before it refuses a chat completion without model.',
    breaks: ['router.codes.request-invalid-reaches-no-engine'],
    patch: refusesLate,
  },
  {
    name: 'number-as-model',
    summary: 'Takes a number for the name of a model.',
    breaks: ['router.codes.model-not-text'],
    patch: (rules) => ({
      ...rules,
      requireModel: (body, context) =>
        typeof body['model'] === 'number'
          ? String(body['model'])
          : rules.requireModel(body, context),
    }),
  },
  {
    name: 'list-as-body-fails',
    summary: 'Fails on a body that is a list.',
    breaks: ['router.codes.body-not-object'],
    patch: retelling('parse', (text) => /must be a JSON object/u.test(text), internal),
  },
  {
    name: 'broken-utf-8-is-read',
    summary: 'Reads bytes that are no UTF-8 as replacement characters.',
    breaks: ['router.codes.invalid-utf-8'],
    patch: mending(isChat, (text) => text),
  },
  {
    name: 'broken-utf-8-has-a-code-of-its-own',
    summary: 'Gives a body that is no UTF-8 a code that is not in the table.',
    breaks: ['router.codes.known-codes', 'router.codes.invalid-utf-8'],
    patch: (rules) => ({
      ...rules,
      parse: (bytes, context) => {
        if (isUtf8(bytes)) return rules.parse(bytes, context);
        throw new RouterFailure('invalid_encoding', 'not UTF-8', { source: 'router', status: 400 });
      },
      statusOf: (failure, context) =>
        failure.code === 'invalid_encoding' ? 400 : rules.statusOf(failure, context),
    }),
  },
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
  ...(
    [
      ['without-case', (id: string, asked: string) => id.toLowerCase() === asked.toLowerCase()],
      ['by-its-beginning', (id: string, asked: string) => asked.startsWith(id)],
      ['by-its-end', (id: string, asked: string) => asked.endsWith(id)],
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
