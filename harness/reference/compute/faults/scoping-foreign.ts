/** Instances of another account that one operation reaches. */

import { type RequestContext } from '../context.ts';
import { type Instance, type InstanceState, type Operation } from '../model.ts';
import { answering, chained, faultTable, forces, isSuccess, type Patch, slowly } from './words.ts';

/** The foreign instance that a request names; undefined when it names none, or an own one. */
function foreignOf(context: RequestContext): Instance | undefined {
  const instance = context.world.instance(context.pathParameters['id'] ?? '');
  return instance === undefined || instance.account === context.key?.account ? undefined : instance;
}

/** An instance of another account is reached by one operation in one state. */
function reaches(asked: Operation, found: InstanceState): Patch {
  return forces(
    'visibleTo',
    true,
    ({ state }, { operation }) => operation === asked && state === found,
  );
}

export const scopingForeignFaults = faultTable('compute.scoping', {
  'foreign-get + foreign-get-same: single-instance-is-kept-for-whoever-asks-next': (rules) => {
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
  'foreign-get + foreign-get-same: foreign-instance-is-read-once-terminated': reaches(
    'get-instance',
    'TERMINATED',
  ),
  'foreign-get + foreign-get-same: foreign-instance-is-read-once-errored': reaches(
    'get-instance',
    'ERRORED',
  ),
  'foreign-get: foreign-instance-is-read-by-its-id-in-capitals': forces(
    'visibleTo',
    true,
    (_instance, { operation, path }) =>
      operation === 'get-instance' && /[A-F]/u.test(path.slice(path.lastIndexOf('/'))),
  ),
  'foreign-get: empty-account-reads-strangers': forces(
    'visibleTo',
    true,
    (_instance, context) => context.key?.role === 'empty' && context.operation === 'get-instance',
  ),
  'foreign-terminate: foreign-terminate-of-what-is-stopped-is-served': reaches(
    'terminate-instance',
    'STOPPED',
  ),
  'foreign-terminate + foreign-terminate-same: foreign-terminate-of-what-is-terminated-is-409':
    reaches('terminate-instance', 'TERMINATED'),
  'foreign-terminate: terminating-can-be-terminated-by-strangers': chained(
    (rules) => slowly(rules, 'TERMINATING'),
    reaches('terminate-instance', 'TERMINATING'),
  ),
  'foreign-stop + foreign-stop-same: foreign-stop-of-what-is-stopped-is-accepted': reaches(
    'stop-instance',
    'STOPPED',
  ),
  'foreign-stop + foreign-stop-same: foreign-stop-of-what-is-terminated-is-409': reaches(
    'stop-instance',
    'TERMINATED',
  ),
  'foreign-start + compute.states.order-kept: foreign-start-is-404-and-acts': (rules) => ({
    findInstance: (context) => {
      const named = foreignOf(context);
      if (context.operation === 'start-instance' && named?.state === 'STOPPED') {
        rules.beginStart(named, context);
      }
      return rules.findInstance(context);
    },
  }),
});
