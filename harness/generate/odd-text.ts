/** Text that trips careless servers: quotes, percent signs, control characters, other scripts, very long. */

import { type Arbitrary, nat, oneof, string } from 'fast-check';

/** Those that are known to trip somebody. */
export const oddTexts: readonly string[] = [
  '',
  ' ',
  "'",
  '"',
  '\\',
  '%',
  '%00',
  '%%',
  '\u0000',
  '\r\n',
  '\t',
  '../..',
  "' OR '1'='1",
  '<script>',
  '${7*7}',
  '{"$gt":""}',
  '[]',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e999',
  '9223372036854775808',
  'é',
  '‮',
  '日本語',
  '👩‍🚀',
];

/** Characters in the longest text: below what web servers refuse by themselves. */
const LONGEST = 2_000;

const SURROGATES = { from: 0xd800, count: 0x800 };

/** Any one character but half surrogates. fast-check's own unit `binary` takes a second to prepare in each process. */
const character = nat(0x10ffff - SURROGATES.count).map((index) =>
  String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count),
);

/** Any text of well-formed Unicode: no half surrogates, which cannot be escaped for a URL. */
export const oddText: Arbitrary<string> = oneof(
  string({ unit: character, maxLength: 40 }),
  string({ unit: 'binary-ascii', maxLength: 40 }),
  nat(LONGEST).map((length) => 'x'.repeat(length)),
);
