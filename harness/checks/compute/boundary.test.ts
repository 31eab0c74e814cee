import { expect, test } from 'vitest';
import { meetsInclusively } from './boundary.ts';

const WHOLE_MINUTE = Date.UTC(2026, 0, 1, 12, 30);
const ODD = WHOLE_MINUTE + 12_345;

function outcomes(lastBegin: number, firstEnd: number): readonly string[] {
  const { begin, end } = meetsInclusively({ lastBegin, firstEnd, exchanges: [] });
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
