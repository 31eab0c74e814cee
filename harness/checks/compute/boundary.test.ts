import { expect, test } from 'vitest';
import { meetsInclusively, missedInFineTimes, missesOnWholeSecond } from './boundary.ts';

const WHOLE_MINUTE = Date.UTC(2026, 0, 1, 12, 30);
const ODD = WHOLE_MINUTE + 12_345;

function outcomes(
  lastBegin: number,
  firstEnd: number,
  ...others: readonly (readonly [number, number])[]
): readonly string[] {
  const { begin, end } = meetsInclusively(
    { lastBegin, firstEnd, exchanges: [] },
    ...others.map(([last, first]) => ({ lastBegin: last, firstEnd: first, exchanges: [] })),
  );
  return [begin, end].map(({ seen, violations }) =>
    violations.length > 0 ? 'violated' : seen === 0 ? 'vacuous' : 'held',
  );
}

test('bounds that meet in the instant are inclusive', () => {
  expect(outcomes(ODD, ODD)).toEqual(['held', 'held']);
});

test('bounds that overlap by what a server cuts off are inclusive', () => {
  expect(outcomes(ODD + 999, ODD)).toEqual(['held', 'held']);
});

test('an instant that neither bound includes', () => {
  expect(outcomes(ODD - 1, ODD + 1)).toEqual(['violated', 'violated']);
});

test('bounds that miss each other by a millisecond may keep finer times', () => {
  expect(outcomes(ODD - 1, ODD)).toEqual(['vacuous', 'vacuous']);
});

test('a whole minute tells which bound excludes it', () => {
  expect(outcomes(WHOLE_MINUTE - 1, WHOLE_MINUTE)).toEqual(['violated', 'held']);
  expect(outcomes(WHOLE_MINUTE, WHOLE_MINUTE + 1)).toEqual(['held', 'violated']);
});

test('whole seconds of several instances tell too, one alone may be chance', () => {
  const second = WHOLE_MINUTE + 7_000;
  const more = (gap: number) =>
    [1, 2].map((n) => [second + n * 5_000 + gap, second + n * 5_000 + gap + 1] as const);
  expect(outcomes(second - 1, second)).toEqual(['vacuous', 'vacuous']);
  expect(outcomes(second - 1, second, ...more(-1))).toEqual(['violated', 'held']);
  expect(outcomes(second, second + 1, ...more(0))).toEqual(['held', 'violated']);
  expect(outcomes(second - 1, second, ...more(455))).toEqual(['vacuous', 'vacuous']);
  expect(outcomes(second - 1, second, [ODD, ODD])).toEqual(['held', 'held']);
});

test('further instances are asked only where bounds miss each other on a whole second', () => {
  const at = (lastBegin: number, firstEnd: number) => ({ lastBegin, firstEnd, exchanges: [] });
  expect(missesOnWholeSecond(at(6_999, 7_000))).toBe(true);
  expect(missesOnWholeSecond(at(7_000, 7_001))).toBe(true);
  expect(missesOnWholeSecond(at(7_000, 7_000))).toBe(false);
  expect(missesOnWholeSecond(at(7_454, 7_455))).toBe(false);
});

test('what no bound has in fine times is told with both of them', () => {
  const { violations } = missedInFineTimes(['12:00:00.000001Z', '12:00:00.000002Z'], []);
  expect(violations[0]?.actual).toBe(
    'begin has it until 12:00:00.000001Z, end has it from 12:00:00.000002Z on',
  );
});
