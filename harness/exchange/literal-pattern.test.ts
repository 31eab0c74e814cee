import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { literalPattern } from './literal-pattern.ts';

test('a path matches as it is written, whatever signs it has', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
      fc.pre(!text.includes('{id}'));
      expect(text).toMatch(new RegExp(`^${literalPattern(text, '')}$`, 'u'));
    }),
  );
});

test('a sign stands for itself alone, and the place of the id for its segment', () => {
  const pattern = new RegExp(`^${literalPattern('/v1.0/m/{id}/power-on', '([^/]+)')}$`, 'u');
  expect(pattern.exec('/v1.0/m/abc/power-on')?.[1]).toBe('abc');
  expect(pattern.test('/v1x0/m/abc/power-on')).toBe(false);
  expect(pattern.test('/v1.0/m/a/b/power-on')).toBe(false);
});
