/** A conforming deployment whose teardowns free the resource at once, so that a repeated terminate meets a 500. */

import type { ComputeRules } from '../context.ts';

export function goneAtOnce(rules: ComputeRules): ComputeRules {
  return {
    ...rules,
    isResourceGone: (instance) => instance.state === 'TERMINATING' && !instance.stranded,
  };
}
