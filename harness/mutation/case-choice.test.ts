import { describe, expect, it } from 'vitest';
import { type CaseCost, Credits, firstCases } from './case-choice.ts';

const cost = (requests: number, durationMs = 0): CaseCost => ({ requests, durationMs });
const none = (): number => 0;

describe('the first cases of a mutant', () => {
  /** Ten cases: 0 and 1 are cheap, 1 waits, the others cost as much as each other. */
  const costs = [cost(1), cost(1, 5_000), ...Array.from({ length: 8 }, () => cost(99))];

  it('are the cheap ones, as long as together they cost little of a whole run', () => {
    expect(firstCases([2, 1, 0], costs, none)).toEqual([0]);
    expect(firstCases([0, 1], [cost(1), cost(1), cost(99)], none)).toEqual([0, 1]);
  });

  it('are those that found something before, whatever they cost', () => {
    expect(firstCases([0, 1, 2], costs, (at) => (at === 2 ? 1 : 0))).toEqual([2]);
  });

  it('are none for a mutant that no case reaches', () => {
    expect(firstCases([], costs, none)).toEqual([]);
  });
});

it('credit is kept for each file, and shared by cases that found the same', () => {
  const credits = new Credits();
  credits.add('paging.js', [1, 2]);
  credits.add('paging.js', [1]);
  expect([1, 2, 3].map(credits.of('paging.js'))).toEqual([1.5, 0.5, 0]);
  expect(credits.of('dates.js')(1)).toBe(0);
});
