/** Transparent proxy routes: successes are unchanged, errors are kept or wrapped, nothing is classified. */

import { chat, type RouterNeed } from './needs.ts';
import type { ProxyRoute } from './endpoints.ts';
import { clause, cited, excluded, stated, section } from '../requirement.ts';

const modelNeed = {
  messages: 'models.chat',
  countTokens: 'models.chat',
  embeddings: 'models.embedding',
  rerank: 'models.reranker',
} as const satisfies Readonly<Record<ProxyRoute, RouterNeed>>;

const slugs = {
  messages: 'messages',
  countTokens: 'count-tokens',
  embeddings: 'embeddings',
  rerank: 'rerank',
} as const satisfies Readonly<Record<ProxyRoute, string>>;

/** The part of a requirement id that names a proxy route. */
export type ProxySlug = (typeof slugs)[ProxyRoute];

export const proxySlug: Readonly<Record<ProxyRoute, ProxySlug>> = slugs;

const needs = (route: ProxyRoute) => ['backend', modelNeed[route]] as const;

const successUntouched = (route: ProxyRoute) =>
  stated(
    `On the ${slugs[route]} route a 200 of the engine reaches the client with the same bytes.`,
    needs(route),
  );

const errorUnclassified = (route: ProxyRoute) =>
  stated(`On the ${slugs[route]} route a 400 or 422 of the engine is not classified.`, {
    judged: 'neither invalid_parameter nor context_length_exceeded, whatever type or wording',
    needs: needs(route),
  });

const errorWrapped = (route: ProxyRoute) =>
  stated(
    `On the ${slugs[route]} route a foreign error body ends as backend_error or the end of retries.`,
    {
      judged: 'backend_error, no_agents_available or no_capacity; the status goes with the code',
      needs: needs(route),
    },
  );

const envelopeKept = (route: ProxyRoute) =>
  stated(
    `On the ${slugs[route]} route code and source of an error in the envelope already are kept.`,
    {
      judged:
        'an error of code, message and source alone; a code that stops no session may be hidden by a retry',
      needs: needs(route),
    },
  );

export const transparentProxy = section('router', 'transparent-proxy', [
  excluded.heading('transparent-proxy', 'Errors, Transparent proxy routes'),
  clause('transparent-proxy/forwarding', 'Errors, Transparent proxy routes: forwarding', {
    'messages-success-untouched': successUntouched('messages'),
    'count-tokens-success-untouched': successUntouched('countTokens'),
    'embeddings-success-untouched': successUntouched('embeddings'),
    'rerank-success-untouched': successUntouched('rerank'),
    'request-untouched': chat.implied(
      'A request of a proxy route reaches the engine with the same bytes.',
      'implied: the document says so of the answer',
    ),
    'other-success-status': chat.stated(
      'Another success status of the engine, such as 201, reaches the client as it is.',
    ),
    'success-content-type': chat.implied(
      'The content type of a proxied success is that of the engine.',
    ),
    'stream-untouched': chat.stated(
      'A stream on the messages route reaches the client with the same bytes, and with no others.',
    ),
  }),
  clause(
    'transparent-proxy/envelope-kept',
    'Errors, Transparent proxy routes: the envelope survives',
    {
      'messages-envelope-kept': envelopeKept('messages'),
      'count-tokens-envelope-kept': envelopeKept('countTokens'),
      'embeddings-envelope-kept': envelopeKept('embeddings'),
      'rerank-envelope-kept': envelopeKept('rerank'),
      'envelope-with-more-kept': chat.implied(
        'Code and source of an envelope with further members are kept.',
        'implied: the document does not say how a router knows its envelope',
      ),
      'envelope-whatever-its-label': chat.implied(
        'An envelope is kept also where the engine labelled it as something else than JSON.',
      ),
      'envelope-kept-status': chat.open(
        'Which status an engine error has whose envelope was kept.',
      ),
    },
  ),
  clause(
    'transparent-proxy/wrapped',
    'Errors, Transparent proxy routes: anything else is wrapped',
    {
      'messages-error-unclassified': errorUnclassified('messages'),
      'count-tokens-error-unclassified': errorUnclassified('countTokens'),
      'embeddings-error-unclassified': errorUnclassified('embeddings'),
      'rerank-error-unclassified': errorUnclassified('rerank'),
      'messages-error-wrapped': errorWrapped('messages'),
      'count-tokens-error-wrapped': errorWrapped('countTokens'),
      'embeddings-error-wrapped': errorWrapped('embeddings'),
      'rerank-error-wrapped': errorWrapped('rerank'),
      'wrapped-message': chat.open(
        'Whether the message of a wrapped error holds what the engine said.',
      ),
      'near-envelope-wrapped': chat.implied(
        'An error body that lacks a part of the envelope is wrapped and not taken for it.',
      ),
    },
  ),
  cited('retry-behaviour/4', {
    'final-codes': chat.open(
      'With which code and status foreign errors come out of the proxy routes.',
    ),
  }),
]);
