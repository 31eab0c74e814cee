/** Functions for faults of limits: limits that are skipped, resources that leak, and refusals that come too late. */

import { type Ending, type Holding, type RequestContext, RouterFailure } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';
import type { Reply } from '../../http.ts';
import type { Limited } from '../rules/limits.ts';
import {
  contextIn,
  forces,
  on,
  replace,
  type Patch,
  type RequestTest,
  type When,
} from './words.ts';

/** Replaces the responses to some requests with a refusal. In a stream that has begun, the refusal replaces the pieces. */
function answeringLate(
  rules: RouterRules,
  isLate: (context: RequestContext) => boolean,
  refuse: (reply: Reply, context: RequestContext) => Reply,
): Pick<RouterRules, 'answer' | 'streamPiece'> {
  const refusals = new WeakMap<RequestContext, Buffer>();
  return {
    answer: (reply, context) => {
      const plain = rules.answer(reply, context);
      if (!isLate(context)) return plain;
      const refused = refuse(plain, context);
      refusals.set(context, Buffer.from(refused.body));
      return refused;
    },
    streamPiece: (piece, index, context) => {
      const refused = refusals.get(context);
      if (refused === undefined) return rules.streamPiece(piece, index, context);
      return index === 0 ? refused : new Uint8Array();
    },
  };
}

/** Lets requests that a rule would refuse reach the engine, and refuses them afterwards. `admit` marks the requests. */
export function refusingLate(
  admit: (rules: RouterRules, mark: (context: RequestContext) => void) => Partial<RouterRules>,
  refuse: (reply: Reply, context: RequestContext) => Reply,
): Patch {
  return (rules) => {
    const marked = new WeakSet<RequestContext>();
    return {
      ...rules,
      ...admit(rules, (context) => marked.add(context)),
      ...answeringLate(rules, (context) => marked.has(context), refuse),
    };
  };
}

/** A rule decides too late: a request that it would refuse reaches the engine, and is refused after the answer. */
export function late(
  rule: 'sheds' | 'withinCaps' | 'withinShare' | 'exhausted' | 'fitsBudget' | 'mayUse',
  against: boolean,
  refuse: (reply: Reply, context: RequestContext) => Reply,
  where: RequestTest = () => true,
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

export const kinds: readonly (readonly [slug: string, where: RequestTest])[] = [
  ['streams', on({ stream: true, path: '/v1/chat/completions' })],
  ['messages', on({ path: '/v1/messages' })],
];

/** Does not apply a limit to some requests. */
export function without(limit: Limited, where: RequestTest): Patch {
  return forces('limited', false, (by, context) => by === limit && where(context));
}

/** Does not release a resource. */
export function leaking(
  leaked: Holding,
  when: (ending: Ending, context: RequestContext) => boolean,
): Patch {
  return forces(
    'release',
    undefined,
    (holding, ending, _free, context) => holding === leaked && when(ending, context),
  );
}

/** Does not release a resource after one kind of ending of some requests. */
export function keeping(leaked: Holding, ended: Ending, where: RequestTest): Patch {
  return leaking(leaked, (ending, context) => ending === ended && where(context));
}

/** True for refusals of the key with the small request bucket. */
export const isEmptyBucket: When = (reply, { key }) =>
  reply.status === 429 && key?.name === 'requestsPerMinute';

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
export function goingOn(code: string, where: (context: RequestContext) => boolean): Patch {
  return forces('stops', false, (said, context) => said === code && where(context));
}

export const hasBudget = ({ key }: RequestContext): boolean => key?.tokensPerDay !== undefined;

/** The maximum output that a request asks for. */
export const askedBy = ({ body }: RequestContext): number => Number(body?.['max_tokens'] ?? 0);
