/** The law of a key's limit: requests over it are rejected in every form, reach no engine, and affect no other key. */

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

/** One limit: how to exceed it, and its requirements. */
export interface KeyLimit {
  /** The rejected key, in words for titles. */
  readonly what: string;
  readonly exceed: (t: RouterContext) => Promise<OverLimit>;
  readonly refused: Id;
  /** Requirements on the content of each rejection. */
  readonly says: readonly (readonly [Id, (refusal: Exchange) => Judgement])[];
  readonly reachesNoEngine: Id;
  /** The requirement for the messages route, if the contract only implies the limit there. */
  readonly onMessages?: Id;
  readonly perKey?: Id;
  /** The key that no other case may use meanwhile. */
  readonly fixture?: string;
  /** True if each replica has its own limit, so that unknown replicas could explain a key that is never rejected. */
  readonly perReplica?: boolean;
}

const NOTHING_BESIDE = 'no conclusive request could be sent while the key was refused';

/** Requests over a limit of a key are rejected, for that key only. */
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
      // A key that is never rejected reaches its engine; a rejection alone proves nothing about engines.
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
      throw new NotExercised('needs another client key with generous quotas');
    }
    if (others.length === 0) t.inconclusive(perKey, NOTHING_BESIDE);
    else t.judge(perKey, together(...others.map(notLimited)));
  });
}
