/** Instants of a span of time. */

import { type Arbitrary, constant, integer, oneof, tuple } from 'fast-check';

/** Two instants of a span in milliseconds, the earlier one first; often its middle, which is known to tell. */
export function instants(from: number, to: number): Arbitrary<readonly [number, number]> {
  const middle = Math.floor((from + to) / 2);
  const one = oneof(
    constant(middle),
    integer({ min: Math.ceil(from), max: Math.max(Math.ceil(from), Math.floor(to)) }),
  );
  return tuple(one, one).map(([a, b]): readonly [number, number] => (a <= b ? [a, b] : [b, a]));
}
