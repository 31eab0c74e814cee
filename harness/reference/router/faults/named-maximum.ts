/** What goes wrong only where a request names the most that it wants written. */

import type { RequestContext } from '../context.ts';
import type { RouterRules } from '../rules/rules.ts';

/** Rules that note which requests name a maximum, in either member. */
export function notingMaximum(rules: RouterRules) {
  const named = new WeakSet<RequestContext>();
  return {
    namesMaximum: (context: RequestContext) => named.has(context),
    rules: {
      ...rules,
      parse: (bytes: Uint8Array, context: RequestContext) => {
        const body = rules.parse(bytes, context);
        const maximum = body['max_tokens'] ?? body['max_completion_tokens'];
        if (maximum !== undefined) named.add(context);
        return body;
      },
    },
  };
}
