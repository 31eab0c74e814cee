/** Variants in what the deployment goes through: speed, size, company. */

import { createHash } from 'node:crypto';
import type { Answer, ComputeRules, RequestContext } from '../context.ts';
import { errorCodes, type InstanceState, instantTimings, Refusal, type Timings } from '../model.ts';
import { laggingReads } from './records.ts';
import { type ComputeVariant, choosing, variant } from './variant.ts';

const CHANGES_TO_A_FAILURE = 7;

/**
 * A failure of the service that passes: the contract has one for any call, and tells clients to try again. Every second one
 * comes when the call has taken effect.
 */
function failingAtTimes(rules: ComputeRules): ComputeRules {
  let changes = 0;
  const failed = new Set<string>();
  const failing =
    (operation: 'stop-instance' | 'terminate-instance') =>
    (context: RequestContext): Answer => {
      changes += 1;
      const asked = `${context.path} ${Buffer.from(context.body).toString('latin1')}`;
      const fails = changes % CHANGES_TO_A_FAILURE === 0 && !failed.has(asked);
      if (!fails) return rules.operate[operation](context);
      failed.add(asked);
      if (failed.size % 2 === 0) rules.operate[operation](context);
      throw new Refusal(500, errorCodes[500], 'No host.');
    };
  return {
    ...rules,
    isResourceGone: ({ state, stranded }) => state === 'TERMINATING' && !stranded,
    operate: {
      ...rules.operate,
      'stop-instance': failing('stop-instance'),
      'terminate-instance': failing('terminate-instance'),
    },
  };
}

const CALLS_TO_A_CRASH = 3;
const crashable: ReadonlySet<InstanceState> = new Set(['RUNNING', 'STOPPING', 'STOPPED']);

/** What is provisioned may err by itself at any time: every third call meets an instance that has just done so. */
function crashing(rules: ComputeRules): ComputeRules {
  let calls = 0;
  const crashed =
    (operation: 'stop-instance' | 'terminate-instance' | 'start-instance') =>
    (context: RequestContext): Answer => {
      const id = (context.pathParameters['id'] ?? '').toLowerCase();
      const instance = context.world.instance(id);
      if (instance?.origin === 'provision' && crashable.has(instance.state)) {
        calls += 1;
        if (calls % CALLS_TO_A_CRASH === 0) rules.enter(instance, 'ERRORED', context.deployment);
      }
      return rules.operate[operation](context);
    };
  return {
    ...rules,
    operate: {
      ...rules.operate,
      'stop-instance': crashed('stop-instance'),
      'terminate-instance': crashed('terminate-instance'),
      'start-instance': crashed('start-instance'),
    },
  };
}

const READS_TO_A_FAILURE = 150;

/** The same of reads. */
function readsFailingAtTimes(rules: ComputeRules): ComputeRules {
  let reads = 0;
  return {
    ...rules,
    onRequest: (context) => {
      if (context.method === 'GET') reads += 1;
      if (context.method === 'GET' && reads % READS_TO_A_FAILURE === 0) {
        throw new Refusal(500, errorCodes[500], 'No connection.');
      }
      return rules.onRequest(context);
    },
  };
}

const RUN_MS = 1_500;
const HOUR_MS = 3_600_000;

/** What is provisioned runs for a moment and is then stopped by itself, as its record says all along. */
function stoppingByItself(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    successor: (instance, deployment) =>
      instance.state === 'RUNNING' && instance.origin === 'provision'
        ? { state: 'STOPPING', delayMs: RUN_MS }
        : rules.successor(instance, deployment),
    hoursUntilStop: (instance, at, context) =>
      instance.state === 'RUNNING' && instance.origin === 'provision'
        ? Math.max(1, RUN_MS - (at - instance.stateSince)) / HOUR_MS
        : rules.hoursUntilStop(instance, at, context),
  };
}

const slowTimings: Partial<Timings> = {
  created: 300,
  deployed: 200,
  starting: 300,
  stopping: 800,
  teardown: 400,
  terminating: 900,
};

const refusedElsewhere = {
  CREATED: 'conflict',
  DEPLOYED: 'conflict',
  STARTING: 'conflict',
  STOPPING: 'conflict',
  ERRORED: 'conflict',
} as const;

/** Cursors that count items: what comes or goes meanwhile moves the pages that follow. */
export function countingCursors(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    selectInstances: (query, after, context) => {
      const whole = { ...query, size: Number.MAX_SAFE_INTEGER };
      const all = rules.selectInstances(whole, undefined, context).items;
      const from = after?.place ?? 0;
      const to = from + query.size;
      return {
        items: all.slice(from, to),
        end: to < all.length ? { key: undefined, place: to } : undefined,
      };
    },
  };
}

/** Instances of one instant stand in an order of their own in each walk, which its cursors keep. */
export function shuffledTies(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    selectInstances: (query, after, context) => {
      const whole = { ...query, size: Number.MAX_SAFE_INTEGER };
      const all = rules.selectInstances(whole, undefined, context).items;
      const lot = ({ id }: { readonly id: string }): string =>
        createHash('sha256').update(`${query.asOf} ${id}`).digest('hex');
      const drawn =
        query.sortField === undefined
          ? all.toSorted(
              (one, other) => other.createdAt - one.createdAt || lot(one).localeCompare(lot(other)),
            )
          : all;
      const from = after?.place ?? 0;
      const to = from + query.size;
      return {
        items: drawn.slice(from, to),
        end: to < drawn.length ? { key: undefined, place: to } : undefined,
      };
    },
  };
}

export const conditionVariants: readonly ComputeVariant[] = [
  variant(
    'settles-at-once',
    'Every transition is over when the call that sets it off is answered.',
    () => ({ timings: instantTimings }),
  ),
  variant('settles-within-50-ms', 'Starts, stops and terminations take 50 ms.', () => ({
    timings: { starting: 50, stopping: 50, terminating: 50 },
  })),
  variant('settles-late', 'Transitions take most of a second.', () => ({
    timings: slowTimings,
  })),
  choosing('shows-state-before', 'Answers show the state before; terminated_at comes early.', {
    answerShows: 'before',
    terminatedAtFrom: 'TERMINATING',
    startElsewhere: 'ignore',
  }),
  choosing('stop-ignored-elsewhere', 'A stop in a state without a stated outcome does nothing.', {
    stopElsewhere: {
      CREATED: 'ignore',
      DEPLOYED: 'ignore',
      STARTING: 'ignore',
      STOPPING: 'ignore',
      ERRORED: 'ignore',
    },
  }),
  choosing('stop-refused-elsewhere', 'A stop in a state without a stated outcome is a conflict.', {
    stopElsewhere: refusedElsewhere,
    startElsewhere: 'conflict',
  }),
  choosing('meter-never-rests', 'Costs and hours move with every millisecond.', { meteringMs: 1 }),
  variant('slow', 'Every answer takes 50 ms.', () => ({ latencyMs: 50 })),
  variant(
    'runs-end-by-themselves',
    'What is provisioned is stopped automatically after it has run for a moment.',
    () => ({ patch: stoppingByItself }),
  ),
  variant(
    'changes-fail-at-times',
    'Now and then a stop or a terminate is a 500, before or after it has taken effect.',
    () => ({ patch: failingAtTimes, choices: { stopElsewhere: refusedElsewhere } }),
  ),
  variant(
    'calls-meet-crashes',
    'Instances err by themselves, often just before a call, and then refuse a stop and a start.',
    () => ({ patch: crashing }),
  ),
  variant(
    'reads-fail-at-times',
    'Every 150th read is a 500, and is fine when it is sent again.',
    () => ({ patch: readsFailingAtTimes }),
  ),
  variant(
    'reads-lag',
    'Lists and single records are read from a copy that is 400 ms behind.',
    () => ({ patch: laggingReads }),
  ),
  variant(
    'reads-lag-and-settling-takes-longer',
    'The same, where transitions take most of a second.',
    () => ({ patch: laggingReads, timings: slowTimings }),
  ),
  variant(
    'busy-account',
    'Other people create, stop and terminate instances in the primary account.',
    () => ({ activity: { perSecond: 10 } }),
  ),
  variant(
    'sparse-account',
    'The primary account has no instances, and nothing is prepared.',
    () => ({ instances: 0 }),
  ),
  variant('small-account', 'The primary account has seven instances.', () => ({ instances: 7 })),
  variant('large-account', 'The primary account has 2000 instances.', () => ({ instances: 2_000 })),
];
