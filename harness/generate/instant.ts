/** Instants between two others. */

import { type Arbitrary, integer, tuple } from 'fast-check';

/** Two instants of a span in milliseconds, the earlier one first. */
export function instants(from: number, to: number): Arbitrary<readonly [number, number]> {
  const one = integer({ min: Math.ceil(from), max: Math.max(Math.ceil(from), Math.floor(to)) });
  return tuple(one, one).map(([a, b]): readonly [number, number] => (a <= b ? [a, b] : [b, a]));
}
