/** How faults reach into answers: successes, refusals, envelopes. */

import type { Answer, ComputeRules, RequestContext } from '../context.ts';
import { Refusal } from '../model.ts';
import { type Patch as PatchOf, faultLanguage } from '../../fault.ts';

export type Patch = PatchOf<ComputeRules>;
export const { replace, unless, fails, amend, chained, faultTable } = faultLanguage<ComputeRules>();

export type Body = Readonly<Record<string, unknown>>;

export function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
