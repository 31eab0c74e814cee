/** Refusals that come too late: an engine was asked before. */

import type { Reply } from '../../http/reply.ts';
import type { RequestContext } from '../context.ts';
import type { RouterRules } from '../rules/rules.ts';

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
      answer: (reply, context) => {
        const plain = rules.answer(reply, context);
        return late.has(context) ? refuse(plain, context) : plain;
      },
    };
  };
}
