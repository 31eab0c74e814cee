import { expect, test } from 'vitest';
import { listRecord } from './exchange-fixture.ts';
import type { WireRecord } from './records.ts';
import { oppositeBySize } from './sort-size.ts';
import type { SortedList } from './sorting.ts';

/** Records of these sizes; the rate is the same, the CPU count is eight for each GPU. */
function records(...sizes: readonly string[]): readonly WireRecord[] {
  return sizes.map((size) =>
    listRecord({ instance_id: size, size, cpu_count: 8 * Number.parseInt(size, 10) }),
  );
}

function judged(up: readonly WireRecord[], down: readonly WireRecord[]): string {
  const list = (
    of: readonly WireRecord[],
    weight: (record: WireRecord) => unknown,
  ): SortedList => ({
    items: of.map((record) => ({ id: String(record['instance_id']), key: weight(record) })),
    exchanges: [],
  });
  const { seen, violations } = oppositeBySize((weight) => ({
    up: list(up, weight),
    down: list(down, weight),
  }));
  return violations.length > 0 ? 'violated' : seen === 0 ? 'vacuous' : 'held';
}

test('sizes by name', () => {
  expect(judged(records('1x-a', '1x-b', '2x-a'), records('2x-a', '1x-b', '1x-a'))).toBe('held');
});

test('sizes by count, ties in the same order both ways', () => {
  expect(judged(records('1x-b', '1x-a', '2x-a'), records('2x-a', '1x-b', '1x-a'))).toBe('held');
});

test('a direction that does nothing', () => {
  const same = records('1x-b', '8x-a', '2x-a');
  expect(judged(same, same)).toBe('violated');
});

test('one size alone says nothing', () => {
  expect(judged(records('1x-a'), records('1x-a'))).toBe('vacuous');
});
