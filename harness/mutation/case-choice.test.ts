import { describe, expect, it } from 'vitest';
import { type CaseCost, Credits, wavesOf } from './case-choice.ts';

const cost = (requests: number, durationMs = 0): CaseCost => ({ requests, durationMs });
const none = (): number => 0;

describe('the waves of a mutant', () => {
  /** Ten cases: 0 is cheap, 1 waits, the others cost as much as each other. */
  const costs = [cost(1), cost(1, 5_000), ...Array.from({ length: 8 }, () => cost(99))];

  it('begin with the cheap cases and go on with the others', () => {
    expect(wavesOf([2, 1, 0], { costs, credit: none, whole: true })).toEqual([[0], [2, 1]]);
  });

  it('begin with cases that found something before, whatever they cost', () => {
    const credit = (at: number): number => (at === 2 ? 1 : 0);
    expect(wavesOf([0, 1, 2], { costs, credit, whole: true })[0]).toEqual([2]);
  });

  it('leave the many to the whole suite where it comes after them', () => {
    const most = [0, 2, 3, 4, 5, 6, 7];
    expect(wavesOf(most, { costs, credit: none, whole: true })).toEqual([[0]]);
    expect(wavesOf(most, { costs, credit: none, whole: false })).toEqual([[0], most.slice(1)]);
  });

  it('are none for a mutant that no case reaches', () => {
    expect(wavesOf([], { costs, credit: none, whole: true })).toEqual([]);
  });
});

it('credit is kept for each file, and shared by cases that found the same', () => {
  const credits = new Credits();
  credits.add('paging.js', [1, 2]);
  credits.add('paging.js', [1]);
  expect([1, 2, 3].map(credits.of('paging.js'))).toEqual([1.5, 0.5, 0]);
  expect(credits.of('dates.js')(1)).toBe(0);
});
