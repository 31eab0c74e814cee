/** The words of faults of limits and refusals: what they leave out, what comes back too early, and what is refused too late. */

import { type Ending, type Holding, type RequestContext, RouterFailure } from '../model.ts';
import type { Fault } from '../../fault.ts';
import type { RouterRules } from '../rules/rules.ts';
import type { Reply } from '../../http.ts';
import type { Limited } from '../rules/limits.ts';
import { forces, on, type Patch, replace, type RequestTest, type When } from './words.ts';

/** Answers the requests for which `late` holds with a refusal; a stream that has begun gets it in place of its pieces. */
function answeringLate(
  rules: RouterRules,
  late: (context: RequestContext) => boolean,
  refuse: (reply: Reply, context: RequestContext) => Reply,
): Pick<RouterRules, 'answer' | 'streamPiece'> {
  const refusals = new WeakMap<RequestContext, Buffer>();
  return {
    answer: (reply, context) => {
      const plain = rules.answer(reply, context);
      if (!late(context)) return plain;
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

/**
 * Lets requests through that a rule would refuse, and refuses them once they are answered. `admit` gets the rules and a
 * function that marks a request as one to refuse late.
 */
export function refusingLate(
  admit: (rules: RouterRules, mark: (context: RequestContext) => void) => Partial<RouterRules>,
  refuse: (reply: Reply, context: RequestContext) => Reply,
): (rules: RouterRules) => RouterRules {
  return (rules) => {
    const late = new WeakSet<RequestContext>();
    return {
      ...rules,
      ...admit(rules, (context) => late.add(context)),
      ...answeringLate(rules, (context) => late.has(context), refuse),
    };
  };
}

/** Counts nothing against a limit while a stream that has begun is what holds it. */
export function letGo(holding: Holding, path: string, model: string): Fault<RouterRules>['patch'] {
  return (rules) => {
    const begun = new Set<RequestContext>();
    const isMeant = (context: RequestContext): boolean =>
      context.model === model && context.path === path;
    return {
      ...rules,
      streamPiece: (piece, index, context) => {
        if (isMeant(context)) begun.add(context);
        return rules.streamPiece(piece, index, context);
      },
      release: (released, ending, free, context) => {
        begun.delete(context);
        rules.release(released, ending, free, context);
      },
      limited: (by, context) =>
        !(by === holding && begun.size > 0 && isMeant(context)) && rules.limited(by, context),
    };
  };
}

export const kinds: readonly (readonly [slug: string, where: RequestTest])[] = [
  ['streams', on({ stream: true, path: '/v1/chat/completions' })],
  ['messages', on({ path: '/v1/messages' })],
];

/** Leaves a limit out for some requests. */
export function without(limit: Limited, where: RequestTest): Patch {
  return forces('limited', false, (by, context) => by === limit && where(context));
}

/** Forgets to give a thing back to some requests. */
export function keeping(leaked: Holding, ended: Ending, where: RequestTest): Patch {
  return replace('release', (original, holding, ending, free, context) => {
    if (holding !== leaked || ending !== ended || !where(context))
      original(holding, ending, free, context);
  });
}

/** Answers of the key whose bucket is small, refused for it. */
export const isEmptyBucket: When = (reply, { key }) =>
  reply.status === 429 && key?.name === 'requestsPerMinute';

export type Requirement = 'parse' | 'requireModel';

/** Tells a refusal of the form in another way, where `test` holds for its message. */
export function retelling(
  rule: Requirement,
  test: (message: string, context: RequestContext) => boolean,
  to: (message: string) => RouterFailure,
): Patch {
  const retold = (error: unknown, context: RequestContext): unknown =>
    error instanceof Error && test(error.message, context) ? to(error.message) : error;
  return (rules) => ({
    ...rules,
    parse: (bytes, context) => {
      try {
        return rules.parse(bytes, context);
      } catch (error) {
        throw rule === 'parse' ? retold(error, context) : error;
      }
    },
    requireModel: (body, context) => {
      try {
        return rules.requireModel(body, context);
      } catch (error) {
        throw rule === 'requireModel' ? retold(error, context) : error;
      }
    },
  });
}

/** The same refusal under another code. */
export const retoldAs = (code: string) => (message: string) => new RouterFailure(code, message);

/** Goes on after a code that must end the session. */
export function goingOn(code: string, where: (context: RequestContext) => boolean) {
  return (rules: RouterRules): RouterRules => ({
    ...rules,
    stops: (said, context) => rules.stops(said, context) && !(said === code && where(context)),
  });
}

export const hasBudget = ({ key }: RequestContext): boolean => key?.tokensPerDay !== undefined;
