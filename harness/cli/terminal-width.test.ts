import { expect, test } from 'vitest';
import { terminalWidth } from './terminal-width.ts';

test.each([
  [{ columns: 60 }, 60],
  [{ columns: 0 }, 80],
  [{ columns: undefined }, 80],
  [{}, 80],
])('%j has %i columns', (stream, expected) => {
  expect(terminalWidth(stream, 80)).toBe(expected);
});
