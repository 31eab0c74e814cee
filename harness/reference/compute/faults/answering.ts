/** How faults reach into answers: successes, refusals, envelopes. */

import type { Answer, ComputeRules, RequestContext } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { type Patch as PatchOf, faultLanguage } from '../../fault.ts';

export type Patch = PatchOf<ComputeRules>;
export const { replace, unless, amend, faultTable } = faultLanguage<ComputeRules>();

export type Body = Readonly<Record<string, unknown>>;

export function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Every answer, changed. */
export function answering(
  rules: ComputeRules,
  change: (answer: Answer, context: RequestContext) => Answer,
): ComputeRules {
  return {
    ...rules,
    onResponse: async (context, answer) => change(await rules.onResponse(context, answer), context),
  };
}

/** The JSON of successful answers to one operation, changed. */
export function succeeding(
  rules: ComputeRules,
  operation: NonNullable<RequestContext['operation']>,
  change: (json: Body, context: RequestContext) => unknown,
): ComputeRules {
  return answering(rules, (answer, context) =>
    context.operation === operation && isSuccess(answer) && isBody(answer.json)
      ? { ...answer, json: change(answer.json, context) }
      : answer,
  );
}

/** The error object of every envelope, changed; what is returned takes the place of the whole body. */
export function enveloping(
  rules: ComputeRules,
  change: (error: Body, refusal: Refusal, context: RequestContext) => unknown,
): ComputeRules {
  return {
    ...rules,
    errorEnvelope: (refusal, context) => {
      const envelope = rules.errorEnvelope(refusal, context);
      const error = isBody(envelope) ? envelope['error'] : undefined;
      return isBody(error) ? change(error, refusal, context) : envelope;
    },
  };
}

/** The refusals of a deployment, replaced before they become an answer. */
export function refusing(
  rules: ComputeRules,
  change: (refusal: Refusal, context: RequestContext) => Refusal,
): ComputeRules {
  return {
    ...rules,
    refusalOf: (error, context) => change(rules.refusalOf(error, context), context),
  };
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
