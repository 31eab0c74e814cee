/** Instances that were acted upon before, and answers to actions that say of them what the list does not say. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { Instance, Operation } from '../model.ts';
import { Refusal, errorCodes, invalid } from '../refusal.ts';
import type { ComputeRules } from '../context.ts';
import { type Body, answering, isSuccess } from './answering.ts';
import { slowly } from './slowly.ts';

const AGREES = 'compute.instance-record.action-agrees-with-list';

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
function saying(
  name: string,
  summary: string,
  operation: Operation,
  change: (instance: Instance) => Body,
): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks: [AGREES],
    patch: (rules) => ({
      ...rules,
      actionRecord: (instance, at, context) => ({
        ...rules.actionRecord(instance, at, context),
        ...(context.operation === operation ? change(instance) : {}),
      }),
    }),
  };
}

export const actedUponFaults = declareFaults<ComputeRules>([
  {
    name: 'started-again-cannot-be-stopped',
    summary: 'A stop of an instance that was started before is a conflict.',
    breaks: ['compute.stop-instance.running-accepted'],
    patch: (conforming) => {
      const { started, rules } = startedBefore(conforming);
      return {
        ...rules,
        stopOutcome: (instance, context) =>
          started.has(instance) && instance.state === 'RUNNING'
            ? 'conflict'
            : rules.stopOutcome(instance, context),
      };
    },
  },
  {
    name: 'started-again-cannot-be-terminated-until-it-runs',
    summary: 'A terminate of an instance that is started again is a conflict while it is STARTING.',
    breaks: ['compute.terminate-instance.early-accepted'],
    patch: (conforming) => {
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
  {
    name: 'terminated-long-ago-can-be-terminated',
    summary:
      'A terminate of an instance that was terminated before the run is accepted and does nothing.',
    breaks: ['compute.terminate-instance.terminated-conflict'],
    patch: (rules) => ({
      ...rules,
      terminateOutcome: (instance, context) =>
        instance.state === 'TERMINATED' && instance.origin === 'fixture'
          ? 'reissue'
          : rules.terminateOutcome(instance, context),
      reissueTerminate: (instance, context) => {
        if (instance.state !== 'TERMINATED') rules.reissueTerminate(instance, context);
      },
    }),
  },
  {
    name: 'stop-of-running-acts-and-fails',
    summary: 'A stop of a running instance stops it, and is answered with 500.',
    breaks: ['compute.stop-instance.running-accepted'],
    patch: (rules) => ({
      ...rules,
      beginStop: (instance, context) => {
        rules.beginStop(instance, context);
        throw new Refusal(500, errorCodes[500], 'The answer was lost.');
      },
    }),
  },
  {
    name: 'terminate-of-what-boots-does-nothing',
    summary: 'A terminate of an instance that does not run yet is accepted and does nothing.',
    breaks: ['compute.states.terminate-settles'],
    patch: (conforming) => {
      const rules = slowly(conforming, 'CREATED');
      return {
        ...rules,
        beginTerminate: (instance, context) => {
          if (instance.state !== 'CREATED') rules.beginTerminate(instance, context);
        },
      };
    },
  },
  {
    name: 'stop-resets-the-runtime',
    summary: 'The hour that has begun counts as long as an instance runs, and a stop forgets it.',
    breaks: ['compute.states.runtime-rests'],
    patch: (rules) => ({
      ...rules,
      runtimeHours: (instance, at, context) =>
        rules.runtimeHours(instance, at, context) +
        (instance.origin === 'provision' && instance.state === 'RUNNING' ? 1 : 0),
    }),
  },
  {
    name: 'stop-resets-the-cost-when-it-has-settled',
    summary:
      'The hour that has begun is billed until an instance has stopped, and is forgotten then.',
    breaks: ['compute.instance-record.action-cost-not-reset'],
    patch: (rules) => ({
      ...rules,
      totalCost: (instance, at, context) =>
        rules.totalCost(instance, at, context) +
        (instance.origin === 'provision' && ['RUNNING', 'STOPPING'].includes(instance.state)
          ? instance.preset.hourlyPrice
          : 0),
    }),
  },
  saying(
    'stop-of-running-shows-more-cores',
    'The answer to a stop of what runs shows one virtual CPU more than there are.',
    'stop-instance',
    ({ state, preset }) => (state === 'STOPPING' ? { cpu_count: preset.cpu + 1 } : {}),
  ),
  saying(
    'terminate-shows-another-start',
    'The answer to a terminate tells a start of years ago.',
    'terminate-instance',
    () => ({ started_at: '2020-01-01T00:00:00Z' }),
  ),
  saying(
    'stop-shows-the-present-as-the-start',
    'The answer to a stop tells that the instance began to run just now.',
    'stop-instance',
    () => ({ started_at: new Date().toISOString() }),
  ),
  saying(
    'terminate-shows-the-rate-of-a-day',
    'The answer to a terminate shows what a day costs as the hourly rate.',
    'terminate-instance',
    ({ preset }) => ({ hourly_rate: 24 * preset.hourlyPrice }),
  ),
  saying(
    'terminate-shows-two-hours',
    'The answer to a terminate tells a runtime of two hours, whatever it was.',
    'terminate-instance',
    () => ({ total_runtime_hours: 2 }),
  ),
  saying(
    'terminate-shows-what-is-in-use',
    'The answer to a terminate shows the storage in use.',
    'terminate-instance',
    ({ usedGb }) => ({ storage_used_gb: usedGb }),
  ),
  saying(
    'terminate-shows-the-sku',
    'The answer to a terminate shows the SKU name as the size.',
    'terminate-instance',
    ({ preset }) => ({ size: preset.sku }),
  ),
  {
    name: 'stop-note-far-too-long-is-cut',
    summary: 'On stop, a note of more than 16384 characters is cut, and not refused.',
    breaks: ['compute.stop-instance.reason-note-too-long'],
    patch: (rules) => ({
      ...rules,
      parseReasonNote: (note, context) =>
        rules.parseReasonNote(
          typeof note === 'string' && note.length > 16_384 && context.operation === 'stop-instance'
            ? note.slice(0, 100)
            : note,
          context,
        ),
    }),
  },
  {
    name: 'stop-note-of-some-hundred-characters-is-refused',
    summary: 'On stop, a note of 256 to 999 characters is refused.',
    breaks: ['compute.stop-instance.reason-note-accepted'],
    patch: (rules) => ({
      ...rules,
      parseReasonNote: (note, context) => {
        const isMiddling = typeof note === 'string' && note.length > 255 && note.length < 1_000;
        if (isMiddling && context.operation === 'stop-instance') throw invalid('The note is long.');
        return rules.parseReasonNote(note, context);
      },
    }),
  },
  {
    name: 'single-instance-is-kept-for-whoever-asks-next',
    summary: 'What was read of a single instance is given to every key for a moment.',
    breaks: ['compute.scoping.foreign-get', 'compute.scoping.foreign-get-same'],
    patch: (rules) => {
      const kept = new Map<string, { readonly at: number; readonly json: unknown }>();
      return answering(rules, (answer, { operation, path, now }) => {
        if (operation !== 'get-instance') return answer;
        if (isSuccess(answer)) kept.set(path, { at: now, json: answer.json });
        const known = kept.get(path);
        return known !== undefined && now - known.at < 300
          ? { ...answer, status: 200, json: known.json }
          : answer;
      });
    },
  },
]);
