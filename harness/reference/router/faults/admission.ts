/** Places, queues and deadlines that do not hold, or hold at the wrong time. */

import type { Reply } from '../../http.ts';
import { type Holding, type RequestContext, RouterFailure } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import {
  fails,
  unless,
  replace,
  faultTable,
  answering,
  chained,
  refusal,
  withCode,
} from './answering.ts';
import { answeringLate, refusingLate } from './late.ts';

const ID = 'router.admission';

const onModel =
  (id: string) =>
  ({ model }: RequestContext): boolean =>
    model === id;

/** Takes any number of requests for a model at once, and refuses those beside the first in the end. */
function crowdedLate(what: Holding, model: string, refuse: (reply: Reply) => Reply) {
  return (rules: RouterRules): RouterRules => {
    const open = new Set<RequestContext>();
    const late = new WeakSet<RequestContext>();
    return {
      ...rules,
      capacity: (holding, configured) =>
        holding === what ? 1_000 : rules.capacity(holding, configured),
      forward: (dispatch, context) => {
        if (!onModel(model)(context)) return rules.forward(dispatch, context);
        if (open.size > 0) late.add(context);
        else open.add(context);
        return rules.forward(dispatch, context);
      },
      release: (holding, ending, free, context) => {
        open.delete(context);
        rules.release(holding, ending, free, context);
      },
      ...answeringLate(rules, (context) => late.has(context), refuse),
    };
  };
}

/** Limits of a model whose refusals look like those of a serverless key. */
const asRates = (
  [
    ['inflight', 'scripted-inflight', 'inflight-over'],
    ['occupancy', 'scripted-occupancy', 'occupancy-over'],
    ['shed', 'scripted-shed', 'shed-refused'],
  ] as const
).flatMap(([limit, model, slug]) =>
  faultTable({
    [`${ID}.${slug}`]: {
      [`${limit}-refused-as-rate-limit`]: answering(
        (reply, context) =>
          onModel(model)(context) && withCode('concurrency_limit_exceeded')(reply, context),
        (reply) => refusal(reply, 429, 'rate_limit_exceeded', { 'Retry-After': '1' }),
      ),
    },
  }),
);

export const admissionFaults = [
  ...faultTable({
    'router.admission.occupancy-over': {
      'occupancy-refused-as-no-capacity': answering(
        (reply, context) =>
          onModel('scripted-occupancy')(context) &&
          withCode('concurrency_limit_exceeded')(reply, context),
        (reply) => refusal(reply, 503, 'no_capacity'),
      ),
      'occupancy-refused-as-too-long': answering(
        (reply, context) =>
          onModel('scripted-occupancy')(context) &&
          withCode('concurrency_limit_exceeded')(reply, context),
        (reply) => refusal(reply, 400, 'input_too_long'),
      ),
      'occupancy-unlimited': {
        says: 'Lets any number of tokens occupy a model.',
        patch: unless('capacity', (holding) => holding === 'occupancy', Infinity),
      },
    },
    'router.admission.inflight-over': {
      'inflight-unlimited': {
        says: 'Limits requests in flight nowhere.',
        besides: ['router.admission.inflight-over-reaches-no-engine'],
        patch: unless('capacity', (holding) => holding === 'inflight', 1_000),
      },
      'inflight-one-more': {
        says: 'Takes one request more in flight than the limit.',
        besides: ['router.admission.inflight-over-reaches-no-engine'],
        patch: unless(
          'capacity',
          (holding) => holding === 'inflight',
          (_holding, configured) => configured + 1,
        ),
      },
      'parks-until-the-deadline': () => ({ parkMs: () => 60_000 }),
    },
    'router.admission.inflight-over-reaches-no-engine': {
      'inflight-looked-at-late': {
        says: 'Asks an engine before it refuses a request over the places in flight.',
        patch: crowdedLate('inflight', 'scripted-inflight', (reply) =>
          refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
        ),
      },
    },
    'router.admission.inflight-at': {
      'inflight-one-less': {
        says: 'Refuses a request when one place in flight is left.',
        patch: fails(
          'capable',
          (model, _route, context) => model.maxInflight !== undefined && context.sequence % 2 === 0,
          () => new RouterFailure('concurrency_limit_exceeded', 'too many at once'),
        ),
      },
    },
    'router.admission.inflight-parked': {
      'nobody-parks': {
        says: 'Refuses at once when the places in flight are taken.',
        besides: ['router.admission.inflight-not-early'],
        patch: () => ({ parkMs: () => 0 }),
      },
    },
    'router.admission.inflight-not-early': {
      'streams-never-park': {
        says: 'Refuses a stream at once while the places in flight are taken.',
        patch: unless('parkMs', (_limits, context) => context.stream, 0),
      },
      'messages-never-park': {
        says: 'Refuses a request on the messages route at once while the places in flight are taken.',
        patch: unless('parkMs', (_limits, context) => context.path === '/v1/messages', 0),
      },
      'parks-for-a-tenth-of-the-time': replace(
        'parkMs',
        (original, limits, context) => original(limits, context) / 10,
      ),
    },
    'router.admission.occupancy-under': {
      'occupancy-counts-requests-whole': () => ({ occupancy: (_weight, budget) => budget }),
    },
    'router.admission.shed-refused': {
      'shed-never': {
        says: 'Sheds nothing, whatever the pressure.',
        besides: ['router.admission.shed-reaches-no-engine'],
        patch: () => ({ sheds: () => false }),
      },
      'shed-never-for-streams': unless(
        'sheds',
        (_model, _pressure, context) => context.stream,
        false,
      ),
    },
    'router.admission.shed-under-threshold': {
      'sheds-always': {
        says: 'Sheds every model that has a threshold, whatever the pressure.',
        patch: () => ({ sheds: () => true }),
      },
    },
    'router.admission.shed-reaches-no-engine': {
      'sheds-late': {
        says: 'Asks an engine before it sheds a request.',
        patch: refusingLate(
          (rules, mark) => ({
            sheds: (model, pressure, context) => {
              if (rules.sheds(model, pressure, context)) mark(context);
              return false;
            },
          }),
          (reply) => refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
        ),
      },
    },
    'router.admission.slots-full': {
      'slots-one-more': {
        says: 'Sends an agent one request more than it has slots.',
        besides: ['router.admission.slots-full-reaches-no-engine'],
        patch: unless(
          'capacity',
          (holding) => holding === 'slot',
          (_holding, configured) => configured + 1,
        ),
      },
      'full-slots-are-backend-error': {
        besides: ['router.admission.timeout-in-queue', 'router.retry-behaviour.full-model-queue'],
        patch: unless(
          'finalFailure',
          (journey) => journey.full,
          () => new RouterFailure('backend_error', 'every slot is taken', { source: 'router' }),
        ),
      },
    },
    'router.admission.slots-full-reaches-no-engine': {
      'slots-looked-at-late': {
        says: 'Asks an engine before it refuses a request beyond the slots of its agent.',
        besides: ['router.admission.slots-full'],
        patch: crowdedLate('slot', 'scripted-slot', (reply) => refusal(reply, 503, 'no_capacity')),
      },
    },
    'router.admission.queue-full': {
      'full-channel-waits-to-the-deadline': () => ({ queueFullMs: () => 60_000 }),
    },
    'router.admission.queue-size': {
      'channel-half-as-large': {
        says: 'Holds half as many pending requests as its size says.',
        patch: () => ({ channelSize: (configured) => Math.floor(configured / 2) }),
      },
    },
    'router.admission.queue-full-waits': {
      'full-channel-refuses-at-once': () => ({ queueFullMs: () => 0 }),
      'full-channel-refuses-after-a-second': () => ({ queueFullMs: () => 1_000 }),
    },
    'router.admission.timeout-at-engine': {
      'deadline-is-longer-by-three-fifths': replace(
        'deadlineMs',
        (original, limits, context) => original(limits, context) * 1.6,
      ),
      'deadline-is-twice-as-long': replace(
        'deadlineMs',
        (original, limits, context) => original(limits, context) * 2,
      ),
      'deadline-ends-with-the-head': {
        says: 'Waits without end for the rest of an answer whose head has come.',
        patch: unless('deadlineAt', (moment) => moment === 'head', 'stops'),
      },
      'deadline-is-that-of-each-try': unless(
        'deadlineAt',
        (moment) => moment === 'failed-try',
        'restarts',
      ),
    },
    'router.admission.timeout-not-early': {
      'deadline-at-half-time': replace(
        'deadlineMs',
        (original, limits, context) => original(limits, context) / 2,
      ),
    },
    'router.admission.timeout-before-provider': {
      'deadline-before-provider-is-backend-error': answering(
        (reply, context) =>
          onModel('scripted-provider')(context) && withCode('request_timeout')(reply, context),
        (reply) => refusal(reply, 502, 'backend_error'),
      ),
    },
    'router.admission.timeout-in-queue': {
      'deadline-in-queue-is-backend-error': {
        besides: ['router.admission.slots-full', 'router.retry-behaviour.full-model-queue'],
        patch: chained(
          (rules) => ({ ...rules, mayWait: () => true }),
          answering(
            (reply, context) =>
              onModel('scripted-slot')(context) && withCode('request_timeout')(reply, context),
            (reply) => refusal(reply, 502, 'backend_error'),
          ),
        ),
      },
    },
    'router.admission.processors-busy': {
      'processor-starts-the-clock': {
        says: 'Counts the deadline from the moment at which a processor takes the request.',
        patch: unless('deadlineAt', (moment) => moment === 'processor', 'restarts'),
      },
    },
    'router.admission.timeout-at-processors': {
      'deadline-unseen-before-a-processor': () => ({
        endOfWaiting: () => new AbortController().signal,
      }),
    },
  }),
  ...asRates,
];
