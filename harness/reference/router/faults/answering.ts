/** What faults are made of: answers that come out other than the router meant them. */

import { type Patch as PatchOf, faultLanguage } from '../../fault.ts';
import { type Reply, withHeader } from '../../http.ts';
import { errorObject, jsonIn, type RequestContext } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';

export type Patch = PatchOf<RouterRules>;
export const { replace, unless, fails, amend, chained, faultTable } = faultLanguage<RouterRules>();
export type When = (reply: Reply, context: RequestContext) => boolean;

/** Replaces the answers for which `when` holds, just before they are written. */
export function answering(
  when: When,
  change: (reply: Reply, context: RequestContext) => Reply,
): Patch {
  return (rules) => ({
    ...rules,
    answer: (reply, context) => {
      const plain = rules.answer(reply, context);
      return when(plain, context) ? change(plain, context) : plain;
    },
  });
}

/** True when `pattern` finds something in the path of a request. */
export function onPath(path: string | RegExp): When {
  return (_reply, context) =>
    typeof path === 'string' ? context.path === path : path.test(context.path);
}

/** The error in an answer; empty when it has none. */
export function errorIn(reply: Reply): Readonly<Record<string, unknown>> {
  return { ...errorObject(jsonIn(Buffer.from(reply.body))) };
}

/** True for errors with this code. */
export function withCode(code: string): When {
  return (reply) => reply.status >= 400 && errorIn(reply)['code'] === code;
}

export function every(...conditions: readonly When[]): When {
  return (reply, context) => conditions.every((holds) => holds(reply, context));
}

/** The same answer with some fields of its error replaced, and another status if told. */
export function withError(
  reply: Reply,
  fields: Readonly<Record<string, unknown>>,
  status = reply.status,
): Reply {
  return withBody(reply, { error: { ...errorIn(reply), ...fields } }, status);
}

/** The same headers with another body: JSON of a value, or text as it is. */
export function withBody(reply: Reply, value: unknown, status = reply.status): Reply {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  return { ...reply, status, body };
}

/** A refusal in place of whatever an answer was, with its headers. */
export function refusal(
  reply: Reply,
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const error = { code, message: code, source: 'router' };
  const lines = { 'Content-Type': 'application/json', ...headers };
  // Whatever was refused before may have said when to come back; this refusal says it only if told.
  const plain = withHeader(withBody(reply, { error }, status), 'Retry-After', undefined);
  return Object.entries(lines).reduce(
    (changed, [name, value]) => withHeader(changed, name, value),
    plain,
  );
}

/** True for requests that name the most that they want written, in either member. */
export function namesMaximum({ body }: RequestContext): boolean {
  return (body?.['max_tokens'] ?? body?.['max_completion_tokens']) !== undefined;
}
