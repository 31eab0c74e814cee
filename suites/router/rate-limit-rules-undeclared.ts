/** Rate limit rules: models that the quotas of a key do not declare. */

import { complete } from '../../harness/backend/behaviours.ts';
import { together, notObserved } from '../../harness/checks/judgement.ts';
import { reachedNoEngine } from '../../harness/checks/router/engine-hits.ts';
import { codeOf } from '../../harness/checks/router/envelope.ts';
import { endedWith, outcomeText } from '../../harness/checks/router/final-codes.ts';
import { isNotUndeclared, isRateLimited } from '../../harness/checks/router/request-bucket.ts';
import { carriesNoRetryAfter } from '../../harness/checks/router/retry-after.ts';
import { pause } from '../../harness/exchange/budget.ts';
import { FEW_TOKENS } from '../../harness/drivers/router/client-routes.ts';
import { hitsOfRefused } from '../../harness/drivers/router/late-hits.ts';
import { onceServed } from '../../harness/drivers/router/rested.ts';
import { routerSection } from '../../harness/drivers/router/session.ts';
import { Inconclusive, NotExercised } from '../../harness/runner/signals.ts';

const CODE = 'rate_limit_exceeded';

export default routerSection('rate-limit-rules', (test) => {
  test(
    'a model that the quotas of a key do not declare is a rate limit that never lifts',
    {
      judges: [
        'router.rate-limit-rules.undeclared-model',
        'router.rate-limit-rules.undeclared-model-no-retry-after',
        'router.rate-limit-rules.undeclared-model-stays',
      ],
      waits: true,
    },
    async (t) => {
      const key = t.target.keys.perModel;
      if (key === undefined) throw new NotExercised('needs a key with quotas per model');
      const ask = async () => t.api.chat(key.undeclared, { as: key.key, maxTokens: FEW_TOKENS });
      const first = await ask();
      t.judge('router.rate-limit-rules.undeclared-model', endedWith(first, [CODE]));
      t.judge(
        'router.rate-limit-rules.undeclared-model-no-retry-after',
        carriesNoRetryAfter(first),
      );
      await t.quietly(async () => pause(1_500, t.signal));
      const later = await ask();
      t.judge(
        'router.rate-limit-rules.undeclared-model-stays',
        isRateLimited(first) ? endedWith(later, [CODE]) : notObserved,
      );
    },
  );

  test(
    'a model that the quotas of a key declare is not refused as undeclared',
    { judges: ['router.rate-limit-rules.declared-model-served'], requests: 1 },
    async (t) => {
      const key = t.target.keys.perModel;
      if (key?.declared === undefined) throw new NotExercised('needs a model that a key declares');
      const { key: as, declared } = key;
      const ask = async () => t.api.chat(declared, { as, maxTokens: FEW_TOKENS });
      const answer = await onceServed(t, declared, ask);
      t.judge('router.rate-limit-rules.declared-model-served', isNotUndeclared(answer));
    },
  );

  test(
    'a request for an undeclared model reaches no engine',
    {
      judges: [
        'router.rate-limit-rules.undeclared-model',
        'router.rate-limit-rules.undeclared-model-no-retry-after',
        'router.rate-limit-rules.undeclared-model-reaches-no-engine',
      ],
    },
    async (t) => {
      const key = t.target.keys.perModel;
      if (key === undefined) throw new NotExercised('needs a key with quotas per model');
      const script = await t.backend.script([complete()]);
      const refused = await t.api.chat(key.undeclared, { as: key.key, script });
      // The transparent routes have the same quotas; which refusal comes first there is open.
      const proxied = await t.api.infer('messages', key.undeclared, { as: key.key, script });
      const streamed = await t.api.chat(key.undeclared, { as: key.key, script, stream: true });
      const told = codeOf(proxied) === 'model_forbidden' ? [streamed, proxied] : [streamed];
      t.judge(
        'router.rate-limit-rules.undeclared-model',
        together(...told.map((refusal) => endedWith(refusal, [CODE]))),
      );
      t.judge(
        'router.rate-limit-rules.undeclared-model-no-retry-after',
        together(...[streamed, proxied].filter(isRateLimited).map(carriesNoRetryAfter)),
      );
      const hits = await hitsOfRefused(t, script);
      const control = await t.api.chat(key.undeclared, { script });
      const after = await t.backend.counts(script);
      if (after.hits === hits) {
        throw new Inconclusive(
          `${key.undeclared} is not served to another key either (${outcomeText(control)})`,
        );
      }
      t.judge(
        'router.rate-limit-rules.undeclared-model-reaches-no-engine',
        reachedNoEngine(refused, hits),
      );
    },
  );
});
