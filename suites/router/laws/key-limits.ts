/**
 * A limit of a key, whatever it counts: what is over it is refused, in each form that a request has, before an engine is asked,
 * and other keys are not touched.
 */

import { type Judgement, together } from '../../../harness/checks/judgement.ts';
import { isRateLimited, notLimited } from '../../../harness/checks/limits/bucket.ts';
import { reachedNoEngine } from '../../../harness/checks/router/tries.ts';
import { isOnMessages } from '../../../harness/drivers/router/api.ts';
import { judgeByReplicas } from '../../../harness/drivers/router/fixtures.ts';
import type { OverLimit } from '../../../harness/drivers/router/provoke.ts';
import type { RouterContext } from '../../../harness/drivers/router/session.ts';
import type { Exchange } from '../../../harness/exchange/exchange.ts';
import { type DefineCase, NotExercised } from '../../../harness/runner/case.ts';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';

type Id = RouterRequirementId;

/** One limit: how it is exceeded, and what is judged of it. */
export interface KeyLimit {
  /** The key that is refused. */
  readonly what: string;
  readonly exceed: (t: RouterContext) => Promise<OverLimit>;
  readonly refused: Id;
  /** What each refusal must say. */
  readonly says: readonly (readonly [Id, (refusal: Exchange) => Judgement])[];
  readonly reachesNoEngine: Id;
  /** Where the limit is implied alone for the messages route. */
  readonly onMessages?: Id;
  readonly perKey?: Id;
  /** The key that nobody else may use meanwhile. */
  readonly fixture?: string;
  /** True where more replicas than are known of, each with a limit of its own, would explain a key that is never refused. */
  readonly perReplica?: boolean;
}

/** Why nothing was seen of what is sent while a key is refused. */
const NOTHING_BESIDE = 'no conclusive request could be sent while the key was refused';

/** What is over a limit of a key is refused, for its key alone. */
export function keyLimit(test: DefineCase<RouterContext, Id>, limit: KeyLimit): void {
  const { what, exceed, refused: id, says, reachesNoEngine, onMessages, perKey } = limit;
  const isolation = limit.fixture === undefined ? 'shared' : { fixtures: [limit.fixture] };
  const implied = onMessages === undefined ? [] : [onMessages];
  test(
    `${what} is refused, and no engine is asked`,
    { judges: [id, ...says.map(([said]) => said), reachesNoEngine, ...implied], isolation },
    async (t) => {
      const { limited, refused, beyond } = await exceed(t);
      if (limit.perReplica === true) judgeByReplicas(t, id, limited);
      else t.judge(id, limited);
      const refusals = [
        ...refused,
        ...beyond.map(({ exchange }) => exchange).filter(isRateLimited),
      ];
      for (const [said, check] of says) t.judge(said, together(...refusals.map(check)));
      // What was never refused reached its engine; a refusal alone shows nothing of engines.
      if (beyond.length === 0 && limited.violations.length > 0 && limit.perReplica !== true) {
        t.judge(reachesNoEngine, limited);
      }
      for (const { exchange, hits } of beyond) {
        const about = isOnMessages(exchange) ? (onMessages ?? reachesNoEngine) : reachesNoEngine;
        t.judge(about, reachedNoEngine(exchange, hits));
      }
      if (onMessages !== undefined && !beyond.some(({ exchange }) => isOnMessages(exchange)))
        t.inconclusive(onMessages, NOTHING_BESIDE);
    },
  );

  if (perKey === undefined) return;
  test(`${what} is refused for itself alone`, { judges: [perKey], isolation }, async (t) => {
    const { others } = await exceed(t);
    if (others === undefined) {
      throw new NotExercised('needs another client key with a generous request quota');
    }
    if (others.length === 0) t.inconclusive(perKey, NOTHING_BESIDE);
    else t.judge(perKey, together(...others.map(notLimited)));
  });
}
