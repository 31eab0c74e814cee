/** Places, queues and deadlines that do not hold, or hold at the wrong time. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { Reply } from '../../http/reply.ts';
import type { Holding, RequestContext } from '../context.ts';
import { RouterFailure } from '../failure.ts';
import type { RouterRules } from '../rules/rules.ts';
import { answering, chained, refusal, withCode } from './answering.ts';
import { answeringLate, refusingLate } from './late.ts';

const ID = 'router.admission';
const FULL_MODEL_QUEUE = 'router.retry-behaviour.full-model-queue';

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
).map(([limit, model, slug]): Fault<RouterRules> => ({
  name: `${limit}-refused-as-rate-limit`,
  summary: `Says rate_limit_exceeded where it refuses for the ${limit} limit of a model.`,
  breaks: [`${ID}.${slug}`],
  patch: answering(
    (reply, context) =>
      onModel(model)(context) && withCode('concurrency_limit_exceeded')(reply, context),
    (reply) => refusal(reply, 429, 'rate_limit_exceeded', { 'Retry-After': '1' }),
  ),
}));

export const admissionFaults = declareFaults<RouterRules>([
  {
    name: 'occupancy-refused-as-no-capacity',
    summary: 'Says no_capacity where it refuses for the occupancy of a model.',
    breaks: [`${ID}.occupancy-over`],
    patch: answering(
      (reply, context) =>
        onModel('scripted-occupancy')(context) &&
        withCode('concurrency_limit_exceeded')(reply, context),
      (reply) => refusal(reply, 503, 'no_capacity'),
    ),
  },
  {
    name: 'occupancy-refused-as-too-long',
    summary: 'Says input_too_long where it refuses for the occupancy of a model.',
    breaks: [`${ID}.occupancy-over`],
    patch: answering(
      (reply, context) =>
        onModel('scripted-occupancy')(context) &&
        withCode('concurrency_limit_exceeded')(reply, context),
      (reply) => refusal(reply, 400, 'input_too_long'),
    ),
  },
  {
    name: 'inflight-unlimited',
    summary: 'Limits requests in flight nowhere.',
    breaks: [`${ID}.inflight-over`, `${ID}.inflight-over-reaches-no-engine`],
    patch: (rules) => ({
      ...rules,
      capacity: (holding, configured) =>
        holding === 'inflight' ? 1_000 : rules.capacity(holding, configured),
    }),
  },
  {
    name: 'inflight-one-more',
    summary: 'Takes one request more in flight than the limit.',
    breaks: [`${ID}.inflight-over`, `${ID}.inflight-over-reaches-no-engine`],
    patch: (rules) => ({
      ...rules,
      capacity: (holding, configured) =>
        holding === 'inflight' ? configured + 1 : rules.capacity(holding, configured),
    }),
  },
  {
    name: 'inflight-full-is-no-capacity',
    summary: 'Says no_capacity when the places in flight are taken.',
    breaks: [`${ID}.inflight-over`],
    patch: answering(
      (reply, context) =>
        onModel('scripted-inflight')(context) &&
        withCode('concurrency_limit_exceeded')(reply, context),
      (reply) => refusal(reply, 503, 'no_capacity'),
    ),
  },
  {
    name: 'inflight-looked-at-late',
    summary: 'Asks an engine before it refuses a request over the places in flight.',
    breaks: [`${ID}.inflight-over-reaches-no-engine`],
    patch: crowdedLate('inflight', 'scripted-inflight', (reply) =>
      refusal(reply, 429, 'concurrency_limit_exceeded', { 'Retry-After': '1' }),
    ),
  },
  {
    name: 'inflight-one-less',
    summary: 'Refuses a request when one place in flight is left.',
    breaks: [`${ID}.inflight-at`],
    patch: (rules) => ({
      ...rules,
      capable: (model, route, context) => {
        if (model.maxInflight !== undefined && context.sequence % 2 === 0)
          throw new RouterFailure('concurrency_limit_exceeded', 'too many at once');
        return rules.capable(model, route, context);
      },
    }),
  },
  {
    name: 'parks-until-the-deadline',
    summary: 'Parks requests for a place as long as their deadline lets it.',
    breaks: [`${ID}.inflight-over`],
    patch: (rules) => ({ ...rules, parkMs: () => 60_000 }),
  },
  {
    name: 'nobody-parks',
    summary: 'Refuses at once when the places in flight are taken.',
    breaks: [`${ID}.inflight-parked`, `${ID}.inflight-not-early`],
    patch: (rules) => ({ ...rules, parkMs: () => 0 }),
  },
  {
    name: 'streams-never-park',
    summary: 'Refuses a stream at once while the places in flight are taken.',
    breaks: [`${ID}.inflight-not-early`],
    patch: (rules) => ({
      ...rules,
      parkMs: (limits, context) => (context.stream ? 0 : rules.parkMs(limits, context)),
    }),
  },
  {
    name: 'messages-never-park',
    summary:
      'Refuses a request on the messages route at once while the places in flight are taken.',
    breaks: [`${ID}.inflight-not-early`],
    patch: (rules) => ({
      ...rules,
      parkMs: (limits, context) =>
        context.path === '/v1/messages' ? 0 : rules.parkMs(limits, context),
    }),
  },
  {
    name: 'parks-for-a-tenth-of-the-time',
    summary: 'Refuses when the places in flight were taken for a tenth of the park time.',
    breaks: [`${ID}.inflight-not-early`],
    patch: (rules) => ({
      ...rules,
      parkMs: (limits, context) => rules.parkMs(limits, context) / 10,
    }),
  },
  {
    name: 'occupancy-unlimited',
    summary: 'Lets any number of tokens occupy a model.',
    breaks: [`${ID}.occupancy-over`],
    patch: (rules) => ({
      ...rules,
      capacity: (holding, configured) =>
        holding === 'occupancy' ? Infinity : rules.capacity(holding, configured),
    }),
  },
  {
    name: 'occupancy-counts-requests-whole',
    summary: 'Lets every request take the whole token budget of a model.',
    breaks: [`${ID}.occupancy-under`],
    patch: (rules) => ({ ...rules, occupancy: (_weight, budget) => budget }),
  },
  {
    name: 'shed-never',
    summary: 'Sheds nothing, whatever the pressure.',
    breaks: [`${ID}.shed-refused`, `${ID}.shed-reaches-no-engine`],
    patch: (rules) => ({ ...rules, sheds: () => false }),
  },
  {
    name: 'sheds-always',
    summary: 'Sheds every model that has a threshold, whatever the pressure.',
    breaks: [`${ID}.shed-under-threshold`],
    patch: (rules) => ({ ...rules, sheds: () => true }),
  },
  {
    name: 'shed-never-for-streams',
    summary: 'Sheds no request for a stream, whatever the pressure.',
    breaks: [`${ID}.shed-refused`],
    patch: (rules) => ({
      ...rules,
      sheds: (model, pressure, context) => !context.stream && rules.sheds(model, pressure, context),
    }),
  },
  ...asRates,
  {
    name: 'shed-is-no-capacity',
    summary: 'Says no_capacity of a model that sheds its load.',
    breaks: [`${ID}.shed-refused`],
    patch: answering(
      (reply, context) =>
        onModel('scripted-shed')(context) && withCode('concurrency_limit_exceeded')(reply, context),
      (reply) => refusal(reply, 503, 'no_capacity'),
    ),
  },
  {
    name: 'sheds-late',
    summary: 'Asks an engine before it sheds a request.',
    breaks: [`${ID}.shed-reaches-no-engine`],
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
  {
    name: 'slots-one-more',
    summary: 'Sends an agent one request more than it has slots.',
    breaks: [`${ID}.slots-full`, `${ID}.slots-full-reaches-no-engine`],
    patch: (rules) => ({
      ...rules,
      capacity: (holding, configured) =>
        holding === 'slot' ? configured + 1 : rules.capacity(holding, configured),
    }),
  },
  {
    name: 'slots-looked-at-late',
    summary: 'Asks an engine before it refuses a request beyond the slots of its agent.',
    breaks: [`${ID}.slots-full-reaches-no-engine`, `${ID}.slots-full`],
    patch: crowdedLate('slot', 'scripted-slot', (reply) => refusal(reply, 503, 'no_capacity')),
  },
  {
    name: 'full-slots-are-backend-error',
    summary: 'Says backend_error when every slot is taken.',
    breaks: [`${ID}.slots-full`, `${ID}.timeout-in-queue`, FULL_MODEL_QUEUE],
    patch: (rules) => ({
      ...rules,
      finalFailure: (journey, context) =>
        journey.full
          ? new RouterFailure('backend_error', 'every slot is taken', { source: 'router' })
          : rules.finalFailure(journey, context),
    }),
  },
  {
    name: 'full-channel-waits-to-the-deadline',
    summary: 'Waits for a full pending channel until the deadline.',
    breaks: [`${ID}.queue-full`],
    patch: (rules) => ({ ...rules, queueFullMs: () => 60_000 }),
  },
  {
    name: 'channel-half-as-large',
    summary: 'Holds half as many pending requests as its size says.',
    breaks: [`${ID}.queue-size`],
    patch: (rules) => ({ ...rules, channelSize: (configured) => Math.floor(configured / 2) }),
  },
  {
    name: 'full-channel-refuses-at-once',
    summary: 'Says queue_full as soon as the pending channel is full.',
    breaks: [`${ID}.queue-full-waits`],
    patch: (rules) => ({ ...rules, queueFullMs: () => 0 }),
  },
  {
    name: 'full-channel-refuses-after-a-second',
    summary: 'Says queue_full a second after the pending channel became full.',
    breaks: [`${ID}.queue-full-waits`],
    patch: (rules) => ({ ...rules, queueFullMs: () => 1_000 }),
  },
  {
    name: 'deadline-is-backend-error',
    summary: 'Says backend_error when the deadline passes at an engine.',
    breaks: [`${ID}.timeout-at-engine`],
    patch: (rules) => ({
      ...rules,
      timeout: (stage, context) =>
        stage === 'agent'
          ? new RouterFailure('backend_error', 'too late', { source: 'router', status: 502 })
          : rules.timeout(stage, context),
    }),
  },
  {
    name: 'deadline-at-half-time',
    summary: 'Lets the deadline pass at half its time.',
    breaks: [`${ID}.timeout-not-early`],
    patch: (rules) => ({
      ...rules,
      deadlineMs: (limits, context) => rules.deadlineMs(limits, context) / 2,
    }),
  },
  {
    name: 'deadline-is-longer-by-three-fifths',
    summary: 'Lets the deadline pass by three fifths of its time before it holds.',
    breaks: [`${ID}.timeout-at-engine`],
    patch: (rules) => ({
      ...rules,
      deadlineMs: (limits, context) => rules.deadlineMs(limits, context) * 1.6,
    }),
  },
  {
    name: 'deadline-is-twice-as-long',
    summary: 'Lets the deadline pass at twice its time.',
    breaks: [`${ID}.timeout-at-engine`],
    patch: (rules) => ({
      ...rules,
      deadlineMs: (limits, context) => rules.deadlineMs(limits, context) * 2,
    }),
  },
  {
    name: 'deadline-ends-with-the-head',
    summary: 'Waits without end for the rest of an answer whose head has come.',
    breaks: [`${ID}.timeout-at-engine`],
    patch: (rules) => ({ ...rules, bodiesMeetDeadline: () => false }),
  },
  {
    name: 'deadline-is-that-of-each-try',
    summary: 'Gives every try of a request the whole deadline.',
    breaks: [`${ID}.timeout-at-engine`],
    patch: (rules) => ({ ...rules, triesHaveDeadlines: () => true }),
  },
  {
    name: 'deadline-before-provider-is-backend-error',
    summary: 'Says backend_error of a deadline that passes where a provider could have been asked.',
    breaks: [`${ID}.timeout-before-provider`],
    patch: answering(
      (reply, context) =>
        onModel('scripted-provider')(context) && withCode('request_timeout')(reply, context),
      (reply) => refusal(reply, 502, 'backend_error'),
    ),
  },
  {
    name: 'deadline-in-queue-is-backend-error',
    summary: 'Lets requests wait for a slot, and says backend_error when the deadline passes.',
    breaks: [`${ID}.timeout-in-queue`, `${ID}.slots-full`, FULL_MODEL_QUEUE],
    patch: chained(
      (rules) => ({ ...rules, mayWait: () => true }),
      answering(
        (reply, context) =>
          onModel('scripted-slot')(context) && withCode('request_timeout')(reply, context),
        (reply) => refusal(reply, 502, 'backend_error'),
      ),
    ),
  },
  {
    name: 'processor-starts-the-clock',
    summary: 'Counts the deadline from the moment at which a processor takes the request.',
    breaks: [`${ID}.processors-busy`],
    patch: (rules) => ({ ...rules, restartsDeadline: () => true }),
  },
  {
    name: 'deadline-unseen-before-a-processor',
    summary:
      'Notices that a deadline has passed when a processor takes the request, and not before.',
    breaks: [`${ID}.timeout-at-processors`],
    patch: (rules) => ({ ...rules, endOfWaiting: () => new AbortController().signal }),
  },
]);
