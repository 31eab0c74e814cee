import { expect, test } from 'vitest';
import { presetsBy, presetsInOrder } from './preset-sorts.ts';
import type { Part } from './selection.ts';
import { outcomeOf } from './verdicts.test.support.ts';

const bindings = {
  presets: { items: 'data', fields: { gpu: 'gpu', cpu: 'cpu', region: 'region' } },
};

interface Preset {
  readonly id: string;
  readonly gpu: unknown;
  readonly [member: string]: unknown;
}

function part(...records: readonly Preset[]): Part {
  return { ids: records.map(({ id }) => id), records, exchanges: [], end: 'last-page' };
}

/** A sort by GPU with the ascending list, and the descending one or its reverse. */
function byGpu(up: readonly Preset[], down: readonly Preset[] = up.toReversed()): string {
  const lists = [
    ['ASC', part(...up)],
    ['DESC', part(...down)],
  ] as const;
  return outcomeOf(presetsInOrder('GPU', lists, bindings));
}

const one = { id: 'a', gpu: 'H100', cpu: 24, hardware: { gpus: 1 }, region: 'US' };
const two = { id: 'b', gpu: 'L40S', cpu: 16, hardware: { gpus: 8 }, region: 'FR' };
const three = { id: 'c', gpu: 'A100', cpu: 96, hardware: { gpus: 4 }, region: 'UAE' };
const four = { id: 'd', gpu: 'H100', cpu: 48, hardware: { gpus: 2 }, region: 'US' };

test.each([
  ['by model', [three, one, four, two], 'held'],
  ['by model in an order of its own', [one, four, two, three], 'held'],
  ['by count', [one, four, three, two], 'held'],
  ['by cores, which have a sort of their own', [two, one, four, three], 'held'],
  ['by nothing', [four, two, one, three], 'violated'],
])('a sort by GPU, %s', (_, presets, expected) => {
  expect(byGpu(presets)).toBe(expected);
});

test('presets of one model are in order by it whatever their counts are', () => {
  const same = [one, three, two].map((preset) => ({ ...preset, gpu: 'H100' }));
  expect(byGpu(same, same)).toBe('vacuous');
});

test('both directions go by the same key', () => {
  expect(byGpu([one, four, three, two])).toBe('held');
  expect(byGpu([one, four, three, two], [two, one, four, three])).toBe('violated');
});

test.each([
  ['1x A100', '8x A100', '1x H100', '8x H100'],
  ['1 × A100', '8 × A100', '1 × H100', '8 × H100'],
  ['A100 x1', 'A100 x8', 'H100 x1', 'H100 x8'],
])('a model that is shown beside its count sorts as the model does: %s', (...gpus) => {
  const presets = gpus.map((gpu, place) => ({ id: String(place), gpu }));
  expect(byGpu(presets)).toBe('held');
  const [first, second, third, fourth] = presets;
  if (!first || !second || !third || !fourth) throw new Error('four presets');
  expect(byGpu([first, second, third, fourth], [third, fourth, first, second])).toBe('held');
  // No preset need show the model that it goes by.
  expect(byGpu([first, third, second, fourth], presets)).toBe('vacuous');
});

test('a model may stand in another text', () => {
  const presets = ['A100', 'A100', 'H100', 'H100'].map((gpu_model, place) => ({
    id: String(place),
    gpu: ['big', 'small'][place % 2],
    gpu_model,
  }));
  expect(byGpu(presets)).toBe('held');
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
  expect(presetsBy(part(one), ({ cpu }) => cpu).items).toEqual([{ id: 'a', key: 24 }]);
});
