/** Functions that compute faults are built from: they change responses and find instances of the caller and of others. */

import {
  type Answer,
  callerOf,
  type ComputeRules,
  operating,
  type RequestContext,
} from '../context.ts';
import {
  type Account,
  type Instance,
  type InstanceQuery,
  type InstanceState,
  type Operation,
  Refusal,
} from '../model.ts';
import { faultLanguage, type Patch as PatchOf } from '../../fault.ts';

export type Patch = PatchOf<ComputeRules>;

export const {
  replace,
  forces,
  fails,
  amend,
  before,
  rows,
  gathered,
  each,
  nowAndThen,
  chained,
  faultTable,
} = faultLanguage<ComputeRules>();

/** A patch for instances that were started in this run. */
export function onceStarted(patch: (isStarted: (instance: Instance) => boolean) => Patch): Patch {
  return (rules) => {
    const started = new Set<Instance>();
    const noted = before('beginStart', (instance) => started.add(instance));
    return chained(
      noted,
      patch((instance) => started.has(instance)),
    )(rules);
  };
}

/** A patch for the first call of a rule for each instance. */
export function onceForEach(patch: (isFirst: (instance: Instance) => boolean) => Patch): Patch {
  return (rules) => {
    const met = new Set<Instance>();
    const isFirst = (instance: Instance): boolean => {
      const isNew = !met.has(instance);
      met.add(instance);
      return isNew;
    };
    return patch(isFirst)(rules);
  };
}

export type Body = Readonly<Record<string, unknown>>;

export function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A record and what it is made from: an instance, at a moment, for a request and the query of a list. */
export interface Shown extends Instance {
  readonly record: Body;
  readonly instance: Instance;
  readonly at: number;
  readonly context: RequestContext;
  readonly query?: InstanceQuery | undefined;
}

type Fields = (shown: Shown) => Body | false;

/** Records in lists show other values in some fields. */
export function listing(fields: Fields): Patch {
  return amend('listRecord', (record, instance, at, context, query) => ({
    ...record,
    ...fields({ ...instance, record, instance, at, context, query }),
  }));
}

/** Responses to stop and terminate, or to one of the two, show other values in some fields. */
export function telling(fields: Fields, operation?: Operation): Patch {
  return amend('actionRecord', (record, instance, at, context) => ({
    ...record,
    ...((operation ?? context.operation) === context.operation &&
      fields({ ...instance, record, instance, at, context })),
  }));
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Changes every response. */
export function answering(change: (answer: Answer, context: RequestContext) => Answer): Patch {
  return (rules) => ({
    onResponse: async (context, answer) => change(await rules.onResponse(context, answer), context),
  });
}

/** Changes the JSON of successful responses to one operation. */
export function succeeding(
  operation: NonNullable<RequestContext['operation']>,
  change: (json: Body, context: RequestContext) => unknown,
): Patch {
  return answering((answer, context) =>
    context.operation === operation && isSuccess(answer) && isBody(answer.json)
      ? { ...answer, json: change(answer.json, context) }
      : answer,
  );
}

/** Responses to an action name an instance that does not exist. */
export function namingAnother(operation: 'stop-instance' | 'terminate-instance'): Patch {
  return succeeding(operation, (record) => ({
    ...record,
    instance_id: '00000000-0000-4000-8000-000000000000',
  }));
}

/** Replaces the body of every error with the result of `change`, which receives the error object. */
export function enveloping(
  change: (error: Body, refusal: Refusal, context: RequestContext) => unknown,
): Patch {
  return amend('errorEnvelope', (envelope, refusal, context) => {
    const error = isBody(envelope) ? envelope['error'] : undefined;
    return isBody(error) ? change(error, refusal, context) : envelope;
  });
}

/** Changes every refusal before it becomes a response. */
export function refusing(change: (refusal: Refusal, context: RequestContext) => Refusal): Patch {
  return replace('refusalOf', (original, error, context) =>
    change(original(error, context), context),
  );
}

/** The refusal that an action throws, or undefined if it succeeds. Other errors are rethrown. */
export function refusalIn(act: () => unknown): Refusal | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

export type When = (context: RequestContext) => boolean;

/** A conforming deployment whose teardown frees the resource at once, so that a repeated terminate answers 500. */
export function goneAtOnce(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    isResourceGone: (instance) => instance.state === 'TERMINATING' && !instance.stranded,
  };
}

/** True for a STOPPED instance that was provisioned in this run. */
export function hasJustStopped({ state, origin }: Instance): boolean {
  return state === 'STOPPED' && origin === 'provision';
}

/** Number of requests of a key, and the seconds in which they are refilled. */
const LIMIT = { requests: 40, perSeconds: 1 } as const;

/** A conforming deployment with a rate limit on reads of the regions and on stops, so that cases can reach faults of the limit. */
export function limited(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    takeRequest: (key, context) =>
      context.operation === 'regions' || context.operation === 'stop-instance'
        ? rules.takeRequest(key, {
            ...context,
            deployment: { ...context.deployment, rateLimit: LIMIT },
          })
        : undefined,
  };
}

/** The instance that a request names, or undefined. */
export function namedInstance({ world, pathParameters }: RequestContext): Instance | undefined {
  return world.instance(pathParameters['id'] ?? '');
}

/** The instance of another account that a request names, or undefined. */
export function foreignOf(context: RequestContext): Instance | undefined {
  const instance = namedInstance(context);
  return instance?.account === context.key?.account ? undefined : instance;
}

/** The slug that ends a requirement id: `VALIDATION_ERROR` becomes `validation-error`. */
export const slugOf = (text: string): string => text.toLowerCase().replaceAll('_', '-');

/** The caller's own instances, oldest first. */
export function instancesOf(context: RequestContext): readonly Instance[] {
  return callerOf(context).instances;
}

/** The second account, or for the second key the primary account. */
export function otherAccount(context: RequestContext): Account {
  return context.world.accountOf(context.key?.role === 'second' ? 'primary' : 'second');
}

export const isSecond = ({ key }: RequestContext): boolean => key?.role === 'second';

/** Milliseconds that an instance stays in a transitional state. */
const STAY_MS = 400;

/** The same for TERMINATING: a fault shows only well before the end of a teardown. */
const TEARDOWN_MS = 1_000;

/** A conforming deployment in which an instance that leaves a state by itself stays there for a while. */
export function staying(state: InstanceState, ms: number): Patch {
  return amend('successor', (next, instance) =>
    next !== undefined && instance.state === state
      ? { ...next, delayMs: Math.max(next.delayMs, ms) }
      : next,
  );
}

/** A conforming deployment that stays in some states long enough for a case to meet them. */
export function lingering(...states: readonly InstanceState[]): Patch {
  return chained(
    ...states.map((state) => staying(state, state === 'TERMINATING' ? TEARDOWN_MS : STAY_MS)),
  );
}

/** An action on an id that does not exist succeeds. */
export function unknownAnswers(
  operation: 'stop-instance' | 'terminate-instance' | 'start-instance',
  status: number,
): Patch {
  return operating([operation], (original, context) => {
    const id = context.pathParameters['id'] ?? '';
    return context.rules.isInstanceId(id, context) && namedInstance(context) === undefined
      ? { status, headers: [], json: undefined }
      : original(context);
  });
}
