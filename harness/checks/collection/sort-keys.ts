/** Compares sort keys: numbers as numbers, text by what all known collations agree on. */

import { regionCodes } from '../../../schemas/compute/regions.ts';
import { type Judgement, notObserved } from '../judgement.ts';

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

function letters(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Only letters and digits, without case and accents. */
export function bareText(text: string): string {
  return letters(text.normalize('NFKD')).toLowerCase();
}

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
  // Languages with their own order of ASCII letters: ch, aa, y and z.
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
 * -1 or 1 when all known collations agree on the order, otherwise 0. Text beyond ASCII gives 0: its order is
 * locale-specific.
 */
function agreedOrder(left: string, right: string): number {
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

const decimal = /^[+-]?\d+(?:\.\d+)?$/u;

/** A number, also when it is sent as decimal text. */
function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return typeof value === 'string' && decimal.test(value) ? Number(value) : undefined;
}

/**
 * The order of two sort keys: -1, 1, or 0 when it is a tie or open. It is open for text on which collations differ, absent
 * values, values of different types, and numbers that differ only in their last binary digits.
 */
export type CompareKeys = (left: unknown, right: unknown) => number;

/** Compares numbers; the place of anything else is not stated. */
export const compareNumbers: CompareKeys = (left, right) => {
  const [a, b] = [asNumber(left), asNumber(right)];
  if (a === undefined || b === undefined) return 0;
  const same = Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
  return same ? 0 : Math.sign(a - b);
};

const amount = /^(?<figure>\d+(?:\.\d+)?)\s*(?<unit>\p{L}+)$/u;

/** Compares amounts of one unit, as in `180 GiB`; the order of amounts in different units is not stated. */
export const compareAmounts: CompareKeys = (left, right) => {
  if (typeof left !== 'string' || typeof right !== 'string') return compareNumbers(left, right);
  const [one, other] = [amount.exec(left)?.groups, amount.exec(right)?.groups];
  if (one === undefined || other === undefined) return compareNumbers(left, right);
  return one['unit'] === other['unit'] ? compareNumbers(one['figure'], other['figure']) : 0;
};

/** Compares text by what every collation agrees on. Empty text may mean an absent value, whose place is not stated. */
export const compareTexts: CompareKeys = (left, right) =>
  typeof left === 'string' && typeof right === 'string' && left !== '' && right !== ''
    ? agreedOrder(left, right)
    : 0;

const listed: readonly unknown[] = regionCodes;

/** Region codes in the order of the document; the place of other values is not stated. */
const compareListed: CompareKeys = (left, right) => {
  const [a, b] = [listed.indexOf(left), listed.indexOf(right)];
  return a === -1 || b === -1 ? 0 : Math.sign(a - b);
};

/** The server may sort codes as text or in the order of their declaration. */
export const regionOrders: readonly CompareKeys[] = [compareTexts, compareListed];

/**
 * Judges by the first order that explains the list, otherwise by the first of `orders`. The first order is the plain one:
 * where it takes all keys for ties, no order contradicts the list.
 */
export function bySomeOrder<Order>(
  orders: readonly Order[],
  judge: (order: Order) => Judgement,
): Judgement {
  const judgements = orders.map((order) => judge(order));
  const right = judgements.find(({ seen, violations }) => seen > 0 && violations.length === 0);
  return right ?? judgements[0] ?? notObserved;
}
