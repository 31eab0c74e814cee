import { expect, test } from 'vitest';
import { presetsBy, presetsInOrder } from './preset-sorts.ts';
import type { Part } from './selection.ts';
import { outcomeOf } from './verdicts.test.support.ts';

const bindings = {
  presets: { items: 'data', fields: { gpu: 'gpu', cpu: 'cpu', region: 'region' } },
};

function part(...records: readonly Readonly<Record<string, unknown>>[]): Part {
  return {
    ids: records.map((_, place) => String(place)),
    records,
    exchanges: [],
    end: 'last-page',
  };
}

const one = { gpu: 'H100', cpu: 24, hardware: { gpus: 1 }, region: 'US' };
const two = { gpu: 'L40S', cpu: 16, hardware: { gpus: 8 }, region: 'FR' };
const three = { gpu: 'A100', cpu: 96, hardware: { gpus: 4 }, region: 'UAE' };

test.each([
  ['by model', [three, one, two], 'held'],
  ['by count', [one, three, two], 'held'],
  ['by cores, which have a sort of their own', [two, one, three], 'violated'],
  ['by nothing', [two, three, one], 'violated'],
])('a sort by GPU, %s', (_, presets, expected) => {
  const up = presetsInOrder('GPU', [['ASC', part(...presets)]], bindings);
  expect(outcomeOf(up)).toBe(expected);
});

test('presets of one model are in order by it whatever their counts are', () => {
  const same = [one, three, two].map((preset) => ({ ...preset, gpu: 'H100' }));
  const lists = [
    ['ASC', part(...same)],
    ['DESC', part(...same)],
  ] as const;
  expect(outcomeOf(presetsInOrder('GPU', lists, bindings))).toBe('vacuous');
});

test('both directions go by the same key', () => {
  const up = part(one, three, two);
  const lists = (...down: readonly (typeof one)[]) =>
    presetsInOrder(
      'GPU',
      [
        ['ASC', up],
        ['DESC', part(...down)],
      ],
      bindings,
    );
  expect(outcomeOf(lists(two, three, one))).toBe('held');
  expect(outcomeOf(lists(two, one, three))).toBe('violated');
});

test.each([
  [[two, three, one], 'held'],
  [[three, two, one], 'held'],
  [[three, two, one, { ...one, region: '' }], 'held'],
  [[three, two, three], 'violated'],
  [[one, two], 'violated'],
])('regions as text or as listed: %#', (presets, expected) => {
  const up = presetsInOrder('REGION', [['ASC', part(...presets)]], bindings);
  expect(outcomeOf(up)).toBe(expected);
});

test('presets carry what they are sorted by', () => {
  expect(presetsBy(part(one), ({ cpu }) => cpu).items).toEqual([{ id: '0', key: 24 }]);
});
