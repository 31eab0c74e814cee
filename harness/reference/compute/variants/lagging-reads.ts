/** A conforming deployment that reads from a copy which is a little behind what calls have changed. */

import type { ComputeRules, RequestContext } from '../context.ts';
import { World } from '../world.ts';

const BEHIND_MS = 400;
const LISTS_BEHIND_MS = 1_500;
/** Milliseconds between two copies, at least. */
const APART_MS = 50;
/** Milliseconds without a request in which a copy gets too old. */
const PAUSE_MS = 500;
/** Copies are kept for the reader that is furthest behind. */
const FURTHEST_MS = 1_500;

interface Copy {
  readonly at: number;
  readonly world: World;
}

/** Lists and single records are those of the newest copy that is old enough, or else of the first one. */
export function laggingReads(rules: ComputeRules): ComputeRules {
  return lagging(rules, ['list-instances', 'get-instance'], () => BEHIND_MS);
}

const REPLICAS_BEHIND_MS = [0, 1_500] as const;

/** Each read meets another replica: one is not behind, the other is by more than a second, so that a later read may show less. */
export function replicasApart(rules: ComputeRules): ComputeRules {
  return lagging(
    rules,
    ['list-instances', 'get-instance'],
    ({ sequence }) => REPLICAS_BEHIND_MS[sequence % 2] ?? 0,
  );
}

/** The same of lists alone, and for longer. */
export function laggingLists(rules: ComputeRules): ComputeRules {
  return lagging(rules, ['list-instances'], () => LISTS_BEHIND_MS);
}

function lagging(
  rules: ComputeRules,
  operations: readonly ('list-instances' | 'get-instance')[],
  behindMs: (context: RequestContext) => number,
): ComputeRules {
  let copies: readonly Copy[] = [];
  const copied = (context: RequestContext): RequestContext => {
    const behind = behindMs(context);
    const copy = copies.findLast(({ at }) => at <= context.now - behind) ?? copies[0];
    // After a pause without requests the last copy is too old for a reader that goes on copying.
    const isStale = copy === undefined || copy.at < context.now - behind - PAUSE_MS;
    return isStale ? context : { ...context, world: copy.world, now: copy.at };
  };
  return {
    ...rules,
    onRequest: (context) => {
      const { now, world } = context;
      if (now - (copies.at(-1)?.at ?? 0) >= APART_MS) {
        const current = copies.findLastIndex(({ at }) => at <= now - FURTHEST_MS);
        copies = [...copies.slice(Math.max(0, current)), { at: now, world: copyOf(world) }];
      }
      return rules.onRequest(context);
    },
    operate: {
      ...rules.operate,
      ...Object.fromEntries(
        operations.map((operation) => [
          operation,
          (context: RequestContext) => rules.operate[operation](copied(context)),
        ]),
      ),
    },
  };
}

function copyOf({ presets, keys, accounts }: World): World {
  return new World(
    presets,
    keys,
    accounts.map((account) => ({
      ...account,
      instances: account.instances.map((instance) => ({ ...instance })),
    })),
  );
}
