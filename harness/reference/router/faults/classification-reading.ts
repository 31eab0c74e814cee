/** Engine errors that are read wrongly before they are classified. */

import { errorObject, memberOf, type RequestContext } from '../model.ts';
import { fails, unless, replace, faultTable } from './answering.ts';

export const readingFaults = faultTable({
  'router.backend-classification.type-over-other-status': {
    'types-need-a-message': (rules) => ({
      knownType: (json, context) =>
        rules.messageIn(json, context) === undefined ? undefined : rules.knownType(json, context),
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
      patch: fails(
        'speaksOfContext',
        (text) => text.includes('\uFFFD'),
        () => new TypeError('a text that is none'),
      ),
    },
  },
  'router.backend-classification.nested-invalid-request': {
    'codes-of-engines-read-as-types': {
      besides: ['router.backend-classification.unknown-type'],
      patch: replace(
        'knownType',
        (original, json, context) =>
          original({ type: memberOf(errorObject(json), 'code') }, context) ??
          original(json, context),
      ),
    },
  },
  'router.backend-classification.status-503': {
    'codes-of-engines-stand-in-for-types': {
      besides: ['router.backend-classification.unknown-type'],
      patch: replace('knownType', (original, json, context) => {
        const error = errorObject(json);
        const named = memberOf(json, 'type') ?? memberOf(error, 'type');
        return original(named === undefined ? { type: memberOf(error, 'code') } : json, context);
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
    'wording-behind-512-bytes-overlooked': replace('speaksOfContext', (original, _text, context) =>
      original(context.engineError?.bytes.subarray(0, 512).toString('utf8') ?? '', context),
    ),
  },
  'router.backend-classification.status-other': {
    'redirects-are-successes': {
      says: 'Takes everything below 400 for a success of the engine.',
      patch: () => ({ isSuccess: (status) => status < 400 }),
    },
  },
});
