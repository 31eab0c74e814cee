import { expect, it } from 'vitest';
import { summaryOf } from './summary.ts';

it('is not sound when nothing was proved', () => {
  expect(summaryOf([]).sound).toBe(false);
});
