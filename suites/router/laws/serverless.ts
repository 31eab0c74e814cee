/** The three limits of a key under a serverless policy: occupancy share, input rate and output rate. */

import { type Judgement, notObserved, together } from '../../../harness/checks/judgement.ts';
import { isRateLimited, notLimited } from '../../../harness/checks/limits/bucket.ts';
import { reachedNoEngine } from '../../../harness/checks/router/tries.ts';
import { isOnMessages } from '../../../harness/drivers/router/api.ts';
import type { Provoked } from '../../../harness/drivers/router/provoke.ts';
import {
  exceedInput,
  OUTPUT_TEXT,
  outputSpent,
  spendOutput,
} from '../../../harness/drivers/router/serverless-rates.ts';
import { fillShare } from '../../../harness/drivers/router/serverless-share.ts';
import type { RouterContext } from '../../../harness/drivers/router/session.ts';
import type { Exchange } from '../../../harness/exchange/exchange.ts';
import type { DefineCase } from '../../../harness/runner/case.ts';
import type { RouterRequirementId } from '../../../schemas/router/catalogue.ts';
import { answeredWith, endedWith, isSuccess } from '../../../harness/checks/router/outcome.ts';
import { carriesRetryAfter } from '../../../harness/checks/router/headers.ts';

const CODE = 'rate_limit_exceeded';
const KEY = { isolation: { fixtures: ['keys.serverless'] } } as const;
const ON_MESSAGES = 'router.rate-limit-rules.serverless-on-messages';
const SHARE = 'router.rate-limit-rules.serverless-occupancy';
const SHARE_CURRENT = 'router.rate-limit-rules.serverless-occupancy-current';
const SHARE_BACK = 'router.admission.serverless-share-back';
const INPUT = 'router.rate-limit-rules.serverless-input-rate';
const OUTPUT = 'router.rate-limit-rules.serverless-output-rate';

type Test = DefineCase<RouterContext, RouterRequirementId>;

function retryAfterOf(...exchanges: readonly Exchange[]): Judgement {
  return together(...exchanges.filter(isRateLimited).map(carriesRetryAfter));
}

/** Judges requests that a key sent while it was over a limit: that it holds for the messages route is implied. */
function judgeBeside(t: RouterContext, id: RouterRequirementId, beside: readonly Provoked[]): void {
  for (const { exchange, hits } of beside) {
    t.judge(isOnMessages(exchange) ? ON_MESSAGES : id, reachedNoEngine(exchange, hits));
  }
}

/** What is over one of the three limits is refused. */
export function serverless(test: Test): void {
  test(
    'a serverless key over its occupancy share is refused, and the share comes back',
    {
      judges: [SHARE, `${SHARE}-retry-after`, SHARE_CURRENT, ON_MESSAGES, SHARE_BACK],
      ...KEY,
    },
    async (t) => {
      const { judgement, refused, hits, beside, back } = await fillShare(t);
      t.judge(SHARE_BACK, back);
      t.judge(SHARE, judgement);
      t.judge(SHARE_CURRENT, refused === undefined ? judgement : reachedNoEngine(refused, hits));
      if (refused !== undefined) t.judge(`${SHARE}-retry-after`, retryAfterOf(refused));
      judgeBeside(t, SHARE_CURRENT, beside);
    },
  );

  test(
    'a serverless key over its input token rate is refused',
    {
      judges: [INPUT, `${INPUT}-retry-after`, `${INPUT}-current`],
      ...KEY,
    },
    async (t) => {
      const { last, limited, over, onMessages, others } = await exceedInput(t);
      t.judge(INPUT, limited);
      t.judge(`${INPUT}-retry-after`, retryAfterOf(last, ...others));
      t.judge(`${INPUT}-current`, over);
      t.judge(ON_MESSAGES, onMessages);
    },
  );

  test(
    'a stream exhausts the output rate of a serverless key too',
    // Early, so that what it spends has filled in again when others need the key.
    { judges: [`${OUTPUT}-streams`], ...KEY, waits: true },
    async (t) => {
      const { delivered, later } = await spendOutput(t, { anyRate: true, stream: true });
      const isWhole = delivered.some((one) => isSuccess(one) && one.ending === 'complete');
      t.judge(`${OUTPUT}-streams`, isWhole ? endedWith(later, [CODE]) : notObserved);
    },
  );

  test(
    'output over the rate of a serverless key is delivered, and a later request refused',
    {
      judges: [OUTPUT, `${OUTPUT}-retry-after`, `${OUTPUT}-delivered`, `${OUTPUT}-later`],
      ...KEY,
    },
    async (t) => {
      const { delivered, later, hits, beside } = await outputSpent.of(t);
      const whole = delivered.map((exchange) => answeredWith(exchange, OUTPUT_TEXT));
      t.judge(`${OUTPUT}-delivered`, together(...whole));
      t.judge(OUTPUT, endedWith(later, [CODE]));
      t.judge(`${OUTPUT}-retry-after`, retryAfterOf(later));
      t.judge(`${OUTPUT}-later`, reachedNoEngine(later, hits));
      judgeBeside(t, `${OUTPUT}-later`, beside);
    },
  );

  test(
    'while one serverless key is over its rate another key is not refused for it',
    { judges: ['router.rate-limit-rules.serverless-per-key'], ...KEY },
    async (t) => {
      const { others } = await outputSpent.of(t);
      t.judge('router.rate-limit-rules.serverless-per-key', together(...others.map(notLimited)));
    },
  );
}
