/** Numbers on the command line. */

import { InvalidArgumentError } from 'commander';

/** Reads a whole number between two bounds, both of them allowed; anything else is refused with the bounds told. */
export function wholeNumber(lowest: number, highest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/u.test(text) || value < lowest || value > highest) {
      throw new InvalidArgumentError(`It must be a whole number from ${lowest} to ${highest}.`);
    }
    return value;
  };
}

/** Reads a share from 0 to 100. */
export function percentNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+(?:\.\d+)?$/u.test(text) || value > 100) {
    throw new InvalidArgumentError('It must be a number from 0 to 100.');
  }
  return value;
}

/** Seeds are what the generator of values takes. */
export const seedNumber = wholeNumber(0, 0x7fffffff);

/** Values that a property tries. */
export const runsNumber = wholeNumber(1, 1_000_000);
