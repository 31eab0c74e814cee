import { expect, test } from 'vitest';
import { meetsInclusively, missedInFineTimes, missesOnWholeMinute } from './boundary.ts';

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

test('whole minutes of several instances tell which bound excludes them, one alone may be chance', () => {
  const more = (gap: number) =>
    [1, 2].map(
      (n) => [WHOLE_MINUTE + n * 60_000 + gap, WHOLE_MINUTE + n * 60_000 + gap + 1] as const,
    );
  expect(outcomes(WHOLE_MINUTE - 1, WHOLE_MINUTE)).toEqual(['vacuous', 'vacuous']);
  expect(outcomes(WHOLE_MINUTE - 1, WHOLE_MINUTE, ...more(-1))).toEqual(['violated', 'held']);
  expect(outcomes(WHOLE_MINUTE, WHOLE_MINUTE + 1, ...more(0))).toEqual(['held', 'violated']);
  expect(outcomes(WHOLE_MINUTE - 1, WHOLE_MINUTE, ...more(455))).toEqual(['vacuous', 'vacuous']);
  expect(outcomes(WHOLE_MINUTE - 1, WHOLE_MINUTE, [ODD, ODD])).toEqual(['held', 'held']);
});

test('whole seconds may be those to which a server reads dates', () => {
  const second = WHOLE_MINUTE + 7_000;
  const others = [1, 2].map((n) => [second + n * 5_000 - 1, second + n * 5_000] as const);
  expect(outcomes(second - 1, second, ...others)).toEqual(['vacuous', 'vacuous']);
});

test('further instances are asked only where bounds miss each other on a whole minute', () => {
  const at = (lastBegin: number, firstEnd: number) => ({ lastBegin, firstEnd, exchanges: [] });
  expect(missesOnWholeMinute(at(59_999, 60_000))).toBe(true);
  expect(missesOnWholeMinute(at(60_000, 60_001))).toBe(true);
  expect(missesOnWholeMinute(at(60_000, 60_000))).toBe(false);
  expect(missesOnWholeMinute(at(6_999, 7_000))).toBe(false);
});

test('what no bound has in fine times is told with both of them', () => {
  const { violations } = missedInFineTimes(['12:00:00.000001Z', '12:00:00.000002Z'], []);
  expect(violations[0]?.actual).toBe(
    'begin has it until 12:00:00.000001Z, end has it from 12:00:00.000002Z on',
  );
});
