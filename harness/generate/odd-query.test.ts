import { assert, property } from 'fast-check';
import { expect, test } from 'vitest';
import { oddQuery } from './odd-query.ts';
import { oddText } from './odd-text.ts';

test('odd text can be escaped for a URL', () => {
  assert(property(oddText, (text) => decodeURIComponent(encodeURIComponent(text)) === text));
});

test('an odd query is visible ASCII and speaks of the parameters', () => {
  assert(
    property(oddQuery('size', 'cursor'), (query) => {
      expect(query).toMatch(/^[!-~]+$/u);
      expect(query).toMatch(/size|cursor/u);
    }),
  );
});
