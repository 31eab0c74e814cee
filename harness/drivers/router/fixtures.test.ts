import { expect, test } from 'vitest';
import { requireTries } from './fixtures.ts';

test('a step that tries once shows nothing of a second try', () => {
  expect(() => requireTries({ limits: { maxTries: 1 } }, 2)).toThrow('tries once');
  expect(() => requireTries({ limits: { maxTries: 2 } }, 2)).not.toThrow();
  expect(() => requireTries({ limits: {} }, 2)).not.toThrow();
});
