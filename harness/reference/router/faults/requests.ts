/** Requests of the wrong form that are taken for good ones, or refused as something else. */

import { isUtf8 } from 'node:buffer';
import { type Fault, declareFaults } from '../../fault.ts';
import type { RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import type { RouterRules } from '../rules/rules.ts';
import { refusal } from './answering.ts';
import type { Patch } from './answering.ts';
import { as, internal, retelling } from './retelling.ts';

const CHAT = '/v1/chat/completions';
const isChat = ({ path }: RequestContext): boolean => path === CHAT;

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
    name: 'last-comma-is-dropped',
    summary: 'Overlooks a comma before the last brace of a chat completion.',
    breaks: ['router.codes.malformed-json-chat'],
    patch: mending(isChat, (text) => (text.endsWith(',}') ? `${text.slice(0, -2)}}` : '')),
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
]);
