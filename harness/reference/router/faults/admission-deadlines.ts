/** Deadlines that come early, late, or as something else. */

import {
  amend,
  answering,
  chained,
  every,
  faultTable,
  forces,
  on,
  refusal,
  replace,
  type RequestTest,
  withCode,
} from './words.ts';

const withoutOutput = (['rerank', 'messages/count_tokens'] as const).flatMap((route) => {
  const where: RequestTest = ({ path }) => path === `/v1/${route}`;
  return faultTable('router.admission', {
    [`timeout-at-engine: no-deadline-for-${route.replace('messages/count_tokens', 'count-tokens')}`]:
      replace(
        'deadlineMs',
        (original, limits, context) => original(limits, context) * (where(context) ? 100 : 1),
      ),
  });
});

export const admissionDeadlinesFaults = [
  ...faultTable('router.admission', {
    'timeout-at-engine: deadline-ends-with-the-head': {
      says: 'Waits without end for the rest of an answer whose head has come.',
      patch: forces('deadlineAt', 'stops', (moment) => moment === 'head'),
    },
    'timeout-at-engine: deadline-is-that-of-each-try': forces(
      'deadlineAt',
      'restarts',
      (moment) => moment === 'failed-try',
    ),
    'timeout-at-engine: deadline-a-sixth-longer': amend('deadlineMs', (ms) => (7 / 6) * ms),
    'timeout-not-early: deadline-at-half-time': replace(
      'deadlineMs',
      (original, limits, context) => original(limits, context) / 2,
    ),
    'timeout-before-provider: deadline-before-provider-is-backend-error': answering(
      every(on({ model: 'scripted-provider' }), withCode('request_timeout')),
      (reply) => refusal(reply, 502, 'backend_error'),
    ),
    'timeout-in-queue: deadline-in-queue-is-backend-error': {
      besides: ['slots-full', 'router.retry-behaviour.full-model-queue'],
      patch: chained(
        (rules) => ({ ...rules, mayWait: () => true }),
        answering(every(on({ model: 'scripted-slot' }), withCode('request_timeout')), (reply) =>
          refusal(reply, 502, 'backend_error'),
        ),
      ),
    },
    'processors-busy: processor-starts-the-clock': {
      says: 'Counts the deadline from the moment at which a processor takes the request.',
      patch: forces('deadlineAt', 'restarts', (moment) => moment === 'processor'),
    },
    'timeout-at-processors: deadline-unseen-before-a-processor': () => ({
      endOfWaiting: () => new AbortController().signal,
    }),
  }),
  ...withoutOutput,
];
