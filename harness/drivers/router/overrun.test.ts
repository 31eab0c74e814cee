import { expect, test } from 'vitest';
import { isClaimedAlone } from './overrun.ts';

test('a budget that fits into the text that is written is overrun by whoever counts', () => {
  expect([2_000, 19_999, 20_000, 1_000_000].map(isClaimedAlone)).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
