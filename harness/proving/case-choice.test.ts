import { describe, expect, it } from 'vitest';
import { type CaseCost, Credits, firstWaves } from './trial.ts';

const cost = (requests: number, durationMs = 0): CaseCost => ({ requests, durationMs });
const none = (): number => 0;

describe('the first waves of a mutant', () => {
  /** 0 to 7 are cheap, 8 waits, the others cost as much as each other. */
  const costs = [
    ...Array.from({ length: 8 }, () => cost(1)),
    cost(1, 9_000),
    ...Array.from({ length: 4 }, () => cost(99)),
  ];

  it('are the cheap ones, as long as together they cost little of a whole run', () => {
    const all = [...costs.keys()].toReversed();
    expect(firstWaves(all, costs, none)).toEqual([
      [7, 6, 5],
      [4, 3, 2, 1, 0],
    ]);
  });

  it('begin with what found something before, whatever it costs', () => {
    expect(firstWaves([0, 1, 9], costs, (at) => (at === 9 ? 1 : 0))).toEqual([[9], [0, 1]]);
  });

  it('are none for a mutant that no case reaches', () => {
    expect(firstWaves([], costs, none)).toEqual([]);
  });
});

it('credit is kept for each file, and shared by cases that found the same', () => {
  const credits = new Credits();
  credits.add('paging.js', [1, 2]);
  credits.add('paging.js', [1]);
  expect([1, 2, 3].map(credits.of('paging.js'))).toEqual([1.5, 0.5, 0]);
  expect(credits.of('dates.js')(1)).toBe(0);
});
