/** What a target offers of what requirements need. */

import { contractData } from '../../schemas/contracts.ts';
import type { Need } from '../../schemas/requirement.ts';
import type { Target } from '../../schemas/target.ts';

/** A need that a target does not meet, and the line of the target file that would meet it. */
export interface MissingNeed extends Need {
  readonly need: string;
}

/** True when the target file says what the need asks for, or all that stands for it; for consent, when it says `true`. */
export function offers(target: Target, need: string): boolean {
  const others = contractData(target.contract).needs[need]?.or;
  return says(target, need) || others?.every((other) => says(target, other)) === true;
}

function says(target: Target, need: string): boolean {
  let value: unknown = target;
  for (const step of need.split('.')) value = member(value, step);
  return value !== undefined && value !== false;
}

/** Those of the needs that the target does not meet, each once, in the order given. */
export function missingNeeds(target: Target, wanted: Iterable<string>): readonly MissingNeed[] {
  const { needs } = contractData(target.contract);
  const missing = [...new Set(wanted)].filter((need) => !offers(target, need));
  return missing.flatMap((need) => {
    const known = needs[need];
    return known === undefined ? [] : [{ need, purpose: known.purpose, line: known.line }];
  });
}

/** Only own members count: a name such as `constructor` offers nothing. */
function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
