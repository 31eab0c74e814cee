/** Comparing what a list is sorted by: numbers as numbers, text by any collation. */

import { agreedOrder } from './collation.ts';

const decimal = /^[+-]?\d+(?:\.\d+)?$/u;

/** A number, also where it travels as decimal text. */
function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return typeof value === 'string' && decimal.test(value) ? Number(value) : undefined;
}

/**
 * The order of two sort keys, -1 or 1, and 0 where it is a tie or open: text on which collations differ,
 * absent values, values of other types, and numbers that differ by no more than their last binary digits.
 */
export type CompareKeys = (left: unknown, right: unknown) => number;

/** Numbers as numbers; what is no number has no stated place. */
export const compareNumbers: CompareKeys = (left, right) => {
  const [a, b] = [asNumber(left), asNumber(right)];
  if (a === undefined || b === undefined) return 0;
  const same = Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
  return same ? 0 : Math.sign(a - b);
};

/** Text by what every collation agrees on. */
export const compareTexts: CompareKeys = (left, right) =>
  typeof left === 'string' && typeof right === 'string' ? agreedOrder(left, right) : 0;
