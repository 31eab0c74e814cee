import { expect, test } from 'vitest';

import { visibleLine, visibleText } from './model/text.ts';

test.for<[string, string]>([
  ['plain äöü 漢字 🙂\n\ttext', 'plain äöü 漢字 🙂\n\ttext'],
  ['\u001b[31m', '\\u{1B}[31m'],
  ['a\u202Eb', 'a\\u{202E}b'],
  ['a\u200bb\ufeff', 'a\\u{200B}b\\u{FEFF}'],
  ['\u009b\u007f\r', '\\u{9B}\\u{7F}\\u{D}'],
  ['lone \ud800 half', 'lone \\u{D800} half'],
  ['tag \u{e0041}', 'tag \\u{E0041}'],
])('shows %j as %j', ([text, shown]) => {
  expect(visibleText(text)).toBe(shown);
});

test('a line has no breaks and an end', () => {
  expect(visibleLine(' a\n\n b ', 10)).toBe('a b');
  expect(visibleLine('abcdef', 4)).toBe('abc…');
});
