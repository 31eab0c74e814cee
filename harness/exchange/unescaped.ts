/** A text without the escapes of URLs, JSON, HTML and mail, with the places where its characters stood. */

/** Names of the characters that a key can have and HTML can name. */
const named: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'amp & lt < gt > quot " apos \' sol / plus + equals = quest ? percnt % num # excl ! dollar $ lpar ( rpar ) ast * ' +
    'comma , colon : semi ; commat @ lsqb [ lbrack [ rsqb ] rbrack ] bsol \\ hat ^ lowbar _ grave ` lcub { lbrace { ' +
    'vert | verbar | rcub } rbrace } hyphen - dash - period . tilde ~'
  )
    .split(' ')
    .flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1] ?? '']] : [])),
);

/** `%41`, `\u0041`, `\x41`, `\"`, `&#65;`, `&#x41;`, `&plus;`, `=41`, and the soft line break of mail. */
const ESCAPE =
  /%([\da-f]{2})|\\u([\da-f]{4})|\\x([\da-f]{2})|\\(["\\/])|&#(\d{1,7});|&#x([\da-f]{1,6});|&([a-z]{2,8});|=([\da-f]{2})|=\r?\n/giu;
const MARKS = /[%\\&=]/u;
const HIGHEST = 0x10_ff_ff;

export interface Unescaped {
  readonly text: string;
  /** Where the character at this index of the text begins in what was unescaped; at its length, the end. */
  readonly at: (index: number) => number;
}

/** One level of escapes less; undefined for a text that has none. */
export function unescaped(text: string): Unescaped | undefined {
  if (!MARKS.test(text)) return undefined;
  let plain = '';
  let from = 0;
  /** Where, in the plain text, a character came of an escape ends, and how many units it is behind from there on. */
  const ends: number[] = [];
  const shifts: number[] = [];
  for (const match of text.matchAll(ESCAPE)) {
    const character = characterOf(match);
    if (character === undefined) continue;
    plain += text.slice(from, match.index) + character;
    from = match.index + match[0].length;
    ends.push(plain.length);
    shifts.push(from - plain.length);
  }
  if (from === 0) return undefined;
  plain += text.slice(from);
  return {
    text: plain,
    at: (index) => index + (shifts[lastAtMost(ends, index)] ?? 0),
  };
}

function characterOf(match: RegExpMatchArray): string | undefined {
  const [, percent, unicode, byte, escaped, decimal, hex, name, printable] = match;
  if (escaped !== undefined) return escaped;
  if (name !== undefined) return named[name.toLowerCase()];
  const digits = percent ?? unicode ?? byte ?? hex ?? printable;
  if (digits === undefined && decimal === undefined) return '';
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
  return code <= HIGHEST ? String.fromCodePoint(code) : undefined;
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
