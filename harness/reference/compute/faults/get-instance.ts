/** Single instances that cannot be read, are others, or differ from the list. */

import { errorCodes, invalid, notFound, Refusal } from '../model.ts';
import { callerOf, type ComputeRules } from '../context.ts';
import {
  amend,
  type Body,
  fails,
  faultTable,
  instancesOf,
  type Patch,
  replace,
  succeeding,
} from './words.ts';

/** Records of single instances, changed. */
function reading(change: (record: Body) => Body): Patch {
  return succeeding('get-instance', (record) => change(record));
}

/** What reading an id does that exists nowhere. */
function unknownRead(
  answer: (refusal: Refusal) => ReturnType<ComputeRules['operate']['get-instance']>,
): Patch {
  return (rules) => ({
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
  });
}

export const getInstanceFaults = faultTable('compute.get-instance', {
  'own-instance: own-instance-is-not-found': {
    says: 'The newest instance of an account that was there before cannot be read.',
    patch: fails('singleRecord', notFound, (instance) => instance.origin === 'seed'),
  },
  'own-instance: one-id-in-four-is-malformed': fails(
    'isInstanceId',
    () => invalid('id must be a UUID.'),
    (text, context) =>
      context.operation === 'get-instance' && /^[0-9a-f]{8}-.{4}-4.{3}-8/u.test(text),
  ),
  'names-instance: single-instance-is-another-one': {
    says: 'A read of an instance that was there before gives the oldest of the account.',
    besides: ['agrees-with-list'],
    patch: replace('singleRecord', (original, instance, context) =>
      original(
        instance.origin === 'seed' ? (callerOf(context).instances[0] ?? instance) : instance,
        context,
      ),
    ),
  },
  'agrees-with-list: single-instance-has-another-gpu': reading((record) => ({
    ...record,
    gpu_type: String(record['gpu_type']).toLowerCase().concat(' gpu'),
  })),
  'agrees-with-list: single-instance-has-another-rate': reading((record) => ({
    ...record,
    hourly_rate: Number(record['hourly_rate']) * 1.2,
  })),
  'unknown-id: unknown-id-reads-as-null': unknownRead((_refusal) => ({
    status: 200,
    headers: [],
    json: null,
  })),
  'unknown-id: unknown-id-reads-as-400': unknownRead(() => {
    throw new Refusal(400, errorCodes[400], 'There is no such instance.');
  }),
  'malformed-id: malformed-id-is-403': amend('isInstanceId', (isId, _text, { operation }) => {
    if (!isId && operation === 'get-instance') throw new Refusal(403, errorCodes[403], 'No.');
    return isId;
  }),
  'malformed-id: ids-are-found-by-their-beginning': (rules) => ({
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
});
