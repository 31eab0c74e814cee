/** Rate limiting, with consent only: the 429, an unaffected second key, and service after the wait. */

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
import { computeSection, idsIn } from '../../harness/drivers/compute/session.ts';

const of = idsIn('rate-limiting');

/** A key must be served after this many waits; other clients may use it meanwhile. */
const WAITS = 3;
/** After this many refusals, each followed by the requested wait, the other key's refusal is no chance. */
const REFUSALS_THAT_CONVINCE = 3;
/** Tries to find one key over its limit both before and after the request with the other key. */
const TRIES = 5;

export default computeSection('rate-limiting', (test) => {
  test(
    'a key past its limit gets 429, and is served again after the wait',
    {
      judges: [
        of('exceeding-gives-429'),
        of('retry-after-there'),
        of('retry-after-integer'),
        of('resumes'),
        of('observed-limit'),
        'compute.errors.status-429',
        'compute.errors.code-too-many-requests',
      ],
      isolation: 'target',
    },
    async (t) => {
      const { calls, limited, milliseconds } = await exhaustion(t);
      t.judge(of('exceeding-gives-429'), limitedBy429(calls));
      // Another case may have met this refusal, so the universal checks judge it here too.
      reportVerdicts(t, [...computeUniversal(limited, t)]);
      let last = limited;
      let waitedSeconds = 0;
      const after: Exchange[] = [];
      while (after.length < WAITS && last.response?.status === 429) {
        waitedSeconds = await waitAsAsked(last, t.signal);
        last = await touch(t, exhaustedKey(t));
        after.push(last);
      }
      t.judge(of('resumes'), servedAfterWaits(after));
      t.record(
        of('observed-limit'),
        `a ${limited.response?.status} within ${calls.length} requests in ${Math.round(milliseconds)} ms, to wait ${waitedSeconds} s`,
        limited,
      );
    },
  );

  test(
    'while one key is over its limit, another key is served',
    { judges: [of('per-key')], isolation: 'target' },
    async (t) => {
      let refusals = 0;
      for (let tried = 0; tried < TRIES; tried += 1) {
        const { limited, other, still } = await (tried === 0 ? exhaustion(t) : exhaust(t));
        const judgement = otherKeyServed(limited, other, still);
        if (other.response?.status === 429) refusals += 1;
        if (other.response?.status === 429 && refusals < REFUSALS_THAT_CONVINCE) {
          // The other key may have reached its own limit, through earlier cases or other clients.
          await waitAsAsked(other, t.signal);
          continue;
        }
        t.judge(of('per-key'), judgement);
        if (judgement.seen > 0) return;
      }
      t.inconclusive(
        of('per-key'),
        'the key over its limit was served again each time before the other one had its answer',
      );
    },
  );
});
