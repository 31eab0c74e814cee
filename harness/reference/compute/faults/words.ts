/** The words that compute faults are written in: how they reach into answers, and who is in the account of a caller. */

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

/** What differs for instances that were started in this run. */
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

/** What differs the first time that something is asked of an instance. */
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

type Shown<K extends 'listRecord' | 'actionRecord'> = (
  record: Body,
  ...of: Parameters<ComputeRules[K]>
) => Body | false;

/** Records in lists show something else in the fields that `fields` gives. */
export function listing(fields: Shown<'listRecord'>): Patch {
  return amend('listRecord', (record, ...of) => ({ ...record, ...fields(record, ...of) }));
}

/** Answers to stop and terminate, or to one of the two, tell something else in the fields that `fields` gives. */
export function telling(fields: Shown<'actionRecord'>, operation?: Operation): Patch {
  return amend('actionRecord', (record, instance, at, context) => ({
    ...record,
    ...((operation ?? context.operation) === context.operation &&
      fields(record, instance, at, context)),
  }));
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Every answer, changed. */
export function answering(change: (answer: Answer, context: RequestContext) => Answer): Patch {
  return (rules) => ({
    onResponse: async (context, answer) => change(await rules.onResponse(context, answer), context),
  });
}

/** The JSON of successful answers to one operation, changed. */
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

/** Answers to an action name an instance that there is not. */
export function namingAnother(operation: 'stop-instance' | 'terminate-instance'): Patch {
  return succeeding(operation, (record) => ({
    ...record,
    instance_id: '00000000-0000-4000-8000-000000000000',
  }));
}

/** The error object of every envelope, changed; what is returned takes the place of the whole body. */
export function enveloping(
  change: (error: Body, refusal: Refusal, context: RequestContext) => unknown,
): Patch {
  return amend('errorEnvelope', (envelope, refusal, context) => {
    const error = isBody(envelope) ? envelope['error'] : undefined;
    return isBody(error) ? change(error, refusal, context) : envelope;
  });
}

/** The refusals of a deployment, replaced before they become an answer. */
export function refusing(change: (refusal: Refusal, context: RequestContext) => Refusal): Patch {
  return replace('refusalOf', (original, error, context) =>
    change(original(error, context), context),
  );
}

/** The refusal that an action ends in; undefined when it succeeds. Other errors pass. */
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

/** A conforming deployment whose teardowns free the resource at once, so that a repeated terminate meets a 500. */
export function goneAtOnce(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    isResourceGone: (instance) => instance.state === 'TERMINATING' && !instance.stranded,
  };
}

/** True for what has stopped since it was made in this run. */
export function hasJustStopped({ state, origin }: Instance): boolean {
  return state === 'STOPPED' && origin === 'provision';
}

/** Requests that a key has, and the seconds in which they come back. */
const LIMIT = { requests: 40, perSeconds: 1 } as const;

/** A conforming deployment that limits how often a key may read the regions, so that a fault of the limit can be met. */
export function limited(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    takeRequest: (key, context) =>
      context.operation === 'regions'
        ? rules.takeRequest(key, {
            ...context,
            deployment: { ...context.deployment, rateLimit: LIMIT },
          })
        : undefined,
  };
}

/** The instance that a request names; undefined when there is none. */
export function namedInstance({ world, pathParameters }: RequestContext): Instance | undefined {
  return world.instance(pathParameters['id'] ?? '');
}

/** The foreign instance that a request names; undefined when it names none, or an own one. */
export function foreignOf(context: RequestContext): Instance | undefined {
  const instance = namedInstance(context);
  return instance?.account === context.key?.account ? undefined : instance;
}

/** The caller's own instances, oldest first. */
export function instancesOf(context: RequestContext): readonly Instance[] {
  return callerOf(context).instances;
}

/** The account of another key: the second one for everybody but itself. */
export function otherAccount(context: RequestContext): Account {
  return context.world.accountOf(context.key?.role === 'second' ? 'primary' : 'second');
}

export const isSecond = ({ key }: RequestContext): boolean => key?.role === 'second';

/** Milliseconds for which an instance stays in a state that is on its way. */
const STAY_MS = 400;

/** In TERMINATING longer: what is wrong with it shows only well before its end. */
const TEARDOWN_MS = 1_000;

/** A conforming deployment that takes its time in some states, so that each of them can be met. */
export function lingering(...states: readonly InstanceState[]): Patch {
  return amend('successor', (next, { state }) => {
    if (next === undefined || !states.includes(state)) return next;
    const least = state === 'TERMINATING' ? TEARDOWN_MS : STAY_MS;
    return { ...next, delayMs: Math.max(next.delayMs, least) };
  });
}

/** An action on an id that exists nowhere succeeds. */
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
