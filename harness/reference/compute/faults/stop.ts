/** Stops that are refused, accepted or answered against the table of states. */

import { type Fault, declareFaults } from '../../fault.ts';
import { notFound } from '../refusal.ts';
import type { ComputeRules } from '../context.ts';
import type { InstanceState, StopOutcome } from '../model.ts';
import { succeeding } from './answering.ts';
import { slowly } from './slowly.ts';

/** Another outcome of a stop in one state. */
function outcome(
  name: string,
  summary: string,
  state: InstanceState,
  instead: StopOutcome,
  breaks: readonly string[],
): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks,
    patch: (rules) => ({
      ...(state === 'TERMINATING' ? slowly(rules, state) : rules),
      stopOutcome: (instance, context) =>
        instance.state === state ? instead : rules.stopOutcome(instance, context),
    }),
  };
}

const stop = (slug: string): string => `compute.stop-instance.${slug}`;

export const stopFaults = declareFaults<ComputeRules>([
  outcome(
    'running-cannot-be-stopped',
    'A stop of a running instance is a conflict.',
    'RUNNING',
    'conflict',
    [stop('running-accepted')],
  ),
  outcome(
    'stopped-cannot-be-stopped',
    'A stop of a stopped instance is a conflict.',
    'STOPPED',
    'conflict',
    [
      stop('stopped-accepted'),
      stop('body-absent'),
      stop('body-empty-object'),
      stop('reason-note-accepted'),
      stop('reason-note-maximum'),
    ],
  ),
  outcome(
    'terminated-can-be-stopped',
    'A stop of a TERMINATED instance is accepted and does nothing.',
    'TERMINATED',
    'ignore',
    [stop('terminated-conflict')],
  ),
  outcome(
    'terminating-can-be-stopped',
    'A stop of a TERMINATING instance is accepted and does nothing.',
    'TERMINATING',
    'ignore',
    [stop('terminating-conflict')],
  ),
  {
    name: 'every-stop-adds-to-the-runtime',
    summary: 'Each stop of a stopped instance adds an hour to its runtime.',
    breaks: ['compute.states.runtime-rests'],
    patch: (rules) => {
      const stops = new Map<string, number>();
      return {
        ...rules,
        stopOutcome: (instance, context) => {
          if (instance.state === 'STOPPED')
            stops.set(instance.id, (stops.get(instance.id) ?? 0) + 1);
          return rules.stopOutcome(instance, context);
        },
        runtimeHours: (instance, at, context) =>
          rules.runtimeHours(instance, at, context) + (stops.get(instance.id) ?? 0),
      };
    },
  },
  {
    name: 'terminated-can-be-stopped-with-a-note',
    summary: 'A stop of a TERMINATED instance is accepted where it says why.',
    breaks: [stop('terminated-conflict')],
    patch: (rules) => ({
      ...rules,
      stopOutcome: (instance, context) =>
        instance.state === 'TERMINATED' && context.body.byteLength > 0
          ? 'ignore'
          : rules.stopOutcome(instance, context),
    }),
  },
  {
    name: 'terminated-stop-is-404',
    summary: 'A stop of a TERMINATED instance is 404.',
    breaks: [stop('terminated-conflict')],
    patch: (rules) => ({
      ...rules,
      stopOutcome: (instance, context) => {
        if (instance.state === 'TERMINATED') throw notFound();
        return rules.stopOutcome(instance, context);
      },
    }),
  },
  {
    name: 'stop-of-what-was-just-terminated-is-500',
    summary: 'A stop of an instance that was terminated since the start of the service is 500.',
    breaks: [stop('terminated-conflict')],
    exercisedBy: ['compute.terminate-instance.running-accepted'],
    patch: (rules) => {
      const started = Date.now();
      return {
        ...rules,
        stopOutcome: (instance, context) => {
          if (instance.state === 'TERMINATED' && instance.stateSince > started) {
            throw new Error('The resource is gone.');
          }
          return rules.stopOutcome(instance, context);
        },
      };
    },
  },
  {
    name: 'terminating-stop-is-500',
    summary: 'A stop of a TERMINATING instance is 500.',
    breaks: [stop('terminating-conflict')],
    patch: (rules) => ({
      ...slowly(rules, 'TERMINATING'),
      stopOutcome: (instance, context) => {
        if (instance.state === 'TERMINATING') throw new Error('The resource is gone.');
        return rules.stopOutcome(instance, context);
      },
    }),
  },
  {
    name: 'second-stop-of-terminating-is-accepted',
    summary: 'A stop of a TERMINATING instance is a conflict, and the next one is accepted.',
    breaks: [stop('terminating-conflict')],
    patch: (rules) => {
      const refused = new Set<string>();
      return {
        ...slowly(rules, 'TERMINATING'),
        stopOutcome: (instance, context) => {
          if (instance.state !== 'TERMINATING' || !refused.has(instance.id)) {
            if (instance.state === 'TERMINATING') refused.add(instance.id);
            return rules.stopOutcome(instance, context);
          }
          return 'ignore';
        },
      };
    },
  },
  {
    name: 'fourth-stop-is-refused',
    summary: 'The fourth stop of one stopped instance is refused.',
    breaks: [stop('stopped-accepted')],
    patch: (rules) => {
      const stops = new Map<string, number>();
      return {
        ...rules,
        stopOutcome: (instance, context) => {
          const right = rules.stopOutcome(instance, context);
          if (instance.state !== 'STOPPED') return right;
          const count = (stops.get(instance.id) ?? 0) + 1;
          stops.set(instance.id, count);
          return count === 4 ? 'conflict' : right;
        },
      };
    },
  },
  {
    name: 'second-stop-renames',
    summary: 'A stop of a stopped instance marks its name.',
    breaks: [stop('stopped-unchanged')],
    patch: (rules) => {
      const marked = new Set<string>();
      return {
        ...rules,
        stopOutcome: (instance, context) => {
          if (instance.state === 'STOPPED') marked.add(instance.id);
          return rules.stopOutcome(instance, context);
        },
        listRecord: (instance, at, context, query) => {
          const record = rules.listRecord(instance, at, context, query);
          return marked.has(instance.id)
            ? { ...record, resources: `${String(record['resources'])} (stopped)` }
            : record;
        },
      };
    },
  },
  {
    name: 'second-stop-moves-the-start',
    summary: 'A stop of a stopped instance sets when it started.',
    breaks: [stop('stopped-unchanged')],
    patch: (rules) => ({
      ...rules,
      stopOutcome: (instance, context) => {
        if (instance.state === 'STOPPED') instance.startedAt = context.now;
        return rules.stopOutcome(instance, context);
      },
    }),
  },
  {
    name: 'second-stop-forgets-the-runtime',
    summary: 'A stop of a stopped instance sets its runtime to zero.',
    breaks: [stop('stopped-unchanged')],
    patch: (rules) => ({
      ...rules,
      stopOutcome: (instance, context) => {
        if (instance.state === 'STOPPED') instance.settledRunMs = 0;
        return rules.stopOutcome(instance, context);
      },
    }),
  },
  {
    name: 'stop-answers-with-a-task',
    summary: 'The answer to a stop is a task and no instance.',
    breaks: [stop('response-is-instance')],
    patch: (rules) => succeeding(rules, 'stop-instance', () => ({ task: 'stop', accepted: true })),
  },
  {
    name: 'stop-wraps-the-instance',
    summary: 'The answer to a stop holds the instance in a member.',
    breaks: [stop('response-is-instance')],
    patch: (rules) => succeeding(rules, 'stop-instance', (instance) => ({ instance })),
  },
  {
    name: 'stop-names-another-instance',
    summary: 'The record in the answer to a stop carries another id.',
    breaks: [stop('response-names-instance')],
    patch: (rules) =>
      succeeding(rules, 'stop-instance', (record) => ({
        ...record,
        instance_id: '00000000-0000-4000-8000-000000000000',
      })),
  },
  {
    name: 'stop-shows-created',
    summary: 'The answer to the stop of a running instance shows CREATED.',
    breaks: [stop('response-state')],
    patch: (rules) =>
      succeeding(rules, 'stop-instance', (record) =>
        record['status'] === 'STOPPING' ? { ...record, status: 'CREATED' } : record,
      ),
  },
  {
    name: 'unknown-stop-is-accepted',
    summary: 'A stop of an id that exists nowhere is accepted.',
    breaks: [stop('unknown-id'), stop('response-is-instance')],
    patch: (rules) => unknownAnswers(rules, 'stop-instance', 204),
  },
  {
    name: 'unknown-terminate-is-accepted',
    summary: 'A terminate of an id that exists nowhere is accepted: it is gone anyhow.',
    breaks: [
      'compute.terminate-instance.unknown-id',
      'compute.terminate-instance.response-is-instance',
    ],
    patch: (rules) => unknownAnswers(rules, 'terminate-instance', 204),
  },
  {
    name: 'unknown-start-is-accepted',
    summary: 'A start of an id that exists nowhere is accepted.',
    breaks: ['compute.start-instance.unknown-id'],
    patch: (rules) => unknownAnswers(rules, 'start-instance', 202),
  },
  ...(['stop', 'terminate'] as const).map((action): Fault<ComputeRules> => ({
    name: `malformed-${action}-is-500`,
    summary: `A ${action} of an id that is no UUID is 500.`,
    breaks: [`compute.${action}-instance.malformed-id`],
    patch: (rules) => ({
      ...rules,
      isInstanceId: (text, context) => {
        const right = rules.isInstanceId(text, context);
        if (!right && context.operation === `${action}-instance`) throw new Error('No UUID.');
        return right;
      },
    }),
  })),
]);

/** An action on an id that exists nowhere succeeds. */
function unknownAnswers(
  rules: ComputeRules,
  operation: 'stop-instance' | 'terminate-instance' | 'start-instance',
  status: number,
): ComputeRules {
  return {
    ...rules,
    operate: {
      ...rules.operate,
      [operation]: (context: Parameters<typeof rules.findInstance>[0]) => {
        const id = context.pathParameters['id'] ?? '';
        return rules.isInstanceId(id, context) && context.world.instance(id) === undefined
          ? { status, headers: [], json: undefined }
          : rules.operate[operation](context);
      },
    },
  };
}
