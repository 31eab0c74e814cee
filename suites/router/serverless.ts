/** Rate limit rules: the three limits of a key under a serverless policy. */

import { together, notObserved } from '../../harness/checks/judgement.ts';
import {
  answeredWith,
  endedWith,
  isSuccess,
  outcomeText,
} from '../../harness/checks/router/outcome.ts';
import { reachedNoEngine } from '../../harness/checks/router/tries.ts';
import { becameLimited, isRateLimited, notLimited } from '../../harness/checks/limits/bucket.ts';
import { carriesRetryAfter } from '../../harness/checks/router/headers.ts';
import type { RouterRequirementId } from '../../schemas/router/catalogue.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import {
  ask,
  OUTPUT_TEXT,
  overInput,
  rateOf,
  serverlessKey,
  spendInput,
  spendOutput,
} from '../../harness/drivers/router/serverless.ts';
import { fillShare, shareOfStreams } from '../../harness/drivers/router/serverless-share.ts';
import type { Provoked } from '../../harness/drivers/router/provoke.ts';
import { isOnMessages } from '../../harness/drivers/router/api.ts';
import { replicasOf } from '../../harness/drivers/router/buckets.ts';
import type { RouterContext } from '../../harness/drivers/router/session.ts';
import { cameBack } from '../../harness/drivers/router/capacity.ts';
import { type DefineCase, Inconclusive, NotExercised } from '../../harness/runner/case.ts';
import { retry } from '../../harness/runner/retry.ts';

const CODE = 'rate_limit_exceeded';
/** Requests that spending an input rate may take. */
const MAX_REQUESTS = 600;
/** Milliseconds in which a rate of a minute fills in so far that an estimate of few tokens is never over it. */
const FILLED_MS = 15_000;
/** How often an input rate is exceeded once more where a request over it passed. */
const OVER_AGAIN = 2;

function whenLimited(exchange: Exchange) {
  return isRateLimited(exchange) ? carriesRetryAfter(exchange) : notObserved;
}

/** Judges requests that a key sent while it was over a limit: that it holds for the messages route is implied. */
function judgeBeside(t: RouterContext, id: RouterRequirementId, beside: readonly Provoked[]): void {
  for (const { exchange, hits } of beside) {
    t.judge(
      isOnMessages(exchange) ? 'router.rate-limit-rules.serverless-on-messages' : id,
      reachedNoEngine(exchange, hits),
    );
  }
}

/** The three limits of a serverless key, as cases of the rate limit rules. */
export function serverless(test: DefineCase<RouterContext, RouterRequirementId>): void {
  test(
    'a serverless key over its occupancy share is refused',
    {
      judges: [
        'router.rate-limit-rules.serverless-occupancy',
        'router.rate-limit-rules.serverless-occupancy-retry-after',
        'router.rate-limit-rules.serverless-occupancy-current',
        'router.rate-limit-rules.serverless-on-messages',
        'router.admission.serverless-share-back',
      ],
      exclusive: ['keys.serverless'],
      requests: 27,
    },
    async (t) => {
      const { refused, refusedLate, hits, beside, judgement, oneMore } = await fillShare(t);
      t.judge('router.rate-limit-rules.serverless-occupancy', judgement);
      if (refused === undefined) {
        // Never refused, the request that exceeds the share was served.
        t.judge(
          'router.rate-limit-rules.serverless-occupancy-current',
          refusedLate === undefined ? judgement : reachedNoEngine(refusedLate, hits),
        );
        return;
      }
      // Whichever case is the first to fill the share must see that it comes back.
      t.judge('router.admission.serverless-share-back', await cameBack(t, oneMore));
      t.judge('router.rate-limit-rules.serverless-occupancy-retry-after', whenLimited(refused));
      t.judge(
        'router.rate-limit-rules.serverless-occupancy-current',
        reachedNoEngine(refused, hits),
      );
      judgeBeside(t, 'router.rate-limit-rules.serverless-occupancy-current', beside);
      t.judge('router.rate-limit-rules.serverless-occupancy', await shareOfStreams(t));
    },
  );

  test(
    'a serverless key over its input token rate is refused',
    {
      judges: [
        'router.rate-limit-rules.serverless-input-rate',
        'router.rate-limit-rules.serverless-input-rate-retry-after',
        'router.rate-limit-rules.serverless-input-rate-current',
      ],
      exclusive: ['keys.serverless'],
      requests: 40,
    },
    async (t) => {
      const { inputPerMinute, share } = serverlessKey(t);
      const rate = rateOf(inputPerMinute);
      // One after the other and each far under the share, so that nothing but the rate can refuse.
      const size = Math.floor(Math.min(rate / 4, (share ?? Infinity) / 4));
      if ((4 * rate) / size > MAX_REQUESTS) {
        throw new NotExercised(
          `an input rate of ${rate} takes more than ${MAX_REQUESTS} requests with a share of ${share}`,
          'keys: { serverless: { inputTokensPerMinute: 2000, occupancyShare: 300 } }',
        );
      }
      // What all replicas give at once, if each has a rate of its own, and what fills in meanwhile.
      const most = Math.ceil((2 * replicasOf(t) * rate) / size);
      const from = performance.now();
      const { last, sent } = await spendInput(t, size, most);
      if (isSuccess(last) && performance.now() - from > FILLED_MS) {
        throw new Inconclusive('the target is too slow: the input rate may have filled again');
      }
      t.judge('router.rate-limit-rules.serverless-input-rate', becameLimited(last, sent));
      t.judge('router.rate-limit-rules.serverless-input-rate-retry-after', whenLimited(last));
      let over = await overInput(t, size);
      for (let left = OVER_AGAIN; left > 0 && over.judgement.violations.length > 0; left -= 1) {
        // Of several replicas with rates of their own one may have had room.
        await spendInput(t, size, most);
        over = await overInput(t, size);
      }
      for (const refused of over.others) {
        t.judge('router.rate-limit-rules.serverless-input-rate-retry-after', whenLimited(refused));
      }
      t.judge('router.rate-limit-rules.serverless-input-rate-current', over.judgement);
      t.judge('router.rate-limit-rules.serverless-on-messages', over.onMessages);
    },
  );

  test(
    'a stream exhausts the output rate of a serverless key too',
    {
      judges: ['router.rate-limit-rules.serverless-output-rate-streams'],
      exclusive: ['keys.serverless'],
      // Early, so that what it spends has filled in again when others need the key.
      waits: true,
      requests: 50,
    },
    async (t) => {
      const { delivered, later } = await spendOutput(t, { anyRate: true, stream: true });
      const isWhole = delivered.some((one) => isSuccess(one) && one.ending === 'complete');
      t.judge(
        'router.rate-limit-rules.serverless-output-rate-streams',
        isWhole ? endedWith(later, [CODE]) : notObserved,
      );
    },
  );

  test(
    'output over the rate of a serverless key is delivered, and a later request refused',
    {
      judges: [
        'router.rate-limit-rules.serverless-output-rate',
        'router.rate-limit-rules.serverless-output-rate-retry-after',
        'router.rate-limit-rules.serverless-output-rate-delivered',
        'router.rate-limit-rules.serverless-output-rate-later',
      ],
      exclusive: ['keys.serverless'],
      requests: 50,
    },
    async (t) => {
      const { delivered, later, hits, beside } = await spendOutput(t);
      t.judge(
        'router.rate-limit-rules.serverless-output-rate-delivered',
        together(...delivered.map((exchange) => answeredWith(exchange, OUTPUT_TEXT))),
      );
      t.judge('router.rate-limit-rules.serverless-output-rate', endedWith(later, [CODE]));
      t.judge('router.rate-limit-rules.serverless-output-rate-retry-after', whenLimited(later));
      t.judge('router.rate-limit-rules.serverless-output-rate-later', reachedNoEngine(later, hits));
      judgeBeside(t, 'router.rate-limit-rules.serverless-output-rate-later', beside);
    },
  );

  test(
    'while one serverless key is over its rate another key is not refused for it',
    {
      judges: ['router.rate-limit-rules.serverless-per-key'],
      exclusive: ['keys.serverless'],
      requests: 12,
    },
    async (t) => {
      const { model } = serverlessKey(t);
      const second = async () => t.api.chat(model, { as: 'second', text: 'Hi.', repeat: false });
      // A case before this one may have left the serverless key over its rate, and the other refused for it.
      const before = await retry(t, 'otherModelFree', second, (one) => !isRateLimited(one));
      if (isRateLimited(before)) throw new Inconclusive(`"second": ${outcomeText(before)}`);
      const over = await ask(t);
      if (!isRateLimited(over) && !isRateLimited((await spendOutput(t, { anyRate: true })).later)) {
        throw new Inconclusive('the serverless key never came over its rate');
      }
      const beside = await second();
      const still = await ask(t);
      t.judge(
        'router.rate-limit-rules.serverless-per-key',
        isRateLimited(still) || isRateLimited(beside) ? notLimited(beside) : notObserved,
      );
    },
  );
}
