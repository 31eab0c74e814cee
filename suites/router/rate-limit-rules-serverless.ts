/** Rate limit rules: the three limits of a key under a serverless policy. */

import { complete } from '../../harness/backend/behaviours.ts';
import { together, vacuous } from '../../harness/checks/judgement.ts';
import { answeredWith } from '../../harness/checks/router/answer-text.ts';
import { reachedNoEngine } from '../../harness/checks/router/engine-hits.ts';
import { endedWith, outcomeText } from '../../harness/checks/router/final-codes.ts';
import {
  becameLimited,
  isRateLimited,
  notLimited,
} from '../../harness/checks/router/request-bucket.ts';
import { isInternalFailure } from '../../harness/checks/router/passing.ts';
import { carriesRetryAfter } from '../../harness/checks/router/retry-after.ts';
import { isSuccess } from '../../harness/checks/router/success.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import { untilRefused } from '../../harness/session/router/exhausting.ts';
import {
  ask,
  awake,
  OUTPUT_TEXT,
  rateOf,
  serverlessKey,
  spendOutput,
} from '../../harness/session/router/serverless.ts';
import { fillShare } from '../../harness/session/router/serverless-share.ts';
import { shareOfStreams } from '../../harness/session/router/serverless-share-leaving.ts';
import { type RouterContext, routerSection } from '../../harness/session/router/session.ts';
import { cameBack } from '../../harness/session/router/recovery.ts';
import { words } from '../../harness/session/router/words.ts';
import { Inconclusive, NotExercised } from '../../harness/suite/signals.ts';

const CODE = 'rate_limit_exceeded';
/** Requests that spending an input rate may take. */
const MOST_REQUESTS = 600;
/** Milliseconds in which a rate of a minute fills in so far that an estimate of few tokens is never over it. */
const FILLED_MS = 15_000;
/** Texts that may fill in again at most, so that a text of three is over what is there. */
const REFILL_SHARE = 1.8;

/** A script of an engine that writes nothing, so that no request is refused for its output. */
async function silent(t: RouterContext, inputTokens: number): Promise<string> {
  return t.backend.script([complete({ text: '', usage: { inputTokens, outputTokens: 0 } })]);
}

/** Whether a request over a rate was refused; a failure inside the router may pass, and shows nothing. */
function refusedNow(exchange: Exchange) {
  return isInternalFailure(exchange) ? vacuous : becameLimited(exchange, 1);
}

function whenLimited(exchange: Exchange) {
  return isRateLimited(exchange) ? carriesRetryAfter(exchange) : vacuous;
}

export default routerSection('rate-limit-rules', (test) => {
  test(
    'a serverless key over its occupancy share is refused',
    {
      judges: [
        'router.rate-limit-rules.serverless-occupancy',
        'router.rate-limit-rules.serverless-occupancy-retry-after',
        'router.rate-limit-rules.serverless-occupancy-current',
        'router.admission.serverless-share-back',
      ],
      exclusive: ['keys.serverless'],
      requests: 27,
    },
    async (t) => {
      const { refused, hits, beside, judgement, again } = await fillShare(t);
      t.judge('router.rate-limit-rules.serverless-occupancy', judgement);
      if (refused === undefined) {
        // Never refused, the request that exceeds the share was served.
        t.judge('router.rate-limit-rules.serverless-occupancy-current', judgement);
        return;
      }
      // Whichever case is the first to fill the share must see that it comes back.
      t.judge('router.admission.serverless-share-back', await cameBack(t, again));
      t.judge('router.rate-limit-rules.serverless-occupancy-retry-after', whenLimited(refused));
      t.judge(
        'router.rate-limit-rules.serverless-occupancy-current',
        together(
          reachedNoEngine(refused, hits),
          ...beside.map((other) => reachedNoEngine(other.exchange, other.hits)),
        ),
      );
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
      await awake(t);
      const { inputPerMinute, share } = serverlessKey(t);
      const rate = rateOf(inputPerMinute);
      // One after the other and each far under the share, so that nothing but the rate can refuse.
      const size = Math.floor(Math.min(rate / 4, (share ?? Infinity) / 4));
      const most = Math.ceil((4 * rate) / size);
      if (most > MOST_REQUESTS) {
        throw new NotExercised(
          `an input rate of ${rate} takes more than ${MOST_REQUESTS} requests with a share of ${share}`,
          'keys: { serverless: { inputTokensPerMinute: 2000, occupancyShare: 300 } }',
        );
      }
      const text = words(size);
      const from = performance.now();
      const { last, sent } = await untilRefused(
        async () => ask(t, { text, script: await silent(t, size) }),
        {
          code: CODE,
          most,
        },
      );
      const emptyAt = performance.now();
      if (isSuccess(last) && emptyAt - from > FILLED_MS) {
        throw new Inconclusive('the target is too slow: the input rate may have filled again');
      }
      t.judge('router.rate-limit-rules.serverless-input-rate', becameLimited(last, sent));
      t.judge('router.rate-limit-rules.serverless-input-rate-retry-after', whenLimited(last));
      // The level is below one such text now; where a small one passes, three at once are over it all the same.
      await awake(t);
      const script = await silent(t, 3 * size);
      const over = await ask(t, { text: words(3 * size), script });
      const streamed = await ask(t, { text: words(3 * size), script, stream: true });
      const { as, model } = serverlessKey(t);
      const proxied = await t.api.infer('messages', model, { as, text: words(3 * size), script });
      for (const refused of [streamed, proxied]) {
        t.judge('router.rate-limit-rules.serverless-input-rate-retry-after', whenLimited(refused));
      }
      const { hits } = await t.backend.counts(script);
      const refilledMs = performance.now() - emptyAt;
      if (refilledMs > (REFILL_SHARE * 60_000 * size) / rate) {
        throw new Inconclusive(
          'the input rate filled in again before it could be exceeded at once',
        );
      }
      t.judge(
        'router.rate-limit-rules.serverless-input-rate-current',
        together(refusedNow(over), refusedNow(streamed), reachedNoEngine(over, hits)),
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
      requests: 12,
    },
    async (t) => {
      const { delivered, later, hits, beside } = await spendOutput(t);
      t.judge(
        'router.rate-limit-rules.serverless-output-rate-delivered',
        together(...delivered.map((exchange) => answeredWith(exchange, OUTPUT_TEXT))),
      );
      t.judge('router.rate-limit-rules.serverless-output-rate', endedWith(later, [CODE]));
      t.judge('router.rate-limit-rules.serverless-output-rate-retry-after', whenLimited(later));
      t.judge(
        'router.rate-limit-rules.serverless-output-rate-later',
        together(
          reachedNoEngine(later, hits),
          ...beside.map((other) => reachedNoEngine(other.exchange, other.hits)),
        ),
      );
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
      const before = await second();
      if (isRateLimited(before)) throw new Inconclusive(`"second": ${outcomeText(before)}`);
      const over = await ask(t);
      if (!isRateLimited(over) && !isRateLimited((await spendOutput(t, { anyRate: true })).later)) {
        throw new Inconclusive('the serverless key never came over its rate');
      }
      const beside = await second();
      const still = await ask(t);
      t.judge(
        'router.rate-limit-rules.serverless-per-key',
        isRateLimited(still) || isRateLimited(beside) ? notLimited(beside) : vacuous,
      );
    },
  );
});
