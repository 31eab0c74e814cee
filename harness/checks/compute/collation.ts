/** How text may be ordered. The contract names no collation, so only what all known ones agree on is judged. */

type Compare = (left: string, right: string) => number;

function byCodeUnit(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function folded(compare: Compare, fold: (text: string) => string): Compare {
  return (left, right) => compare(fold(left), fold(right));
}

function linguistic(locale: string, options: Intl.CollatorOptions): Compare {
  return new Intl.Collator(locale, options).compare;
}

const letters = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '');

const collations: readonly Compare[] = [
  byCodeUnit,
  folded(byCodeUnit, (text) => text.toLowerCase()),
  folded(byCodeUnit, (text) => text.toUpperCase()),
  folded(byCodeUnit, (text) => letters(text).toLowerCase()),
  linguistic('en', { sensitivity: 'base' }),
  linguistic('en', { sensitivity: 'variant', caseFirst: 'upper' }),
  linguistic('en', { sensitivity: 'variant', caseFirst: 'lower' }),
  linguistic('en', { ignorePunctuation: true }),
  linguistic('en', { numeric: true }),
  linguistic('en', { numeric: true, ignorePunctuation: true }),
  // Languages that order ASCII letters in a way of their own: ch, aa, y and z.
  linguistic('cs', {}),
  linguistic('da', {}),
  linguistic('lt', {}),
  linguistic('et', {}),
];

const ascii = /^[\u0020-\u007E]*$/u;
const known = new Map<string, number>();
const KNOWN_PAIRS = 100_000;

function compareAll(left: string, right: string): number {
  let agreed: number | undefined;
  for (const collation of collations) {
    const order = Math.sign(collation(left, right));
    if (order === 0 || (agreed !== undefined && order !== agreed)) return 0;
    agreed = order;
  }
  return agreed ?? 0;
}

/**
 * -1 or 1 when every known collation puts the two texts in this order, 0 when they differ or it is a tie.
 * Where scripts stand among each other depends on the locale, so text beyond ASCII is always 0.
 */
export function agreedOrder(left: string, right: string): number {
  if (left === right || !ascii.test(left) || !ascii.test(right)) return 0;
  const [first, second] = left < right ? [left, right] : [right, left];
  const pair = `${first}\n${second}`;
  let order = known.get(pair);
  if (order === undefined) {
    if (known.size >= KNOWN_PAIRS) known.clear();
    order = compareAll(first, second);
    known.set(pair, order);
  }
  if (order === 0) return 0;
  return first === left ? order : -order;
}
