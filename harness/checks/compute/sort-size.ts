/** A key for lists sorted by size: its order is not stated, and two sizes may be a tie. */

/**
 * The last number in the name of a size, as in `h100-sxm-8`, or the name itself. Sizes that share it may weigh
 * the same for a service that sorts by something that the name does not say, so they count as a tie.
 */
export function sizeKey(size: unknown): unknown {
  if (typeof size !== 'string') return size;
  return /(\d+)\D*$/u.exec(size)?.[1] ?? size;
}
