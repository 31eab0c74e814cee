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
const REFERENCE = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/iuy;
const SOFT_BREAK = /=\r?\n/uy;

const units = {
  percent: 0x25,
  ampersand: 0x26,
  equals: 0x3d,
  backslash: 0x5c,
  u: 0x75,
  x: 0x78,
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
  const ends: number[] = [];
  const shifts: number[] = [];
  while (from < text.length) {
    const end = escapeAt(text, from, plain);
    if (end === from) {
      plain.add(text.charCodeAt(from));
      from += 1;
      continue;
    }
    from = end;
    ends.push(plain.size);
    shifts.push(from - plain.size);
  }
  const [first] = ends;
  if (first === undefined) return undefined;
  return {
    text: plain.text,
    at: (index) => index + (shifts[lastAtMost(ends, index)] ?? 0),
    changed: [Math.max(0, first - MAX_UNITS), ends.at(-1) ?? 0],
  };
}

/** The most units that one escape stands for. */
const MAX_UNITS = 2;

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
    case units.equals:
      SOFT_BREAK.lastIndex = at;
      return SOFT_BREAK.test(text) ? SOFT_BREAK.lastIndex : hexEscape(text, at, 1, 2, plain);
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
  const end = at + marks + digits;
  let value = 0;
  for (let place = at + marks; place < end; place += 1) {
    const digit = digitOf(text.charCodeAt(place));
    if (digit === undefined) return at;
    value = 16 * value + digit;
  }
  plain.add(value);
  return end;
}

function reference(text: string, at: number, plain: Plain): number {
  REFERENCE.lastIndex = at;
  const [whole, hex, decimal, name = ''] = REFERENCE.exec(text) ?? [];
  if (whole === undefined) return at;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (code > HIGHEST) return at;
  const character = Number.isNaN(code) ? named.get(name.toLowerCase()) : String.fromCodePoint(code);
  if (character === undefined) return at;
  for (let unit = 0; unit < character.length; unit += 1) plain.add(character.charCodeAt(unit));
  return at + whole.length;
}

function digitOf(unit: number): number | undefined {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const small = unit | SMALL;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : undefined;
}

/** Index of the last number that is at most `bound`; -1 when none is. */
function lastAtMost(numbers: readonly number[], bound: number): number {
  let [low, high] = [-1, numbers.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= bound) low = middle;
    else high = middle - 1;
  }
  return low;
}
