/** Refusals that come too late: an engine was asked before. */

import type { Reply } from '../../http.ts';
import type { RequestContext } from '../model.ts';
import type { RouterRules } from '../rules/rules.ts';

/** Answers the requests for which `late` holds with a refusal; a stream that has begun gets it in place of its pieces. */
export function answeringLate(
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
      const refusal = refusals.get(context);
      if (refusal === undefined) return rules.streamPiece(piece, index, context);
      return index === 0 ? refusal : new Uint8Array();
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
