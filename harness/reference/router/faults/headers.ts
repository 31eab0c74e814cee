/** Headers that are missing, malformed, or stand where they must not. */

import { type Fault, declareFaults } from '../../fault.ts';
import { headerOf, withHeader } from '../../http/reply.ts';
import type { RequestContext } from '../context.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, every, onPath, withCode } from './answering.ts';
import type { When } from './answering.ts';

const ID = 'router.response-headers';
const hasStatus =
  (status: number): When =>
  (reply) =>
    reply.status === status;

/** A valid trace context that is then broken in one way. */
function tracing(change: (value: string) => string): (rules: RouterRules) => RouterRules {
  return (rules) => ({
    ...rules,
    traceparent: (headers) =>
      change(rules.traceparent(headers) ?? `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`),
  });
}

const traces = declareFaults<RouterRules>([
  {
    name: 'traceparent-in-upper-case',
    summary: 'Writes the trace context in upper case.',
    breaks: [`${ID}.traceparent-valid`],
    patch: tracing(() => `00-${'A'.repeat(32)}-${'B'.repeat(16)}-01`),
  },
  {
    name: 'traceparent-all-zero',
    summary: 'Writes a trace id of zeroes when nothing is traced.',
    breaks: [`${ID}.traceparent-valid`],
    patch: tracing((value) => value.replace(/-[0-9a-f]{32}-/u, `-${'0'.repeat(32)}-`)),
  },
  {
    name: 'traceparent-without-flags-on-401',
    summary: 'Leaves the flags of the trace context out of refusals.',
    breaks: [`${ID}.traceparent-valid`],
    patch: answering(hasStatus(401), (reply) =>
      withHeader(reply, 'traceparent', headerOf(reply, 'traceparent')?.slice(0, -3)),
    ),
  },
]);

const challenges = declareFaults<RouterRules>([
  {
    name: 'no-challenge-on-detail',
    summary: 'Sends no challenge where the detail of a model is refused.',
    breaks: [`${ID}.challenge-on-client-routes`],
    patch: answering(every(hasStatus(401), onPath(/^\/v1\/models\//u)), (reply) =>
      withHeader(reply, 'WWW-Authenticate', undefined),
    ),
  },
  {
    name: 'basic-challenge-on-chat',
    summary: 'Asks for a password on the chat route.',
    breaks: [`${ID}.challenge-on-client-routes`],
    patch: answering(every(hasStatus(401), onPath('/v1/chat/completions')), (reply) =>
      withHeader(reply, 'WWW-Authenticate', 'Basic realm="router"'),
    ),
  },
  {
    name: 'no-challenge-on-routing-table',
    summary: 'Sends no challenge where the routing table is refused.',
    breaks: [`${ID}.challenge-on-admin-routes`],
    patch: answering(every(hasStatus(401), onPath('/admin/routing-table')), (reply) =>
      withHeader(reply, 'WWW-Authenticate', undefined),
    ),
  },
]);

const REQUESTS = 'X-RateLimit-Remaining-Requests';
const TOKENS = 'X-RateLimit-Remaining-Tokens';
const has =
  (name: string): When =>
  (reply) =>
    headerOf(reply, name) !== undefined;
const ofKey =
  (pattern: RegExp): When =>
  (_reply, { key }) =>
    pattern.test(key?.name ?? '');

const quotas = declareFaults<RouterRules>([
  {
    name: 'remaining-requests-with-fraction',
    summary: 'Says how much of a request remains, with a fraction.',
    breaks: [`${ID}.remaining-requests-integer`],
    patch: answering(every(has(REQUESTS), hasStatus(200)), (reply) =>
      withHeader(reply, REQUESTS, `${headerOf(reply, REQUESTS)}.5`),
    ),
  },
  {
    name: 'remaining-requests-never-change',
    summary: 'Says of a bucket that refuses nothing that all its requests remain.',
    breaks: [`${ID}.remaining-requests-counts-down`],
    patch: answering(
      every(has(REQUESTS), (reply) => headerOf(reply, REQUESTS) !== '0'),
      (reply) => withHeader(reply, REQUESTS, '60'),
    ),
  },
  {
    name: 'remaining-tokens-in-words',
    summary: 'Says in words how many tokens remain.',
    breaks: [`${ID}.remaining-tokens-integer`],
    patch: answering(every(has(TOKENS), hasStatus(200)), (reply) =>
      withHeader(reply, TOKENS, `${headerOf(reply, TOKENS)} tokens`),
    ),
  },
  {
    name: 'remaining-requests-grow',
    summary: 'Says ever more remaining requests.',
    breaks: [`${ID}.remaining-requests-counts-down`],
    patch: (rules) => {
      let said = 0;
      return answering(
        every(has(REQUESTS), hasStatus(200), ofKey(/^requestsPerMinute$/u)),
        (reply) => {
          said += 7;
          return withHeader(reply, REQUESTS, String(said));
        },
      )(rules);
    },
  },
  {
    name: 'remaining-tokens-grow',
    summary: 'Says ever more remaining tokens.',
    breaks: [`${ID}.remaining-tokens-counts-down`],
    patch: (rules) => {
      let said = 0;
      return answering(every(has(TOKENS), hasStatus(200)), (reply) => {
        said += 3;
        return withHeader(reply, TOKENS, String(said));
      })(rules);
    },
  },
  {
    name: 'remaining-tokens-never-change',
    summary: 'Says with every success that the whole daily budget remains.',
    breaks: [`${ID}.remaining-tokens-counts-down`],
    patch: answering(every(has(TOKENS), hasStatus(200)), (reply) =>
      withHeader(reply, TOKENS, '2000'),
    ),
  },
  {
    name: 'remaining-tokens-change-in-refusals-alone',
    summary:
      'Says with every success that the whole budget remains, and takes more for a request than it writes.',
    breaks: [`${ID}.remaining-tokens-counts-down`],
    patch: (rules) => ({
      ...answering(every(has(TOKENS), hasStatus(200)), (reply) =>
        withHeader(reply, TOKENS, '2000'),
      )(rules),
      estimateInput: (body, context) => rules.estimateInput(body, context) + 100,
    }),
  },
  {
    name: 'unlimited-key-told-a-large-number',
    summary: 'Tells a key without quotas that a great many requests remain.',
    breaks: [`${ID}.unlimited-omitted`],
    patch: answering(ofKey(/^unlimited$/u), (reply) => withHeader(reply, REQUESTS, '999999999')),
  },
  {
    name: 'unlimited-key-told-tokens',
    summary: 'Tells a key without quotas that a great many tokens remain.',
    breaks: [`${ID}.unlimited-omitted`],
    patch: answering(every(ofKey(/^unlimited$/u), hasStatus(200)), (reply) =>
      withHeader(reply, TOKENS, String(Number.MAX_SAFE_INTEGER)),
    ),
  },
  {
    name: 'unlimited-is-minus-one',
    summary: 'Says -1 where tokens are unlimited.',
    breaks: [`${ID}.unlimited-not-negative`, `${ID}.remaining-tokens-integer`],
    patch: answering(ofKey(/^client$/u), (reply) => withHeader(reply, TOKENS, '-1')),
  },
]);

const RETRY_AFTER = 'Retry-After';
const saying = (value: string | undefined, when: When) =>
  answering(when, (reply) => withHeader(reply, RETRY_AFTER, value));
const isSlotFull = withCode('no_capacity');

const retries = declareFaults<RouterRules>([
  {
    name: 'concurrency-limit-without-retry-after',
    summary: 'Sends no Retry-After with concurrency_limit_exceeded.',
    breaks: [`${ID}.retry-after-on-concurrency`],
    patch: saying(undefined, withCode('concurrency_limit_exceeded')),
  },
  {
    name: 'shed-without-retry-after',
    summary: 'Sends no Retry-After when a model sheds its load.',
    breaks: [`${ID}.retry-after-on-concurrency`],
    exercisedBy: ['router.admission.shed-refused'],
    patch: saying(
      undefined,
      every(
        withCode('concurrency_limit_exceeded'),
        (_reply, { model }) => model === 'scripted-shed',
      ),
    ),
  },
  {
    name: 'concurrency-limit-retry-after-is-a-date',
    summary: 'Sends a date in Retry-After with concurrency_limit_exceeded.',
    breaks: [`${ID}.retry-after-on-concurrency`],
    patch: saying('Wed, 21 Oct 2015 07:28:00 GMT', withCode('concurrency_limit_exceeded')),
  },
  {
    name: 'serverless-retry-after-is-negative',
    summary: 'Sends a negative Retry-After with a serverless refusal.',
    breaks: [`${ID}.retry-after-seconds`],
    exercisedBy: ['router.admission.serverless-share-back'],
    patch: (rules) => ({
      ...rules,
      retryAfter: (failure, context) =>
        failure.detail.quota === 'serverless' ? '-1' : rules.retryAfter(failure, context),
    }),
  },
  {
    name: 'retry-after-with-no-capacity',
    summary: 'Sends Retry-After with no_capacity.',
    breaks: [`${ID}.no-retry-after-elsewhere`],
    patch: saying('1', isSlotFull),
  },
  {
    name: 'retry-after-with-no-agents',
    summary: 'Sends Retry-After with no_agents_available.',
    breaks: [`${ID}.no-retry-after-elsewhere`],
    exercisedBy: ['router.codes.no-agents-available'],
    patch: saying('5', withCode('no_agents_available')),
  },
  {
    name: 'retry-after-with-token-limit',
    summary: 'Sends the seconds to the end of the day with token_limit_exceeded.',
    breaks: [`${ID}.no-retry-after-elsewhere`],
    exercisedBy: ['router.retry-behaviour.token-limit-stops'],
    patch: saying('3600', withCode('token_limit_exceeded')),
  },
  {
    name: 'retry-after-with-timeouts',
    summary: 'Sends Retry-After with request_timeout.',
    breaks: [`${ID}.no-retry-after-elsewhere`],
    exercisedBy: ['router.admission.timeout-at-engine'],
    patch: saying('1', withCode('request_timeout')),
  },
  {
    name: 'retry-after-of-engines-passed-on',
    summary: 'Passes the Retry-After of an engine on with the error that becomes of its answer.',
    breaks: [`${ID}.no-retry-after-of-engines`],
    patch: (rules) => {
      // What stands between the first two calls for one error is no await.
      let last: string | undefined;
      const said = new WeakMap<RequestContext, string>();
      return {
        ...rules,
        errorJson: (body, headers) => {
          last = headers['retry-after'];
          return rules.errorJson(body, headers);
        },
        stops: (code, context) => {
          if (last !== undefined) said.set(context, last);
          last = undefined;
          return rules.stops(code, context);
        },
        answer: (reply, context) => {
          const answered = rules.answer(reply, context);
          const value = said.get(context);
          return value === undefined ? answered : withHeader(answered, RETRY_AFTER, value);
        },
      };
    },
  },
  {
    name: 'retry-after-with-unavailable-engines',
    summary: 'Sends Retry-After with backend_unavailable.',
    breaks: [`${ID}.no-retry-after-on-backend-errors`],
    patch: saying('1', withCode('backend_unavailable')),
  },
  {
    name: 'retry-after-with-unavailable-engines-of-streams',
    summary: 'Sends a Retry-After with backend_unavailable where a stream was asked for.',
    breaks: [`${ID}.no-retry-after-on-backend-errors`],
    patch: saying(
      '1',
      every(withCode('backend_unavailable'), (_reply, context) => context.stream),
    ),
  },
  {
    name: 'retry-after-with-context-length',
    summary: 'Sends Retry-After with context_length_exceeded.',
    breaks: [`${ID}.no-retry-after-on-backend-errors`],
    patch: saying('1', withCode('context_length_exceeded')),
  },
]);

export const headerFaults: readonly Fault<RouterRules>[] = [
  ...traces,
  ...challenges,
  ...quotas,
  ...retries,
];
