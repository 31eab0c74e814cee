/** The whole lists that the suites hold other answers against. */

import type { ComputeRequirementId } from '../../../schemas/compute/catalogue.ts';
import { computeNeeds } from '../../../schemas/compute/needs.ts';
import type { UniversalJudgement } from '../../checks/universal.ts';
import { Inconclusive, NotExercised, type TestContext } from '../../runner/case.ts';
import { WholeList } from './against.ts';
import {
  type Listing,
  type ListingOptions,
  type ListQuery,
  readInstances,
  readPresetList,
  WHOLE_PAGES,
} from '../collection/reading.ts';
import type { ComputeContext } from './context.ts';

/** The instances of the primary key: the newest 800 of a larger account. */
export function wholeInstances(
  t: Pick<ComputeContext, 'api'>,
  query: ListQuery = {},
  options: ListingOptions = {},
): WholeList {
  return new WholeList(async () =>
    readInstances(t.api, query, { mostPages: WHOLE_PAGES, ...options }),
  );
}

/** The presets: the first 800 of a larger catalogue. */
export function wholePresets(
  t: Pick<ComputeContext, 'api' | 'bindings'>,
  query: ListQuery = {},
): WholeList {
  return new WholeList(async () =>
    readPresetList(t.api, t.bindings, query, { mostPages: WHOLE_PAGES }),
  );
}

/** The list as it is, if it has at least so many items; otherwise throws `NotExercised`. */
export async function having(
  list: WholeList,
  least: number,
  what: 'instances' | 'presets',
): Promise<Listing> {
  const known = await list.known();
  if (known.ids.length >= least) return known;
  throw new NotExercised(
    known.ids.length === 0
      ? `the primary key sees no ${what}`
      : `the primary key sees fewer than ${least} ${what}`,
  );
}

/** Passes verdicts on to the case. */
export function tell(
  witness: Pick<TestContext<ComputeRequirementId>, 'judge'>,
  verdicts: readonly UniversalJudgement<ComputeRequirementId>[],
): void {
  for (const { requirement, judgement } of verdicts) {
    witness.judge(requirement, judgement);
  }
}

/** A key of the target file as a secret; throws `NotExercised` without it. */
export function requireSecret(t: Pick<ComputeContext, 'secret'>, name: 'primary' | 'second') {
  const secret = t.secret(name);
  if (secret !== undefined) return secret;
  if (name === 'primary') throw new Inconclusive('the target has no primary key');
  throw new NotExercised(
    `needs ${computeNeeds['keys.second'].purpose}`,
    computeNeeds['keys.second'].line,
  );
}
