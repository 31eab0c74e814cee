/** Limits on concurrency, queues and time, and that what a request held comes back. */

import { routerSection } from './section.ts';

/** How long the pending channel must stay full before queue_full, in seconds (router#limits/queue). */
export const QUEUE_FULL_SECONDS = 5;

const inflight = ['models.maxInflight', 'backend'] as const;
const slot = ['models.singleSlot', 'backend'] as const;
const wholeRouter = [
  'models.singleSlot',
  'backend',
  'limits.maxConcurrent',
  'limits.queueSize',
  'consent.saturate',
] as const;

export const admissionRequirements = routerSection('admission', {
  'inflight-over': {
    clause: 'router#limits/occupancy',
    strength: 'stated',
    statement:
      'With all places in flight taken beyond the park time a request is concurrency_limit_exceeded.',
    needs: inflight,
  },
  'inflight-over-reaches-no-engine': {
    clause: 'router#codes/concurrency_limit_exceeded',
    strength: 'stated',
    statement: 'A request that the limit in flight refuses reaches no engine.',
    needs: inflight,
  },
  'inflight-at': {
    clause: 'router#limits/occupancy',
    strength: 'stated',
    statement: 'As many requests at once as the limit in flight allows are all served.',
    needs: inflight,
  },
  'inflight-parked': {
    clause: 'router#limits/occupancy',
    strength: 'implied',
    statement: 'A parked request is served when a place comes free within the park time.',
    needs: ['models.maxInflight', 'backend', 'limits.parkTimeoutMs'],
  },
  'inflight-not-early': {
    clause: 'router#codes/concurrency_limit_exceeded',
    strength: 'stated',
    statement:
      'A request is refused for the limit in flight only once that stayed full for the park time.',
    judged: 'A fifth of the park time is allowed for.',
    needs: ['models.maxInflight', 'backend', 'limits.parkTimeoutMs'],
  },
  'occupancy-over': {
    clause: 'router#codes/concurrency_limit_exceeded',
    strength: 'stated',
    statement:
      'With the token budget of a model filled a further request is concurrency_limit_exceeded.',
    needs: ['models.occupancy', 'backend'],
  },
  'occupancy-under': {
    clause: 'router#codes/concurrency_limit_exceeded',
    strength: 'stated',
    statement: 'Small requests far under the token budget of a model are served side by side.',
    needs: ['models.occupancy', 'backend'],
  },
  'occupancy-on-messages': {
    clause: 'router#limits/occupancy',
    strength: 'implied',
    statement: 'The token budget of a model holds for the messages route as well.',
    needs: ['models.occupancy', 'backend'],
  },
  'occupancy-not-early': {
    clause: 'router#codes/concurrency_limit_exceeded',
    strength: 'stated',
    statement:
      'A request is refused for the token budget of a model only once that stayed full for the park time.',
    judged: 'A fifth of the park time is allowed for.',
    needs: ['models.occupancy', 'backend', 'limits.parkTimeoutMs'],
  },
  'occupancy-parked': {
    clause: 'router#limits/occupancy',
    strength: 'implied',
    statement:
      'A request parked for the token budget of a model is served when enough of it comes free within the park time.',
    needs: ['models.occupancy', 'backend', 'limits.parkTimeoutMs'],
  },
  'shed-refused': {
    clause: 'router#limits/shed',
    strength: 'stated',
    statement: 'A model over its shedding threshold refuses with concurrency_limit_exceeded.',
    needs: ['models.shed'],
  },
  'shed-reaches-no-engine': {
    clause: 'router#codes/concurrency_limit_exceeded',
    strength: 'stated',
    statement: 'A request that is shed reaches no engine.',
    needs: ['models.shed', 'backend'],
  },
  'shed-under-threshold': {
    clause: 'router#limits/shed',
    strength: 'stated',
    statement: 'A model under its shedding threshold is not shed.',
    needs: ['models.calm'],
  },
  'slots-full': {
    clause: 'router#limits/agent-capacity',
    strength: 'stated',
    statement:
      'With every slot of the only agent taken a further request ends without being served.',
    judged: 'no_capacity, no_agents_available, queue_full or request_timeout',
    needs: slot,
  },
  'slots-full-reaches-no-engine': {
    clause: 'router#codes/no_capacity',
    strength: 'stated',
    statement: 'The engine never sees more requests at once than its agent has slots.',
    needs: slot,
  },
  'slots-full-final-code': {
    clause: 'router#codes/no_capacity',
    strength: 'open',
    statement: 'With which code a request ends that found every slot taken.',
    needs: slot,
  },
  'queue-full': {
    clause: 'router#limits/queue',
    strength: 'stated',
    statement: 'With the pending channel full for five seconds a further request is refused.',
    judged: 'queue_full, no_agents_available or no_capacity; waits five seconds',
    needs: wholeRouter,
  },
  'queue-full-waits': {
    clause: 'router#codes/queue_full',
    strength: 'stated',
    statement: 'A queue_full does not come before the pending channel was full for five seconds.',
    needs: wholeRouter,
  },
  'queue-size': {
    clause: 'router#limits/queue',
    strength: 'stated',
    statement: 'The pending channel holds as many requests as its size says before it is full.',
    judged: 'about as many: not where less than a quarter is missing',
    needs: wholeRouter,
  },
  'queue-full-final-code': {
    clause: 'router#codes/queue_full',
    strength: 'open',
    statement: 'With which code a request ends that the full pending channel refused.',
    needs: wholeRouter,
  },
  'timeout-at-engine': {
    clause: 'router#limits/deadline',
    strength: 'stated',
    statement: 'A request whose engine is silent past the deadline is request_timeout.',
    judged:
      'Where two requests in a row end later than one and a half times the deadline and two seconds, it does not hold.',
    needs: ['backend', 'models.chat', 'limits.requestTimeoutMs'],
  },
  'timeout-not-early': {
    clause: 'router#limits/deadline',
    strength: 'stated',
    statement: 'A request_timeout does not come before the deadline.',
    needs: ['backend', 'models.chat', 'limits.requestTimeoutMs'],
  },
  'timeout-in-queue': {
    clause: 'router#codes/request_timeout',
    strength: 'stated',
    statement:
      'A request that waits past the deadline for a slot is request_timeout or no_capacity.',
    needs: ['models.singleSlot', 'backend', 'limits.requestTimeoutMs'],
  },
  'timeout-before-provider': {
    clause: 'router#codes/request_timeout',
    strength: 'implied',
    statement:
      'A deadline that passes at the agents is request_timeout and the provider is not asked.',
    needs: ['models.provider', 'backend', 'limits.requestTimeoutMs'],
  },
  'processors-busy': {
    clause: 'router#limits/processor-concurrency',
    strength: 'stated',
    statement: 'Time spent waiting for a processor counts against the deadline.',
    needs: [
      'models.chat',
      'backend',
      'limits.maxConcurrent',
      'limits.requestTimeoutMs',
      'consent.saturate',
    ],
  },
  'timeout-at-processors': {
    clause: 'router#limits/processor-concurrency',
    strength: 'stated',
    statement: 'A request whose deadline passes while it waits for a processor ends then.',
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
  'processor-back-after-hang-up': {
    clause: 'router#limits/processor-concurrency',
    strength: 'implied',
    statement: 'The processors of requests whose clients hung up work on others again.',
    needs: ['models.chat', 'backend', 'limits.maxConcurrent', 'consent.saturate'],
  },
  'slot-back-after-success': {
    clause: 'router#limits/agent-capacity',
    strength: 'stated',
    statement: 'The slot of a request that was answered is free again.',
    needs: slot,
  },
  'slot-back-after-hang-up': {
    clause: 'router#limits/agent-capacity',
    strength: 'implied',
    statement: 'The slot of a request whose client hung up comes back.',
    needs: slot,
  },
  'slot-back-after-stream-hang-up': {
    clause: 'router#limits/agent-capacity',
    strength: 'implied',
    statement: 'The slot of a stream whose client hung up comes back.',
    needs: slot,
  },
  'slot-back-after-error': {
    clause: 'router#limits/agent-capacity',
    strength: 'stated',
    statement:
      'The slot of a request that its engine refused or did not live to answer comes back.',
    needs: slot,
  },
  'slot-back-after-stream-failure': {
    clause: 'router#limits/agent-capacity',
    strength: 'stated',
    statement: 'The slot of a stream whose engine was lost comes back.',
    needs: slot,
  },
  'slot-back-after-timeout': {
    clause: 'router#limits/agent-capacity',
    strength: 'implied',
    statement: 'The slot of a request that ran into the deadline comes back.',
    needs: ['models.singleSlot', 'backend', 'limits.requestTimeoutMs'],
  },
  'slots-free-when-idle': {
    clause: 'router#codes/no_capacity',
    strength: 'stated',
    statement: 'While the engines work on nothing, a model is not refused for full slots.',
    needs: ['models.chat', 'backend'],
  },
  'places-free-when-idle': {
    clause: 'router#codes/concurrency_limit_exceeded',
    strength: 'stated',
    statement:
      'While the engines work on nothing, a model is not refused for its places in flight.',
    needs: inflight,
  },
  'inflight-back-after-success': {
    clause: 'router#limits/occupancy',
    strength: 'stated',
    statement: 'The place in flight of an answered request is free again.',
    needs: inflight,
  },
  'inflight-back-after-hang-up': {
    clause: 'router#limits/occupancy',
    strength: 'implied',
    statement: 'The place in flight of a request whose client hung up comes back.',
    needs: inflight,
  },
  'inflight-back-after-error': {
    clause: 'router#limits/occupancy',
    strength: 'stated',
    statement:
      'The place in flight of a request that its engine refused or did not live to answer comes back.',
    needs: inflight,
  },
  'inflight-back-after-timeout': {
    clause: 'router#limits/occupancy',
    strength: 'implied',
    statement: 'The place in flight of a request that ran into the deadline comes back.',
    needs: ['models.maxInflight', 'backend', 'limits.requestTimeoutMs'],
  },
  'occupancy-back': {
    clause: 'router#limits/occupancy',
    strength: 'stated',
    statement: 'The token budget of a model is free again once its requests have ended.',
    needs: ['models.occupancy', 'backend'],
  },
  'serverless-share-back': {
    clause: 'router#limits/serverless',
    strength: 'stated',
    statement:
      'The occupancy share of a serverless key is free again once its requests have ended.',
    needs: ['keys.serverless', 'keys.serverless.occupancyShare', 'backend'],
  },
});
