/** Instances that were acted upon before, and answers to actions that say of them what the list does not say. */

import { errorCodes, type Instance, invalid, type Operation, Refusal } from '../model.ts';
import type { ComputeRules } from '../context.ts';
import {
  replace,
  faultTable,
  amend,
  type Patch,
  type Body,
  answering,
  isSuccess,
} from './answering.ts';
import { slowly } from './slowly.ts';

/** Instances that were started before, as a deployment with these rules meets them. */
function startedBefore(rules: ComputeRules): {
  readonly started: ReadonlySet<Instance>;
  readonly rules: ComputeRules;
} {
  const started = new Set<Instance>();
  return {
    started,
    rules: {
      ...rules,
      beginStart: (instance, context) => {
        started.add(instance);
        rules.beginStart(instance, context);
      },
    },
  };
}

/** Answers to one operation that say something else of the instance than the list does. */
function saying(operation: Operation, change: (instance: Instance) => Body): Patch {
  return amend('actionRecord', (record, instance, _at, context) => ({
    ...record,
    ...(context.operation === operation ? change(instance) : {}),
  }));
}

export const actedUponFaults = faultTable({
  'compute.stop-instance.running-accepted': {
    'started-again-cannot-be-stopped': (conforming) => {
      const { started, rules } = startedBefore(conforming);
      return {
        ...rules,
        stopOutcome: (instance, context) =>
          started.has(instance) && instance.state === 'RUNNING'
            ? 'conflict'
            : rules.stopOutcome(instance, context),
      };
    },
    'stop-of-running-acts-and-fails': replace('beginStop', (original, instance, context) => {
      original(instance, context);
      throw new Refusal(500, errorCodes[500], 'The answer was lost.');
    }),
  },
  'compute.terminate-instance.early-accepted': {
    'started-again-cannot-be-terminated-until-it-runs': (conforming) => {
      const { started, rules } = startedBefore(slowly(conforming, 'STARTING'));
      return {
        ...rules,
        terminateOutcome: (instance, context) =>
          started.has(instance) && instance.state === 'STARTING'
            ? 'conflict'
            : rules.terminateOutcome(instance, context),
      };
    },
  },
  'compute.terminate-instance.terminated-conflict': {
    'terminated-long-ago-can-be-terminated': {
      says: 'A terminate of an instance that was terminated before the run is accepted and does nothing.',
      patch: (rules) => ({
        terminateOutcome: (instance, context) =>
          instance.state === 'TERMINATED' && instance.origin === 'fixture'
            ? 'reissue'
            : rules.terminateOutcome(instance, context),
        reissueTerminate: (instance, context) => {
          if (instance.state !== 'TERMINATED') rules.reissueTerminate(instance, context);
        },
      }),
    },
  },
  'compute.states.terminate-settles': {
    'terminate-of-what-boots-does-nothing': (conforming) => {
      const rules = slowly(conforming, 'CREATED');
      return {
        ...rules,
        beginTerminate: (instance, context) => {
          if (instance.state !== 'CREATED') rules.beginTerminate(instance, context);
        },
      };
    },
  },
  'compute.states.runtime-rests': {
    'stop-resets-the-runtime': {
      says: 'The hour that has begun counts as long as an instance runs, and a stop forgets it.',
      patch: replace(
        'runtimeHours',
        (original, instance, at, context) =>
          original(instance, at, context) +
          (instance.origin === 'provision' && instance.state === 'RUNNING' ? 1 : 0),
      ),
    },
  },
  'compute.instance-record.action-cost-not-reset': {
    'stop-resets-the-cost-when-it-has-settled': {
      says: 'The hour that has begun is billed until an instance has stopped, and is forgotten then.',
      patch: replace(
        'totalCost',
        (original, instance, at, context) =>
          original(instance, at, context) +
          (instance.origin === 'provision' && ['RUNNING', 'STOPPING'].includes(instance.state)
            ? instance.preset.hourlyPrice
            : 0),
      ),
    },
  },
  'compute.instance-record.action-agrees-with-list': {
    'stop-of-running-shows-more-cores': saying('stop-instance', ({ state, preset }) =>
      state === 'STOPPING' ? { cpu_count: preset.cpu + 1 } : {},
    ),
    'terminate-shows-another-start': saying('terminate-instance', () => ({
      started_at: '2020-01-01T00:00:00Z',
    })),
    'stop-shows-the-present-as-the-start': {
      says: 'The answer to a stop tells that the instance began to run just now.',
      patch: saying('stop-instance', () => ({ started_at: new Date().toISOString() })),
    },
    'terminate-shows-the-rate-of-a-day': saying('terminate-instance', ({ preset }) => ({
      hourly_rate: 24 * preset.hourlyPrice,
    })),
    'terminate-shows-two-hours': saying('terminate-instance', () => ({ total_runtime_hours: 2 })),
    'terminate-shows-what-is-in-use': saying('terminate-instance', ({ usedGb }) => ({
      storage_used_gb: usedGb,
    })),
    'terminate-shows-the-sku': saying('terminate-instance', ({ preset }) => ({ size: preset.sku })),
  },
  'compute.stop-instance.reason-note-too-long': {
    'stop-note-far-too-long-is-cut': replace('parseReasonNote', (original, note, context) =>
      original(
        typeof note === 'string' && note.length > 16_384 && context.operation === 'stop-instance'
          ? note.slice(0, 100)
          : note,
        context,
      ),
    ),
  },
  'compute.stop-instance.reason-note-accepted': {
    'stop-note-of-some-hundred-characters-is-refused': replace(
      'parseReasonNote',
      (original, note, context) => {
        const isMiddling = typeof note === 'string' && note.length > 255 && note.length < 1_000;
        if (isMiddling && context.operation === 'stop-instance') throw invalid('The note is long.');
        return original(note, context);
      },
    ),
  },
  'compute.scoping.foreign-get': {
    'single-instance-is-kept-for-whoever-asks-next': {
      besides: ['compute.scoping.foreign-get-same'],
      patch: (rules) => {
        const kept = new Map<string, { readonly at: number; readonly json: unknown }>();
        return answering((answer, { operation, path, now }) => {
          if (operation !== 'get-instance') return answer;
          if (isSuccess(answer)) kept.set(path, { at: now, json: answer.json });
          const known = kept.get(path);
          return known !== undefined && now - known.at < 300
            ? { ...answer, status: 200, json: known.json }
            : answer;
        })(rules);
      },
    },
  },
});
