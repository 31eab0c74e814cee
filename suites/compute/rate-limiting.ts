/** Rate limiting, only where the target consents: the 429, the other key, and that service resumes. */

import {
  limitedBy429,
  otherKeyServed,
  servedAfterWaits,
} from '../../harness/checks/compute/answers.ts';
import { computeUniversal } from '../../harness/checks/compute/universal.ts';
import { reportVerdicts } from '../../harness/drivers/collection/whole-list.ts';
import type { Exchange } from '../../harness/exchange/exchange.ts';
import {
  exhaust,
  exhaustion,
  exhaustedKey,
  touch,
  waitAsAsked,
} from '../../harness/drivers/compute/keys.ts';
import { computeSection } from '../../harness/drivers/compute/session.ts';

/** Waits after which a key has to be served: others may use it meanwhile. */
const WAITS = 3;
/** Refusals of the other key that are no chance: after each of them it was given the time that it asked for. */
const REFUSALS_THAT_CONVINCE = 3;
/** Tries to catch one key over its limit before and after the other one was asked. */
const TRIES = 5;

export default computeSection('rate-limiting', (test) => {
  test(
    'a key past its limit gets 429, and is served again after the wait',
    {
      judges: [
        'compute.rate-limiting.exceeding-gives-429',
        'compute.rate-limiting.retry-after-there',
        'compute.rate-limiting.retry-after-integer',
        'compute.rate-limiting.resumes',
        'compute.rate-limiting.observed-limit',
        'compute.errors.status-429',
        'compute.errors.code-too-many-requests',
      ],
      isolation: 'target',
    },
    async (t) => {
      const { calls, limited, milliseconds } = await exhaustion(t);
      t.judge('compute.rate-limiting.exceeding-gives-429', limitedBy429(calls));
      // The refusal may be one that the other case met.
      reportVerdicts(t, [...computeUniversal(limited, t)]);
      let last = limited;
      let waitedSeconds = 0;
      const after: Exchange[] = [];
      while (after.length < WAITS && last.response?.status === 429) {
        waitedSeconds = await waitAsAsked(last, t.signal);
        last = await touch(t, exhaustedKey(t));
        after.push(last);
      }
      t.judge('compute.rate-limiting.resumes', servedAfterWaits(after));
      t.record(
        'compute.rate-limiting.observed-limit',
        `a ${limited.response?.status} within ${calls.length} requests in ${Math.round(milliseconds)} ms, to wait ${waitedSeconds} s`,
        limited,
      );
    },
  );

  test(
    'while one key is over its limit, another key is served',
    { judges: ['compute.rate-limiting.per-key'], isolation: 'target' },
    async (t) => {
      let refusals = 0;
      for (let tried = 0; tried < TRIES; tried += 1) {
        const { limited, other, still } = await (tried === 0 ? exhaustion(t) : exhaust(t));
        const judgement = otherKeyServed(limited, other, still);
        if (other.response?.status === 429) refusals += 1;
        if (other.response?.status === 429 && refusals < REFUSALS_THAT_CONVINCE) {
          // It may be at a limit of its own, by what ran before or by others who use it.
          await waitAsAsked(other, t.signal);
          continue;
        }
        t.judge('compute.rate-limiting.per-key', judgement);
        if (judgement.seen > 0) return;
      }
      t.inconclusive(
        'compute.rate-limiting.per-key',
        'the key over its limit was served again each time before the other one had its answer',
      );
    },
  );
});
