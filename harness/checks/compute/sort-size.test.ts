import { expect, test } from 'vitest';
import { listRecord } from './exchange.test.support.ts';
import type { WireRecord } from './records.ts';
import { oppositeBySize } from './sort-size.ts';
import type { SortedList } from './sorting.ts';

/** Records of these sizes; the rate is the same, the CPU count is eight for each GPU. */
function records(...sizes: readonly string[]): readonly WireRecord[] {
  return sizes.map((size) => {
    const count = Number.parseInt(size, 10);
    const resources = `${count} x H100, ${64 * count} GB`;
    return listRecord({ instance_id: size, size, resources, cpu_count: 8 * count });
  });
}

function judged(up: readonly WireRecord[], down: readonly WireRecord[]): string {
  const list = (
    of: readonly WireRecord[],
    weight: (record: WireRecord) => unknown,
  ): SortedList => ({
    items: of.map((record) => ({ id: String(record['instance_id']), key: weight(record) })),
    exchanges: [],
  });
  const { seen, violations } = oppositeBySize(
    (weight) => ({ up: list(up, weight), down: list(down, weight) }),
    up,
  );
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

test('a weight that the record does not show, and ties in any order', () => {
  const up = records('4x-a', '1x-b', '2x-a', '8x-b', '1x-a');
  const down = records('8x-b', '1x-a', '1x-b', '4x-a', '2x-a');
  expect(judged(up, down)).toBe('held');
});

test('a weight that the record does not show, and that may be the same for all', () => {
  const alike = records('4x-a', '1x-b', '2x-a').map((record, index) => ({
    ...record,
    resources: `${index + 1} x H100, 1000 GB of disk`,
  }));
  expect(judged(alike, alike)).toBe('vacuous');
});
