/** Requests of the wrong form that are taken for good ones, or refused as something else. */

import { isUtf8 } from 'node:buffer';
import type { Fault } from '../../fault.ts';
import { type RequestContext, RouterFailure } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import { faultTable, type Patch, refusal, replace, unless } from './answering.ts';
import { as, internal, retelling } from './retelling.ts';

const CHAT = '/v1/chat/completions';
const isChat = ({ path }: RequestContext): boolean => path === CHAT;

/** Reads bodies that are broken in one way. */
function mending(
  test: (context: RequestContext) => boolean,
  mend: (text: string) => string,
): Patch {
  return replace('parse', (original, bytes, context) => {
    try {
      return original(bytes, context);
    } catch (error) {
      if (!test(context)) throw error;
      const mended = mend(Buffer.from(bytes).toString('utf8'));
      return original(Buffer.from(mended), context);
    }
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

export const requestFaults: readonly Fault<RouterRules>[] = faultTable({
  'router.codes.malformed-json-chat': {
    'malformed-json-is-500': {
      besides: ['router.codes.invalid-utf-8'],
      patch: retelling(
        'parse',
        (text, context) => malformed.test(text) && isChat(context),
        internal,
      ),
    },
    'last-comma-is-dropped': mending(isChat, (text) =>
      text.endsWith(',}') ? `${text.slice(0, -2)}}` : '',
    ),
  },
  'router.codes.malformed-json-proxy': {
    'text-after-json-is-dropped': mending(
      ({ path }) => path === '/v1/messages',
      (text) => text.slice(0, text.lastIndexOf('}') + 1),
    ),
    'malformed-json-is-the-backends-fault-on-rerank': retelling(
      'parse',
      (text, { path }) => malformed.test(text) && path === '/v1/rerank',
      as('invalid_parameter'),
    ),
  },
  'router.codes.empty-body-chat': {
    'empty-body-is-500-on-chat': retelling(
      'parse',
      (text, context) => empty.test(text) && isChat(context),
      internal,
    ),
  },
  'router.codes.empty-body-proxy': {
    'empty-body-is-an-empty-request-on-count-tokens': retelling(
      'parse',
      (text, { path }) => empty.test(text) && path === '/v1/messages/count_tokens',
      as('model_not_found'),
    ),
  },
  'router.codes.missing-model-chat': {
    'missing-model-has-a-default': {
      says: 'Chooses a model for a chat completion that names none.',
      besides: ['router.codes.request-invalid-reaches-no-engine'],
      patch: unless(
        'requireModel',
        (body, context) => isChat(context) && body['model'] === undefined,
        'scripted-chat',
      ),
    },
  },
  'router.codes.missing-model-proxy': {
    'missing-model-is-unknown-on-embeddings': retelling(
      'requireModel',
      (text, { path }) => required.test(text) && path === '/v1/embeddings',
      as('model_not_found'),
    ),
  },
  'router.codes.request-invalid-reaches-no-engine': {
    'missing-model-refused-late': refusesLate,
  },
  'router.codes.model-not-text': {
    'number-as-model': unless(
      'requireModel',
      (body) => typeof body['model'] === 'number',
      (body) => String(body['model']),
    ),
  },
  'router.codes.body-not-object': {
    'list-as-body-fails': retelling(
      'parse',
      (text) => /must be a JSON object/u.test(text),
      internal,
    ),
  },
  'router.codes.known-codes': {
    'broken-utf-8-has-a-code-of-its-own': {
      besides: ['router.codes.invalid-utf-8'],
      patch: (rules) => ({
        parse: (bytes, context) => {
          if (isUtf8(bytes)) return rules.parse(bytes, context);
          throw new RouterFailure('invalid_encoding', 'not UTF-8', {
            source: 'router',
            status: 400,
          });
        },
        statusOf: (failure, context) =>
          failure.code === 'invalid_encoding' ? 400 : rules.statusOf(failure, context),
      }),
    },
  },
});
