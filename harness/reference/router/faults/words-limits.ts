/** Functions for faults of limits: limits that are skipped, resources that leak, and refusals that come too late. */

import { type Ending, type Holding, type RequestContext, RouterFailure } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import type { Reply } from '../../http.ts';
import type { Limited } from '../rules/limits.ts';
import {
  always,
  amend,
  chained,
  contextIn,
  forces,
  type Patch,
  refusal,
  replace,
  type RequestTest,
} from './words.ts';

type Refuse = (reply: Reply, context: RequestContext) => Reply;

const as =
  (code: string): Refuse =>
  (reply) =>
    refusal(reply, code);

/**
 * Lets requests that a rule would refuse reach the engine, and refuses them afterwards: with a code, or as `refuse` says. In
 * a stream that has begun, the refusal replaces the pieces. `admit` marks the requests.
 */
export function refusingLate(
  admit: (rules: RouterRules, mark: (context: RequestContext) => void) => Partial<RouterRules>,
  refuse: string | Refuse,
): Patch {
  return (rules) => {
    const marked = new WeakSet<RequestContext>();
    const refusals = new WeakMap<RequestContext, Buffer>();
    return chained(
      (plain) => admit(plain, (context) => marked.add(context)),
      amend('answer', (reply, _sent, context) => {
        if (!marked.has(context)) return reply;
        const refused = (typeof refuse === 'string' ? as(refuse) : refuse)(reply, context);
        refusals.set(context, Buffer.from(refused.body));
        return refused;
      }),
      amend('streamPiece', (piece, _sent, index, context) => {
        const refused = refusals.get(context);
        return refused === undefined ? piece : index === 0 ? refused : new Uint8Array();
      }),
    )(rules);
  };
}

/** A rule decides too late: a request that it would refuse reaches the engine, and is refused after the answer. */
export function late(
  rule: 'sheds' | 'withinCaps' | 'withinShare' | 'exhausted' | 'fitsBudget' | 'mayUse',
  against: boolean,
  refuse: string | Refuse,
  where: RequestTest = always,
): Patch {
  return refusingLate(
    (rules, mark) => ({
      [rule]: (...args: readonly unknown[]): boolean => {
        if (Reflect.apply(rules[rule], rules, args) !== against) return !against;
        if (!where(contextIn(args))) return against;
        mark(contextIn(args));
        return !against;
      },
    }),
    refuse,
  );
}

/** Does not apply a limit to some requests. */
export function without(limit: Limited, where: RequestTest): Patch {
  return forces('limited', false, (by, context) => by === limit && where(context));
}

/** Does not release a resource of some requests, after one kind of ending or after any. */
export function keeping(
  leaked: Holding,
  ended: Ending | 'however',
  where: RequestTest = always,
): Patch {
  return forces(
    'release',
    undefined,
    (holding, ending, _free, context) =>
      holding === leaked && (ended === 'however' || ended === ending) && where(context),
  );
}

/** Replaces refusals of malformed requests if `test` accepts their message. */
export function retelling(
  rule: 'parse' | 'requireModel',
  test: (message: string, context: RequestContext) => boolean,
  to: (message: string) => RouterFailure,
): Patch {
  const retold = <T>(context: RequestContext, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      throw error instanceof Error && test(error.message, context) ? to(error.message) : error;
    }
  };
  return rule === 'parse'
    ? replace('parse', (parse, bytes, context) => retold(context, () => parse(bytes, context)))
    : replace('requireModel', (requireModel, body, context) =>
        retold(context, () => requireModel(body, context)),
      );
}

/** The same refusal with another code. */
export const retoldAs = (code: string) => (message: string) => new RouterFailure(code, message);

/** A code that must end the session does not. */
export function goingOn(code: string, where: RequestTest): Patch {
  return forces('stops', false, (said, context) => said === code && where(context));
}
