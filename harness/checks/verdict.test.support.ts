/** What a check is expected to say, case by case. */

import { expect, test } from 'vitest';
import type { Judgement } from './judgement.ts';

export const verdicts = ['held', 'broken', 'unseen'] as const;
export type Verdict = (typeof verdicts)[number];

/** A judgement in one word. */
export function outcomeOf({ seen, violations }: Judgement): Verdict {
  if (violations.length > 0) return 'broken';
  return seen === 0 ? 'unseen' : 'held';
}

/** Rows of what is judged, the verdict expected, and the judgements that must all have it. */
export function testVerdicts(
  rows: readonly (readonly [what: string, verdict: Verdict, ...judgements: Judgement[]])[],
): void {
  test.for(rows)('%s: %s', ([, verdict, ...judgements]) => {
    expect(judgements.map(outcomeOf)).toEqual(judgements.map(() => verdict));
  });
}

/** Characters of a case that its test is named by. */
const NAMED = 100;

/** One check and its cases: those that hold, those that break it, and those in which it sees nothing. */
export function testCheck<Case>(
  what: string,
  judge: (one: Case) => Judgement,
  cases: Readonly<Partial<Record<Verdict, readonly Case[]>>>,
): void {
  for (const verdict of verdicts) {
    for (const one of cases[verdict] ?? []) {
      test(`${what}: ${verdict} for ${JSON.stringify(one)?.slice(0, NAMED)}`, () => {
        expect(outcomeOf(judge(one))).toBe(verdict);
      });
    }
  }
}

/** The same for a check of several values: a case is the list of them. */
export function testCalls<Args extends readonly unknown[]>(
  what: string,
  judge: (...args: Args) => Judgement,
  cases: Readonly<Partial<Record<Verdict, readonly Args[]>>>,
): void {
  testCheck(what, (args: Args) => judge(...args), cases);
}

/** The same for a check of several figures: a case has them in a text, apart by commas; `-` stands for null, words for text. */
export function testFigures(
  what: string,
  judge: (...figures: (number | string | null)[]) => Judgement,
  cases: Readonly<Partial<Record<Verdict, readonly string[]>>>,
): void {
  const figureOf = (one: string) => (Number.isNaN(Number(one)) ? one : Number(one));
  const figures = (row: string) =>
    row.split(',').map((one) => (one === '-' ? null : figureOf(one)));
  testCheck(what, (row: string) => judge(...(row === '' ? [] : figures(row))), cases);
}

/** The same for a check of several texts: a case has them in one, apart by commas; those at the end may be empty. */
export function testRows(
  what: string,
  judge: (...texts: string[]) => Judgement,
  cases: Readonly<Partial<Record<Verdict, readonly string[]>>>,
): void {
  testCheck(
    what,
    (row: string) => {
      const texts = row.split(',');
      while (texts.length < judge.length) texts.push('');
      return judge(...texts);
    },
    cases,
  );
}
