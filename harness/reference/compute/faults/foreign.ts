/** Instances of other accounts that show or act in one state alone, or in the lists of one key alone. */

import type { RequestContext } from '../context.ts';
import type { Instance } from '../model.ts';
import { otherAccount } from './population.ts';
import { faultTable, unless, type Patch } from './answering.ts';

/** What a request for a foreign instance finds, once `serves` says that it is served. */
function reaching(serves: (instance: Instance, context: RequestContext) => boolean): Patch {
  return unless('visibleTo', (instance, context) => serves(instance, context), true);
}

export const foreignFaults = faultTable({
  'compute.scoping.foreign-get': {
    'foreign-instance-is-read-once-terminated': {
      besides: ['compute.scoping.foreign-get-same'],
      patch: reaching(
        ({ state }, { operation }) => operation === 'get-instance' && state === 'TERMINATED',
      ),
    },
    'foreign-instance-is-read-while-stopped': {
      besides: ['compute.scoping.foreign-get-same'],
      patch: reaching(
        ({ state }, { operation }) => operation === 'get-instance' && state === 'STOPPED',
      ),
    },
    'foreign-instance-is-read-once-errored': {
      besides: ['compute.scoping.foreign-get-same'],
      patch: reaching(
        ({ state }, { operation }) => operation === 'get-instance' && state === 'ERRORED',
      ),
    },
    'foreign-instance-is-read-by-its-id-in-capitals': reaching(
      (_instance, { operation, path }) =>
        operation === 'get-instance' && /[A-F]/u.test(path.slice(path.lastIndexOf('/'))),
    ),
  },
  'compute.scoping.foreign-stop': {
    'foreign-stop-of-what-is-stopped-is-accepted': {
      besides: ['compute.scoping.foreign-stop-same'],
      patch: reaching(
        ({ state }, { operation }) => operation === 'stop-instance' && state === 'STOPPED',
      ),
    },
    'foreign-stop-of-what-is-terminated-is-409': {
      besides: ['compute.scoping.foreign-stop-same'],
      patch: reaching(
        ({ state }, { operation }) => operation === 'stop-instance' && state === 'TERMINATED',
      ),
    },
  },
  'compute.scoping.foreign-terminate': {
    'foreign-terminate-of-what-is-stopped-is-served': reaching(
      ({ state }, { operation }) => operation === 'terminate-instance' && state === 'STOPPED',
    ),
    'foreign-terminate-of-what-is-terminated-is-409': {
      besides: ['compute.scoping.foreign-terminate-same'],
      patch: reaching(
        ({ state }, { operation }) => operation === 'terminate-instance' && state === 'TERMINATED',
      ),
    },
  },
  'compute.scoping.foreign-start': {
    'foreign-start-is-404-and-acts': {
      besides: ['compute.states.order-kept'],
      patch: (rules) => ({
        findInstance: (context) => {
          const named = context.world.instance(context.pathParameters['id'] ?? '');
          const isForeign = named !== undefined && named.account !== context.key?.account;
          if (context.operation === 'start-instance' && isForeign && named.state === 'STOPPED') {
            rules.beginStart(named, context);
          }
          return rules.findInstance(context);
        },
      }),
    },
  },
  'compute.scoping.filters-stay-inside': {
    'primary-key-lists-terminated-strangers': {
      besides: ['compute.scoping.lists-disjoint'],
      patch: (rules) => ({
        instancesInReach: (context) => {
          const own = rules.instancesInReach(context);
          const isAsked = rules.readParameter('status', context) === 'terminated';
          return context.key?.role === 'primary' && isAsked
            ? [...otherAccount(context).instances, ...own]
            : own;
        },
      }),
    },
  },
});
