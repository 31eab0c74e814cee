/** Internal retry behaviour: which errors stop at once, which are retried, and the final outcome for the client. */

import { chat, needing } from './needs.ts';
import type { RouterCode } from './codes.ts';
import { all, clause, cited, excluded, stated, implied, section } from '../requirement.ts';

/** Codes that stop the routing session at once (router#retry-behaviour/1). */
export const terminalCodes = [
  'request_invalid',
  'context_length_exceeded',
  'invalid_parameter',
  'token_limit_exceeded',
] as const satisfies readonly RouterCode[];

/** Codes of the final error after the router has tried every agent, step and provider. */
export const endOfRetries = [
  'no_agents_available',
  'no_capacity',
] as const satisfies readonly RouterCode[];

const pair = needing('backend', 'models.pair');
const provider = needing('backend', 'models.provider');
const overflow = needing('backend', 'models.overflow');

export const retry = section('router', 'retry-behaviour', [
  excluded.heading('retry-behaviour', 'Errors, Internal retry behaviour'),
  clause('retry-behaviour/1', 'Errors, Internal retry behaviour: rule 1', {
    ...all(
      stated,
      { judged: 'exactly one hit', needs: pair.needs },
      {
        'context-length-stops': 'After context_length_exceeded no other agent is tried.',
        'invalid-parameter-stops': 'After invalid_parameter no other agent is tried.',
        'proxied-code-stops':
          'A code that stops the session stops it on a proxy route, too, where the envelope of an agent names it.',
      },
    ),
    'token-limit-stops': stated(
      'After token_limit_exceeded for an overrun no other agent is tried.',
      { judged: 'exactly one hit', needs: ['backend', 'models.pair', 'keys.tokensPerDay'] },
    ),
    'terminal-skips-provider': provider.stated(
      'After a code that stops the session the external provider is not asked.',
      'exactly one hit',
    ),
  }),
  clause('retry-behaviour/2', 'Errors, Internal retry behaviour: rule 2, redial', {
    'stale-connection-redialled': implied(
      'After an agent went away and came back, the next request for its model is served.',
      {
        needs: ['backend', 'models.chat', 'hooks.disconnectAgent'],
        judged:
          'implied: from outside it does not show whether the router still held the old connection',
      },
    ),
    'redial-is-free': implied(
      'After its agents went away and came back, a model whose step tries once serves the next request.',
      {
        judged:
          'implied: from outside it does not show whether the router still held the old connection',
        needs: ['backend', 'models.bounded', 'hooks.disconnectAgent'],
      },
    ),
  }),
  excluded.inside(
    'retry-behaviour/2/max-tries',
    'Errors, Internal retry behaviour: rule 2, tries not consumed',
  ),
  clause('retry-behaviour/3', 'Errors, Internal retry behaviour: rule 3, another agent', {
    ...all(
      stated,
      { judged: 'two hits and the second answer', needs: pair.needs },
      {
        'retry-after-unavailable':
          'A first 503 or 429 of one engine is followed by a try at another, whose answer counts.',
        'retry-after-backend-error':
          'A first 500 of one engine, or an error of another status that stops nothing, is followed by a try at another, whose answer counts.',
        'retry-after-drop':
          'A connection lost before any answer is followed by a try at another agent.',
      },
    ),
    'retry-on-proxy': pair.implied(
      'On the messages route too a lost connection is followed by a try at another agent.',
    ),
    'retry-other-agent': pair.stated(
      'The second try goes to another agent than the one that failed.',
      'by the address that was hit; not exercised when the agents share one',
    ),
  }),
  clause(
    'retry-behaviour/3/max-tries',
    'Errors, Internal retry behaviour: rule 3, bound on tries',
    {
      'tries-bounded': stated(
        'A request that always fails is tried more than once and at most as often as a step may.',
        ['backend', 'models.pair', 'limits.maxTries'],
      ),
      'more-agents-than-tries': stated(
        'A step with more agents than tries asks no more of them than it may try.',
        {
          judged: 'as many hits as tries, for a request that always fails',
          needs: ['backend', 'models.bounded'],
        },
      ),
    },
  ),
  clause('retry-behaviour/3/steps', 'Errors, Internal retry behaviour: rule 3, fallback steps', {
    'failed-step-advances': overflow.stated(
      'When the agents of a step have failed, the next step serves.',
      'two hits and the second answer',
    ),
    'fallback-step': stated('When the first step cannot serve, the next step does.', [
      'backend',
      'models.fallback',
    ]),
    'fallback-step-on-proxy': implied(
      'On the messages route too, the next step serves when the first one cannot.',
      {
        judged: 'implied: the section on these routes does not speak of steps',
        needs: ['backend', 'models.fallback'],
      },
    ),
  }),
  clause(
    'retry-behaviour/3/provider',
    'Errors, Internal retry behaviour: rule 3, provider fallback',
    {
      'provider-fallback': provider.stated(
        'When no agent can serve, the configured external provider does.',
      ),
      'provider-fallback-on-proxy': provider.implied(
        'On the messages route too, the external provider serves when the engines of all agents are lost.',
        'implied: the section on these routes does not speak of providers',
      ),
    },
  ),
  clause('retry-behaviour/4', 'Errors, Internal retry behaviour: rule 4', {
    'final-outcome': pair.stated(
      'When every try fails as unavailable, the client sees that or the end of retries.',
      'backend_unavailable, no_agents_available or no_capacity',
    ),
    'final-code': pair.open('With which code a session ends in which every try failed.'),
  }),
  clause('retry-behaviour/5', 'Errors, Internal retry behaviour: rule 5', {
    'provider-failure': provider.stated(
      'When the external provider fails too, the client sees backend_error.',
    ),
    'provider-asked-once': provider.implied(
      'A provider that failed is not asked again for the same request.',
      'an error that would stop a session ends it where an agent got it; as backend_error, with another hit, the provider was asked again',
    ),
  }),
  clause('retry-behaviour/6', 'Errors, Internal retry behaviour: rule 6', {
    'full-step-advances': overflow.stated(
      'When the slots of a step are full, the next step serves.',
    ),
    'full-model-queue': implied(
      'A full queue of one model ends as no_capacity or no_agents_available, not as queue_full.',
      { judged: 'implied: the document says normally', needs: ['backend', 'models.singleSlot'] },
    ),
  }),
  excluded(
    'retry-behaviour/7',
    'Errors, Internal retry behaviour: rule 7',
    'about message text, which is never matched',
  ),
  clause('retry-behaviour/8', 'Errors, Internal retry behaviour: rule 8, no idempotency', {
    'request-id-not-idempotency': chat.stated(
      'Two requests with the same X-Request-ID are two requests to the engine.',
      'two hits, one after the other',
    ),
    'request-id-not-idempotency-concurrent': chat.stated(
      'Two simultaneous requests with the same X-Request-ID each get an answer of their own.',
      'two hits and two answers',
    ),
  }),
  excluded(
    'retry-behaviour/8/ambiguity',
    'Errors, Internal retry behaviour: rule 8, ambiguity of timeouts',
    'says what may be and forbids nothing',
  ),
  cited('transparent-proxy/wrapped', {
    'answered-failure-on-proxy': pair.open(
      'Whether a failure that an engine answers on the messages route is wrapped at once or tried elsewhere.',
    ),
  }),
]);
