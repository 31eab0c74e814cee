/** Transparent proxy routes: successes untouched, errors kept or wrapped, nothing classified. */

import type { RouterNeed } from './needs.ts';
import type { RequirementEntry } from '../requirement.ts';
import type { RouterClause } from './clauses.ts';
import type { ProxyRoute } from './endpoints.ts';
import { routerSection } from './section.ts';

type Entry = RequirementEntry<RouterClause, RouterNeed>;

/** The fixture whose model an engine serves on each proxy route. */
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

function successUntouched(route: ProxyRoute): Entry {
  return {
    clause: 'router#transparent-proxy/forwarding',
    strength: 'stated',
    statement: `On the ${slugs[route]} route a 200 of the engine reaches the client with the same bytes.`,
    needs: ['backend', modelNeed[route]],
  };
}

function errorUnclassified(route: ProxyRoute): Entry {
  return {
    clause: 'router#transparent-proxy/wrapped',
    strength: 'stated',
    statement: `On the ${slugs[route]} route a 400 or 422 of the engine is not classified.`,
    judged: 'neither invalid_parameter nor context_length_exceeded, whatever type or wording',
    needs: ['backend', modelNeed[route]],
  };
}

function errorWrapped(route: ProxyRoute): Entry {
  return {
    clause: 'router#transparent-proxy/wrapped',
    strength: 'stated',
    statement: `On the ${slugs[route]} route a foreign error body ends as backend_error or the end of retries.`,
    judged: 'backend_error, no_agents_available or no_capacity; the status goes with the code',
    needs: ['backend', modelNeed[route]],
  };
}

function envelopeKept(route: ProxyRoute): Entry {
  return {
    clause: 'router#transparent-proxy/envelope-kept',
    strength: 'stated',
    statement: `On the ${slugs[route]} route code and source of an error in the envelope already are kept.`,
    judged:
      'an error of code, message and source alone; a code that stops no session may be hidden by a retry',
    needs: ['backend', modelNeed[route]],
  };
}

export const transparentProxyRequirements = routerSection('transparent-proxy', {
  'messages-success-untouched': successUntouched('messages'),
  'count-tokens-success-untouched': successUntouched('countTokens'),
  'embeddings-success-untouched': successUntouched('embeddings'),
  'rerank-success-untouched': successUntouched('rerank'),
  'messages-error-unclassified': errorUnclassified('messages'),
  'count-tokens-error-unclassified': errorUnclassified('countTokens'),
  'embeddings-error-unclassified': errorUnclassified('embeddings'),
  'rerank-error-unclassified': errorUnclassified('rerank'),
  'messages-error-wrapped': errorWrapped('messages'),
  'count-tokens-error-wrapped': errorWrapped('countTokens'),
  'embeddings-error-wrapped': errorWrapped('embeddings'),
  'rerank-error-wrapped': errorWrapped('rerank'),
  'messages-envelope-kept': envelopeKept('messages'),
  'count-tokens-envelope-kept': envelopeKept('countTokens'),
  'embeddings-envelope-kept': envelopeKept('embeddings'),
  'rerank-envelope-kept': envelopeKept('rerank'),
  'request-untouched': {
    clause: 'router#transparent-proxy/forwarding',
    strength: 'implied',
    statement: 'A request of a proxy route reaches the engine with the same bytes.',
    judged: 'implied: the document says so of the answer',
    needs: ['backend', 'models.chat'],
  },
  'envelope-with-more-kept': {
    clause: 'router#transparent-proxy/envelope-kept',
    strength: 'implied',
    statement: 'Code and source of an envelope with further members are kept.',
    judged: 'implied: the document does not say how a router knows its envelope',
    needs: ['backend', 'models.chat'],
  },
  'wrapped-message': {
    clause: 'router#transparent-proxy/wrapped',
    strength: 'open',
    statement: 'Whether the message of a wrapped error holds what the engine said.',
    needs: ['backend', 'models.chat'],
  },
  'other-success-status': {
    clause: 'router#transparent-proxy/forwarding',
    strength: 'stated',
    statement: 'Another success status of the engine, such as 201, reaches the client as it is.',
    needs: ['backend', 'models.chat'],
  },
  'success-content-type': {
    clause: 'router#transparent-proxy/forwarding',
    strength: 'implied',
    statement: 'The content type of a proxied success is that of the engine.',
    needs: ['backend', 'models.chat'],
  },
  'stream-untouched': {
    clause: 'router#transparent-proxy/forwarding',
    strength: 'stated',
    statement:
      'A stream on the messages route reaches the client with the same bytes, and with no others.',
    needs: ['backend', 'models.chat'],
  },
  'near-envelope-wrapped': {
    clause: 'router#transparent-proxy/wrapped',
    strength: 'implied',
    statement: 'An error body that lacks a part of the envelope is wrapped and not taken for it.',
    needs: ['backend', 'models.chat'],
  },
  'envelope-whatever-its-label': {
    clause: 'router#transparent-proxy/envelope-kept',
    strength: 'implied',
    statement: 'An envelope is kept also where the engine labelled it as something else than JSON.',
    needs: ['backend', 'models.chat'],
  },
  'envelope-kept-status': {
    clause: 'router#transparent-proxy/envelope-kept',
    strength: 'open',
    statement: 'Which status an engine error has whose envelope was kept.',
    needs: ['backend', 'models.chat'],
  },
  'final-codes': {
    clause: 'router#retry-behaviour/4',
    strength: 'open',
    statement: 'With which code and status foreign errors come out of the proxy routes.',
    needs: ['backend', 'models.chat'],
  },
});
