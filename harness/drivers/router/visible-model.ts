/** Whether a model is there at all: that a key does not see it says nothing otherwise. */

import { listedModels } from '../../checks/router/model-list.ts';
import { NotExercised } from '../../runner/signals.ts';
import type { RouterContext } from './session.ts';

/** Keys that may see more than one that is meant to see less. */
const plainKeys = ['client', 'second', 'unlimited'] as const;

/** Throws `NotExercised` when no key of the target file, other than `except`, sees the model in its list. */
export async function requireVisible(
  t: Pick<RouterContext, 'api' | 'target'>,
  model: string,
  except: string,
): Promise<void> {
  for (const as of plainKeys) {
    if (as === except || t.target.keys[as] === undefined) continue;
    if (listedModels(await t.api.models({ as }))?.includes(model) === true) return;
  }
  throw new NotExercised(
    `no key of the target file but "${except}" sees the model ${model}, so that nothing shows that it exists`,
  );
}
