/** Requirements of limits on concurrency, queues and time, and of the release of what a request held. */

import { needing } from './needs.ts';
import { all, clause, cited, stated, implied, section } from '../requirement.ts';

/** How long the pending channel must stay full before queue_full, in seconds (router#limits/queue). */
export const QUEUE_FULL_SECONDS = 5;

const inflight = needing('models.maxInflight', 'backend');
const occupancy = needing('models.occupancy', 'backend');
const slot = needing('models.singleSlot', 'backend');
const wholeRouter = needing(
  'models.singleSlot',
  'backend',
  'limits.maxConcurrent',
  'limits.queueSize',
  'consent.saturate',
);

export const admission = section('router', 'admission', [
  clause('limits/occupancy', 'Limits: occupancy, requests in flight, park time', {
    ...all(stated, inflight.needs, {
      'inflight-over':
        'With all places in flight taken beyond the park time a request is concurrency_limit_exceeded.',
      'inflight-at': 'As many requests at once as the limit in flight allows are all served.',
    }),
    'inflight-parked': implied(
      'A parked request is served when a place comes free within the park time.',
      ['models.maxInflight', 'backend', 'limits.parkTimeoutMs'],
    ),
    'occupancy-on-messages': occupancy.implied(
      'The token budget of a model holds for the messages route as well.',
    ),
    'occupancy-parked': implied(
      'A request parked for the token budget of a model is served when enough of it comes free within the park time.',
      ['models.occupancy', 'backend', 'limits.parkTimeoutMs'],
    ),
    'inflight-back-after-success': inflight.stated(
      'The place in flight of an answered request is free again.',
    ),
    'inflight-back-after-hang-up': inflight.implied(
      'The place in flight of a request whose client hung up comes back.',
    ),
    'inflight-back-after-error': inflight.stated(
      'The place in flight of a request that its engine refused or did not live to answer comes back.',
    ),
    'inflight-back-after-timeout': implied(
      'The place in flight of a request that ran into the deadline comes back.',
      ['models.maxInflight', 'backend', 'limits.requestTimeoutMs'],
    ),
    'occupancy-back': occupancy.stated(
      'The token budget of a model is free again once its requests have ended.',
    ),
  }),
  clause('limits/shed', 'Limits: shedding threshold', {
    'shed-refused': stated(
      'A model over its shedding threshold refuses with concurrency_limit_exceeded.',
      ['models.shed'],
    ),
    'shed-under-threshold': stated('A model under its shedding threshold is not shed.', [
      'models.calm',
    ]),
  }),
  clause('limits/queue', 'Limits: pending channel', {
    'queue-full': wholeRouter.stated(
      'With the pending channel full for five seconds a further request is refused.',
      'queue_full, no_agents_available or no_capacity; waits five seconds',
    ),
    'queue-size': wholeRouter.stated(
      'The pending channel holds as many requests as its size says before it is full.',
      'about as many: not where less than a quarter is missing',
    ),
    'queue-bounded': wholeRouter.implied(
      'Of far more requests than the processors and the pending channel hold, some are refused.',
      'implied: a router may hand pending requests on to workers that wait',
    ),
  }),
  clause('limits/deadline', 'Limits: end-to-end deadline', {
    'timeout-at-engine': stated(
      'A request whose engine is silent past the deadline is request_timeout.',
      {
        judged:
          'Where two requests in a row end later than one and a half times the deadline and two seconds, it does not hold.',
        needs: ['backend', 'models.chat', 'limits.requestTimeoutMs'],
      },
    ),
    'timeout-not-early': stated('A request_timeout does not come before the deadline.', [
      'backend',
      'models.chat',
      'limits.requestTimeoutMs',
    ]),
  }),
  clause('limits/agent-capacity', 'Limits: agent capacity', {
    'slots-full': slot.stated(
      'With every slot of the only agent taken a further request ends without being served.',
      'no_capacity, no_agents_available, queue_full or request_timeout',
    ),
    'slot-back-after-success': slot.stated(
      'The slot of a request that was answered is free again.',
    ),
    ...all(implied, slot.needs, {
      'slot-back-after-hang-up': 'The slot of a request whose client hung up comes back.',
      'slot-back-after-stream-hang-up': 'The slot of a stream whose client hung up comes back.',
    }),
    ...all(stated, slot.needs, {
      'slot-back-after-error':
        'The slot of a request that its engine refused or did not live to answer comes back.',
      'slot-back-after-stream-failure': 'The slot of a stream whose engine was lost comes back.',
    }),
    'slot-back-after-timeout': implied(
      'The slot of a request that ran into the deadline comes back.',
      ['models.singleSlot', 'backend', 'limits.requestTimeoutMs'],
    ),
  }),
  clause('limits/processor-concurrency', 'Limits: processor concurrency', {
    'processors-busy': stated('Time spent waiting for a processor counts against the deadline.', [
      'models.chat',
      'backend',
      'limits.maxConcurrent',
      'limits.requestTimeoutMs',
      'consent.saturate',
    ]),
    'timeout-at-processors': stated(
      'A request whose deadline passes while it waits for a processor ends then.',
      {
        judged:
          'Where a request that has no processor yet is unanswered after one and a half times the deadline and two seconds, while the router answers others, it does not hold.',
        needs: [
          'models.chat',
          'backend',
          'limits.maxConcurrent',
          'limits.queueSize',
          'limits.requestTimeoutMs',
          'consent.saturate',
        ],
      },
    ),
    'processor-back-after-hang-up': implied(
      'The processors of requests whose clients hung up work on others again.',
      ['models.chat', 'backend', 'limits.maxConcurrent', 'consent.saturate'],
    ),
  }),
  cited('codes/concurrency_limit_exceeded', {
    'inflight-over-reaches-no-engine': inflight.stated(
      'A request that the limit in flight refuses reaches no engine.',
    ),
    'inflight-not-early': stated(
      'A request is refused for the limit in flight only once that stayed full for the park time.',
      {
        judged: 'A fifth of the park time is allowed for.',
        needs: ['models.maxInflight', 'backend', 'limits.parkTimeoutMs'],
      },
    ),
    ...all(stated, occupancy.needs, {
      'occupancy-over':
        'With the token budget of a model filled a further request is concurrency_limit_exceeded.',
      'occupancy-under':
        'Small requests far under the token budget of a model are served side by side.',
    }),
    'occupancy-not-early': stated(
      'A request is refused for the token budget of a model only once that stayed full for the park time.',
      {
        judged: 'A fifth of the park time is allowed for.',
        needs: ['models.occupancy', 'backend', 'limits.parkTimeoutMs'],
      },
    ),
    'shed-reaches-no-engine': stated('A request that is shed reaches no engine.', [
      'models.shed',
      'backend',
    ]),
    'places-free-when-idle': inflight.stated(
      'While the engines work on nothing, a model is not refused for its places in flight.',
    ),
  }),
  cited('codes/no_capacity', {
    'slots-full-reaches-no-engine': slot.stated(
      'The engine never sees more requests at once than its agent has slots.',
    ),
    'slots-full-final-code': slot.open(
      'With which code a request ends that found every slot taken.',
    ),
    'slots-free-when-idle': stated(
      'While the engines work on nothing, a model is not refused for full slots.',
      ['models.chat', 'backend'],
    ),
  }),
  cited('codes/queue_full', {
    'queue-full-waits': wholeRouter.stated(
      'A queue_full does not come before the pending channel was full for five seconds.',
    ),
    'queue-full-final-code': wholeRouter.open(
      'With which code a request ends that the full pending channel refused.',
    ),
  }),
  cited('codes/request_timeout', {
    'timeout-in-queue': stated(
      'A request that waits past the deadline for a slot is request_timeout or no_capacity.',
      ['models.singleSlot', 'backend', 'limits.requestTimeoutMs'],
    ),
    'timeout-before-provider': implied(
      'A deadline that passes at the agents is request_timeout and the provider is not asked.',
      ['models.provider', 'backend', 'limits.requestTimeoutMs'],
    ),
  }),
  cited('limits/serverless', {
    'serverless-share-back': stated(
      'The occupancy share of a serverless key is free again once its requests have ended.',
      ['keys.serverless', 'keys.serverless.occupancyShare', 'backend'],
    ),
  }),
]);
