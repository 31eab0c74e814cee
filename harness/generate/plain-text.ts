/** Messages that say nothing of a context: what an engine writes when it speaks of something else. */

import { type Arbitrary, array, constantFrom } from 'fast-check';

const words = [
  'temperature',
  'must',
  'be',
  'between',
  '0 and 2',
  'unsupported',
  'value',
  'for',
  '`top_p`',
  'role',
  'größer',
  '値',
  '(code 7)',
  '"tools"',
  '<b>',
  '50%',
  '\\n',
  '🚧',
];

/** One to eight words, none of which the classification looks for. */
export const plainText: Arbitrary<string> = array(constantFrom(...words), {
  minLength: 1,
  maxLength: 8,
}).map((list) => list.join(' '));
