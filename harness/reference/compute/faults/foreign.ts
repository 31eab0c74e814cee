/** Instances of other accounts that show or act in one state alone, or in the lists of one key alone. */

import { type Fault, declareFaults } from '../../fault.ts';
import type { ComputeRules, RequestContext } from '../context.ts';
import type { Instance } from '../model.ts';
import { otherAccount } from './population.ts';

const scope = (slug: string): string => `compute.scoping.${slug}`;

/** What a request for a foreign instance finds, once `serves` says that it is served. */
function reaching(
  name: string,
  summary: string,
  breaks: readonly string[],
  serves: (instance: Instance, context: RequestContext) => boolean,
): Fault<ComputeRules> {
  return {
    name,
    summary,
    breaks,
    patch: (rules) => ({
      ...rules,
      visibleTo: (instance, context) =>
        serves(instance, context) || rules.visibleTo(instance, context),
    }),
  };
}

export const foreignFaults = declareFaults<ComputeRules>([
  reaching(
    'foreign-instance-is-read-once-terminated',
    'A terminated instance can be read with any key.',
    [scope('foreign-get'), scope('foreign-get-same')],
    ({ state }, { operation }) => operation === 'get-instance' && state === 'TERMINATED',
  ),
  reaching(
    'foreign-instance-is-read-while-stopped',
    'A stopped instance can be read with any key.',
    [scope('foreign-get'), scope('foreign-get-same')],
    ({ state }, { operation }) => operation === 'get-instance' && state === 'STOPPED',
  ),
  reaching(
    'foreign-instance-is-read-once-errored',
    'An instance that erred can be read with any key.',
    [scope('foreign-get'), scope('foreign-get-same')],
    ({ state }, { operation }) => operation === 'get-instance' && state === 'ERRORED',
  ),
  reaching(
    'foreign-stop-of-what-is-stopped-is-accepted',
    'A stop that changes nothing is accepted with any key.',
    [scope('foreign-stop'), scope('foreign-stop-same')],
    ({ state }, { operation }) => operation === 'stop-instance' && state === 'STOPPED',
  ),
  reaching(
    'foreign-terminate-of-what-is-stopped-is-served',
    'A stopped instance can be terminated with any key.',
    [scope('foreign-terminate')],
    ({ state }, { operation }) => operation === 'terminate-instance' && state === 'STOPPED',
  ),
  reaching(
    'foreign-instance-is-read-by-its-id-in-capitals',
    'Whose an instance is counts for an id in lower case alone.',
    [scope('foreign-get')],
    (_instance, { operation, path }) =>
      operation === 'get-instance' && /[A-F]/u.test(path.slice(path.lastIndexOf('/'))),
  ),
  reaching(
    'foreign-stop-of-what-is-terminated-is-409',
    'A stop looks at the state of an instance before it looks at whose it is.',
    [scope('foreign-stop'), scope('foreign-stop-same')],
    ({ state }, { operation }) => operation === 'stop-instance' && state === 'TERMINATED',
  ),
  reaching(
    'foreign-terminate-of-what-is-terminated-is-409',
    'A terminate looks at the state of an instance before it looks at whose it is.',
    [scope('foreign-terminate'), scope('foreign-terminate-same')],
    ({ state }, { operation }) => operation === 'terminate-instance' && state === 'TERMINATED',
  ),
  {
    name: 'foreign-start-is-404-and-acts',
    summary: 'A start of a foreign instance is 404, and starts it all the same.',
    breaks: [scope('foreign-start'), 'compute.states.order-kept'],
    patch: (rules) => ({
      ...rules,
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
  {
    name: 'primary-key-lists-terminated-strangers',
    summary: 'With status=terminated the primary key sees what another account had.',
    breaks: [scope('filters-stay-inside'), scope('lists-disjoint')],
    patch: (rules) => ({
      ...rules,
      instancesInReach: (context) => {
        const own = rules.instancesInReach(context);
        const isAsked = rules.readParameter('status', context) === 'terminated';
        return context.key?.role === 'primary' && isAsked
          ? [...otherAccount(context).instances, ...own]
          : own;
      },
    }),
  },
]);
