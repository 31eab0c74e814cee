/** Undoes the escapes of URLs, JSON, HTML and mail in a text, and maps positions back to the original. */

/** HTML entity names of characters that a key can contain. */
const named: ReadonlyMap<string, string> = new Map(
  (
    'amp & lt < gt > quot " apos \' sol / plus + equals = quest ? percnt % num # excl ! dollar $ lpar ( rpar ) ast * ' +
    'comma , colon : semi ; commat @ lsqb [ lbrack [ rsqb ] rbrack ] bsol \\ hat ^ lowbar _ grave ` lcub { lbrace { ' +
    'vert | verbar | rcub } rbrace } hyphen - dash - period . tilde ~'
  )
    .split(' ')
    .flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1] ?? '']] : [])),
);

const MARKS = /[%\\&=]/u;
const HIGHEST = 0x10_ff_ff;
/** The most units of a character reference after its `&`: the longest name or number and the semicolon. */
const LONGEST_REFERENCE = 9;

const units = {
  percent: 0x25,
  ampersand: 0x26,
  semicolon: 0x3b,
  equals: 0x3d,
  backslash: 0x5c,
  hash: 0x23,
  u: 0x75,
  x: 0x78,
  carriageReturn: 0x0d,
  lineFeed: 0x0a,
} as const;
/** The distance from an upper-case ASCII letter to its lower-case form. */
const SMALL = 0x20;

export interface Unescaped {
  readonly text: string;
  /** Maps an index of the text to the index in the original; the length maps to the end. */
  readonly at: (index: number) => number;
  /** The stretch of the text that contains all characters from escapes; the rest is unchanged. */
  readonly changed: readonly [from: number, to: number];
}

/** Undoes one level of escapes in linear time; undefined for a text without escapes. */
export function unescaped(text: string): Unescaped | undefined {
  if (!MARKS.test(text)) return undefined;
  const plain = new Plain(text.length);
  let from = 0;
  /** For each escape: where its character ends in the plain text, and the offset to the original from there on. */
  let ends = new Uint32Array(FEW);
  let shifts = new Uint32Array(FEW);
  let escapes = 0;
  while (from < text.length) {
    const end = escapeAt(text, from, plain);
    if (end === from) {
      plain.add(text.charCodeAt(from));
      from += 1;
      continue;
    }
    from = end;
    if (escapes === ends.length) {
      ends = twice(ends);
      shifts = twice(shifts);
    }
    ends[escapes] = plain.size;
    shifts[escapes] = from - plain.size;
    escapes += 1;
  }
  if (escapes === 0) return undefined;
  const known = ends.subarray(0, escapes);
  return {
    text: plain.text,
    at: (index) => index + (shifts[lastAtMost(known, index)] ?? 0),
    changed: [Math.max(0, (known[0] ?? 0) - MAX_UNITS), known.at(-1) ?? 0],
  };
}

const FEW = 16;
/** The most units that one escape stands for. */
const MAX_UNITS = 2;

function twice(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}

class Plain {
  readonly #units: Uint16Array;
  #all = 0;
  size = 0;

  constructor(most: number) {
    this.#units = new Uint16Array(most);
  }

  add(unit: number): void {
    this.#units[this.size] = unit;
    this.#all |= unit;
    this.size += 1;
  }

  /** Adds a character by its code point, as one or two units. */
  addCode(code: number): void {
    if (code > 0xff_ff) {
      this.add(0xd8_00 + ((code - 0x1_00_00) >> 10));
      this.add(0xdc_00 + (code & 0x3_ff));
    } else this.add(code);
  }

  get text(): string {
    const taken = this.#units.subarray(0, this.size);
    // A Latin-1 string is compared much faster.
    if (this.#all <= 0xff) return Buffer.from(taken).toString('latin1');
    return Buffer.from(taken.buffer, 0, taken.byteLength).toString('utf16le');
  }
}

/**
 * Adds the character of the escape at this index and returns where the escape ends, or the index itself if there is
 * none. Escapes: `%41`, `\u0041`, `\x41`, `\"`, `&#65;`, `&#x41;`, `&plus;`, `=41`, and the soft line break of mail.
 */
function escapeAt(text: string, at: number, plain: Plain): number {
  switch (text.charCodeAt(at)) {
    case units.percent:
      return hexEscape(text, at, 1, 2, plain);
    case units.backslash:
      return backslashEscape(text, at, plain);
    case units.ampersand:
      return reference(text, at, plain);
    case units.equals: {
      const next = text.charCodeAt(at + 1);
      if (next === units.lineFeed) return at + 2;
      const isBreak = next === units.carriageReturn && text.charCodeAt(at + 2) === units.lineFeed;
      return isBreak ? at + 3 : hexEscape(text, at, 1, 2, plain);
    }
    default:
      return at;
  }
}

function backslashEscape(text: string, at: number, plain: Plain): number {
  const next = text.charCodeAt(at + 1);
  if ((next | SMALL) === units.u) return hexEscape(text, at, 2, 4, plain);
  if ((next | SMALL) === units.x) return hexEscape(text, at, 2, 2, plain);
  if (!'"\\/'.includes(text.charAt(at + 1)) || at + 1 === text.length) return at;
  plain.add(next);
  return at + 2;
}

/** Reads an escape of `marks` leading units and then `digits` hexadecimal digits. */
function hexEscape(text: string, at: number, marks: number, digits: number, plain: Plain): number {
  const code = numberIn(text, at + marks, at + marks + digits, 16);
  if (code === undefined) return at;
  plain.add(code);
  return at + marks + digits;
}

function reference(text: string, at: number, plain: Plain): number {
  let end = at + 3;
  while (end <= at + LONGEST_REFERENCE && text.charCodeAt(end) !== units.semicolon) end += 1;
  if (end > at + LONGEST_REFERENCE) return at;
  if (text.charCodeAt(at + 1) !== units.hash) {
    const character = named.get(text.slice(at + 1, end).toLowerCase());
    if (character === undefined) return at;
    plain.addCode(character.charCodeAt(0));
    return end + 1;
  }
  const isHex = (text.charCodeAt(at + 2) | SMALL) === units.x;
  const code = isHex ? numberIn(text, at + 3, end, 16) : numberIn(text, at + 2, end, 10);
  if (code === undefined || code > HIGHEST) return at;
  plain.addCode(code);
  return end + 1;
}

/** The number that these digits form; undefined if there are none or one is invalid. */
function numberIn(text: string, from: number, to: number, base: 10 | 16): number | undefined {
  if (to <= from) return undefined;
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = digitOf(text.charCodeAt(at));
    if (digit === undefined || digit >= base) return undefined;
    value = base * value + digit;
  }
  return value;
}

function digitOf(unit: number): number | undefined {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const small = unit | SMALL;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : undefined;
}

/** Index of the last number that is at most `bound`; -1 when none is. */
function lastAtMost(numbers: Uint32Array, bound: number): number {
  let [low, high] = [-1, numbers.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= bound) low = middle;
    else high = middle - 1;
  }
  return low;
}
