/** Internal retry behaviour: what stops at once, what is tried again, and what the client sees in the end. */

import type { RouterCode } from './codes.ts';
import { routerSection } from './section.ts';

/** Codes that stop the routing session at once (router#retry-behaviour/1). */
export const terminalCodes = [
  'request_invalid',
  'context_length_exceeded',
  'invalid_parameter',
  'token_limit_exceeded',
] as const satisfies readonly RouterCode[];

/** Codes with which a session may end after every agent, step and provider was tried. */
export const endOfRetries = [
  'no_agents_available',
  'no_capacity',
] as const satisfies readonly RouterCode[];

const pair = ['backend', 'models.pair'] as const;

export const retryRequirements = routerSection('retry-behaviour', {
  'context-length-stops': {
    clause: 'router#retry-behaviour/1',
    strength: 'stated',
    statement: 'After context_length_exceeded no other agent is tried.',
    judged: 'exactly one hit',
    needs: pair,
  },
  'invalid-parameter-stops': {
    clause: 'router#retry-behaviour/1',
    strength: 'stated',
    statement: 'After invalid_parameter no other agent is tried.',
    judged: 'exactly one hit',
    needs: pair,
  },
  'proxied-code-stops': {
    clause: 'router#retry-behaviour/1',
    strength: 'stated',
    statement:
      'A code that stops the session stops it on a proxy route, too, where the envelope of an agent names it.',
    judged: 'exactly one hit',
    needs: pair,
  },
  'token-limit-stops': {
    clause: 'router#retry-behaviour/1',
    strength: 'stated',
    statement: 'After token_limit_exceeded for an overrun no other agent is tried.',
    judged: 'exactly one hit',
    needs: ['backend', 'models.pair', 'keys.tokensPerDay'],
  },
  'terminal-skips-provider': {
    clause: 'router#retry-behaviour/1',
    strength: 'stated',
    statement: 'After a code that stops the session the external provider is not asked.',
    judged: 'exactly one hit',
    needs: ['backend', 'models.provider'],
  },
  'stale-connection-redialled': {
    clause: 'router#retry-behaviour/2',
    strength: 'implied',
    statement: 'After an agent went away and came back, the next request for its model is served.',
    needs: ['backend', 'models.chat', 'hooks.disconnectAgent'],
    judged:
      'implied: from outside it does not show whether the router still held the old connection',
  },
  'redial-is-free': {
    clause: 'router#retry-behaviour/2',
    strength: 'implied',
    statement:
      'After its agents went away and came back, a model whose step tries once serves the next request.',
    judged:
      'implied: from outside it does not show whether the router still held the old connection',
    needs: ['backend', 'models.bounded', 'hooks.disconnectAgent'],
  },
  'retry-after-unavailable': {
    clause: 'router#retry-behaviour/3',
    strength: 'stated',
    statement:
      'A first 503 or 429 of one engine is followed by a try at another, whose answer counts.',
    judged: 'two hits and the second answer',
    needs: pair,
  },
  'retry-after-backend-error': {
    clause: 'router#retry-behaviour/3',
    strength: 'stated',
    statement:
      'A first 500 of one engine, or an error of another status that stops nothing, is followed by a try at another, whose answer counts.',
    judged: 'two hits and the second answer',
    needs: pair,
  },
  'retry-after-drop': {
    clause: 'router#retry-behaviour/3',
    strength: 'stated',
    statement: 'A connection lost before any answer is followed by a try at another agent.',
    judged: 'two hits and the second answer',
    needs: pair,
  },
  'retry-on-proxy': {
    clause: 'router#retry-behaviour/3',
    strength: 'implied',
    statement: 'On the messages route too a lost connection is followed by a try at another agent.',
    needs: pair,
  },
  'answered-failure-on-proxy': {
    clause: 'router#transparent-proxy/wrapped',
    strength: 'open',
    statement:
      'Whether a failure that an engine answers on the messages route is wrapped at once or tried elsewhere.',
    needs: pair,
  },
  'retry-other-agent': {
    clause: 'router#retry-behaviour/3',
    strength: 'stated',
    statement: 'The second try goes to another agent than the one that failed.',
    judged: 'by the address that was hit; not exercised when the agents share one',
    needs: pair,
  },
  'tries-bounded': {
    clause: 'router#retry-behaviour/3/max-tries',
    strength: 'stated',
    statement:
      'A request that always fails is tried more than once and at most as often as a step may.',
    needs: ['backend', 'models.pair', 'limits.maxTries'],
  },
  'more-agents-than-tries': {
    clause: 'router#retry-behaviour/3/max-tries',
    strength: 'stated',
    statement: 'A step with more agents than tries asks no more of them than it may try.',
    judged: 'as many hits as tries, for a request that always fails',
    needs: ['backend', 'models.bounded'],
  },
  'failed-step-advances': {
    clause: 'router#retry-behaviour/3/steps',
    strength: 'stated',
    statement: 'When the agents of a step have failed, the next step serves.',
    judged: 'two hits and the second answer',
    needs: ['backend', 'models.overflow'],
  },
  'full-step-advances': {
    clause: 'router#retry-behaviour/6',
    strength: 'stated',
    statement: 'When the slots of a step are full, the next step serves.',
    needs: ['backend', 'models.overflow'],
  },
  'fallback-step': {
    clause: 'router#retry-behaviour/3/steps',
    strength: 'stated',
    statement: 'When the first step cannot serve, the next step does.',
    needs: ['backend', 'models.fallback'],
  },
  'fallback-step-on-proxy': {
    clause: 'router#retry-behaviour/3/steps',
    strength: 'implied',
    statement: 'On the messages route too, the next step serves when the first one cannot.',
    judged: 'implied: the section on these routes does not speak of steps',
    needs: ['backend', 'models.fallback'],
  },
  'provider-fallback': {
    clause: 'router#retry-behaviour/3/provider',
    strength: 'stated',
    statement: 'When no agent can serve, the configured external provider does.',
    needs: ['backend', 'models.provider'],
  },
  'provider-fallback-on-proxy': {
    clause: 'router#retry-behaviour/3/provider',
    strength: 'implied',
    statement:
      'On the messages route too, the external provider serves when the engines of all agents are lost.',
    judged: 'implied: the section on these routes does not speak of providers',
    needs: ['backend', 'models.provider'],
  },
  'provider-failure': {
    clause: 'router#retry-behaviour/5',
    strength: 'stated',
    statement: 'When the external provider fails too, the client sees backend_error.',
    needs: ['backend', 'models.provider'],
  },
  'provider-asked-once': {
    clause: 'router#retry-behaviour/5',
    strength: 'implied',
    statement: 'A provider that failed is not asked again for the same request.',
    judged:
      'an error that would stop a session ends it where an agent got it; as backend_error, with another hit, the provider was asked again',
    needs: ['backend', 'models.provider'],
  },
  'final-outcome': {
    clause: 'router#retry-behaviour/4',
    strength: 'stated',
    statement: 'When every try fails as unavailable, the client sees that or the end of retries.',
    judged: 'backend_unavailable, no_agents_available or no_capacity',
    needs: pair,
  },
  'final-code': {
    clause: 'router#retry-behaviour/4',
    strength: 'open',
    statement: 'With which code a session ends in which every try failed.',
    needs: pair,
  },
  'full-model-queue': {
    clause: 'router#retry-behaviour/6',
    strength: 'implied',
    statement:
      'A full queue of one model ends as no_capacity or no_agents_available, not as queue_full.',
    judged: 'implied: the document says normally',
    needs: ['backend', 'models.singleSlot'],
  },
  'request-id-not-idempotency': {
    clause: 'router#retry-behaviour/8',
    strength: 'stated',
    statement: 'Two requests with the same X-Request-ID are two requests to the engine.',
    judged: 'two hits, one after the other',
    needs: ['backend', 'models.chat'],
  },
  'request-id-not-idempotency-concurrent': {
    clause: 'router#retry-behaviour/8',
    strength: 'stated',
    statement:
      'Two simultaneous requests with the same X-Request-ID each get an answer of their own.',
    judged: 'two hits and two answers',
    needs: ['backend', 'models.chat'],
  },
});
