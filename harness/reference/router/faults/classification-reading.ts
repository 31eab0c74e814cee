/** Engine errors that are read wrongly before they are classified. */

import type { RequestContext } from '../context.ts';
import { errorObject, memberOf } from '../json.ts';
import { unless, replace, faultTable } from './answering.ts';

export const readingFaults = faultTable({
  'router.backend-classification.type-over-other-status': {
    'types-need-a-message': (rules) => ({
      knownType: (json) =>
        rules.messageIn(json) === undefined ? undefined : rules.knownType(json),
    }),
    'errors-cut-before-they-are-read': unless(
      'knownType',
      (json) => JSON.stringify(json ?? '').length > 512,
      undefined,
    ),
    'errors-must-begin-with-a-brace': {
      says: 'Reads no JSON in an error of the engine that has white space before it.',
      besides: [
        'router.transparent-proxy.messages-envelope-kept',
        'router.transparent-proxy.count-tokens-envelope-kept',
        'router.transparent-proxy.embeddings-envelope-kept',
        'router.transparent-proxy.rerank-envelope-kept',
      ],
      patch: unless('errorJson', (body) => body[0] !== 0x7b, undefined),
    },
  },
  'router.backend-classification.other-400': {
    'agent-lost-over-a-body-that-is-no-text': {
      says: 'Loses the agent that is to read an error which is no UTF-8.',
      besides: [
        'router.backend-classification.other-422',
        'router.backend-classification.status-429',
        'router.backend-classification.status-503',
        'router.backend-classification.status-other',
      ],
      patch: replace('speaksOfContext', (original, text) => {
        if (!text.includes('\uFFFD')) return original(text);
        throw new TypeError('a text that is none');
      }),
    },
  },
  'router.backend-classification.nested-invalid-request': {
    'codes-of-engines-read-as-types': {
      besides: ['router.backend-classification.unknown-type'],
      patch: replace(
        'knownType',
        (original, json) =>
          original({ type: memberOf(errorObject(json), 'code') }) ?? original(json),
      ),
    },
  },
  'router.backend-classification.status-503': {
    'codes-of-engines-stand-in-for-types': {
      besides: ['router.backend-classification.unknown-type'],
      patch: replace('knownType', (original, json) => {
        const error = errorObject(json);
        const named = memberOf(json, 'type') ?? memberOf(error, 'type');
        return original(named === undefined ? { type: memberOf(error, 'code') } : json);
      }),
    },
  },
  'router.backend-classification.json-whatever-its-label': {
    'errors-must-be-labelled-json': {
      besides: ['router.transparent-proxy.envelope-whatever-its-label'],
      patch: unless(
        'errorJson',
        (_body, headers) => headers['content-type']?.includes('json') !== true,
        undefined,
      ),
    },
  },
  'router.transparent-proxy.messages-envelope-kept': {
    'errors-beyond-4-kib-not-read': {
      besides: [
        'router.transparent-proxy.count-tokens-envelope-kept',
        'router.transparent-proxy.embeddings-envelope-kept',
        'router.transparent-proxy.rerank-envelope-kept',
      ],
      patch: unless('errorJson', (body) => body.length > 4_096, undefined),
    },
    'envelope-of-a-retry-is-wrapped': (rules) => {
      const tried = new WeakSet<RequestContext>();
      return {
        envelopeIn: (json, context) =>
          tried.has(context) ? undefined : rules.envelopeIn(json, context),
        stops: (code, context) => {
          tried.add(context);
          return rules.stops(code, context);
        },
      };
    },
  },
  'router.backend-classification.wording-any-order-and-case': {
    'wording-behind-512-bytes-overlooked': {
      says: 'Looks for the wording in as much of an error as a message may have.',
      patch: (rules) => {
        // What stands between the two calls for one error is no await.
        let beginning = '';
        return {
          errorJson: (body, headers) => {
            beginning = Buffer.from(body.subarray(0, 512)).toString('utf8');
            return rules.errorJson(body, headers);
          },
          speaksOfContext: () => rules.speaksOfContext(beginning),
        };
      },
    },
  },
  'router.backend-classification.status-other': {
    'redirects-are-successes': {
      says: 'Takes everything below 400 for a success of the engine.',
      patch: () => ({ isSuccess: (status) => status < 400 }),
    },
  },
});
