/** What a target offers of what requirements need. */

import { computeNeeds, type Need, type NeedName, routerNeeds } from '../../schemas/needs.ts';
import type { Contract } from '../../schemas/requirement.ts';
import type { Target } from '../../schemas/target.ts';

/** Both contracts have needs of the same name, so the target's own contract comes last. */
const registers: Readonly<Record<Contract, Readonly<Record<NeedName, Need>>>> = {
  compute: { ...routerNeeds, ...computeNeeds },
  router: { ...computeNeeds, ...routerNeeds },
};

/** A need that a target does not meet, and the line of the target file that would meet it. */
export interface MissingNeed extends Need {
  readonly need: NeedName;
}

/** True when the target file says what the need asks for; for consent, when it says `true`. */
export function offers(target: Target, need: NeedName): boolean {
  const others = insteadOf[need];
  return says(target, need) || others?.every((other) => says(target, other)) === true;
}

/** What can be made where it is not listed: an instance of our own is brought there once for the whole run. */
const insteadOf: Partial<Record<NeedName, readonly NeedName[]>> = {
  'instances.stopped': ['instances.provision', 'consent.stop'],
  'instances.terminated': ['instances.provision', 'consent.terminate', 'bindings.terminate'],
};

function says(target: Target, need: NeedName): boolean {
  let value: unknown = target;
  for (const step of need.split('.')) value = member(value, step);
  return value !== undefined && value !== false;
}

/** Those of the needs that the target does not meet, each once, in the order given. */
export function missingNeeds(target: Target, wanted: Iterable<NeedName>): readonly MissingNeed[] {
  const missing = [...new Set(wanted)].filter((need) => !offers(target, need));
  return missing.map((need) => {
    const { purpose, line } = registers[target.contract][need];
    return { need, purpose, line };
  });
}

/** Only own members count: a name such as `constructor` offers nothing. */
function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
