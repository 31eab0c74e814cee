/** Variants in operating conditions: speed, size, other users. */

import { createHash } from 'node:crypto';
import { type Answer, operating } from '../context.ts';
import {
  errorCodes,
  type Instance,
  type InstanceQuery,
  type InstanceState,
  Refusal,
  type Timings,
} from '../model.ts';
import { laggingReads } from './records.ts';
import {
  amend,
  before,
  chained,
  choosing,
  type ComputeVariant,
  deciding,
  forces,
  nowAndThen,
  type Patch,
  replace,
  starting,
} from './variant.ts';

const CHANGES_TO_A_FAILURE = 7;

/** Transient failures, which the contract allows for any call. Every second one comes after the call took effect. */
const failingAtTimes: Patch = (rules) => {
  let changes = 0;
  const failed = new Set<string>();
  return chained(
    () => ({ isResourceGone: ({ state, stranded }) => state === 'TERMINATING' && !stranded }),
    operating(['stop-instance', 'terminate-instance'], (original, context) => {
      changes += 1;
      const asked = `${context.path} ${Buffer.from(context.body).toString('latin1')}`;
      const fails = changes % CHANGES_TO_A_FAILURE === 0 && !failed.has(asked);
      if (!fails) return original(context);
      failed.add(asked);
      if (failed.size % 2 === 0) original(context);
      throw new Refusal(500, errorCodes[500], 'No host.');
    }),
  )(rules);
};

/** A limit that other users of the key reach: every tenth request is refused, and may come again at once. */
const limitedAtTimes = nowAndThen(10, (isDue) =>
  before('onRequest', ({ operation }) => {
    if (operation !== undefined && isDue()) {
      throw new Refusal(429, errorCodes[429], 'Too many requests.', [['Retry-After', '0']]);
    }
  }),
);

const KEPT_MS = 2_000;

/** A reverse proxy caches the response to each query, so lists with different queries may contradict each other. */
const keptByQuery: Patch = (rules) => {
  const kept = new Map<string, { readonly at: number; readonly answer: Answer }>();
  return operating(['list-instances'], (original, context) => {
    const asked = `${context.key?.secret ?? ''} ${context.query}`;
    const known = kept.get(asked);
    if (known !== undefined && context.now - known.at < KEPT_MS) return known.answer;
    const answer = original(context);
    kept.set(asked, { at: context.now, answer });
    return answer;
  })(rules);
};

const CALLS_TO_A_CRASH = 3;
const crashable: ReadonlySet<InstanceState> = new Set(['RUNNING', 'STOPPING', 'STOPPED']);

/** A provisioned instance may enter ERRORED at any time: every third call meets one that just has. */
const crashing = nowAndThen(CALLS_TO_A_CRASH, (isDue) =>
  operating(['stop-instance', 'terminate-instance', 'start-instance'], (original, context) => {
    const instance = context.world.instance(context.pathParameters['id'] ?? '');
    if (instance?.origin === 'provision' && crashable.has(instance.state) && isDue())
      context.rules.enter(instance, 'ERRORED', context.deployment);
    return original(context);
  }),
);

const withStateBefore = operating(['terminate-instance'], (original, context) => {
  const status = context.world.instance(context.pathParameters['id'] ?? '')?.state;
  const answer = original(context);
  return { ...answer, json: Object.assign({}, answer.json, { status }) };
});

const READS_TO_A_FAILURE = 150;

const RUN_MS = 1_500;
const HOUR_MS = 3_600_000;

const isOurRun = ({ state, origin }: Instance): boolean =>
  state === 'RUNNING' && origin === 'provision';

const slowTimings: Partial<Timings> = {
  created: 300,
  deployed: 200,
  starting: 300,
  stopping: 800,
  teardown: 400,
  terminating: 900,
};

const MOST_MADE = 6;

/** An account may have only a few provisioned instances that are not terminated. */
const fewAtOnce = operating(['provision'], (original, context) => {
  const live = context.world
    .instances()
    .filter(({ origin, state }) => origin === 'provision' && state !== 'TERMINATED');
  if (live.length >= MOST_MADE) throw new Refusal(403, errorCodes[403], 'No more instances.');
  return original(context);
});

const refusedElsewhere = {
  CREATED: 'conflict',
  DEPLOYED: 'conflict',
  STARTING: 'conflict',
  STOPPING: 'conflict',
  ERRORED: 'conflict',
} as const;

/** Cuts pages by index from the whole list, sorted by `order`. */
function cutByPlace(
  order: (all: readonly Instance[], query: InstanceQuery) => readonly Instance[],
): Patch {
  return replace('selectInstances', (selectInstances, query, after, context) => {
    const whole = { ...query, size: Number.MAX_SAFE_INTEGER };
    const all = order(selectInstances(whole, undefined, context).items, query);
    const from = after?.place ?? 0;
    const to = from + query.size;
    const end = to < all.length ? { key: undefined, place: to } : undefined;
    return { items: all.slice(from, to), end };
  });
}

/** Cursors count items, so an instance that appears or disappears shifts the following pages. */
export const countingCursors = cutByPlace((all) => all);

/** Instances with equal creation times come in a random order, which differs between walks but not within one. */
export const shuffledTies = cutByPlace((all, { asOf, sortField }) => {
  if (sortField !== undefined) return all;
  const lot = ({ id }: Instance): string =>
    createHash('sha256').update(`${asOf} ${id}`).digest('hex');
  return all.toSorted(
    (one, other) => other.createdAt - one.createdAt || lot(one).localeCompare(lot(other)),
  );
});

export const conditionVariants: readonly ComputeVariant[] = [
  ...starting({
    'settles-at-once: Every transition is over when the call that sets it off is answered.':
      () => ({
        timings: {
          created: 0,
          deployed: 0,
          starting: 0,
          stopping: 0,
          teardown: 0,
          terminating: 0,
          guestBoot: 0,
        },
      }),
    'settles-within-50-ms: Starts, stops and terminations take 50 ms.': () => ({
      timings: { starting: 50, stopping: 50, terminating: 50 },
    }),
    'settles-late: Transitions take most of a second.': () => ({ timings: slowTimings }),
  }),
  ...choosing({
    'shows-state-before: Answers show the state before; terminated_at comes early.': {
      answerShows: 'before',
      terminatedAtFrom: 'TERMINATING',
      startElsewhere: 'ignore',
    },
    'stop-ignored-elsewhere: A stop in a state without a stated outcome does nothing.': {
      stopElsewhere: {
        CREATED: 'ignore',
        DEPLOYED: 'ignore',
        STARTING: 'ignore',
        STOPPING: 'ignore',
        ERRORED: 'ignore',
      },
    },
    'stop-refused-elsewhere: A stop in a state without a stated outcome is a conflict.': {
      stopElsewhere: refusedElsewhere,
      startElsewhere: 'conflict',
    },
    'meter-never-rests: Costs and hours move with every millisecond.': { meteringMs: 1 },
  }),
  ...starting({
    'slow: Every answer takes 50 ms.': () => ({ latencyMs: 50 }),
  }),
  ...deciding({
    'runs-end-by-themselves: What is provisioned is stopped automatically after it has run for a moment.':
      chained(
        amend('successor', (next, instance) =>
          isOurRun(instance) ? { state: 'STOPPING' as const, delayMs: RUN_MS } : next,
        ),
        forces(
          'hoursUntilStop',
          (instance, at) => Math.max(1, RUN_MS - (at - instance.stateSince)) / HOUR_MS,
          isOurRun,
        ),
      ),
  }),
  ...starting({
    'answers-old-state-with-new-dates: The answer to a terminate shows the state before it, and already when and why the instance ends.':
      () => ({ choices: { terminatedAtFrom: 'TERMINATING' as const }, patch: withStateBefore }),
    'changes-fail-at-times: Now and then a stop or a terminate is a 500, before or after it has taken effect.':
      () => ({ patch: failingAtTimes, choices: { stopElsewhere: refusedElsewhere } }),
    'limits-meet-failures: The same, and every tenth request is over a limit that others share.':
      () => ({
        patch: chained(failingAtTimes, limitedAtTimes),
        choices: { stopElsewhere: refusedElsewhere },
      }),
  }),
  ...deciding({
    'calls-meet-crashes: Instances err by themselves, often just before a call, and then refuse a stop and a start.':
      crashing,
    'reads-fail-at-times: Every 150th read is a 500, and is fine when it is sent again.':
      nowAndThen(READS_TO_A_FAILURE, (isDue) =>
        before('onRequest', ({ method }) => {
          if (method === 'GET' && isDue())
            throw new Refusal(500, errorCodes[500], 'No connection.');
        }),
      ),
    'lists-kept-by-query: What each query of the instances gave is given again for two seconds.':
      keptByQuery,
    'starts-fail-at-times: Every third start is a 500 after it has taken effect.': nowAndThen(
      3,
      (isDue) =>
        operating(['start-instance'], (original, context) => {
          const answer = original(context);
          if (isDue()) throw new Refusal(500, errorCodes[500], 'No answer.');
          return answer;
        }),
    ),
    'few-instances-at-once: An account has six instances of its own making at most.': fewAtOnce,
    'reads-lag: Lists and single records are read from a copy that is 400 ms behind.': laggingReads,
  }),
  ...starting({
    'reads-lag-and-settling-takes-longer: The same, where transitions take most of a second.':
      () => ({ patch: laggingReads, timings: slowTimings }),
    'busy-account: Other people create, stop and terminate instances in the primary account.':
      () => ({ activity: { perSecond: 10 } }),
    'sparse-account: The primary account has no instances, and nothing is prepared.': () => ({
      instances: 0,
    }),
    'small-account: The primary account has seven instances.': () => ({ instances: 7 }),
    'large-account: The primary account has 2000 instances.': () => ({ instances: 2_000 }),
  }),
];
