/** Page sizes within and beyond bounds. */

import { type Arbitrary, bigInt, integer, oneof } from 'fast-check';

/** A size that is served. */
export function servedSize(bounds: {
  readonly minimum: number;
  readonly maximum: number;
}): Arbitrary<number> {
  return integer({ min: bounds.minimum, max: bounds.maximum });
}

/** A whole number above a bound, in decimal digits: often just above, often beyond 32 or 64 bits. */
export function sizeAbove(maximum: number): Arbitrary<string> {
  const beyond = (bits: bigint) =>
    bigInt({ min: 2n ** bits, max: 2n ** bits + 1_000n }).map(String);
  return oneof(
    integer({ min: maximum + 1, max: maximum + 100 }).map(String),
    integer({ min: maximum + 1, max: 2 ** 31 - 1 }).map(String),
    beyond(31n),
    beyond(32n),
    beyond(63n),
    beyond(64n),
  );
}

/** A whole number below zero. */
export const negativeSize: Arbitrary<string> = oneof(
  integer({ min: -300, max: -1 }).map(String),
  integer({ min: -(2 ** 31), max: -1 }).map(String),
);
