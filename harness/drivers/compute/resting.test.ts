import { expect, test } from 'vitest';
import { exchangeOf } from '../../checks/compute/exchange.test.support.ts';
import { outcomeOf } from '../../checks/compute/verdicts.test.support.ts';
import { restsInTheEnd } from './resting.ts';
import { waits } from '../../runner/retry.ts';

const t = { signal: new AbortController().signal };
const HOUR_MS = 3_600_000;

function meter(...series: readonly (readonly number[])[]) {
  const left = [...series];
  const read = async () =>
    (left.shift() ?? []).map((hours, n) => ({
      hours,
      exchange: { ...exchangeOf(), startedAt: n * HOUR_MS },
    }));
  return { read, left };
}

test.each([
  ['held', [[2, 2, 2]], 0],
  [
    'held',
    [
      [2, 2.1, 2.2],
      [2.3, 2.3, 2.3],
    ],
    0,
  ],
  [
    'violated',
    [
      [2, 2.1, 2.2],
      [2.3, 2.4, 2.5],
    ],
    0,
  ],
  [
    'held',
    [
      [2, 2, 2],
      [2.3, 2.4, 2.5],
    ],
    1,
  ],
] as const)('%s: %j', async (outcome, series, unread) => {
  const { read, left } = meter(...series);
  const judgement = await restsInTheEnd(t, read, waits.onceMore);
  expect(outcomeOf(judgement)).toBe(outcome);
  expect(left.length).toBe(unread);
});
