/** Single instances that cannot be read, are others, or differ from the list. */

import { declareFaults } from '../../fault.ts';
import { type ComputeRules, callerOf } from '../context.ts';
import { Refusal, errorCodes, invalid, notFound } from '../refusal.ts';
import { instancesOf } from './population.ts';
import { type Body, succeeding } from './answering.ts';

/** Records of single instances, changed. */
function reading(rules: ComputeRules, change: (record: Body) => Body): ComputeRules {
  return succeeding(rules, 'get-instance', (record) => change(record));
}

export const getInstanceFaults = declareFaults<ComputeRules>([
  {
    name: 'own-instance-is-not-found',
    summary: 'The newest instance of an account that was there before cannot be read.',
    breaks: ['compute.get-instance.own-instance'],
    patch: (rules) => ({
      ...rules,
      singleRecord: (instance, context) => {
        if (instance.origin === 'seed') throw notFound();
        return rules.singleRecord(instance, context);
      },
    }),
  },
  {
    name: 'single-instance-is-another-one',
    summary: 'A read of an instance that was there before gives the oldest of the account.',
    breaks: ['compute.get-instance.names-instance', 'compute.get-instance.agrees-with-list'],
    patch: (rules) => ({
      ...rules,
      singleRecord: (instance, context) =>
        rules.singleRecord(
          instance.origin === 'seed' ? (callerOf(context).instances[0] ?? instance) : instance,
          context,
        ),
    }),
  },
  {
    name: 'single-instance-has-another-gpu',
    summary: 'A single instance names its GPU model in lower case.',
    breaks: ['compute.get-instance.agrees-with-list'],
    patch: (rules) =>
      reading(rules, (record) => ({
        ...record,
        gpu_type: String(record['gpu_type']).toLowerCase().concat(' gpu'),
      })),
  },
  {
    name: 'single-instance-has-another-rate',
    summary: 'A single instance shows its hourly rate with tax.',
    breaks: ['compute.get-instance.agrees-with-list'],
    patch: (rules) =>
      reading(rules, (record) => ({ ...record, hourly_rate: Number(record['hourly_rate']) * 1.2 })),
  },
  {
    name: 'unknown-id-reads-as-null',
    summary: 'Reading an id that exists nowhere is 200 with null.',
    breaks: ['compute.get-instance.unknown-id'],
    patch: (rules) => unknownRead(rules, (_refusal) => ({ status: 200, headers: [], json: null })),
  },
  {
    name: 'unknown-id-reads-as-400',
    summary: 'Reading an id that exists nowhere is 400.',
    breaks: ['compute.get-instance.unknown-id'],
    patch: (rules) =>
      unknownRead(rules, () => {
        throw new Refusal(400, errorCodes[400], 'There is no such instance.');
      }),
  },
  {
    name: 'malformed-id-reads-as-500',
    summary: 'Reading an id that is no UUID is 500.',
    breaks: ['compute.get-instance.malformed-id'],
    patch: (rules) => ({
      ...rules,
      isInstanceId: (text, context) => {
        if (!rules.isInstanceId(text, context) && context.operation === 'get-instance') {
          throw new Error('The store takes UUIDs alone.');
        }
        return rules.isInstanceId(text, context);
      },
    }),
  },
  {
    name: 'malformed-id-is-403',
    summary: 'Reading an id that is no UUID is 403.',
    breaks: ['compute.get-instance.malformed-id'],
    patch: (rules) => ({
      ...rules,
      isInstanceId: (text, context) => {
        if (!rules.isInstanceId(text, context) && context.operation === 'get-instance') {
          throw new Refusal(403, errorCodes[403], 'Not yours.');
        }
        return rules.isInstanceId(text, context);
      },
    }),
  },
  {
    name: 'ids-are-found-by-their-beginning',
    summary: 'Reading the beginning of the id of an instance gives that instance.',
    breaks: ['compute.get-instance.malformed-id'],
    patch: (rules) => ({
      ...rules,
      operate: {
        ...rules.operate,
        'get-instance': (context) => {
          const id = context.pathParameters['id'] ?? '';
          const whole = instancesOf(context).find((one) => id.length > 6 && one.id.startsWith(id));
          return rules.operate['get-instance'](
            whole === undefined ? context : { ...context, pathParameters: { id: whole.id } },
          );
        },
      },
    }),
  },
  {
    name: 'one-id-in-four-is-malformed',
    summary: 'Refuses an id of one variant of UUIDs, one in four of its own, as malformed.',
    breaks: ['compute.get-instance.own-instance'],
    patch: (rules) => ({
      ...rules,
      isInstanceId: (text, context) => {
        if (context.operation === 'get-instance' && /^[0-9a-f]{8}-.{4}-4.{3}-8/u.test(text)) {
          throw invalid('id must be a UUID.');
        }
        return rules.isInstanceId(text, context);
      },
    }),
  },
]);

/** What reading an id does that exists nowhere. */
function unknownRead(
  rules: ComputeRules,
  answer: (refusal: Refusal) => ReturnType<ComputeRules['operate']['get-instance']>,
): ComputeRules {
  return {
    ...rules,
    operate: {
      ...rules.operate,
      'get-instance': (context) => {
        try {
          return rules.operate['get-instance'](context);
        } catch (error) {
          const id = context.pathParameters['id'] ?? '';
          const unknown =
            error instanceof Refusal &&
            error.status === 404 &&
            context.world.instance(id) === undefined;
          if (!unknown) throw error;
          return answer(error);
        }
      },
    },
  };
}
